//! Languages without a lexer of their own: recognises code that only prints texts or calculates.

/// Names that print or calculate, by language.
const NAMES: &[(&str, &str)] = &[
    (
        "r",
        "\
            print cat c mean median sum min max length sqrt abs round paste paste0 sep collapse \
            seq rep rev sort nchar toupper tolower head tail summary sd var exp log \
            R.version.string R.version packageVersion sessionInfo Sys.time Sys.Date TRUE FALSE \
            NULL NA pi letters LETTERS message invisible format nrow ncol dim names class typeof \
            str table unique range quantile cumsum prod is.na numeric_version getRversion",
    ),
    (
        "julia",
        "\
            println print show VERSION true false nothing pi sqrt abs sum length min max round \
            floor ceil div mod string repr typeof maximum minimum prod reverse sort uppercase \
            lowercase",
    ),
    (
        "elixir",
        "\
            IO.puts IO.inspect IO.write System.version true false nil rem div abs round \
            String.upcase String.downcase String.length String.reverse Enum.sum Enum.count \
            Enum.max Enum.min length",
    ),
    (
        "erlang",
        "io:format io:fwrite erlang:display halt init:stop",
    ),
    (
        "haskell",
        "\
            print putStrLn putStr show sum product length maximum minimum reverse map sqrt mod \
            div replicate take drop concat words unwords lines unlines even odd succ pred True \
            False not head last fst snd abs negate pi",
    ),
    (
        "functional",
        "\
            display displayln newline print write-line putStrLn putStr show print_endline \
            print_string print_int Printf.printf sum product length reverse sqrt expt quotient \
            remainder modulo abs min max list not exact->inexact even? odd? number->string \
            string-length string-append string-upcase string-downcase princ format t nil true \
            false car cdr first rest",
    ),
    (
        "jvm",
        "println print prn str pr inc dec count max min apply mod rem quot true false nil null not",
    ),
    ("kotlin", "println print true false null"),
    ("swift", "print true false nil"),
    (
        "octave",
        "\
            disp printf display sqrt sum mean abs max min length numel size zeros ones eye pi \
            version true false ans num2str round floor ceil mod",
    ),
    (
        "other",
        "print println puts say writeln WriteLn echo true false nil",
    ),
];

/// Returns whether the code contains only numbers, texts, operators and names that print or
/// calculate.
pub(super) fn harmless(lang: &str, text: &str) -> bool {
    let Some((_, names)) = NAMES.iter().find(|(name, _)| *name == lang) else {
        return false;
    };
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let after = rest.get(c.len_utf8()..).unwrap_or_default();
        rest = match c {
            '"' => match end_of_text(lang, after) {
                Some(end) => after.get(end..).unwrap_or_default(),
                None => return false,
            },
            // A text, a character or a quoted list: without interpolation, and closed.
            '\'' => match after.split_once('\'') {
                Some((inner, after)) if is_plain(lang, inner) && lang != "functional" => after,
                _ => return false,
            },
            c if c.is_ascii_digit() => {
                let end = after.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '_'));
                after.get(end.unwrap_or(after.len())..).unwrap_or_default()
            }
            c if c.is_ascii_alphabetic() => {
                let part =
                    |c: char| c.is_ascii_alphanumeric() || "._:?!->".contains(c) && named(lang, c);
                let end = rest.find(|c| !part(c)).unwrap_or(rest.len());
                let (name, after) = rest.split_at(end);
                let name = name.trim_end_matches(['.', ':', '-', '>']);
                // A letter before a text changes how it is read.
                if after.starts_with(['"', '\'']) || !names.split(' ').any(|n| n == name) {
                    return false;
                }
                after
            }
            ' ' | '\n' | '\t' | '+' | '-' | '*' | '/' | '%' | '^' | '(' | ')' | '[' | ']' | ','
            | ';' | '=' | ':' | '.' => after,
            '<' | '>' if !text.contains("<<") && !text.contains(">>") && !text.contains("<-") => {
                after
            }
            _ => return false,
        };
    }
    true
}

/// Returns whether names of a language may contain this character, besides letters and digits.
fn named(lang: &str, mark: char) -> bool {
    match lang {
        "erlang" => matches!(mark, ':' | '_'),
        "functional" => matches!(mark, '-' | '?' | '!' | '>' | '_'),
        "elixir" => matches!(mark, '.' | '?' | '!' | '_'),
        _ => matches!(mark, '.' | '_'),
    }
}

/// Returns the end of the text that begins here, if it has no interpolation.
fn end_of_text(lang: &str, text: &str) -> Option<usize> {
    let mut escaped = false;
    let end = text.char_indices().find(|(_, c)| {
        let ends = *c == '"' && !escaped;
        escaped = *c == '\\' && !escaped;
        ends
    });
    let (end, _) = end?;
    is_plain(lang, text.get(..end)?).then(|| end.saturating_add(1))
}

/// Returns whether a text has no interpolation.
fn is_plain(lang: &str, text: &str) -> bool {
    let inserts: &[&str] = match lang {
        "swift" => &["\\("],
        "elixir" => &["#{"],
        "julia" | "jvm" | "kotlin" => &["$"],
        "other" => &["$", "#{", "{"],
        _ => &[],
    };
    !text.contains(['\0', '\u{1}']) && !inserts.iter().any(|mark| text.contains(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_that_prints_or_calculates_is_harmless() {
        for (lang, text) in [
            ("julia", "println(1+1)"),
            ("julia", "2^10"),
            ("elixir", "IO.puts 1"),
            ("functional", "(display (+ 1 2))"),
            ("haskell", "putStrLn \"hi\""),
            ("r", "print(1:3)"),
            ("erlang", "io:format(\"~p~n\",[1+1])."),
        ] {
            assert!(harmless(lang, text), "{lang}: {text}");
        }
        for (lang, text) in [
            ("julia", "println(\"$(run(`id`))\")"),
            ("julia", "run(`ls`)"),
            ("julia", "rm(\"a\")"),
            ("elixir", "IO.puts \"#{File.rm(1)}\""),
            ("elixir", "System.cmd(\"rm\", [])"),
            ("functional", "(system \"ls\")"),
            ("functional", "(display `ls`)"),
            ("swift", "print(\"\\(f())\")"),
            ("r", "system('ls')"),
            ("r", "x <- system"),
            ("mongo", "print(1)"),
            ("julia", "println(\"a"),
            ("haskell", "print \0"),
        ] {
            assert!(!harmless(lang, text), "{lang}: {text}");
        }
    }
}
