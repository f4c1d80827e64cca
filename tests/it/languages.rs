//! The languages of reports: the catalogue contains exactly the needed texts, and output for
//! programs isn't translated.

use super::support::run;
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens as _;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use unicode_width::UnicodeWidthStr;
use yuangs_verify::diag::{Code, Excerpt, Finding, Place, Related, Severity, assign_fingerprints};
use yuangs_verify::report::{Format, Lang, Outcome, Run, TextOptions};
use yuangs_verify::rules;
use yuangs_verify::source::discover;
use yuangs_verify::trace::record::NotRecorded;
use yuangs_verify::trajectory::{ExecutionSet, stats};
use yuangs_verify::verify::{Options, Report, verify, verify_reader};

/// Sources of the reports for people.
const REPORTERS: [&str; 11] = [
    "src/report",
    "src/trajectory/compare",
    "src/trajectory/explain",
    "src/trajectory/stats",
    "src/trajectory/words.rs",
    "src/cli/audit",
    "src/cli/compare.rs",
    "src/cli/explain.rs",
    "src/cli/gate",
    "src/cli/rules.rs",
    "src/cli/stats.rs",
];
const TEMPLATES: [&str; 3] = ["html/page.html", "page/page.html", "page/parts.html"];

/// Names from other modules that reporters show.
const NAMES: [&str; 43] = [
    "error",
    "warning",
    "note",
    "low",
    "medium",
    "high",
    "yes",
    "no",
    "not recorded",
    "approved",
    "rejected",
    "modified",
    "approved by policy",
    "approved by human",
    "rejected by policy",
    "rejected by human",
    "modified by policy",
    "modified by human",
    "refused",
    "succeeded",
    "no result recorded",
    "ok",
    "interrupted",
    "not-executed",
    "unmatched",
    // Subjects of differences.
    "intent",
    "action",
    "states",
    "risk",
    "decision",
    "context",
    "prompt",
    "tools",
    "policy",
    "model",
    "skills",
    "command",
    "result",
    "outcome",
    "verdict",
    // Qualities of references.
    "good",
    "poor",
    "nothing declared",
];
const UNRECORDED: [NotRecorded; 8] = [
    NotRecorded::Decisions,
    NotRecorded::DecisionDetails,
    NotRecorded::Results,
    NotRecorded::ExitCodes,
    NotRecorded::Arguments,
    NotRecorded::Diffs,
    NotRecorded::Times,
    NotRecorded::Workdir,
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Catalogue {
    words: BTreeMap<String, String>,
    counts: BTreeMap<String, String>,
    rules: BTreeMap<String, String>,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

fn catalogue() -> Catalogue {
    toml::from_str(&read("src/report/lang/zh.toml")).unwrap()
}

fn gather(path: PathBuf, all: &mut Vec<PathBuf>) {
    if path.is_dir() {
        for entry in std::fs::read_dir(path).unwrap() {
            gather(entry.unwrap().path(), all);
        }
    } else if path.extension().is_some_and(|e| e == "rs") {
        all.push(path);
    }
}

/// The texts that reporters use.
#[derive(Default)]
struct Named {
    /// Arguments of `say` and `fill`.
    words: BTreeSet<String>,
    /// Arguments of `plural`.
    counts: BTreeSet<String>,
    /// Every string literal.
    literals: BTreeSet<String>,
}

impl Named {
    /// Reads the tokens of a file; `call` is the function whose arguments they are.
    fn tokens(&mut self, tokens: TokenStream, call: Option<&str>) {
        let mut before: [String; 2] = Default::default();
        for token in tokens {
            match &token {
                TokenTree::Group(group) => {
                    let is_call =
                        before[0] == "." && ["say", "fill", "plural"].contains(&before[1].as_str());
                    let here = is_call.then_some(before[1].as_str());
                    self.tokens(group.stream(), here.or(call));
                }
                TokenTree::Literal(literal) => {
                    if let Ok(text) = syn::parse_str::<syn::LitStr>(&literal.to_string()) {
                        match call {
                            Some("plural") => self.counts.insert(text.value()),
                            Some(_) => self.words.insert(text.value()),
                            None => self.literals.insert(text.value()),
                        };
                    }
                }
                TokenTree::Ident(_) | TokenTree::Punct(_) => {}
            }
            before = [std::mem::take(&mut before[1]), token.to_string()];
        }
    }

    fn of_reporters() -> Self {
        let mut files = Vec::new();
        for part in REPORTERS {
            gather(root().join(part), &mut files);
        }
        let mut named = Self::default();
        for path in files {
            let mut file = syn::parse_file(&std::fs::read_to_string(&path).unwrap()).unwrap();
            file.items
                .retain(|item| !matches!(item, syn::Item::Mod(m) if m.ident == "tests"));
            named.tokens(file.to_token_stream(), None);
        }
        for template in TEMPLATES {
            let text = read(&format!("src/report/{template}"));
            let said = text.split("say(\"").skip(1);
            let keys = said.map(|rest| rest.split_once('"').unwrap().0.to_owned());
            named.words.extend(keys);
        }
        // Outcomes are sentences that a reporter translates later.
        let outcomes = named.literals.iter().filter(|text| {
            (text.starts_with("nothing was verified: ") || text.starts_with("could not verify "))
                && !text.contains('{')
        });
        named.words.extend(outcomes.cloned().collect::<Vec<_>>());
        named.words.extend(NAMES.map(str::to_owned));
        for rule in rules::ALL.iter() {
            let lines = rule.source.lines();
            let headings = lines.filter_map(|line| line.strip_prefix("//! ## "));
            named.words.extend(headings.map(str::to_owned));
        }
        named.words.extend(UNRECORDED.map(|n| n.name().to_owned()));
        named
            .counts
            .extend(["error", "warning", "note"].map(str::to_owned));
        named
    }
}

#[test]
fn the_catalogue_holds_every_word_of_the_reporters_and_no_other() {
    let (catalogue, named) = (catalogue(), Named::of_reporters());
    assert!(named.words.len() > 100 && named.counts.len() > 15);
    let keys: BTreeSet<String> = catalogue.words.keys().cloned().collect();
    let missing: Vec<_> = named.words.difference(&keys).collect();
    assert!(missing.is_empty(), "zh.toml lacks in [words]: {missing:#?}");
    let unused: Vec<_> = keys
        .difference(&named.words)
        .filter(|key| !named.literals.contains(*key))
        .collect();
    assert!(unused.is_empty(), "no reporter says: {unused:#?}");
    let counts: BTreeSet<String> = catalogue.counts.keys().cloned().collect();
    assert_eq!(counts, named.counts, "[counts] of zh.toml");
    let codes: BTreeSet<String> = rules::ALL.iter().map(|r| r.code.to_string()).collect();
    let rules: BTreeSet<String> = catalogue.rules.keys().cloned().collect();
    assert_eq!(rules, codes, "[rules] of zh.toml");
}

/// Returns the placeholders of a text.
fn values(text: &str) -> BTreeSet<&str> {
    let holes = text.split('{').skip(1);
    holes.map(|rest| rest.split_once('}').unwrap().0).collect()
}

#[test]
fn chinese_is_chinese_and_asks_for_no_other_values() {
    let catalogue = catalogue();
    let is_chinese = |text: &str| text.chars().any(|c| ('\u{3000}'..='\u{ffef}').contains(&c));
    for (english, chinese) in &catalogue.words {
        assert!(values(chinese).is_subset(&values(english)), "{english}");
        assert!(!chinese.contains(['<', '>', '&', '"', '|']), "{english}");
        let same = ["diff", "diffs", "90 %", "{0} {1}"].contains(&&**english);
        assert!(same || is_chinese(chinese), "{english} = {chinese}");
    }
    for (noun, chinese) in &catalogue.counts {
        assert_eq!(values(chinese), BTreeSet::from(["0"]), "{noun}");
    }
    for (code, chinese) in &catalogue.rules {
        assert!(is_chinese(chinese) && !chinese.ends_with('。'), "{code}");
        assert!(!chinese.contains(['<', '|', '\n']), "{code}");
    }
}

#[test]
fn templates_hold_no_words_of_their_own() {
    for template in TEMPLATES {
        let mut text = read(&format!("src/report/{template}"));
        for (open, close) in [
            ("{%", "%}"),
            ("{{", "}}"),
            ("<style>", "</style>"),
            ("<code>", "</code>"),
        ] {
            while let Some(from) = text.find(open) {
                let to = from + text[from..].find(close).unwrap() + close.len();
                text.replace_range(from..to, "");
            }
        }
        for name in [" aria-label=\"", " title=\"", " alt=\"", " placeholder=\""] {
            for (at, _) in text.match_indices(name) {
                let rest = &text[at + name.len()..];
                assert!(rest.starts_with('"'), "{template}: {name}{rest:.40}");
            }
        }
        while let Some(from) = text.find('<') {
            let to = from + text[from..].find('>').unwrap() + 1;
            text.replace_range(from..to, " ");
        }
        let words = text.split(|c: char| !c.is_alphabetic() && c != '-');
        let words: Vec<&str> = words
            .filter(|w| w.chars().any(char::is_alphabetic))
            .collect();
        assert!(words.iter().all(|w| *w == "yuangs-verify"), "{words:?}");
    }
}

fn written(report: &Report, format: Format, lang: Lang, verbose: bool) -> String {
    let outcome = Outcome::of(report, Some(Severity::Error), false);
    let set = ExecutionSet::gather(&report.summaries, &report.findings, report.timeline.clone());
    let statistics = stats::page(&stats::stats(&set), lang);
    let run = Run {
        report,
        outcome: &outcome,
        text: TextOptions {
            lang,
            verbose,
            ..TextOptions::default()
        },
        command: "yuangs-verify replay -- traces",
        statistics: Some(&statistics),
        base: None,
    };
    let mut plain = anstream::StripStream::new(Vec::new());
    run.write(format, &mut plain).unwrap();
    String::from_utf8(plain.into_inner()).unwrap()
}

fn replayed(paths: &[&str]) -> Report {
    let paths: Vec<PathBuf> = paths
        .iter()
        .map(|path| root().join("corpora/traces").join(path))
        .collect();
    verify(&discover(&paths), &drawn())
}

fn drawn() -> Options {
    Options {
        max_turns: 2_000,
        ..Options::default()
    }
}

#[test]
fn what_programs_read_does_not_change() {
    let report = replayed(&["broken", "demo"]);
    assert!(report.findings.len() > 50);
    for format in Format::ALL {
        let [english, chinese] = Lang::ALL.map(|lang| written(&report, format, lang, false));
        assert_eq!(
            english == chinese,
            !format.has_languages(),
            "{}",
            format.name()
        );
    }
}

/// The catalogue has every text that a report of the corpora needs; `say` panics on a missing one.
#[test]
fn all_corpora_can_be_reported_in_chinese() {
    let report = replayed(&["broken", "demo", "hostile", "legal", "native", "sessions"]);
    let words = [
        (Format::Text, "路径合法: "),
        (Format::Markdown, "### 执行\n"),
        (Format::Html, "<html lang=\"zh-Hans\">"),
    ];
    for (format, word) in words {
        assert!(
            written(&report, format, Lang::Zh, true).contains(word),
            "{word}"
        );
    }
}

/// Builds a report whose free text has no letters.
fn wordless() -> Report {
    let mut report = Report::default();
    for (code, severity) in [
        (301, Severity::Error),
        (203, Severity::Warning),
        (606, Severity::Note),
        (606, Severity::Note),
    ] {
        let place = |line| Place {
            file: "¤".into(),
            line,
            column: 3,
            pointer: None,
            excerpt: Some(Excerpt {
                text: "«¤»".into(),
                span: (2, 4),
                ..Excerpt::default()
            }),
        };
        let finding = rules::finding(Code(code), "¤", place(4));
        report.findings.push(Finding {
            execution: Some("¤".into()),
            turn: Some(1),
            severity,
            help: Some("¤".into()),
            related: (1..9)
                .map(|line| Related::new(&"¤".into(), line, "¤"))
                .collect(),
            ..finding
        });
        report.counts.count(severity);
    }
    report.counts.files = 1;
    report.counts.left_out = 2;
    report.counts.signatures_unchecked = 1;
    report.notices.push("¤".into());
    assign_fingerprints(&mut report.findings);
    report
}

#[test]
fn nothing_fixed_stays_english() {
    let report = wordless();
    for format in [Format::Text, Format::Markdown] {
        for verbose in [false, true] {
            let mut text = written(&report, format, Lang::Zh, verbose);
            for finding in &report.findings {
                text = text.replace(&*finding.fingerprint, "");
                text = text.replace(finding.name, "");
            }
            for known in [
                "`yuangs-verify explain",
                "yuangs-verify replay -- traces",
                "yuangs-verify",
            ] {
                text = text.replace(known, "");
            }
            for tag in [
                "details open",
                "details",
                "summary",
                "sub",
                "b",
                "ins",
                "pre",
                "code",
                "mark",
                "--keys",
                "-v",
            ] {
                for (open, close) in [("<", ">"), ("</", ">")] {
                    text = text.replace(&format!("{open}{tag}{close}"), "");
                }
                if tag.starts_with('-') {
                    text = text.replace(tag, "");
                }
            }
            let words = text.split(|c: char| !c.is_ascii_alphabetic());
            let left: BTreeSet<&str> = words.filter(|w| !w.is_empty() && *w != "YV").collect();
            assert!(left.is_empty(), "{}: {left:?}\n{text}", format.name());
        }
    }
}

#[test]
fn chinese_reports() {
    let traces = [
        "demo/diff-fix.jsonl",
        "broken/YV301-no-decision-in-turn-4.jsonl",
    ]
    .map(|name| read(&format!("corpora/traces/{name}")))
    .concat();
    let report = verify_reader("traces.jsonl", traces.as_bytes(), &drawn());
    let version = env!("CARGO_PKG_VERSION");
    let chinese = |format| written(&report, format, Lang::Zh, false).replace(version, "VERSION");
    insta::assert_snapshot!("zh_text", chinese(Format::Text));
    insta::assert_snapshot!("zh_markdown", chinese(Format::Markdown));
    let html = chinese(Format::Html);
    let (_, body) = html.split_once("<body>").unwrap();
    let (page, statistics) = body.split_once("<h2 id=\"statistics\">").unwrap();
    insta::assert_snapshot!("zh_html", page);
    let (table, _) = statistics.split_once("</table>").unwrap();
    insta::assert_snapshot!("zh_html_statistics", table);
}

#[test]
fn commands_take_the_language_and_json_is_the_same() {
    const DEMO: &str = "corpora/traces/demo";
    const SESSIONS: &str = "corpora/traces/sessions/claude-code";
    const BROKEN: &str = "corpora/traces/broken/YV301-no-decision-in-turn-4.jsonl";
    let commands: [(&[&str], &str); 7] = [
        (&["explain", DEMO], "路径合法：是；已授权：是"),
        (&["compare", DEMO, BROKEN], "路径相同：否；决定相同：否"),
        (&["replay", DEMO], "路径合法: 是"),
        (&["validate", DEMO], "0 个错误"),
        (&["stats", DEMO], "每次执行的轮数"),
        (&["audit", "--since", "all", SESSIONS], "风险最高的动作"),
        (&["rules"], "动作未经批准就已执行"),
    ];
    for (command, word) in commands {
        let chinese = run(root(), &[command, &["--lang", "zh"]].concat());
        assert!(chinese.out.contains(word), "{command:?}: {}", chinese.out);
        let english = run(root(), command);
        assert_eq!(english.code, chinese.code);
        assert_eq!(
            run(root(), &[command, &["--lang", "en"]].concat()).out,
            english.out
        );
        let json = ["--format", "json"];
        let english = run(root(), &[command, &json].concat()).out;
        let chinese = run(root(), &[command, &json, &["--lang", "zh"]].concat()).out;
        assert!(english == chinese && english.len() > 100, "{command:?}");
    }
    // Output that isn't translated reports an error.
    let arguments = [
        "--mode",
        "re-evaluate",
        "--policy",
        "default",
        "--lang",
        "zh",
        DEMO,
    ];
    let refused = run(root(), &[&["replay"], &arguments[..]].concat());
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("in English only"), "{}", refused.err);
}

#[test]
fn pages_of_rules_have_chinese_headings() {
    for rule in rules::ALL.iter() {
        let code = rule.code.to_string();
        let page = run(root(), &["explain", &code, "--lang", "zh"]).out;
        assert!(page.contains(Lang::Zh.summary(rule)), "{page}");
        for heading in ["## 检查内容", "## 为何重要", "## 如何修复", "## 通过的例子"]
        {
            assert!(page.contains(heading), "{heading}: {page}");
        }
    }
    for format in ["json", "html"] {
        let refused = run(root(), &["explain", "YV301", "--format", format]);
        assert!(
            refused.code == 2 && refused.out.is_empty(),
            "{}",
            refused.out
        );
    }
}

/// Replaces all text in a record that isn't a name of the format, so that it has no letters.
fn without_words(value: &mut serde_json::Value) {
    const NAMES: [&str; 12] = [
        "record",
        "type",
        "status",
        "by",
        "kind",
        "outcome",
        "riskLevel",
        "role",
        "diff",
        "timestamp",
        "schemaVersion",
        "fsmVersion",
    ];
    match value {
        serde_json::Value::String(text) => "¤".clone_into(text),
        serde_json::Value::Array(all) => all.iter_mut().for_each(without_words),
        serde_json::Value::Object(members) => {
            for (name, value) in members.iter_mut() {
                let is_name = value.is_string() && NAMES.contains(&&**name);
                if !is_name && name != "evaluation" {
                    without_words(value);
                }
            }
        }
        _ => {}
    }
}

#[test]
fn explanations_and_comparisons_leave_nothing_in_english() {
    let folder = tempfile::tempdir().unwrap();
    for (name, source) in [
        ("1.jsonl", "demo/diff-fix.jsonl"),
        ("2.jsonl", "broken/YV301-no-decision-in-turn-4.jsonl"),
        ("3.jsonl", "native/record-lines.jsonl"),
    ] {
        let text = read(&format!("corpora/traces/{source}"));
        let lines = text.lines().map(|line| {
            let mut record = serde_json::from_str(line).unwrap();
            without_words(&mut record);
            format!("{record}\n")
        });
        std::fs::write(folder.path().join(name), lines.collect::<String>()).unwrap();
    }
    // Messages of findings and of effects stay English, and so do names of formats, types, events,
    // states and units.
    let is_message = |line: &str| {
        let rows = ["**问题**", "**效果**", "**原因**"];
        rows.iter().any(|row| line.contains(row))
    };
    let known = [
        "jsonl",
        "execution",
        "records",
        "yuangs",
        "record",
        "code",
        "diff",
        "shell",
        "cmd",
        "tool",
        "call",
        "answer",
        "continue",
        "terminate",
        "incomplete",
        "failure",
        "retry",
        "goal",
        "satisfied",
        "src",
        "add",
        "ts",
        "parameters",
        "path",
        "done",
        "true",
        "ms",
        "s",
        "YV",
    ];
    let is_name = |word: &str| known.contains(&word) || word.starts_with(char::is_uppercase);
    for command in [
        &["explain", "1.jsonl", "2.jsonl", "3.jsonl"][..],
        &["compare", "1.jsonl", "2.jsonl"],
    ] {
        let chinese = [command, &["--lang", "zh", "--format", "markdown"]].concat();
        let out = run(folder.path(), &chinese).out;
        let mut fenced = false;
        let lines = out.lines().filter(|line| {
            fenced ^= line.starts_with("```");
            !fenced && !is_message(line)
        });
        let lines: Vec<&str> = lines.collect();
        assert!(lines.len() > 10, "{out}");
        let words = lines
            .iter()
            .flat_map(|line| line.split(|c: char| !c.is_ascii_alphabetic()));
        let left: BTreeSet<&str> = words
            .filter(|word| !word.is_empty() && !is_name(word))
            .collect();
        assert!(left.is_empty(), "{command:?}: {left:?}\n{out}");
    }
}

#[test]
fn chinese_columns_are_two_wide() {
    let stats = run(root(), &["stats", "--lang", "zh", "corpora/traces/demo"]);
    let (_, table) = stats.out.split_once("分布\n").unwrap();
    let (table, _) = table.split_once("\n\n").unwrap();
    let widths: BTreeSet<usize> = table.lines().map(UnicodeWidthStr::width).collect();
    assert_eq!(widths.len(), 1, "numbers end in one column:\n{table}");
    let audit = [
        "audit",
        "--lang",
        "zh",
        "--since",
        "all",
        "corpora/traces/sessions",
    ];
    for line in run(root(), &audit).out.lines() {
        let is_place = line.starts_with("          ");
        assert!(line.width() <= 80 || is_place, "{line}");
    }
}
