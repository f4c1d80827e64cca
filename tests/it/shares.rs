//! `--shard`, `--partial` and `merge`: a run that several machines share gives what one gives.

mod large;

use crate::support::{Finished, run, write};
use proptest::prelude::*;
use std::path::Path;
use std::sync::LazyLock;
use std::{fs, io};
use yuangs_verify::report::{Format, Outcome, Run, TextOptions};
use yuangs_verify::source::{Found, Missing, Plan, Share, discover};
use yuangs_verify::verify::partial::{
    Command, Header, Kept, Merger, RunOptions, ShareRun, Work, inputs_of, merge,
};
use yuangs_verify::verify::{Options, Report, verify};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn options(threads: usize) -> Options {
    Options {
        max_findings: 300,
        max_turns: 100,
        threads,
        ..Options::default()
    }
}

/// Returns the reports of a verification in the formats that show most.
fn reports(report: &Report) -> Vec<String> {
    let outcome = Outcome::of(report, None, false);
    let run = Run {
        report,
        outcome: &outcome,
        text: TextOptions::default(),
        command: "",
        statistics: None,
        base: None,
    };
    let formats = [Format::Text, Format::Json, Format::Sarif, Format::Html];
    formats
        .iter()
        .map(|format| {
            let mut text = Vec::new();
            run.write(*format, &mut text).unwrap();
            String::from_utf8(text).unwrap()
        })
        .collect()
}

/// Verifies each share of inputs, with a number of threads of its own, and merges them in an order.
fn merged(inputs: &[Result<Found, Missing>], threads: &[usize], rotate: usize) -> Report {
    let folder = tempfile::tempdir().unwrap();
    let plan = Plan::new(inputs).unwrap();
    let of = u32::try_from(threads.len()).unwrap();
    let mut paths = Vec::new();
    for (number, threads) in (1..).zip(threads) {
        let options = options(*threads);
        let share = Share::new(number, of).unwrap();
        let run = (Some("test".to_owned()), RunOptions::of(&options));
        let header = Header::new((&plan, share), run, Vec::new());
        let mut bytes = Vec::new();
        let run = ShareRun {
            inputs,
            plan: &plan,
            share,
            header: &header,
            skipped: Vec::new(),
            options: &options,
        };
        run.write(Work::Verify, &mut bytes).unwrap();
        paths.push(folder.path().join(number.to_string()));
        fs::write(paths.last().unwrap(), bytes).unwrap();
    }
    paths.rotate_left(rotate % threads.len());
    merge(&paths, &mut Verifier).unwrap().report
}

/// Merges shares that keep nothing beside their findings.
struct Verifier;

impl Merger for Verifier {
    fn reread(
        &mut self,
        header: &Header,
        read: &mut dyn FnMut(&Options, Work<'_>),
    ) -> Result<(), String> {
        read(&header.options.restored(), Work::Verify);
        Ok(())
    }

    fn add(&mut self, _: Command, _: &[Kept]) -> io::Result<bool> {
        Ok(true)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5))]

    #[test]
    fn any_split_gives_what_one_run_gives(
        step in 1usize..12,
        threads in proptest::collection::vec(0usize..4, 1..7),
        rotate in 0usize..6,
    ) {
        let corpora = ["legal", "broken", "hostile", "sessions", "native"];
        let corpora = corpora.map(|folder| root().join("corpora/traces").join(folder));
        let mut inputs = discover(&corpora);
        let mut n = 0;
        inputs.retain(|_| {
            n += 1;
            n % step == 0
        });
        let whole = verify(&inputs, &options(2));
        let merged = merged(&inputs, &threads, rotate);
        prop_assert_eq!(&whole.counts, &merged.counts);
        prop_assert_eq!(reports(&whole), reports(&merged));
    }

    #[test]
    fn a_damaged_partial_result_is_refused(
        at in any::<prop::sample::Index>(),
        byte in 1u8..,
        cut in any::<bool>(),
    ) {
        let mut bytes = PARTIAL.clone();
        prop_assert_eq!(inputs_of(&*bytes).unwrap().len(), 3);
        let at = at.index(bytes.len());
        if cut {
            bytes.truncate(at);
        } else {
            bytes[at] ^= byte;
        }
        prop_assert!(inputs_of(&*bytes).is_err());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Whoever can write a partial result can also make its hash fit.
    #[test]
    fn a_forged_partial_result_is_read_or_refused(
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        const MAGIC: usize = b"yuangs-verify partial result 2\n".len();
        const HASH: usize = 32;
        let mut bytes = PARTIAL.clone();
        let end = bytes.len() - HASH;
        for (at, byte) in changes {
            bytes[MAGIC + at.index(end - MAGIC)] = byte;
        }
        let hash = *blake3::hash(&bytes[MAGIC..end]).as_bytes();
        bytes[end..].copy_from_slice(&hash);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("partial");
        fs::write(&path, bytes).unwrap();
        let _ = merge(&[path], &mut Verifier);
    }
}

static PARTIAL: LazyLock<Vec<u8>> = LazyLock::new(|| partial(Command::Replay));

/// Returns the partial result of a command that keeps no more than findings and summaries.
fn partial(command: Command) -> Vec<u8> {
    let folder = root().join("corpora/traces/legal");
    let mut inputs = discover(&[folder]);
    inputs.truncate(3);
    let plan = Plan::new(&inputs).unwrap();
    let run = RunOptions {
        command,
        ..RunOptions::default()
    };
    let run = (Some("test".to_owned()), run);
    let header = Header::new((&plan, Share::WHOLE), run, Vec::new());
    let mut bytes = Vec::new();
    let run = ShareRun {
        inputs: &inputs,
        plan: &plan,
        share: Share::WHOLE,
        header: &header,
        skipped: Vec::new(),
        options: &options(1),
    };
    run.write(Work::Verify, &mut bytes).unwrap();
    bytes
}

/// Without what these commands keep, their reports would be about nothing.
#[test]
fn a_partial_result_has_what_its_command_keeps() {
    for command in [Command::Audit, Command::PolicyReplay] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("partial");
        fs::write(&path, partial(command)).unwrap();
        let error = merge(&[path], &mut Verifier).unwrap_err();
        assert!(error.to_string().contains("it lacks what"), "{error}");
    }
}

/// Writes partial results of shares and returns their names.
fn shares(folder: &Path, command: &[&str], of: usize) -> Vec<String> {
    (1..=of)
        .map(|number| {
            let (share, partial) = (format!("{number}/{of}"), format!("{of}-{number}.partial"));
            let mut words = command.to_vec();
            words.extend(["--shard", &share, "--partial", &partial]);
            let done = run(folder, &words);
            assert_eq!((done.code, &*done.out), (0, ""), "{}", done.err);
            assert!(done.err.contains(&share), "{}", done.err);
            partial
        })
        .collect()
}

fn merge_of(folder: &Path, partials: &[String], options: &[&str]) -> Finished {
    let mut words = vec!["merge"];
    words.extend(partials.iter().map(String::as_str));
    words.extend(options);
    run(folder, &words)
}

/// Copies some corpora into a folder.
fn some_traces() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for corpus in ["legal", "broken"] {
        let mut inputs = discover(&[root().join("corpora/traces").join(corpus)]);
        inputs.truncate(8);
        for input in inputs.into_iter().flatten() {
            let name = input.name.rsplit('/').next().unwrap().to_owned();
            let text = fs::read_to_string(&input.name).unwrap();
            write(folder.path(), &format!("traces/{corpus}-{name}"), &text);
        }
    }
    write(folder.path(), "traces/notes.txt", "no trace");
    folder
}

#[test]
fn merged_reports_are_those_of_one_run() {
    let folder = some_traces();
    let folder = folder.path();
    let replay = ["replay", "traces", "--max-turns", "30"];
    let mut partials = shares(folder, &replay, 3);
    partials.reverse();
    for format in ["text", "json", "html", "sarif"] {
        let options = ["--format", format, "--fail-on", "warning"];
        let whole = run(folder, &[&replay[..], &options[..]].concat());
        let merged = merge_of(folder, &partials, &options);
        assert_eq!(whole.code, 1, "{}", whole.err);
        assert_eq!(merged.code, whole.code, "{}", merged.err);
        assert_eq!(merged.out, whole.out);
        assert_eq!(merged.err, whole.err);
    }
    let stats = ["stats", "traces"];
    let partials = shares(folder, &stats, 2);
    let merged = merge_of(folder, &partials, &["--format", "json"]);
    let whole = run(folder, &["stats", "traces", "--format", "json"]);
    assert_eq!((merged.code, merged.out), (whole.code, whole.out));
    assert!(whole.err.contains("skipped 1 file"), "{}", whole.err);
    assert_eq!(merged.err, whole.err);
}

#[test]
fn merged_audits_are_those_of_one_run() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let sessions = root().join("corpora/traces/sessions");
    let audit = [
        "audit",
        sessions.to_str().unwrap(),
        "missing",
        "--since",
        "all",
    ];
    let mut partials = shares(folder, &audit, 4);
    partials.rotate_left(1);
    for format in ["text", "json"] {
        let whole = run(folder, &[&audit[..], &["--format", format]].concat());
        let merged = merge_of(folder, &partials, &["--format", format]);
        assert_eq!(whole.code, 2, "{}", whole.err);
        assert!(whole.out.contains("high"), "{}", whole.out);
        assert_eq!((merged.code, merged.out), (whole.code, whole.out));
        assert_eq!(merged.err, whole.err);
    }
    for option in [
        "--since=7d",
        "--policy=strict",
        "--report=json=x",
        "--fail-on=note",
    ] {
        let words = [
            "audit",
            "missing",
            "--since",
            "all",
            "--partial",
            "p",
            option,
        ];
        let words = words
            .into_iter()
            .filter(|w| option != "--since=7d" || !["--since", "all"].contains(w));
        let done = run(folder, &words.collect::<Vec<_>>());
        assert_eq!(done.code, 2, "{option}: {}", done.err);
    }
}

/// Compares what `policy replay` says about traces with what its shares say.
fn compare_policy_replays(folder: &Path, policy: &[&str], shares_of: &[usize]) -> Finished {
    let command = [&["policy", "replay", "traces"], policy].concat();
    let mut whole = None;
    for of in shares_of {
        let mut partials = shares(folder, &command, *of);
        partials.rotate_left(of / 2);
        for options in [&["--verbose"][..], &["--format", "json"]] {
            let one = run(folder, &[&command, options].concat());
            let merged = merge_of(folder, &partials, options);
            assert_eq!(merged.out, one.out);
            assert_eq!((merged.code, merged.err), (one.code, one.err.clone()));
            whole = Some(one);
        }
    }
    whole.unwrap()
}

#[test]
fn merged_policy_replays_are_those_of_one_run() {
    let folder = some_traces();
    let folder = folder.path();
    let whole = compare_policy_replays(folder, &["--policy", "strict"], &[1, 3]);
    assert_eq!(whole.code, 1, "{}", whole.out);
    // Without a policy, those are searched for that the traces name.
    let whole = compare_policy_replays(folder, &[], &[2]);
    assert!(whole.out.contains("YV504"), "{}", whole.out);
}

#[test]
fn limits_per_hour_count_over_shares() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let policy = "version: 1
id: p
default: deny
rules:
  - { id: night, when: { production: true, type: shell_cmd, max_per_hour: 1 }, effect: deny, reason: r }
  - { id: echo, when: { command: { program: echo }, max_per_hour: 3 }, effect: allow, reason: r }
  - { id: ls, when: { command: { program: ls }, max_per_minute: 1 }, effect: allow, reason: r }
";
    write(folder, "p.yaml", policy);
    let token = format!("ghp_{}", "aB3dE6gH9kL2nP5rS8uV1xY4zA7cF0iJ2lQ6");
    let mut numbers = 7_u64;
    for file in 0..9 {
        let mut text = String::new();
        for execution in 0..6 {
            numbers = numbers
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let time = 1_768_800_000_000 + (numbers >> 33) % 9_000_000;
            let commands = [
                "ls".to_owned(),
                "rm -rf x".to_owned(),
                format!("echo {token}"),
            ];
            let command = commands
                .get((numbers >> 20) as usize % 4)
                .map_or("echo a", |c| c);
            // Some approvals have no time.
            let dated = numbers >> 40 & 7 > 0;
            let id = format!("e{file}-{execution}");
            for line in [
                r#"{"record":"execution_started","schemaVersion":"1.0","rootIntent":"i","fsmVersion":"1","governor":{"id":"g"}"#.to_owned(),
                format!(r#"{{"record":"action_proposed","turnId":1,"action":{{"id":"a","type":"shell_cmd","payload":{{"command":"{command}"}},"riskLevel":"low","reasoning":"r"}}"#),
                r#"{"record":"governance_decided","turnId":1,"decision":{"status":"approved","by":"policy","actionId":"a"}"#.to_owned(),
                r#"{"record":"execution_finished","turnId":1,"actionId":"a","result":{"success":true,"output":"","cost":2.5}"#.to_owned(),
            ] {
                let time = if dated { format!(r#","timestamp":{time}"#) } else { String::new() };
                text.push_str(&format!("{line},\"executionId\":\"{id}\"{time}}}\n"));
            }
        }
        write(folder, &format!("traces/{file}.jsonl"), &text);
    }
    let options = ["--policy", "p.yaml", "--production=false"];
    let whole = compare_policy_replays(folder, &options, &[1, 2, 5]);
    assert_eq!(whole.code, 1, "{}", whole.out);
    for said in ["YV501", "YV505", "[secret]"] {
        assert!(whole.out.contains(said), "{said}: {}", whole.out);
    }
    assert!(!whole.out.contains(&token));
    let whole = compare_policy_replays(folder, &["--policy", "p.yaml"], &[4]);
    assert!(whole.out.contains("it was production"), "{}", whole.out);
    let partials: Vec<String> = (1..=4).map(|n| format!("4-{n}.partial")).collect();
    for partial in &partials {
        let bytes = fs::read(folder.join(partial)).unwrap();
        let has = |text: &str| {
            bytes
                .windows(text.len())
                .any(|part| part == text.as_bytes())
        };
        assert!(!has(&token), "{partial}");
    }
    let words = [
        "policy",
        "replay",
        "traces",
        "--policy",
        "p.yaml",
        "--partial",
        "p.yaml",
    ];
    assert_eq!(run(folder, &words).code, 2);
    assert_eq!(fs::read_to_string(folder.join("p.yaml")).unwrap(), policy);
    // The policy decides, so it must be the one that the shares asked.
    write(
        folder,
        "p.yaml",
        &policy.replace("max_per_hour: 3", "max_per_hour: 4"),
    );
    let merged = merge_of(folder, &partials, &[]);
    assert_eq!(merged.code, 2, "{}", merged.out);
    assert!(
        merged.err.contains("the policies aren't those"),
        "{}",
        merged.err
    );
}

/// Many decisions have equal matches in all possible contexts, which are kept once.
#[test]
fn pending_decisions_share_their_matches() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let rule = |n: usize| {
        format!(
            "  - {{ id: m{n}, when: {{ mode: m{n}, max_per_hour: 9 }}, effect: allow, reason: r }}\n"
        )
    };
    let mut rules: String = (0..100).map(rule).collect();
    rules += "  - { id: ls, when: { command: { program: ls }, max_per_hour: 5 }, effect: allow, reason: r }\n";
    let policy = format!("version: 1\nid: p\ndefault: deny\nrules:\n{rules}");
    write(folder, "p.yaml", &policy);
    let mut sizes = Vec::new();
    for (name, decisions) in [("one", 1_u64), ("many", 40)] {
        let lines = |turn: u64| {
            let time = 1_768_800_000_000 + turn * 1000;
            [
                r#"{"record":"action_proposed","action":{"id":"a","type":"shell_cmd","payload":{"command":"ls"},"riskLevel":"low","reasoning":"r"}"#,
                r#"{"record":"governance_decided","decision":{"status":"approved","by":"policy","actionId":"a"}"#,
            ]
            .map(|line| format!("{line},\"turnId\":{turn},\"executionId\":\"e\",\"timestamp\":{time}}}\n"))
            .concat()
        };
        let text: String = (1..=decisions).map(lines).collect();
        let (trace, partial) = (format!("traces/{name}.jsonl"), format!("{name}.partial"));
        write(folder, &trace, &text);
        let command = [
            "policy",
            "replay",
            "--policy",
            "p.yaml",
            "--partial",
            &partial,
            &trace,
        ];
        assert_eq!(run(folder, &command).code, 0);
        sizes.push(fs::metadata(folder.join(partial)).unwrap().len());
    }
    let [one, many] = sizes[..] else {
        panic!("{sizes:?}")
    };
    assert!(one > 3000 && many < 5 * one, "{sizes:?}");
    compare_policy_replays(folder, &["--policy", "p.yaml"], &[1, 2]);
}

/// No share names a pipe, where `merge` would wait.
#[cfg(unix)]
#[test]
fn policies_of_shares_are_regular_files() {
    let folder = some_traces();
    let folder = folder.path();
    let policy = "version: 1\nid: p\ndefault: deny\nrules: [{ id: r, when: { type: shell_cmd }, effect: allow, reason: r }]\n";
    write(folder, "p.yaml", policy);
    let share = |policy: &str, partial: &str| {
        let command = ["policy", "replay", "traces", "--partial", partial];
        run(folder, &[&command[..], &["--policy", policy]].concat())
    };
    assert_eq!(share("p.yaml", "a").code, 0);
    fs::remove_file(folder.join("p.yaml")).unwrap();
    let pipe = folder.join("p.yaml");
    let made = std::process::Command::new("mkfifo").arg(pipe).status();
    assert!(made.unwrap().success());
    for done in [
        merge_of(folder, &["a".to_owned()], &[]),
        share("p.yaml", "b"),
        share("claude:x.json,p.yaml", "b"),
    ] {
        assert_eq!(done.code, 2, "{}", done.out);
        assert!(done.err.contains("isn't a regular file"), "{}", done.err);
    }
}

/// A partial result names them as text, under which `merge` would look for another file.
#[cfg(target_os = "linux")]
#[test]
fn files_of_shares_have_names_that_are_text() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let folder = some_traces();
    let folder = folder.path();
    let named = OsStr::from_bytes(b"searched\xff");
    fs::create_dir(folder.join(named)).unwrap();
    let file = folder.join(named).join("keys.json");
    fs::write(&file, r#"{"keys":[]}"#).unwrap();
    let done = |command: &[&str], option: &str, value: &OsStr, partial: bool| {
        let share = ["--shard", "1/2", "--partial", "part"];
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_yuangs-verify"))
            .current_dir(folder)
            .args(command)
            .args([OsStr::new(option), value])
            .args(if partial { &share[..] } else { &[] })
            .output()
            .unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), error)
    };
    let replay = ["policy", "replay", "traces"];
    for (command, option, value) in [
        (&replay[..], "--policy-path", named),
        (&replay[..], "--policy-repo", named),
        (&["replay", "traces"], "--keys", file.as_os_str()),
    ] {
        let (code, error) = done(command, option, value, true);
        assert_eq!(code, Some(2), "{option}: {error}");
        assert!(error.contains("isn't valid UTF-8"), "{option}: {error}");
        assert!(!folder.join("part").exists(), "{option}");
    }
    let (code, error) = done(&replay, "--policy-path", named, false);
    assert_ne!(code, Some(2), "one run needs no text: {error}");
    fs::create_dir(folder.join("policies")).unwrap();
    let (code, error) = done(&replay, "--policy-path", OsStr::new("policies"), true);
    assert_eq!(code, Some(0), "{error}");
}

#[test]
fn shares_that_do_not_fit_are_refused() {
    let folder = some_traces();
    let folder = folder.path();
    let partials = shares(folder, &["replay", "traces"], 3);
    let refused = |partials: &[String], why: &str| {
        let done = merge_of(folder, partials, &[]);
        let errors = done.err.replace("\n  ", " ").replace('\n', " ");
        assert_eq!(done.code, 2, "{errors}");
        assert!(errors.contains(why), "{errors}");
        assert_eq!(done.out, "");
    };
    refused(&partials[..2], "the share 3/3 is missing");
    refused(&partials[1..], "the share 1/3 is missing");
    refused(
        &[&partials[..], &partials[1..2]].concat(),
        "the share 2/3 is there twice",
    );
    let others = shares(folder, &["replay", "traces", "--risk", "off"], 2);
    refused(
        &[&partials[..], &others[..]].concat(),
        "their options differ",
    );
    let others = shares(folder, &["replay", "traces/notes.txt"], 1);
    refused(
        &[&partials[..], &others[..]].concat(),
        "names or inputs differ",
    );
    refused(&["missing".to_owned()], "can't read `missing`");
    refused(&["traces".to_owned()], "it isn't a regular file");
    write(folder, "empty", "");
    refused(&["empty".to_owned()], "can't read `empty`: it is empty");
    refused(
        &["traces/notes.txt".to_owned()],
        "it isn't a partial result",
    );
    let bytes = fs::read(folder.join(&partials[0])).unwrap();
    fs::write(folder.join("cut"), &bytes[..bytes.len() - 40]).unwrap();
    refused(
        &["cut".to_owned(), partials[1].clone(), partials[2].clone()],
        "can't read `cut`",
    );
    let html = merge_of(folder, &partials, &["--format", "html"]);
    assert_eq!(html.code, 2);
    assert!(html.err.contains("--max-turns"), "{}", html.err);
}

#[test]
fn runs_of_one_name_are_merged() {
    let folder = some_traces();
    let folder = folder.path();
    let names: Vec<String> = ["legal", "broken"]
        .iter()
        .map(|corpus| {
            let mut paths: Vec<_> = fs::read_dir(folder.join("traces"))
                .unwrap()
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .filter(|name| name.starts_with(corpus))
                .map(|name| format!("traces/{name}"))
                .collect();
            paths.sort();
            let mut words = vec!["replay", "--run-name", "r", "--partial", corpus];
            words.extend(paths.iter().map(String::as_str));
            assert_eq!(run(folder, &words).code, 0);
            (*corpus).to_owned()
        })
        .collect();
    let mut names = names;
    for empty in ["none", "nothing"] {
        fs::create_dir(folder.join(empty)).unwrap();
        let partial = format!("{empty}.partial");
        let words = ["replay", "--run-name", "r", "--partial", &partial, empty];
        assert_eq!(run(folder, &words).code, 0);
        names.push(partial);
    }
    let merged = merge_of(folder, &names, &["--format", "json"]);
    fs::remove_file(folder.join("traces/notes.txt")).unwrap();
    let whole = run(folder, &["replay", "traces", "--format", "json"]);
    assert_eq!((merged.code, merged.out), (whole.code, whole.out));
    fs::copy(folder.join("legal"), folder.join("copy")).unwrap();
    let done = merge_of(folder, &["legal".to_owned(), "copy".to_owned()], &[]);
    assert_eq!(done.code, 2);
    assert!(done.err.contains("there twice"), "{}", done.err);
}

#[test]
fn what_concerns_the_run_is_no_option_of_a_share() {
    let folder = some_traces();
    let folder = folder.path();
    write(
        folder,
        "log",
        "{\"toolName\":\"a\",\"args\":{},\"allowed\":true}\n",
    );
    let done = run(folder, &["replay", "missing", "--partial", "m"]);
    let said = "share 1/1: 0 inputs, 1 can't be opened,";
    assert!(done.err.contains(said), "{}", done.err);
    let cases: [(&[&str], &str); 7] = [
        (&["--repo", "."], "--repo compares"),
        (&["--audit-log", "log"], "--audit-log compares"),
        (&["--fail-on", "note"], "writes no report"),
        (&["--report", "json=x"], "writes no report"),
        (
            &["--mode", "re-evaluate", "--policy", "strict"],
            "re-evaluation",
        ),
        (&["-"], "standard input"),
        (&["missing", "./missing"], "two inputs are called"),
    ];
    for (words, why) in cases {
        let all = [&["replay", "traces", "--partial", "p"][..], words].concat();
        let done = run(folder, &all);
        assert_eq!(done.code, 2, "{words:?}: {}", done.err);
        assert!(done.err.replace("\n  ", " ").contains(why), "{}", done.err);
        assert!(!folder.join("p").exists());
    }
    for wrong in ["0/2", "3/2", "x"] {
        let words = ["replay", "traces", "--shard", wrong, "--partial", "p"];
        assert_eq!(run(folder, &words).code, 2, "{wrong}");
    }
    let words = ["replay", "traces", "--shard", "1/2"];
    assert_eq!(run(folder, &words).code, 2, "a share needs a file");
}
