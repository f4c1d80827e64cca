//! Random pairs of small policies: what the proof says against each action of a small universe.

use super::try_pack;
use crate::facts::Facts;
use crate::request::Past;
use crate::symbolic::prove;
use crate::{Action, Approvals, Context, Effort, Policy, Question, compare};
use governance::RiskLevel;
use serde_json::json;
use util::random::SplitMix;

/// Conditions of rules.
const WHENS: [&str; 48] = [
    "type: shell_cmd",
    "type: [tool_call, answer]",
    "type: [code_diff, shell_cmd]",
    "tool: ['read_*', fetch]",
    "tool: read_file",
    "tool: '^(read|delete)_[a-z]+$'",
    "risk: low",
    "risk: [medium, high]",
    "risk: [low, high]",
    "effects: [delete]",
    "effects: [read]",
    "effects: [read, network]",
    "effects: [git_rewrite]",
    "category: [network]",
    "category: [execute, read]",
    "command: { program: [rm, ls] }",
    "command: { program: 'r*', arg: '-r*' }",
    "command: { program: rm, arg: ['-r', '--recursive'] }",
    "command: { program: git, arg: ['--force', '-f'] }",
    "command: { arg: push }",
    "command: { arg: '-f' }",
    "command: { arg: ['--frob', '-z'] }",
    "command: { raw: '^rm' }",
    "command: { raw: '^(ls|cat|git) ' }",
    "command: { text: ['rm *', 'ls*'] }",
    "command: { text: 'rm a' }",
    "command: { text: 'git push *' }",
    "path: { glob: 'src/**' }",
    "path: { glob: 'src/*' }",
    "path: { glob: ['*.pem', '.env'] }",
    "path: { glob: '*.pem', access: [write, delete] }",
    "path: { glob: '/etc/**', access: [read] }",
    "path: { except: ['*.pem'], access: [write, delete] }",
    "path: { outside_workdir: true }",
    "path: { outside_workdir: false }",
    "path: { outside_workdir: false, access: [read] }",
    "host: ['*.x.com', x.com]",
    "host: y.org",
    "pattern: 'src|true'",
    "pattern: 'force'",
    "agent: 'intern-*'",
    "agent: [bot, intern-7]",
    "mode: [quick, 'ci*']",
    "turn: { at_least: 3 }",
    "turn: { at_most: 4 }",
    "turn: [0, 5]",
    "production: true",
    "production: false",
];

const LIMITS: [&str; 4] = [
    "max_per_minute: 2",
    "max_per_hour: 2",
    "max_per_hour: 3",
    "max_per_execution: 2",
];

const LINES: [&str; 37] = [
    "ls",
    "ls -r src",
    "rm a",
    "rm -r src/a",
    "rm --recursive a.pem",
    "rm -rf /etc/x",
    "sudo rm -r /etc",
    "cat src/a.pem",
    "cat /etc/passwd",
    "cat $X",
    "touch a.pem",
    "touch src/b src/c/d",
    "cp src/a.pem /etc/b",
    "mv .env src/x",
    "curl http://x.com",
    "curl https://a.x.com/y -o src/y",
    "curl $URL",
    "wget -q https://y.org/force",
    "ls; rm a",
    "ls src; cat src/a",
    "cat a && curl http://y.org",
    "$X",
    "echo x > /etc/a.pem",
    "echo true | tee src/a",
    "frobnicate -r x",
    "rm *.pem",
    "rm -r src/*",
    "cat src/?.pem",
    "git push --force origin main",
    "git push -f",
    "git push --forc origin +main",
    "frobnicate -vf",
    "docker top --zap x",
    "git push origin main",
    "git status; git push -uf",
    "timeout 5 rm a",
    "bash -c 'rm -r src'",
];

/// Each action in contexts that rules distinguish.
fn universe() -> Vec<Question> {
    let mut actions: Vec<Action> = LINES.iter().map(|line| Action::shell(line)).collect();
    for tool in [
        "read_file",
        "fetch",
        "read_x",
        "delete_file",
        "write_file",
        "foo",
    ] {
        for input in [
            json!({}),
            json!({ "path": "src/a" }),
            json!({ "path": "/etc/x.pem" }),
            json!({ "path": "src/c/.env" }),
            json!({ "url": "https://b.x.com/force" }),
            json!({ "command": "rm -r src" }),
        ] {
            actions.push(Action::call(tool, input));
        }
    }
    let diff = |path: &str| format!("--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-a\n+true\n");
    for path in ["src/k.pem", "src/a", "b"] {
        actions.push(Action::diff(&diff(path)));
    }
    for text in ["x", "force"] {
        actions.push(Action::recorded("answer", json!({ "content": text })));
    }
    actions.push(Action::recorded("dance", json!({})));
    let contexts = contexts();
    let mut all = Vec::new();
    for action in actions {
        for (context, after) in &contexts {
            let mut question = Question::plain(action.clone());
            question.context = context.clone();
            let each = after.map(|(_, ago)| Past {
                kind: action.kind,
                tool: None,
                risk: RiskLevel::Low,
                time: ago.map(|ago| NOW - ago * 1000),
                by_human: false,
            });
            question
                .past
                .extend(each.zip(*after).map(|(each, (count, _))| Approvals {
                    each,
                    count,
                    cost: 0,
                    busy: 0,
                }));
            all.push(question);
        }
    }
    all
}

const NOW: i64 = 1_768_800_000_000;

/// A context, and how many approvals there were, how many seconds ago.
type Circumstances = (Context, Option<(u64, Option<i64>)>);

fn contexts() -> Vec<Circumstances> {
    let plain = Context::default;
    let named = |agent: &str, mode: &str, turn| Context {
        agent: Some(agent.to_owned()),
        mode: Some(mode.to_owned()),
        turn: Some(turn),
        ..Context::default()
    };
    let after = |count, ago: Option<i64>| {
        let context = Context {
            time: ago.map(|_| NOW),
            ..Context::default()
        };
        (context, Some((count, ago)))
    };
    let risk = |risk| Context {
        risk: Some(risk),
        ..Context::default()
    };
    vec![
        (plain(), None),
        (risk(RiskLevel::Medium), None),
        (risk(RiskLevel::High), None),
        (
            Context {
                production: true,
                ..plain()
            },
            None,
        ),
        (named("intern-7", "quick", 0), None),
        (named("bot", "ci-1", 4), None),
        (named("intern-1", "slow", 5), None),
        (
            Context {
                production: true,
                risk: Some(RiskLevel::Medium),
                ..named("intern-1", "quick", 3)
            },
            None,
        ),
        after(1, None),
        after(2, None),
        after(3, None),
        after(2, Some(30)),
        after(2, Some(1_800)),
        after(3, Some(1_800)),
        after(3, Some(36_000)),
    ]
}

/// A small policy as text: its rules with their effects, `combine` and the default.
#[derive(Debug, Clone)]
struct Small {
    rules: Vec<String>,
    combine: &'static str,
    default: &'static str,
}

const EFFECTS: [&str; 3] = ["allow", "ask", "deny"];
const COMBINE: [&str; 2] = ["first-match", "deny-overrides"];

fn rule(random: &mut SplitMix) -> String {
    let mut pick = || WHENS[random.below(WHENS.len())];
    let (one, other, third) = (pick(), pick(), pick());
    let when = match random.below(6) {
        0 => one.to_owned(),
        1 => format!("all: [{{ {one} }}, {{ {other} }}]"),
        2 => format!("any: [{{ {one} }}, {{ {other} }}]"),
        3 => format!("all: [{{ {one} }}, {{ not: {{ {other} }} }}]"),
        4 => format!("any: [{{ {one} }}, {{ all: [{{ {other} }}, {{ {third} }}] }}]"),
        _ => format!("not: {{ any: [{{ {one} }}, {{ {other} }}] }}"),
    };
    let limit = match random.below(5) {
        0 => format!(", {}", LIMITS[random.below(LIMITS.len())]),
        _ => String::new(),
    };
    format!("{when}{limit} → {}", EFFECTS[random.below(3)])
}

impl Small {
    fn random(random: &mut SplitMix) -> Self {
        Self {
            rules: (0..=random.below(4)).map(|_| rule(random)).collect(),
            combine: COMBINE[random.below(2)],
            default: EFFECTS[random.below(3)],
        }
    }

    /// The policy after a change that an author may make.
    fn changed(&self, random: &mut SplitMix) -> Self {
        let mut new = self.clone();
        let at = random.below(new.rules.len());
        match random.below(9) {
            0 => {
                new.rules.remove(at);
            }
            1 => new.rules.insert(at, rule(random)),
            2 => new.rules[at] = rule(random),
            3 => {
                let last = new.rules.len() - 1;
                new.rules.swap(at, last);
            }
            4 => {
                let (when, _) = new.rules[at].rsplit_once('→').unwrap();
                new.rules[at] = format!("{when}→ {}", EFFECTS[random.below(3)]);
            }
            5 => {
                // The same, written in another way.
                let (when, effect) = new.rules[at].rsplit_once(" → ").unwrap();
                if !when.contains("max_per") {
                    new.rules[at] = format!("not: {{ not: {{ {when} }} }} → {effect}");
                }
            }
            6 => new.rules.push(new.rules[at].clone()),
            7 => new.default = EFFECTS[random.below(3)],
            _ => {
                // One word of a list or of a condition becomes another.
                let words = [
                    ("[read]", "[read, write]"),
                    ("src/**", "src/*"),
                    ("at_least: 3", "at_least: 4"),
                    ("intern-*", "intern-7"),
                    ("hour: 2", "hour: 3"),
                    ("hour: 2", "minute: 2"),
                    ("'^rm'", "'^rm '"),
                    ("[rm, ls]", "[ls, rm]"),
                    ("*.pem", "*.p*"),
                    ("low, high", "low, medium, high"),
                    ("'r*'", "'rm*'"),
                ];
                for (old, with) in words {
                    new.rules[at] = new.rules[at].replace(old, with);
                }
            }
        }
        new
    }

    fn load(&self) -> Option<Policy> {
        let rules: Vec<&str> = self.rules.iter().map(String::as_str).collect();
        try_pack(self.combine, self.default, &rules)
    }
}

/// What became of the pairs.
#[derive(Debug, Default)]
struct Tally {
    pairs: u64,
    /// Actions that the policies of a pair decide differently.
    differing: u64,
    /// Pairs of which some action becomes more permissive.
    permissive: u64,
    /// Pairs that are compared: every fourth. Building real actions takes most of the time.
    compared: u64,
    /// Pairs that are proved to allow nothing more.
    proved: u64,
    equal: u64,
    /// Pairs with a real action that becomes more permissive.
    shown: u64,
    /// Pairs about which the proof leaves something open.
    inconclusive: u64,
    /// Those of them of which no action of the universe becomes more permissive.
    doubtful: u64,
    /// What the proof leaves open in the last.
    doubts: Vec<String>,
}

fn check_pairs(seed: u64, pairs: u64) -> Tally {
    let mut random = SplitMix(seed);
    let universe = universe();
    let surroundings = crate::surroundings::Surroundings::new("/home/dev/project");
    let facts: Vec<Facts<'_>> = universe
        .iter()
        .map(|question| Facts::new(&question.action, question.context.risk, &surroundings))
        .collect();
    let mut tally = Tally::default();
    while tally.pairs < pairs {
        let old = Small::random(&mut random);
        let new = if random.below(3) == 0 {
            Small::random(&mut random)
        } else {
            old.changed(&mut random)
        };
        let (Some(base), Some(head)) = (old.load(), new.load()) else {
            continue;
        };
        tally.pairs += 1;
        check_pair(&mut tally, [&old, &new], [&base, &head], &universe, &facts);
    }
    tally
}

fn check_pair(
    tally: &mut Tally,
    texts: [&Small; 2],
    [base, head]: [&Policy; 2],
    universe: &[Question],
    facts: &[Facts<'_>],
) {
    let proof = prove(base, head);
    assert!(proof.complete, "{texts:#?}");
    let mut permissive = false;
    for (question, facts) in universe.iter().zip(facts) {
        let history = question.history();
        let request = question.context.request(&question.action, &history);
        let (old, new) = (
            base.decide_on(facts, &request),
            head.decide_on(facts, &request),
        );
        if old.effect == new.effect {
            continue;
        }
        tally.differing += 1;
        permissive |= new.effect < old.effect;
        let of_pair = |at: &usize| {
            let kind = &proof.kinds[*at];
            (kind.base, kind.head) == (old.effect, new.effect)
                && kind.base_rule == old.index
                && kind.head_rule == new.index
        };
        let kinds: Vec<usize> = (0..proof.kinds.len()).filter(of_pair).collect();
        // What becomes stricter is listed only up to a bound.
        let listed = new.effect < old.effect || proof.stricter_complete;
        assert!(
            !listed || proof.kind_of(question, &kinds).is_some(),
            "the proof lacks {}: {texts:#?}",
            question.summary()
        );
    }
    tally.permissive += u64::from(permissive);
    if !tally.pairs.is_multiple_of(4) {
        return;
    }
    tally.compared += 1;
    let effort = Effort {
        seed: 0,
        cases: 2,
        only: Vec::new(),
    };
    let found = compare(base, head, &[], &effort);
    let shown = found
        .differences
        .keys()
        .any(|kind| kind.is_more_permissive());
    tally.shown += u64::from(shown);
    tally.equal += u64::from(found.equivalent);
    if found.is_proven() {
        assert!(shown || !permissive, "{texts:#?}");
        tally.proved += u64::from(!shown);
    } else {
        tally.inconclusive += 1;
        if !permissive && !shown {
            tally.doubtful += 1;
            let doubt = &found.unproven[0];
            let text = format!("{texts:?}: {}: {}", doubt.what, doubt.change);
            tally.doubts.push(text);
        }
    }
}

#[test]
fn brute_force_finds_nothing_that_the_proof_lacks() {
    let tally = check_pairs(4711, 40);
    assert!(tally.differing > 1_000 && tally.equal > 1, "{tally:#?}");
}

/// `cargo test -p agent-policy --lib -- --ignored --nocapture many_pairs`
#[test]
#[ignore = "a measurement that takes minutes"]
#[expect(clippy::print_stderr, reason = "a measurement")]
fn many_pairs_agree_with_brute_force() {
    let tally = check_pairs(28, 1_000);
    eprintln!("{tally:#?}");
    assert!(tally.doubtful < 40, "{}", tally.doubtful);
}
