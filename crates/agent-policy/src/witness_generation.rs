//! Generates questions that match a rule, or two of them, from their own conditions. Random
//! questions would hardly ever match.

mod from_sketch;
mod histories;
mod simpler;

pub(super) use from_sketch::questions_of;
use histories::histories;
pub(super) use simpler::simpler;

use super::action::{Action, type_bit};
use super::condition::{CommandTest, Condition, PathTest, Predicate, TurnRange};
use super::effect::{Effect, Tristate};
use super::facts::{Category, Facts, bit};
use super::limit::Limit;
use super::model::{Policy, Rule};
use super::name::Name;
use super::network::NetworkPattern;
use super::path::Access;
use super::question::{Context, Question};
use super::request::{History, Request};
use super::sample::samples;
use governance::ActionType;
use governance::RiskLevel;
use rustc_hash::FxHashSet;
use serde_json::{Value, json};
use shell_effects::EffectKind;

/// Maximum number of conjunctions of a condition.
const MAX_CASES: usize = 48;
/// Maximum number of actions to try for one conjunction.
const MAX_TRIED: usize = 1_500;
/// Maximum number of actions to use for one conjunction.
const MAX_ACTIONS: usize = 96;
/// Maximum number of texts or paths of one predicate to combine with those of another.
const MAX_COMBINED: usize = 6;
/// Maximum number of command lines to give to tools.
const MAX_CALLED_LINES: usize = 40;
/// Maximum number of tools, and of lines to give to them, where few ways of writing suffice.
const MAX_BRIEF_TOOLS: usize = 2;
const MAX_BRIEF_LINES: usize = 30;
/// A command for each kind of effect.
const SAMPLE_COMMANDS: [(EffectKind, &str); 15] = [
    (EffectKind::Read, "cat a"),
    (EffectKind::Write, "touch a"),
    (EffectKind::Delete, "rm a"),
    (EffectKind::Execute, "make"),
    (EffectKind::Dynamic, "$X"),
    (EffectKind::Network, "curl https://example.org/x"),
    (EffectKind::Privilege, "sudo ls"),
    (EffectKind::Process, "kill 1234"),
    (EffectKind::Install, "npm install left-pad"),
    (EffectKind::GitRead, "git status"),
    (EffectKind::GitWrite, "git commit -m x"),
    (EffectKind::GitRewrite, "git push --force"),
    (EffectKind::Credential, "cat ~/.aws/credentials"),
    (EffectKind::System, "shutdown -h now"),
    (EffectKind::Unknown, "frobnicate"),
];

/// Names of tools that show their effects.
const SAMPLE_TOOLS: [&str; 12] = [
    "read_file",
    "write_file",
    "delete_file",
    "move_file",
    "fetch",
    "bash_execute",
    "run_tests",
    "git_status",
    "git_commit",
    "git_reset",
    "frobnicate",
    "http_download",
];

/// A condition that questions should meet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Target<'p> {
    when: &'p Condition,
    /// Whether it is the condition of a rule that allows.
    strict: bool,
}

impl<'p> Target<'p> {
    /// The condition of a rule.
    pub fn from_rule(rule: &'p Rule) -> Self {
        Self {
            when: &rule.when,
            strict: rule.effect == Effect::Allow,
        }
    }

    /// The condition of a property.
    pub(super) const fn from_property(when: &'p Condition) -> Self {
        Self {
            when,
            strict: false,
        }
    }
}

/// Questions that meet all targets, the simplest first. Histories have approvals around `limits`.
pub(super) fn questions<'p>(
    policy: &'p Policy,
    targets: &'p [Target<'p>],
    limits: &'p [Limit],
) -> impl Iterator<Item = Question> + 'p {
    let conjunctions = targets.iter().fold(vec![Vec::new()], |all, target| {
        together(&all, &unfold(target.when))
    });
    conjunctions
        .into_iter()
        .flat_map(move |conjunction| targeted(policy, targets, &conjunction, limits))
}

fn targeted(
    policy: &Policy,
    targets: &[Target<'_>],
    conjunction: &[&Predicate],
    limits: &[Limit],
) -> Vec<Question> {
    let vocabulary = Vocabulary::from_predicates(conjunction);
    let found = vocabulary.actions(policy, targets);
    let mut all: Vec<Question> = found
        .into_iter()
        .flat_map(|action| vocabulary.circumstances(&action))
        .collect();
    let about = |q: &&Question| {
        let history = q.history();
        let request = q.context.request(&q.action, &history);
        let facts = Facts::new(&q.action, q.context.risk, &policy.surroundings);
        targets
            .iter()
            .all(|target| target.when.holds(&facts, &request, false) != Tristate::No)
    };
    // Histories are expensive, so only a few actions get them.
    let limited = all
        .iter()
        .filter(about)
        .take(4)
        .flat_map(|q| histories(q, limits, vocabulary.approved_before));
    let limited: Vec<Question> = limited.collect();
    all.extend(limited);
    all
}

/// Joins each of some conjunctions with each of others.
fn together<'p>(
    some: &[Vec<&'p Predicate>],
    others: &[Vec<&'p Predicate>],
) -> Vec<Vec<&'p Predicate>> {
    let both = some.iter().flat_map(|one| {
        others
            .iter()
            .map(move |other| [one.as_slice(), other].concat())
    });
    both.take(MAX_CASES).collect()
}

/// The condition as alternatives of conjunctions. `not` is left to chance.
fn unfold(when: &Condition) -> Vec<Vec<&Predicate>> {
    match when {
        Condition::Is(predicate, _) => vec![vec![predicate]],
        Condition::Not(_) => vec![Vec::new()],
        Condition::Any(list) => list.iter().flat_map(unfold).take(MAX_CASES).collect(),
        Condition::All(list) => list
            .iter()
            .fold(vec![Vec::new()], |all, part| together(&all, &unfold(part))),
    }
}

/// Whether the action can meet the condition in some context, which is chosen later.
fn reach(
    when: &Condition,
    facts: &Facts<'_>,
    request: &Request<'_>,
    strict: bool,
    positive: bool,
) -> Tristate {
    match when {
        Condition::All(list) => list
            .iter()
            .map(|c| reach(c, facts, request, strict, positive))
            .min()
            .unwrap_or(Tristate::Yes),
        Condition::Any(list) => list
            .iter()
            .map(|c| reach(c, facts, request, strict, positive))
            .max()
            .unwrap_or(Tristate::No),
        Condition::Not(inner) => reach(inner, facts, request, !strict, !positive).not(),
        Condition::Is(
            Predicate::Agent(_)
            | Predicate::Mode(_)
            | Predicate::Production(_)
            | Predicate::Turn(_)
            | Predicate::Risk(_)
            | Predicate::ApprovedBefore
            | Predicate::UsedUp(_),
            _,
        ) => Tristate::from_bool(positive),
        Condition::Is(..) => when.holds(facts, request, strict),
    }
}

/// Texts that match a name, the simplest first.
pub(super) fn examples(names: &[Name]) -> Vec<String> {
    let one = |name: &Name| match name {
        Name::Exact(text) => vec![text.clone(), with_swapped_case(text)],
        Name::Star(pattern) => vec![
            pattern.replace('*', ""),
            pattern.replace('*', "x"),
            with_swapped_case(&pattern.replace('*', "x")),
        ],
        Name::Regex(regex, _) => samples(regex),
    };
    names
        .iter()
        .flat_map(one)
        .filter(|text| !text.is_empty())
        .collect()
}

/// Swaps the case of the first letter: names in rules that allow are case-sensitive.
fn with_swapped_case(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| {
        if c.is_ascii_uppercase() {
            c.to_ascii_lowercase()
        } else {
            c.to_ascii_uppercase()
        }
    });
    first.into_iter().chain(chars).collect()
}

/// An action to try.
#[derive(Debug)]
struct Candidate {
    action: Action,
    /// Its payload as JSON.
    text: String,
}

impl Candidate {
    fn new(action: Action) -> Self {
        let text = action.payload.to_string();
        Self { action, text }
    }
}

/// The values that the predicates of one conjunction require.
#[derive(Debug, Default)]
struct Vocabulary {
    kinds: Option<u8>,
    tools: Vec<String>,
    agents: Vec<String>,
    modes: Vec<String>,
    production: Option<bool>,
    turns: Vec<Option<u64>>,
    risks: Vec<RiskLevel>,
    texts: Vec<String>,
    lines: Vec<String>,
    programs: Vec<String>,
    arguments: Vec<String>,
    paths: Vec<String>,
    access: Vec<Access>,
    hosts: Vec<String>,
    effects: u32,
    approved_before: bool,
    /// All of it belongs to one action.
    whole: bool,
    /// Few ways of writing it suffice.
    brief: bool,
}

impl Vocabulary {
    fn from_predicates(conjunction: &[&Predicate]) -> Self {
        let mut vocabulary = Self::default();
        for predicate in conjunction {
            vocabulary.add(predicate);
        }
        vocabulary
    }

    fn add(&mut self, predicate: &Predicate) {
        match predicate {
            Predicate::Type(bits) => {
                self.kinds = Some(self.kinds.map_or(*bits, |kinds| kinds & bits));
            }
            Predicate::Tool(names) => self.tools.extend(examples(names)),
            Predicate::Agent(names) => self.agents.extend(examples(names)),
            Predicate::Mode(names) => self.modes.extend(examples(names)),
            Predicate::Production(production) => self.production = Some(*production),
            Predicate::Turn(ranges) => {
                let near = ranges.iter().flat_map(TurnRange::near);
                self.turns.extend(near.map(Some).chain([None]));
            }
            Predicate::Risk(bits) => {
                let levels = [
                    (RiskLevel::Low, 1u8),
                    (RiskLevel::Medium, 2),
                    (RiskLevel::High, 4),
                ];
                self.risks.extend(
                    levels
                        .into_iter()
                        .filter(|(_, bit)| bits & bit != 0)
                        .map(|(level, _)| level),
                );
            }
            Predicate::Category(bits) => {
                let kinds = EffectKind::ALL
                    .into_iter()
                    .filter(|k| Category::bits_of(*k) & bits != 0);
                self.effects |= kinds.fold(0, |all, kind| all | bit(kind));
            }
            Predicate::Effects(bits) => self.effects |= bits,
            Predicate::Pattern(regexes) => {
                let texts: Vec<String> = regexes.iter().flat_map(samples).collect();
                let both = |one: &String| {
                    texts
                        .iter()
                        .take(MAX_COMBINED)
                        .map(move |other| format!("{one} {other}"))
                        .collect::<Vec<_>>()
                };
                let combined_paths: Vec<String> = self
                    .texts
                    .iter()
                    .take(MAX_COMBINED)
                    .flat_map(both)
                    .collect();
                self.texts.extend(combined_paths.into_iter().chain(texts));
            }
            Predicate::Command(test) => self.add_command(test),
            Predicate::Path(test) => self.add_path(test),
            Predicate::Host(names) => self.hosts.extend(examples(names)),
            Predicate::Network(patterns) => {
                self.lines
                    .extend(patterns.iter().map(NetworkPattern::example));
            }
            Predicate::ApprovedBefore => self.approved_before = true,
            Predicate::Granted(grants) => {
                for grant in grants {
                    if let Condition::Is(predicate, _) = grant {
                        self.add(predicate);
                    }
                }
            }
            Predicate::UsedUp(_) => {}
        }
    }

    fn add_command(&mut self, test: &CommandTest) {
        self.programs.extend(examples(&test.program));
        self.arguments.extend(examples(&test.arg));
        if !test.args.is_empty() {
            self.arguments.push(test.args.join(" "));
        }
        self.lines.extend(examples(&test.text));
        self.lines.extend(test.raw.iter().flat_map(samples));
    }

    fn add_path(&mut self, test: &PathTest) {
        let protected = test.protected.iter().flat_map(|(_, globs)| globs);
        let named: Vec<String> = test
            .glob
            .iter()
            .chain(protected)
            .map(|glob| glob.example())
            .collect();
        let blend = |one: &String| {
            named
                .iter()
                .take(MAX_COMBINED)
                .flat_map(|other| combined_paths(one, other))
                .collect::<Vec<_>>()
        };
        let both: Vec<String> = self
            .paths
            .iter()
            .take(MAX_COMBINED)
            .flat_map(blend)
            .collect();
        self.paths.extend(both.into_iter().chain(named));
        if test.outside == Some(true) {
            self.paths.extend(["/srv/a".to_owned(), "../a".to_owned()]);
        }
        if self.paths.is_empty() {
            self.paths
                .extend(["a".to_owned(), "src/a".to_owned(), "/srv/a".to_owned()]);
        }
        self.access.extend(&test.access);
    }

    fn is_about(&self, kind: Option<ActionType>) -> bool {
        self.kinds.is_none_or(|kinds| kinds & type_bit(kind) != 0)
    }

    /// Actions that meet the conditions, or may meet them.
    fn actions(&self, policy: &Policy, targets: &[Target<'_>]) -> Vec<Action> {
        let tried = self.tried();
        // First the certain matches, then the others, in case the context makes the difference.
        let (mut certain, mut rest) = (Vec::new(), Vec::new());
        for candidate in tried {
            let action = &candidate.action;
            let history = History::default();
            let request = Request::new(action, &history);
            let facts = Facts::new(action, None, &policy.surroundings);
            let reached =
                |target: &Target<'_>| reach(target.when, &facts, &request, target.strict, true);
            match targets.iter().map(reached).min().unwrap_or(Tristate::No) {
                Tristate::Yes => certain.push(candidate),
                Tristate::Maybe => rest.push(candidate),
                Tristate::No => {}
            }
        }
        certain.sort_by_key(|candidate| candidate.text.len());
        certain.truncate(MAX_ACTIONS);
        rest.truncate(MAX_ACTIONS / 4);
        certain.append(&mut rest);
        certain.into_iter().map(|one| one.action).collect()
    }

    /// All actions to try.
    fn tried(&self) -> Vec<Candidate> {
        let mut tried: Vec<Action> = Vec::new();
        if self.is_about(Some(ActionType::ToolCall)) {
            tried.extend(self.calls());
        }
        if self.is_about(Some(ActionType::ShellCmd)) && self.tools.is_empty() {
            tried.extend(self.shell());
        }
        if self.is_about(Some(ActionType::CodeDiff)) && self.tools.is_empty() {
            let diffs = self.diffs();
            if self.whole
                && let Some(diff) = diffs.first()
            {
                tried.extend(self.with_calls(diff));
            }
            tried.extend(diffs);
        }
        if self.is_about(Some(ActionType::Answer)) && self.tools.is_empty() {
            let texts = self.texts.iter().map(String::as_str).chain(["Done."]);
            tried.extend(texts.flat_map(|text| fragments("answer", text)));
            tried.extend(
                self.texts
                    .iter()
                    .map(|text| Action::recorded("answer", json!({ "content": text }))),
            );
            tried.push(Action::recorded("answer", json!({ "content": "Done." })));
            if self.whole {
                tried.extend(
                    self.with_calls(&Action::recorded("answer", json!({ "content": "Done." }))),
                );
            }
        }
        if self.is_about(None) {
            let texts = self.texts.iter();
            tried.extend(texts.clone().flat_map(|text| fragments("dance", text)));
            tried.extend(texts.map(|text| Action::recorded("dance", json!({ "text": text }))));
            tried.push(Action::recorded("dance", json!({})));
        }
        let mut all: Vec<Candidate> = tried.into_iter().map(Candidate::new).collect();
        let mut seen = FxHashSet::default();
        let fresh = all
            .iter()
            .map(|one| seen.insert((one.action.kind, &*one.text)));
        let fresh: Vec<bool> = fresh.collect();
        let mut fresh = fresh.into_iter();
        all.retain(|_| fresh.next() == Some(true));
        all.truncate(MAX_TRIED);
        all
    }

    fn calls(&self) -> Vec<Action> {
        let tools: Vec<&str> = self.tools.iter().map(String::as_str).collect();
        let tools = match tools.as_slice() {
            [] => SAMPLE_TOOLS.as_slice(),
            tools => tools,
        };
        let (most_tools, most_lines) = if self.brief {
            (MAX_BRIEF_TOOLS, MAX_BRIEF_LINES)
        } else {
            (usize::MAX, MAX_CALLED_LINES)
        };
        let mut inputs: Vec<Value> = self
            .paths
            .iter()
            .map(|path| json!({ "path": path }))
            .collect();
        inputs.extend(
            self.hosts
                .iter()
                .map(|host| json!({ "url": format!("https://{host}/x") })),
        );
        inputs.extend(
            self.shell_lines()
                .into_iter()
                .take(most_lines)
                .map(|line| json!({ "command": line })),
        );
        inputs.extend(self.texts.iter().map(|text| json!({ "text": text })));
        inputs.extend([json!({}), json!({ "path": "a" })]);
        if self.whole {
            inputs.extend(self.whole_inputs());
        }
        let calls = tools
            .iter()
            .take(most_tools)
            .flat_map(|tool| inputs.iter().map(|input| Action::call(tool, input.clone())));
        let with_text = |call: Action| {
            let mut all = vec![call.clone()];
            for text in self.texts.iter().take(8) {
                let mut more = call.clone();
                if let Some(input) = more
                    .payload
                    .get_mut("parameters")
                    .and_then(Value::as_object_mut)
                {
                    input.insert("text".into(), text.as_str().into());
                    all.push(more);
                }
            }
            all
        };
        let mut all: Vec<Action> = calls.flat_map(with_text).collect();
        all.extend(
            self.texts
                .iter()
                .flat_map(|text| fragments("tool_call", text)),
        );
        all
    }

    /// The action with the members of a call beside its own: it may do what the call does.
    fn with_calls(&self, action: &Action) -> Vec<Action> {
        let calls = self.calls().into_iter().map(|call| call.payload);
        let commands = self
            .shell_lines()
            .into_iter()
            .map(|line| json!({ "command": line }));
        let most = if self.brief {
            MAX_BRIEF_LINES
        } else {
            MAX_ACTIONS
        };
        let beside = commands.take(most).chain(calls);
        let joined = beside.filter_map(|beside| {
            let mut payload = action.payload.clone();
            let members = beside.as_object()?.clone();
            payload.as_object_mut()?.extend(members);
            Some(Action::recorded(&action.kind_name, payload))
        });
        joined.collect()
    }

    fn shell(&self) -> Vec<Action> {
        let mut all: Vec<Action> = self
            .texts
            .iter()
            .flat_map(|text| fragments("shell_cmd", text))
            .collect();
        all.extend(self.shell_lines().iter().map(|line| Action::shell(line)));
        all
    }

    fn shell_lines(&self) -> Vec<String> {
        let mut lines = self.lines.clone();
        for host in &self.hosts {
            let with_host = |line: &String| {
                let line = format!("{line} https://{host}/x");
                let written = self
                    .paths
                    .iter()
                    .take(MAX_COMBINED)
                    .map(|path| format!("{line} -o {}", quoted(path)));
                written.chain([line.clone()]).collect::<Vec<_>>()
            };
            let more: Vec<String> = self
                .lines
                .iter()
                .take(MAX_COMBINED)
                .flat_map(with_host)
                .collect();
            lines.extend(more);
        }
        for program in &self.programs {
            lines.push(program.clone());
            let some = |list: &[String]| list.iter().map(|word| quoted(word)).collect::<Vec<_>>();
            let (arguments, paths) = (some(&self.arguments), some(&self.paths));
            lines.extend(
                arguments
                    .iter()
                    .map(|argument| format!("{program} {argument}")),
            );
            lines.extend(
                arguments
                    .iter()
                    .map(|argument| format!("{program} {argument} a")),
            );
            lines.extend(paths.iter().map(|path| format!("{program} {path}")));
            lines.extend(
                self.hosts
                    .iter()
                    .map(|host| format!("{program} https://{host}/x")),
            );
            lines.extend([
                format!("{program} a"),
                format!("{program} -h"),
                format!("sudo {program} a"),
            ]);
        }
        if self.programs.is_empty() {
            lines.extend(
                self.arguments
                    .iter()
                    .map(|argument| format!("cat {}", quoted(argument))),
            );
        }
        for path in self.paths.iter().map(|path| quoted(path)) {
            let reads = self.access.is_empty() || self.access.contains(&Access::Read);
            let writes = self.access.is_empty() || self.access.contains(&Access::Write);
            if reads {
                lines.push(format!("cat {path}"));
            }
            if writes {
                lines.extend([
                    format!("touch {path}"),
                    format!("echo x > {path}"),
                    format!("chmod 755 {path}"),
                ]);
            }
            lines.extend([
                format!("rm {path}"),
                format!("rm -rf {path}"),
                format!("mv {path} b"),
            ]);
            lines.extend(
                self.hosts
                    .iter()
                    .map(|host| format!("curl https://{host}/x -o {path}")),
            );
        }
        for host in &self.hosts {
            lines.extend([
                format!("curl https://{host}/x"),
                format!("ssh {host} ls"),
                format!("scp a {host}:"),
            ]);
        }
        let doing = SAMPLE_COMMANDS
            .iter()
            .filter(|(kind, _)| self.effects == 0 || self.effects & bit(*kind) != 0);
        lines.extend(doing.map(|(_, line)| (*line).to_owned()));
        lines.push("ls".into());
        // A text may occur as a command, as an argument or in a comment.
        let mut more = Vec::new();
        for text in self
            .texts
            .iter()
            .filter(|text| !text.contains('\n'))
            .take(24)
        {
            more.extend([text.clone(), format!("echo '{}'", text.replace('\'', ""))]);
            more.extend(lines.iter().take(60).map(|line| format!("{line} # {text}")));
        }
        more.append(&mut lines);
        more
    }

    fn diffs(&self) -> Vec<Action> {
        let paths: Vec<&str> = self.paths.iter().map(String::as_str).chain(["a"]).collect();
        let mut all = Vec::new();
        for path in paths {
            // A diff names its files below `a/` and `b/`, from the work tree.
            let path = path.strip_prefix("/home/dev/project/").unwrap_or(path);
            let added = self.texts.iter().map(String::as_str).chain(["b"]);
            all.extend(
                added.map(|text| format!("--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-a\n+{text}\n")),
            );
            all.push(format!("--- a/{path}\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"));
        }
        all.iter().map(|diff| Action::diff(diff)).collect()
    }

    /// Questions about the action with each agent, mode, environment and stated risk.
    fn circumstances(&self, action: &Action) -> Vec<Question> {
        let some = |names: &[String]| match names {
            [] => vec![None],
            names => names
                .iter()
                .take(24)
                .map(|name| Some(name.clone()))
                .collect(),
        };
        let risks: Vec<Option<RiskLevel>> = std::iter::once(None)
            .chain(self.risks.iter().copied().map(Some))
            .collect();
        let turns = match self.turns.as_slice() {
            [] => &[None],
            turns => turns.get(..24).unwrap_or(turns),
        };
        let risks: Vec<_> = risks
            .into_iter()
            .flat_map(|risk| turns.iter().map(move |turn| (risk, *turn)))
            .collect();
        let mut all = Vec::new();
        for agent in some(&self.agents) {
            for mode in some(&self.modes) {
                for production in self
                    .production
                    .map_or(vec![false, true], |production| vec![production])
                {
                    for (risk, turn) in &risks {
                        let context = Context {
                            risk: *risk,
                            turn: *turn,
                            agent: agent.clone(),
                            mode: mode.clone(),
                            production,
                            time: None,
                        };
                        all.push(Question {
                            context,
                            ..Question::plain(action.clone())
                        });
                    }
                }
            }
        }
        all
    }
}

/// Actions whose payload is a text that is itself a fragment of JSON.
fn fragments(kind: &str, text: &str) -> Vec<Action> {
    let whole = [
        text.to_owned(),
        format!("{{{text}}}"),
        format!("{{{text}\"}}"),
        format!("{{\"{text}}}"),
        format!("{{\"{text}\"}}"),
    ];
    let read = |text: &String| {
        serde_json::from_str::<Value>(text)
            .ok()
            .filter(Value::is_object)
    };
    whole
        .iter()
        .filter_map(read)
        .map(|payload| Action::recorded(kind, payload))
        .collect()
}

/// Paths with the directory of one and the name of the other.
fn combined_paths(one: &str, other: &str) -> [String; 2] {
    let below = |place: &str, path: &str| {
        let (folder, _) = place.rsplit_once('/').unwrap_or_default();
        let name = if path.starts_with(['/', '~']) {
            path.rsplit('/').next().unwrap_or_default()
        } else {
            path
        };
        if folder.is_empty() && !place.starts_with('/') {
            name.to_owned()
        } else {
            format!("{folder}/{name}")
        }
    };
    [below(one, other), below(other, one)]
}

/// Quotes a path for a command line.
fn quoted(word: &str) -> String {
    if word.contains(['(', ')', '&', ';', '|', '<', '>', '\'', '"']) {
        format!("'{}'", word.replace('\'', ""))
    } else {
        word.to_owned()
    }
}
