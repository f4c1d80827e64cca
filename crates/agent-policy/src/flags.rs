//! Equivalent arguments: long and short options, octal and symbolic modes.

use super::surroundings::table;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Programs that accept a long option without its last letters.
const ABBREVIATING: [&str; 17] = [
    "git", "rm", "mv", "cp", "ln", "chmod", "chown", "chgrp", "rmdir", "mkdir", "touch", "grep",
    "sed", "sort", "tar", "tee", "wget",
];

/// Maximum number of letters of joined options; longer words with one dash are single options.
pub(super) const MAX_JOINED: usize = 3;

/// The end of a long option that no program has.
const UNLISTED: &str = "xyz";

/// Programs whose first argument may be joined options without a dash.
const WITHOUT_DASH: [&str; 5] = ["tar", "gtar", "bsdtar", "ar", "ps"];

/// The joined single-letter options of a word, if none takes a value.
fn switches(program: &str, args: &[String], word: &str) -> Option<Vec<char>> {
    let joined = letters(word).and(word.strip_prefix('-'))?;
    let known = |c: char| table().is_switch(program, args, &format!("-{c}"));
    joined.chars().all(known).then(|| joined.chars().collect())
}

/// Joins, splits, reorders and abbreviates the options of a program whose grammar is known.
fn rearranged(program: &str, args: &[String]) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    let options = args.iter().position(|a| a == "--").unwrap_or(args.len());
    let clusters: Vec<Option<Vec<char>>> = args
        .iter()
        .take(options)
        .map(|word| switches(program, args, word))
        .collect();
    let mut replace = |from: usize, count: usize, new: Vec<String>| {
        let before = args.iter().take(from).cloned();
        let after = args.iter().skip(from + count).cloned();
        all.push(before.chain(new).chain(after).collect::<Vec<String>>());
    };
    let joined =
        |letters: &mut dyn Iterator<Item = char>| format!("-{}", letters.collect::<String>());
    for (n, word) in args.iter().take(options).enumerate() {
        let cluster = clusters.get(n).and_then(Option::as_ref);
        if let Some(letters) = cluster.filter(|letters| letters.len() > 1) {
            replace(n, 1, letters.iter().map(|c| format!("-{c}")).collect());
            replace(n, 1, vec![joined(&mut letters.iter().rev().copied())]);
        }
        if let (Some(one), Some(Some(next))) = (cluster, clusters.get(n + 1)) {
            replace(n, 2, vec![joined(&mut one.iter().chain(next).copied())]);
        }
        let is_long = word.starts_with("--") && table().is_switch(program, args, word);
        if (is_long || cluster.is_some()) && n + 1 < options {
            let mut rest: Vec<String> = args.iter().take(options).skip(n + 1).cloned().collect();
            rest.push(word.clone());
            replace(n, options - n, rest);
        }
        let shorter = word.get(..word.len().saturating_sub(1)).unwrap_or_default();
        if is_long
            && shorter.len() > 3
            && ABBREVIATING.contains(&program)
            && !table()
                .options(program, args)
                .any(|other| other != word && other.starts_with(shorter))
        {
            replace(n, 1, vec![shorter.to_owned()]);
        }
    }
    all
}

/// All spellings of an option of a program, itself included.
fn spellings(program: &str, args: &[String], option: &str) -> Vec<String> {
    let mut all = vec![option.to_owned()];
    for group in table().option_groups(program, args, option) {
        if is_one(&group) {
            let others = group.into_iter().filter(|name| *name != option);
            all.extend(others.map(str::to_owned));
        }
    }
    all.sort();
    all.dedup();
    all
}

/// Whether grouped options are spellings of one option: one long name, and its first letter. The
/// table also groups options that only have the same effects.
fn is_one(group: &[&str]) -> bool {
    let mut long = group.iter().filter_map(|name| name.strip_prefix("--"));
    let (Some(name), None) = (long.next(), long.next()) else {
        return false;
    };
    let letter = name.chars().next();
    let fits = |short: &str| {
        short.len() == 1 && short.chars().next().map(|c| c.to_ascii_lowercase()) == letter
    };
    group
        .iter()
        .filter(|name| !name.starts_with("--"))
        .all(|name| name.strip_prefix('-').is_some_and(fits))
}

/// The letters of a word of joined single-letter options, in lower case.
fn letters(word: &str) -> Option<String> {
    let rest = word.strip_prefix('-')?;
    (!rest.is_empty() && rest.bytes().all(|b| b.is_ascii_alphanumeric()))
        .then(|| rest.to_ascii_lowercase())
}

/// The name of a program as the table has it. On some file systems case doesn't count.
fn listed_name(program: &str) -> Cow<'_, str> {
    if program.bytes().any(|b| b.is_ascii_uppercase()) && !table().contains(program) {
        Cow::Owned(program.to_ascii_lowercase())
    } else {
        Cow::Borrowed(program)
    }
}

/// The options that an argument joins: `-r` and `-f` of `-rf`; otherwise itself. A list contains
/// it, or may, if that is so of each of them.
pub(super) fn single_options(option: &str) -> Vec<String> {
    if letters(option).is_some() {
        option
            .chars()
            .skip(1)
            .map(|letter| format!("-{letter}"))
            .collect()
    } else {
        vec![option.to_owned()]
    }
}

/// Whether a list contains an argument in any spelling.
///
/// `--force` is also found as `--force=…`, as `-f`, and, unless `strict`, abbreviated.
/// Single-letter options may be joined (`-rf` is in `-fvr`), separate or long. Modes are compared
/// by their bits.
pub(super) fn has_argument(program: &str, args: &[String], want: &str, strict: bool) -> bool {
    let program = &*listed_name(program);
    let long = |want: &str| {
        let fits = |name: &str| {
            name.eq_ignore_ascii_case(want)
                || !strict && name.len() > 2 && name.starts_with("--") && want.starts_with(name)
        };
        args.iter()
            .any(|a| fits(a.split_once('=').map_or(a.as_str(), |(name, _)| name)))
    };
    let mut given: String = args.iter().filter_map(|a| letters(a)).collect();
    let first = args.first().filter(|_| WITHOUT_DASH.contains(&program));
    given.extend(first.and_then(|word| letters(&format!("-{word}"))));
    // A `+` before a refspec forces that refspec.
    let plus = || {
        let is_forced = |a: &String| a.len() > 1 && a.starts_with('+');
        program == "git" && args.iter().any(|a| a == "push") && args.iter().any(is_forced)
    };
    let written = |option: &str| match letters(option) {
        Some(wanted) if wanted.len() == 1 => given.contains(&wanted),
        _ if option.starts_with("--") => long(option) || option == "--force" && plus(),
        _ => args.iter().any(|a| a.eq_ignore_ascii_case(option)),
    };
    let meant = |option: &str| spellings(program, args, option).iter().any(|s| written(s));
    if let Some(wanted) = letters(want) {
        return args.iter().any(|a| a.eq_ignore_ascii_case(want))
            || wanted
                .chars()
                .zip(want.chars().skip(1))
                .all(|(c, as_written)| given.contains(c) || meant(&format!("-{as_written}")));
    }
    if want.starts_with("--") {
        return meant(want);
    }
    let mode = if program == "chmod" { mode(want) } else { None };
    args.iter()
        .any(|a| a.eq_ignore_ascii_case(want) || mode.is_some() && self::mode(a) == mode)
}

/// Whether an option may be given in a spelling that the table doesn't know for sure.
///
/// A long option usually has its first letter as its short one. So `-f` may be any `--f…`, and
/// `--force` any `-f`, unless the table says that one of them has another counterpart.
pub(super) fn may_have_argument(program: &str, args: &[String], want: &str) -> bool {
    let program = &*listed_name(program);
    let may_be = |short: &str, long: &str| may_be_one(program, args, short, long);
    if let Some(wanted) = letters(want).filter(|wanted| wanted.len() <= MAX_JOINED) {
        let long = args.iter().filter(|a| a.starts_with("--"));
        let long: Vec<&str> = long
            .map(|a| a.split_once('=').map_or(a.as_str(), |(name, _)| name))
            .collect();
        return want.chars().skip(1).take(wanted.len()).all(|letter| {
            let short = format!("-{letter}");
            has_argument(program, args, &short, false)
                || long.iter().any(|long| may_be(&short, long))
        });
    }
    let joined = args.iter().filter(|a| letters(a).is_some());
    let mut shorts = joined.flat_map(|a| a.chars().skip(1));
    want.starts_with("--") && shorts.any(|c| may_be(&format!("-{c}"), want))
}

/// Arguments that show what single words make of some options of a listed program: each place in
/// the tree of its subcommands with each word that may be one of the options.
pub(super) fn probe_arguments(program: &str, options: &BTreeSet<&str>) -> Vec<Vec<String>> {
    let places = table().subcommand_paths(program).into_iter();
    places
        .flat_map(|place| {
            let words = probe_words(program, &place, options);
            let given = words.into_iter().map(move |word| {
                let mut args = place.clone();
                args.push(word);
                args
            });
            given.collect::<Vec<_>>()
        })
        .collect()
}

/// The words that may be one of some options at a place of a program.
fn probe_words(program: &str, place: &[String], options: &BTreeSet<&str>) -> BTreeSet<String> {
    let mut words = BTreeSet::from(["+x".to_owned()]);
    for option in options {
        let groups = table().option_groups(program, place, option);
        words.extend(groups.into_iter().flatten().map(str::to_owned));
        words.insert((*option).to_owned());
        let letter = first_letter(option);
        let same = table().options(program, place);
        let same = same.filter(|other| first_letter(other) == letter);
        words.extend(same.map(str::to_owned));
        if let Some(letter) = letter {
            let other = letter.to_ascii_uppercase();
            words.extend([letter, other].map(|letter| format!("-{letter}")));
            // A long option that isn't listed.
            words.insert(format!("--{letter}{UNLISTED}"));
        }
    }
    let long: Vec<String> = words
        .iter()
        .filter(|w| w.starts_with("--"))
        .cloned()
        .collect();
    for word in long {
        let beginnings = (3..word.len()).filter_map(|end| word.get(..end));
        words.extend(beginnings.map(str::to_owned));
        // In another case it's no abbreviation.
        words.insert(word.to_ascii_uppercase());
    }
    if WITHOUT_DASH.contains(&program) && place.is_empty() {
        let joined = words.iter().filter(|word| letters(word).is_some());
        let bare: Vec<String> = joined
            .filter_map(|w| w.get(1..))
            .map(str::to_owned)
            .collect();
        words.extend(bare);
    }
    words
}

/// Whether a short and a long option may be the same one.
fn may_be_one(program: &str, args: &[String], short: &str, long: &str) -> bool {
    let long_of = counterparts(program, args, short);
    let short_of = counterparts(program, args, long);
    if long_of.iter().any(|name| name == long) {
        return true;
    }
    let is_long = |name: &String| name.starts_with("--");
    let has_letters_only =
        || !long_of.is_empty() && table().options(program, args).all(|o| !o.starts_with("--"));
    let other = program == "git" && short == "-f"
        || long_of.iter().any(is_long)
        || short_of.iter().any(|name| !is_long(name))
        || has_letters_only();
    first_letter(short) == first_letter(long) && !other
}

/// The listed options that may be an option, itself included: those of its group, if the group has
/// a single letter or they begin with its letter. Case doesn't count.
fn counterparts(program: &str, args: &[String], option: &str) -> Vec<String> {
    let letter = first_letter(option);
    let mut all = Vec::new();
    for group in table().option_groups(program, args, option) {
        let is_pair = group.iter().filter(|name| !name.starts_with("--")).count() == 1;
        let fits = |name: &&str| is_pair || first_letter(name) == letter;
        all.extend(group.iter().copied().filter(fits).map(str::to_owned));
    }
    all
}

/// The letter that an option begins with, in lower case.
pub(super) fn first_letter(option: &str) -> Option<char> {
    let first = option.trim_start_matches('-').chars().next();
    first.map(|c| c.to_ascii_lowercase())
}

/// The permission bits that a mode sets, without set-user-id and the like: `777`, `0777`, `a+rwx`.
fn mode(text: &str) -> Option<u32> {
    if !text.is_empty() && text.len() < 9 && text.bytes().all(|b| (b'0'..=b'7').contains(&b)) {
        return u32::from_str_radix(text, 8).ok().map(|bits| bits & 0o777);
    }
    let mut bits = 0;
    for clause in text.split(',') {
        let at = clause.find(['+', '='])?;
        let (who, rest) = clause.split_at_checked(at)?;
        let what = rest.get(1..)?.chars().try_fold(0, |all, c| {
            Some(
                all | match c {
                    'r' => 4,
                    'w' => 2,
                    'x' | 'X' => 1,
                    's' | 't' => 0,
                    _ => return None,
                },
            )
        })?;
        let everybody = who.is_empty() || who.contains('a');
        for (class, shift) in [('u', 6), ('g', 3), ('o', 0)] {
            if everybody || who.contains(class) {
                bits |= what << shift;
            }
        }
        if !who.chars().all(|c| "ugoa".contains(c)) {
            return None;
        }
    }
    Some(bits)
}

/// Spells the options of a line differently each time, for lines of plain words.
pub(super) fn respelled(line: &str) -> Vec<String> {
    let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
    let plain = |w: &String| {
        !w.is_empty()
            && w.bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"-_./=+,:".contains(&b))
    };
    let (Some(program), true) = (words.first(), words.iter().all(plain)) else {
        return Vec::new();
    };
    let args = words.get(1..).unwrap_or_default();
    let mut all = Vec::new();
    // What follows `--` isn't an option.
    let options = words.iter().enumerate().skip(1);
    for (n, word) in options.take_while(|(_, word)| *word != "--") {
        let mut replace = |new: String| {
            let mut other = words.clone();
            if let Some(place) = other.get_mut(n) {
                *place = new;
                all.push(other.join(" "));
            }
        };
        if let Some(joined) = word.strip_prefix('-').filter(|rest| {
            letters(word).is_some()
                && table().contains(program)
                && rest.bytes().all(|b| b.is_ascii_alphabetic())
        }) {
            let each = |c: char| {
                let short = format!("-{c}");
                let long = spellings(program, args, &short)
                    .into_iter()
                    .find(|s| s.starts_with("--"));
                long.unwrap_or(short)
            };
            replace(joined.chars().map(each).collect::<Vec<_>>().join(" "));
        } else if word.starts_with("--") {
            for other in spellings(program, args, word)
                .into_iter()
                .filter(|s| s != word)
            {
                replace(other);
            }
        } else if program == "chmod"
            && word.bytes().all(|b| b.is_ascii_digit())
            && mode(word).is_some()
        {
            replace(format!("0{word}"));
            if word == "777" {
                replace("a+rwx".to_owned());
            }
        }
    }
    let line = |args: Vec<String>| format!("{program} {}", args.join(" "));
    all.extend(rearranged(program, args).into_iter().map(line));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has(line: &str, want: &str) -> bool {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        has_argument(&words[0], &words[1..], want, false)
    }

    #[test]
    fn options_are_found_however_they_are_written() {
        for line in [
            "rm -rf x",
            "rm -fr x",
            "rm -r -f x",
            "rm --recursive --force x",
            "rm -r --force x",
            "rm --recur --forc x",
            "rm -Rf x",
        ] {
            assert!(has(line, "-rf"), "{line}");
        }
        assert!(!has("rm -r x", "-rf") && !has("rm --recursive x", "-rf") && !has("rm rf", "-rf"));
        for line in [
            "git push --force",
            "git push -f",
            "git push -uf",
            "git push origin +main",
            "git push --force=x",
        ] {
            assert!(has(line, "--force"), "{line}");
        }
        assert!(has("git push origin +main", "-f") && !has("git push origin +main", "-u"));
        assert!(!has("git push origin main", "--force") && !has("git grep -f push.txt", "--force"));
        assert!(
            !has_argument("rm", &["--forc".to_owned()], "--force", true),
            "what is granted is granted to the letter"
        );
    }

    #[test]
    fn options_that_the_table_lacks_may_be_the_forbidden_ones() {
        let may = |line: &str, want: &str| {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            may_have_argument(&words[0], &words[1..], want)
        };
        for (line, want) in [
            ("frobnicate --follow", "-f"),
            ("frobnicate --foo=x -r", "-rf"),
            ("frobnicate -vf", "--force"),
            ("frobnicate -F", "--force"),
            // What follows `--` may be the options of an inner program.
            ("frobnicate run -- x --force", "-f"),
        ] {
            assert!(may(line, want), "{line} {want}");
            assert!(!has(line, want), "{line} {want}");
        }
        for (line, want) in [
            ("frobnicate --recursive x", "-f"),
            ("frobnicate -r x", "--force"),
            ("frobnicate f", "--force"),
            ("frobnicate -- x --force", "-x"),
            // The table knows their counterparts.
            ("grep -f list x", "--force"),
            ("sort --key=1 x", "-o"),
            ("rm --force x", "-r"),
            ("git log --follow x", "-f"),
            ("git grep -f list", "--force"),
        ] {
            assert!(!may(line, want), "{line} {want}");
        }
        assert!(has("tar xf a.tar", "-f") && has("tar xf a.tar", "--file"));
        assert!(!has("cat xf", "-f") && !has("tar -x xf", "-f"));
    }

    proptest::proptest! {
        #[test]
        fn joined_options_are_there_if_each_is(
            line in "(rm|ls|frobnicate)( (-[rfRx]{1,3}|--(r|recursive|force|fox|x)|x)){0,4}",
            want in "-[rfRx]{1,4}",
        ) {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let (program, args) = (&words[0], &words[1..]);
            let each = single_options(&want);
            for strict in [false, true] {
                let has = |want: &str| has_argument(program, args, want, strict);
                proptest::prop_assert_eq!(has(&want), each.iter().all(|one| has(one)));
            }
            let may = |want: &str| may_have_argument(program, args, want);
            let all = each.len() <= MAX_JOINED && each.iter().all(|one| may(one));
            proptest::prop_assert_eq!(may(&want), all);
        }
    }

    #[test]
    fn what_is_spelled_another_way_is_still_forbidden() {
        for (line, options) in [
            (
                "rm -rf x",
                &["-r", "-f", "-rf", "--force", "--recursive"][..],
            ),
            ("rm --recursive --force x y", &["-r", "-f", "-rf"]),
            ("git push -f origin main", &["-f", "--force"]),
            ("git clean -fdx", &["-f", "-d", "-x", "--force"]),
            ("git reset --hard HEAD", &["--hard"]),
            ("grep -rn x src", &["-r", "-n", "--recursive"]),
            ("cp -r -f a b", &["-r", "-f", "--recursive"]),
            ("chmod -R 777 x", &["-R", "777"]),
        ] {
            let all = respelled(line);
            assert!(!all.is_empty(), "{line}");
            for other in all {
                for option in options {
                    assert!(has(&other, option), "{line}: {other} {option}");
                }
            }
        }
    }

    #[test]
    fn modes_are_compared_by_their_bits() {
        for line in [
            "chmod 777 x",
            "chmod 0777 x",
            "chmod 1777 x",
            "chmod a+rwx x",
            "chmod ugo=rwx x",
            "chmod u=rwx,go+rwx x",
            "chmod +rwx x",
        ] {
            assert!(has(line, "777"), "{line}");
        }
        assert!(
            !has("chmod 755 x", "777")
                && !has("chmod a+rw x", "777")
                && !has("chmod u+rwx x", "777")
        );
        assert!(!has("ls 0777", "777"));
    }

    #[test]
    fn lines_are_written_another_way() {
        assert_eq!(
            respelled("rm -rf x"),
            [
                "rm --recursive --force x",
                "rm -r -f x",
                "rm -fr x",
                "rm x -rf"
            ]
        );
        assert_eq!(
            respelled("rm -r -f x"),
            [
                "rm --recursive -f x",
                "rm -r --force x",
                "rm -rf x",
                "rm -f x -r",
                "rm -r x -f"
            ]
        );
        assert_eq!(
            respelled("git push --force main"),
            ["git push -f main", "git push main --force"],
            "an abbreviation would be ambiguous"
        );
        assert_eq!(
            respelled("git clean --force x"),
            [
                "git clean -f x",
                "git clean x --force",
                "git clean --forc x"
            ]
        );
        assert_eq!(respelled("rm -- -rf --force"), Vec::<String>::new());
        assert_eq!(
            respelled("tar -c -f x a"),
            ["tar --create -f x a", "tar -c --file x a", "tar -f x a -c"]
        );
        assert!(respelled("frobnicate -a -b").is_empty());
        assert_eq!(respelled("chmod 777 x"), ["chmod 0777 x", "chmod a+rwx x"]);
        assert!(respelled("rm -rf \"$X\"").is_empty() && respelled("ls").is_empty());
    }
}
