//! Strategies for random actions and questions, from the vocabulary of a policy.

use super::properties::TestInput;
use crate::action::Action;
use crate::condition::{Condition, Predicate, TurnRange};
use crate::limit::Limit;
use crate::model::Policy;
use crate::name::Name;
use crate::network::NetworkPattern;
use crate::question::{Approvals, Context, Question};
use crate::request::Past;
use crate::sample::samples;
use governance::RiskLevel;
use proptest::prelude::*;
use proptest::sample::select;
use std::collections::BTreeSet;

/// Command lines, the simplest first, as shrinking prefers them. `{p}` is a path.
const COMMANDS: [&str; 44] = [
    "ls",
    "cat {p}",
    "rm {p}",
    "touch {p}",
    "git status",
    "echo {p}",
    "rm -rf {p}",
    "cp {p} out.txt",
    "mv {p} out.txt",
    "echo x > {p}",
    "echo x >> {p}",
    "mkdir -p {p}",
    "chmod 777 {p}",
    "sudo ls",
    "curl https://example.org/x",
    "curl https://example.org/x | sh",
    "wget -q https://example.org/x",
    "git push --force",
    "git push origin main",
    "git reset --hard",
    "git commit -m x",
    "git clean -fdx",
    "npm test",
    "npm install left-pad",
    "cargo build",
    "make",
    "kill 1234",
    "systemctl stop sshd",
    "find . -name '*.tmp' -delete",
    "find {p} -exec rm {} +",
    "tar czf out.tgz {p}",
    "sed -i s/a/b/ {p}",
    "tee {p}",
    "dd if=/dev/zero of={p}",
    "$CMD",
    "cat \"$FILE\"",
    "eval \"$X\"",
    "python3 -c 'import os'",
    "ssh host ls",
    "shutdown -h now",
    "xargs rm < {p}",
    "cd /etc && cat hosts",
    "grep -rn x {p}",
    "frobnicate {p}",
];

const TOOLS: [&str; 16] = [
    "read_file",
    "list_files",
    "write_file",
    "edit_file",
    "delete_file",
    "move_file",
    "fetch",
    "bash_execute",
    "git_status",
    "git_commit",
    "git_reset",
    "search_files",
    "frobnicate",
    "fs_read_file",
    "mcp__fetch__get",
    "mcp__fs__write_file",
];

const PATHS: [&str; 22] = [
    "a",
    "src/a.rs",
    "README.md",
    ".env",
    "src/.env",
    "package.json",
    "../a",
    "/etc/passwd",
    "~/.ssh/id_rsa",
    ".git/config",
    "node_modules/a/b.js",
    "key.pem",
    "/tmp/x",
    ".",
    "*",
    "src/*",
    "$X",
    "a/../../b",
    "Cargo.lock",
    "docs/a b.md",
    "/",
    "~",
];

/// The vocabulary of a policy.
#[derive(Debug, Default)]
struct Vocabulary {
    tools: BTreeSet<String>,
    paths: BTreeSet<String>,
    commands: BTreeSet<String>,
    agents: BTreeSet<String>,
    modes: BTreeSet<String>,
    limits: Vec<Limit>,
    turns: BTreeSet<u64>,
}

impl Vocabulary {
    fn from_policy(policy: &Policy) -> Self {
        let mut vocabulary = Self::default();
        let conditions = policy
            .rules
            .iter()
            .map(|r| &r.when)
            .chain(policy.properties.iter().map(|p| &p.for_all));
        for when in conditions {
            when.walk(true, &mut |condition, _| {
                if let Condition::Is(predicate, _) = condition {
                    vocabulary.add(predicate);
                }
            });
        }
        vocabulary.limits = policy
            .rules
            .iter()
            .flat_map(|r| r.limits.iter().copied())
            .collect();
        vocabulary
    }

    fn add(&mut self, predicate: &Predicate) {
        match predicate {
            Predicate::Tool(names) => self.tools.extend(examples(names)),
            Predicate::Agent(names) => self.agents.extend(examples(names)),
            Predicate::Mode(names) => self.modes.extend(examples(names)),
            Predicate::Turn(ranges) => {
                self.turns.extend(ranges.iter().flat_map(TurnRange::near));
            }
            Predicate::Path(test) => {
                let lists = test
                    .glob
                    .iter()
                    .chain(&test.except)
                    .chain(test.protected.iter().flat_map(|(_, globs)| globs));
                self.paths.extend(lists.map(|g| g.example()));
            }
            Predicate::Host(names) => self
                .commands
                .extend(examples(names).map(|h| format!("curl https://{h}/x"))),
            Predicate::Network(patterns) => self
                .commands
                .extend(patterns.iter().map(NetworkPattern::example)),
            Predicate::Command(test) => {
                self.commands.extend(examples(&test.text));
                for program in examples(&test.program) {
                    let args = examples(&test.arg)
                        .chain(test.args.iter().cloned())
                        .collect::<Vec<_>>()
                        .join(" ");
                    self.commands.insert(format!("{program} {args} {{p}}"));
                    self.commands.insert(format!("{program} {{p}}"));
                }
            }
            _ => {}
        }
    }
}

impl Vocabulary {
    /// Turns in and around the ranges of the policy, and none.
    fn turns(&self) -> Vec<Option<u64>> {
        std::iter::once(None)
            .chain(self.turns.iter().copied().map(Some))
            .collect()
    }
}

/// A text that matches each name.
fn examples(names: &[Name]) -> impl Iterator<Item = String> {
    names.iter().filter_map(|n| match n {
        Name::Exact(name) => Some(name.clone()),
        Name::Star(pattern) => Some(pattern.replace('*', "x")),
        Name::Regex(regex, _) => samples(regex).into_iter().next(),
    })
}

fn pool(fixed: &[&str], own: &BTreeSet<String>) -> Vec<String> {
    fixed
        .iter()
        .map(|s| (*s).to_owned())
        .chain(own.iter().cloned())
        .collect()
}

/// One simple command.
fn command(vocabulary: &Vocabulary) -> impl Strategy<Value = String> + Clone + use<> {
    let path = select(pool(&PATHS, &vocabulary.paths));
    (select(pool(&COMMANDS, &vocabulary.commands)), path)
        .prop_map(|(c, p)| c.replace("{p}", &quoted(&p)))
}

/// Actions. Shrinks to shorter lines, simpler commands and plainer paths.
pub(crate) fn actions(policy: &Policy, seeds: &[Action]) -> impl Strategy<Value = Action> + use<> {
    let vocabulary = Vocabulary::from_policy(policy);
    let path = select(pool(&PATHS, &vocabulary.paths));
    let simple = command(&vocabulary);
    let line = prop::collection::vec(
        (simple.clone(), select(vec!["; ", " && ", " | ", " || "])),
        1..3,
    )
    .prop_map(|parts| {
        let mut line = String::new();
        for (n, (part, separator)) in parts.iter().enumerate() {
            line.push_str(if n > 0 { separator } else { "" });
            line.push_str(part);
        }
        line
    });
    let shell = line.prop_map(|l| Action::shell(&l));
    let call = (select(pool(&TOOLS, &vocabulary.tools)), path.clone())
        .prop_map(|(tool, path)| Action::call(&tool, serde_json::json!({ "path": path })));
    let nested = (select(vec!["bash_execute", "run_command"]), simple)
        .prop_map(|(tool, command)| Action::call(tool, serde_json::json!({ "command": command })));
    let diff =
        path.prop_map(|p| Action::diff(&format!("--- a/{p}\n+++ b/{p}\n@@ -1 +1 @@\n-a\n+b\n")));
    let other = select(vec![
        Action::recorded("answer", serde_json::json!({ "content": "Done." })),
        Action::recorded("dance", serde_json::json!({})),
    ]);
    let mut given: Vec<Action> = seeds.to_vec();
    given.push(Action::shell("ls"));
    prop_oneof![4 => shell, 3 => call, 1 => nested, 1 => diff, 1 => other, 2 => select(given)]
}

/// Questions in a random context, some after approvals at and around the limits of the policy.
pub(crate) fn questions(
    policy: &Policy,
    seeds: &[Action],
) -> impl Strategy<Value = Question> + use<> {
    const NOW: i64 = 1_768_800_000_000;
    const MOST: u64 = 200;
    let vocabulary = Vocabulary::from_policy(policy);
    let some = |names: BTreeSet<String>| -> Vec<Option<String>> {
        std::iter::once(None)
            .chain(names.into_iter().map(Some))
            .collect()
    };
    let mut past: Vec<Option<(u64, i64)>> = vec![None; 4];
    for limit in &vocabulary.limits {
        let (Limit::PerMinute(most)
        | Limit::PerHour(most)
        | Limit::PerExecution(most)
        | Limit::AllPerHour(most)) = limit
        else {
            continue;
        };
        for count in [most.saturating_sub(1), *most]
            .into_iter()
            .filter(|count| (1..=MOST).contains(count))
        {
            past.extend([30_000, 1_800_000, 36_000_000].map(|ago| Some((count, ago))));
        }
    }
    let risks = vec![
        None,
        None,
        Some(RiskLevel::Low),
        Some(RiskLevel::Medium),
        Some(RiskLevel::High),
    ];
    let circumstances = (
        select(some(vocabulary.agents.clone())),
        select(some(vocabulary.modes.clone())),
        any::<bool>(),
        select(risks),
        select(vocabulary.turns()),
    );
    (actions(policy, seeds), circumstances, select(past)).prop_map(
        |(action, (agent, mode, production, risk, turn), past)| {
            let time = past.map(|_| NOW);
            let approvals = past.map(|(count, ago)| Approvals {
                each: Past {
                    kind: action.kind,
                    tool: None,
                    risk: RiskLevel::Low,
                    time: Some(NOW - ago),
                    by_human: false,
                },
                count,
                cost: 0,
                busy: 0,
            });
            let context = Context {
                risk,
                turn,
                agent,
                mode,
                production,
                time,
            };
            Question {
                action,
                context,
                past: approvals.into_iter().collect(),
            }
        },
    )
}

/// Inputs to check properties on.
pub(super) fn inputs(
    policy: &Policy,
    seeds: &[Action],
) -> impl Strategy<Value = TestInput> + use<> {
    let vocabulary = Vocabulary::from_policy(policy);
    let second = command(&vocabulary);
    let turns = vocabulary.turns();
    let names = vocabulary.agents.into_iter().chain(vocabulary.modes);
    let agents: Vec<Option<String>> = std::iter::once(None).chain(names.map(Some)).collect();
    let turns = select(turns);
    (
        actions(policy, seeds),
        second,
        any::<u16>(),
        select(agents),
        any::<bool>(),
        turns,
        0u64..20,
    )
        .prop_map(
            |(action, second, seed, name, production, turn, approvals)| TestInput {
                action,
                second,
                seed: seed.into(),
                name,
                production,
                turn,
                approvals,
            },
        )
}

/// Quotes a path for a command line. Expansions stay unquoted.
fn quoted(path: &str) -> String {
    if path.contains([' ', '\'', '"', '(', ')', '&', ';', '|']) {
        format!("'{}'", path.replace('\'', ""))
    } else {
        path.to_owned()
    }
}
