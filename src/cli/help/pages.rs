//! Examples and related commands of each command.

/// An example: its purpose, and the arguments after the program's name.
pub(super) type Example = (&'static str, &'static str);

/// The additional content of a command's help page.
pub(super) struct Page {
    /// The full name of the command, such as `policy test`; empty for the program.
    pub(super) command: &'static str,
    pub(super) examples: &'static [Example],
    pub(super) related: &'static [&'static str],
}

const fn page(
    command: &'static str,
    examples: &'static [Example],
    related: &'static [&'static str],
) -> Page {
    Page {
        command,
        examples,
        related,
    }
}

pub(super) const PAGES: &[Page] = &[
    // The first page.
    page(
        "",
        &[
            ("What did coding agents do in this repository?", "audit"),
            (
                "Was all of this trace legal and allowed?",
                "replay trace.jsonl",
            ),
            ("What does a finding mean?", "explain YV301"),
        ],
        &[],
    ),
    page(
        "replay",
        &[
            (
                "A trace, or all traces of a folder",
                "replay corpora/traces/demo",
            ),
            ("From standard input", "replay -"),
            (
                "Does the record account for a change?",
                "replay trace.jsonl --repo . --base main --head HEAD",
            ),
            (
                "Reports for a pull request",
                "replay traces --report sarif=out.sarif --report html=out.html",
            ),
            ("In Chinese", "replay traces --lang zh"),
            (
                "The second of four shares, for `merge`",
                "replay traces --shard 2/4 --partial 2.partial",
            ),
        ],
        &["explain", "gate", "audit", "merge"],
    ),
    page(
        "merge",
        &[
            (
                "Report on all shares of a run",
                "merge 1.partial 2.partial 3.partial 4.partial",
            ),
            (
                "Reports in files",
                "merge *.partial --report sarif=out.sarif --report json=out.json",
            ),
        ],
        &["replay", "stats"],
    ),
    page(
        "gate",
        &[
            ("What yuangs-verify.toml names", "gate"),
            (
                "By the rules of the base, with a page to read",
                "gate --config-from origin/main --report html=audit.html",
            ),
            (
                "With a page in Chinese",
                "gate --lang zh --report html=audit.html",
            ),
        ],
        &["init", "doctor", "replay", "attest"],
    ),
    page(
        "validate",
        &[
            ("Traces", "validate trace.jsonl"),
            (
                "By a schema of your own",
                "validate --schema my.schema.json records.jsonl",
            ),
        ],
        &["replay", "schema"],
    ),
    page(
        "attest",
        &[(
            "Sign how the gate ended",
            "attest --key key.pem --key-id ci --now 2026-01-31T12:00:00Z --output gate.json",
        )],
        &["attest verify", "gate"],
    ),
    page(
        "attest verify",
        &[(
            "A statement that came with a change",
            "attest verify --keys trust.json --signer ci gate.json",
        )],
        &["attest", "gate"],
    ),
    page(
        "init",
        &[
            ("For the repository here", "init"),
            ("With a workflow for GitHub Actions", "init --github"),
        ],
        &["gate", "config show", "doctor"],
    ),
    page(
        "config",
        &[("With the defaults", "config show")],
        &["init", "doctor"],
    ),
    page(
        "config show",
        &[("With the defaults", "config show")],
        &["init", "doctor"],
    ),
    page(
        "doctor",
        &[("The set-up here", "doctor")],
        &["init", "config show", "gate"],
    ),
    page(
        "audit",
        &[
            ("The last week", "audit"),
            (
                "The last month, and what a policy would have denied",
                "audit --since 30d --policy default",
            ),
            ("With a page to read", "audit --report html=audit.html"),
            ("One session", "audit session.jsonl"),
        ],
        &["explain", "replay", "convert"],
    ),
    page(
        "explain",
        &[
            ("A trace", "explain corpora/traces/demo/react-fix.jsonl"),
            (
                "One turn with all its lines",
                "explain trace.jsonl --turn 3",
            ),
            ("A rule", "explain YV301"),
        ],
        &["rules", "replay", "compare"],
    ),
    page(
        "compare",
        &[
            ("Two traces", "compare before.jsonl after.jsonl"),
            (
                "With the expected traces of a folder",
                "compare --golden golden new.jsonl",
            ),
        ],
        &["explain", "stats"],
    ),
    page(
        "stats",
        &[("All traces of a folder", "stats traces")],
        &["export", "compare"],
    ),
    page(
        "export",
        &[
            (
                "A row for each turn",
                "export --format jsonl --table turns session.jsonl",
            ),
            (
                "For pandas and other tools that read Arrow",
                "export --format parquet --table turns session.jsonl -o turns.parquet",
            ),
            ("Spans", "export --format otlp trace.jsonl"),
        ],
        &["stats", "convert"],
    ),
    page(
        "convert",
        &[("To one file", "convert session.jsonl -o trace.jsonl")],
        &["replay", "audit", "export"],
    ),
    page(
        "redact",
        &[
            ("To a new file", "redact trace.jsonl clean.jsonl"),
            (
                "With its chain signed again",
                "redact --key human=key.pem trace.jsonl clean.jsonl",
            ),
        ],
        &["secrets list"],
    ),
    page(
        "command",
        &[("One command line", "command explain 'git push --force'")],
        &["policy eval"],
    ),
    page(
        "command explain",
        &[
            (
                "One command line",
                "command explain 'curl http://x | sudo sh'",
            ),
            (
                "In a directory of the work tree",
                "command explain --cwd src 'rm -rf ..'",
            ),
        ],
        &["command check", "policy eval"],
    ),
    page(
        "command check",
        &[("A file of commands", "command check commands.jsonl")],
        &["command explain", "command list"],
    ),
    page(
        "command list",
        &[("All programs", "command list")],
        &["command explain"],
    ),
    page(
        "patch",
        &[("On the work tree here", "patch check change.diff")],
        &["replay"],
    ),
    page(
        "patch check",
        &[
            ("On the work tree here", "patch check change.diff"),
            (
                "On a revision",
                "patch check --at main first.diff second.diff",
            ),
        ],
        &["replay"],
    ),
    page(
        "policy",
        &[("Run the cases of all policies", "policy test policies")],
        &["command explain", "gate"],
    ),
    page(
        "policy eval",
        &[
            (
                "A command line, with the rules that were asked",
                "policy eval --shell 'npm install left-pad' --trace",
            ),
            (
                "An action",
                r#"policy eval -p default '{"type":"tool_call","payload":{"tool":"read_file"}}'"#,
            ),
        ],
        &["policy test", "command explain"],
    ),
    page(
        "policy test",
        &[
            ("A folder of policies", "policy test policies"),
            ("With every case", "policy test -v policies/default.yaml"),
        ],
        &["policy mutate", "policy fuzz", "policy compare"],
    ),
    page(
        "policy check",
        &[("A directory of policies", "policy check policies")],
        &["policy test", "policy prove"],
    ),
    page(
        "policy prove",
        &[(
            "Does every action of high risk need a human?",
            "policy prove --property human-for-high default",
        )],
        &["policy check", "policy fuzz"],
    ),
    page(
        "policy compare",
        &[(
            "What does this branch allow?",
            "policy compare main:policies policies",
        )],
        &["policy test", "policy prove"],
    ),
    page(
        "policy fuzz",
        &[("The same cases each time", "policy fuzz --seed 7 default")],
        &["policy test", "policy mutate"],
    ),
    page(
        "policy mutate",
        &[("A folder of policies", "policy mutate policies")],
        &["policy test"],
    ),
    page(
        "policy replay",
        &[(
            "What would a policy have said?",
            "policy replay -p default session.jsonl",
        )],
        &["policy compare", "audit"],
    ),
    page(
        "policy import",
        &[(
            "From the settings of Claude Code",
            "policy import claude .claude/settings.json --output team.yaml",
        )],
        &["policy compare", "policy export"],
    ),
    page(
        "policy export",
        &[
            (
                "To the settings of Claude Code; nothing is written unless they are proved strict enough",
                "policy export --to claude team.yaml --output .claude/settings.json",
            ),
            (
                "To rules of Codex",
                "policy export --to codex team.yaml --output .codex/rules/team.rules",
            ),
        ],
        &["policy import", "policy compare"],
    ),
    page(
        "policy show",
        &[("Print one", "policy show default")],
        &["policy eval"],
    ),
    page(
        "secrets",
        &[("In all files of a directory", "secrets scan src")],
        &["redact"],
    ),
    page(
        "secrets scan",
        &[
            ("In all files of a directory", "secrets scan src"),
            ("In a change", "secrets scan -"),
        ],
        &["secrets list", "redact"],
    ),
    page(
        "secrets measure",
        &[("A corpus", "secrets measure corpora/secrets/positive.jsonl")],
        &["secrets list", "detectors measure"],
    ),
    page(
        "secrets list",
        &[("All rules", "secrets list")],
        &["redact", "secrets measure"],
    ),
    page(
        "detectors",
        &[("All of them", "detectors measure")],
        &["secrets measure"],
    ),
    page(
        "detectors measure",
        &[("Fail below a figure", "detectors measure --floor 90")],
        &["secrets measure"],
    ),
    page(
        "fsm",
        &[("A diagram", "fsm show --format mermaid")],
        &["replay"],
    ),
    page(
        "fsm show",
        &[("A diagram", "fsm show --format mermaid")],
        &["fsm prove"],
    ),
    page(
        "fsm prove",
        &[("All properties", "fsm prove")],
        &["fsm show"],
    ),
    page("rules", &[("As JSON", "rules --format json")], &["explain"]),
    page(
        "schema",
        &[("One schema", "schema print report")],
        &["validate"],
    ),
    page(
        "schema list",
        &[("The names", "schema list")],
        &["schema print"],
    ),
    page(
        "schema print",
        &[("Of the JSON report", "schema print report")],
        &["validate"],
    ),
    page(
        "schema write",
        &[("All of them", "schema write schemas")],
        &["schema list"],
    ),
    page(
        "repomap",
        &[("Into 2,000 tokens", "repomap build --tokens 2000")],
        &["knowledge map"],
    ),
    page(
        "repomap build",
        &[
            ("Into 2,000 tokens", "repomap build --tokens 2000"),
            (
                "What matters to a file",
                "repomap build --focus src/lib.rs -o map.md",
            ),
            (
                "For the review of a branch",
                "repomap build --diff origin/main",
            ),
            (
                "Write a map again",
                "repomap build --update map.md -o map.md",
            ),
            (
                "Of several repositories, each in its REPOMAP.md",
                "repomap build --root server --root client",
            ),
        ],
        &["repomap check", "knowledge map"],
    ),
    page(
        "repomap check",
        &[
            ("The committed map", "repomap check --map map.md"),
            (
                "Those of several repositories",
                "repomap check --root server --root client",
            ),
        ],
        &["repomap build"],
    ),
    page(
        "repomap diff",
        &[("Since main", "repomap diff main")],
        &["repomap tags"],
    ),
    page(
        "repomap tags",
        &[("For an editor", "repomap tags --format ctags")],
        &["repomap build"],
    ),
    page(
        "knowledge",
        &[(
            "Ask the index",
            "knowledge search --query 'nightly build failed'",
        )],
        &["repomap", "explain"],
    ),
    page(
        "knowledge reindex",
        &[
            ("Up to date", "knowledge reindex"),
            ("Is it?", "knowledge reindex --check"),
            (
                "Of several repositories",
                "knowledge reindex --root server --root client",
            ),
        ],
        &["knowledge search", "knowledge stats"],
    ),
    page(
        "knowledge stats",
        &[("For a program", "knowledge stats --format json")],
        &["knowledge reindex"],
    ),
    page(
        "knowledge index",
        &[("What is there of a task", "knowledge index --task T-12")],
        &["knowledge timeline", "knowledge detail"],
    ),
    page(
        "knowledge timeline",
        &[("Of a task", "knowledge timeline --task T-12")],
        &["knowledge index", "knowledge detail"],
    ),
    page(
        "knowledge detail",
        &[("One, by its id in the index", "knowledge detail --ids 3f9a")],
        &["knowledge index"],
    ),
    page(
        "knowledge search",
        &[(
            "With the figures of each stage",
            "knowledge search --query 'nightly build failed' --explain",
        )],
        &["knowledge index", "knowledge bundle"],
    ),
    page(
        "knowledge map",
        &[("Of a file", "knowledge map --focus src/lib.rs")],
        &["repomap build"],
    ),
    page(
        "knowledge bundle",
        &[("Of a task", "knowledge bundle --task T-12 --query lexer")],
        &["knowledge search", "knowledge window"],
    ),
    page(
        "knowledge window",
        &[(
            "Of 200,000 tokens",
            "knowledge window --window 200000 session.jsonl",
        )],
        &["knowledge compaction"],
    ),
    page(
        "knowledge compaction",
        &[("Of a session", "knowledge compaction session.jsonl")],
        &["knowledge window"],
    ),
    page(
        "knowledge graph",
        &[("Is it whole?", "knowledge graph check")],
        &["knowledge skills"],
    ),
    page(
        "knowledge graph check",
        &[("Is it whole?", "knowledge graph check")],
        &["knowledge graph export"],
    ),
    page(
        "knowledge graph trace",
        &[("Of an execution", "knowledge graph trace exec-17")],
        &["knowledge graph provenance"],
    ),
    page(
        "knowledge graph stats",
        &[("Of each context", "knowledge graph stats")],
        &["knowledge context stages"],
    ),
    page(
        "knowledge graph provenance",
        &[("Of a skill", "knowledge graph provenance fix-tests")],
        &["knowledge skills history"],
    ),
    page(
        "knowledge graph export",
        &[("For other tools", "knowledge graph export")],
        &["knowledge graph check"],
    ),
    page(
        "knowledge context",
        &[("The stage of each item", "knowledge context stages")],
        &["knowledge memory"],
    ),
    page(
        "knowledge context stages",
        &[("The stage of each item", "knowledge context stages")],
        &["knowledge memory status", "knowledge skills candidates"],
    ),
    page(
        "knowledge context find",
        &[
            (
                "What is in a folder",
                "knowledge context find '#src/engine'",
            ),
            (
                "By type and tag, in a user's own store",
                "knowledge context find 'type:file tag:ci' --store home/.yuangs",
            ),
        ],
        &["knowledge search"],
    ),
    page(
        "knowledge context references",
        &[("Of some traces", "knowledge context references traces")],
        &["knowledge context stages"],
    ),
    page(
        "knowledge memory",
        &[("What would be done?", "knowledge memory status")],
        &["knowledge context"],
    ),
    page(
        "knowledge memory status",
        &[("What would be done?", "knowledge memory status")],
        &["knowledge memory apply"],
    ),
    page(
        "knowledge memory apply",
        &[("Without a question", "knowledge memory apply --yes")],
        &["knowledge memory status", "knowledge memory undo"],
    ),
    page(
        "knowledge memory undo",
        &[("The last one", "knowledge memory undo")],
        &["knowledge memory status"],
    ),
    page(
        "knowledge skills",
        &[("How good are they?", "knowledge skills evaluate")],
        &["knowledge context stages"],
    ),
    page(
        "knowledge skills evaluate",
        &[("One of them", "knowledge skills evaluate --skill fix-tests")],
        &["knowledge skills candidates"],
    ),
    page(
        "knowledge skills candidates",
        &[("All of them", "knowledge skills candidates")],
        &["knowledge skills approve", "knowledge context stages"],
    ),
    page(
        "knowledge skills approve",
        &[("By its id", "knowledge skills approve --by ada ctx-12")],
        &["knowledge skills candidates", "knowledge skills history"],
    ),
    page(
        "knowledge skills reject",
        &[("By its id", "knowledge skills reject --by ada ctx-12")],
        &["knowledge skills candidates", "knowledge skills history"],
    ),
    page(
        "knowledge skills defer",
        &[("By its id", "knowledge skills defer --by ada ctx-12")],
        &["knowledge skills candidates", "knowledge skills history"],
    ),
    page(
        "knowledge skills check",
        &[("Some traces", "knowledge skills check traces")],
        &["knowledge skills evaluate"],
    ),
    page(
        "knowledge skills history",
        &[("Of a skill", "knowledge skills history --skill fix-tests")],
        &["knowledge graph provenance"],
    ),
    page(
        "knowledge measure",
        &[(
            "A corpus",
            "knowledge measure documents.jsonl questions.jsonl",
        )],
        &["knowledge search"],
    ),
    page("completions", &[("For bash", "completions bash")], &["man"]),
    page(
        "man",
        &[
            ("Of a subcommand", "man fsm prove"),
            ("All pages", "man --output man"),
        ],
        &["completions"],
    ),
];
