//! Questions about the abstract actions of the exact analysis.

use super::{MAX_ACTIONS, Vocabulary, histories, quoted};
use crate::action::Action;
use crate::facts::{Facts, HIDDEN, bit};
use crate::limit::Limit;
use crate::network::commands_of;
use crate::path::Access;
use crate::question::Question;
use crate::surroundings::{Surroundings, table};
use crate::symbolic::Sketch;
use governance::ActionType;
use serde_json::{Value, json};
use shell_effects::EffectKind;

/// The path that a sketch has where any path would do.
const ANY_PATH: &str = "/";
/// What people would write for it: to touch the root is always of high risk.
const FAMILIAR_PATH: &str = "/tmp/x";
/// Maximum number of programs whose names match a glob to look at.
const MAX_PROGRAMS: usize = 6;

/// Questions that may be about an abstract action: first those with all of its words, familiar
/// calls before made ones; at most `most`. Histories have approvals around `limits`.
pub(crate) fn questions_of(sketch: &Sketch, limits: &[Limit], most: usize) -> Vec<Question> {
    let vocabulary = Vocabulary::from_sketch(sketch);
    let familiar = familiar_lines(sketch, &vocabulary);
    let mut actions: Vec<(bool, Action)> = Vec::new();
    if vocabulary.is_about(Some(ActionType::ShellCmd)) {
        let lines = familiar.iter();
        actions.extend(lines.map(|(made, line)| (*made, Action::shell(line))));
    }
    if vocabulary.is_about(Some(ActionType::ToolCall)) {
        let tool = vocabulary.tools.first().map_or("bash", String::as_str);
        let call = |line: &String| Action::call(tool, json!({ "command": line }));
        actions.extend(familiar.iter().map(|(made, line)| (*made, call(line))));
    }
    actions.extend(vocabulary.tried().into_iter().map(|action| (true, action)));
    if sketch.several {
        let several = lines_of_several(sketch, &vocabulary);
        actions.extend(several.into_iter().map(|action| (true, action)));
    }
    let words = vocabulary.words();
    let touches = touches(sketch);
    let context = Surroundings::new(Surroundings::CWD);
    actions.sort_by_cached_key(|(made, action)| {
        let text = action.payload.to_string();
        let missing = words.iter().filter(|word| !text.contains(**word)).count();
        // Of familiar calls those come first that do what the sketch does.
        let lacks = if *made || missing > 0 {
            0
        } else {
            let effects = Facts::new(action, None, &context).effects();
            let lacking = touches.iter().filter(|kinds| **kinds & effects == 0);
            lacking.count()
        };
        (missing, lacks, *made, text.len())
    });
    let all = actions
        .iter()
        .flat_map(|(_, action)| vocabulary.circumstances(action));
    let approved = vocabulary.approved_before;
    if limits.is_empty() && !approved {
        return all.take(most).collect();
    }
    let some = all.clone().take(MAX_ACTIONS);
    let after = some.flat_map(|question| histories(&question, limits, approved));
    after.chain(all).take(most).collect()
}

/// For each path and host, the kinds of effects that touch it.
fn touches(sketch: &Sketch) -> Vec<u32> {
    use EffectKind::{Credential, Delete, Network, Read, System, Write};
    let paths = sketch.paths.iter().filter(|(path, _)| path != ANY_PATH);
    let paths = paths.map(|(_, access)| match access {
        Access::Read => bit(Read) | bit(Credential),
        Access::Write => bit(Write) | bit(System),
        Access::Delete => bit(Delete),
    });
    let hosts = sketch.hosts.iter().map(|_| bit(Network));
    paths.chain(hosts).collect()
}

/// Calls that people write of the programs of an abstract action, with its paths and hosts; whether
/// they are stretched with its arguments.
fn familiar_lines(sketch: &Sketch, vocabulary: &Vocabulary) -> Vec<(bool, String)> {
    let table = table();
    let requests = sketch.requests.iter();
    let mut lines: Vec<(bool, String)> = requests
        .flat_map(|text| commands_of(text).1)
        .flat_map(|line| hiding(sketch.effects, &line).into_iter().chain([line]))
        .map(|line| (false, line))
        .collect();
    for (program, arguments) in &sketch.steps {
        if program.is_empty() {
            continue;
        }
        let named: Vec<&str> = if table.contains(program) {
            vec![program]
        } else {
            table.names_with_prefix(program)
        };
        for name in named.into_iter().take(MAX_PROGRAMS) {
            for example in table.examples(name) {
                if example.contains(['\'', '"', ';', '&', '|', '<', '>', '(', '`', '#', '\n']) {
                    continue;
                }
                let longer = format!("{example} {}", arguments.join(" "));
                let variants = variants(&example, vocabulary).into_iter();
                lines.extend(variants.map(|line| (false, line)));
                lines.push((true, longer));
            }
        }
    }
    lines
}

/// The line followed by a program that isn't known and may do anything, if some effect is hidden.
fn hiding(effects: u32, line: &str) -> Option<String> {
    (effects & HIDDEN != 0).then(|| format!("{line}; $X"))
}

/// A familiar call, also with a path or host of the abstract action in the place of each operand.
fn variants(example: &str, vocabulary: &Vocabulary) -> Vec<String> {
    let mut all = vec![example.to_owned()];
    let words: Vec<&str> = example.split(' ').collect();
    let paths = vocabulary.paths.iter().filter(|path| *path != ANY_PATH);
    let paths = paths.map(|path| quoted(path));
    let urls = vocabulary
        .hosts
        .iter()
        .map(|host| format!("https://{host}/x"));
    for own in paths.chain(urls) {
        let operands =
            (1..words.len()).filter(|at| words.get(*at).is_some_and(|w| !w.starts_with('-')));
        for at in operands {
            let mut other = words.clone();
            if let Some(word) = other.get_mut(at) {
                *word = &own;
            }
            all.push(other.join(" "));
        }
        all.push(format!("{example} {own}"));
    }
    all
}

/// Lines of several commands. The payload may be the bare line.
fn lines_of_several(sketch: &Sketch, vocabulary: &Vocabulary) -> Vec<Action> {
    let parts = sketch
        .parts
        .iter()
        .map(String::as_str)
        .chain(["ls", "true"]);
    let rest: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    let first = vocabulary.shell_lines();
    let lines = first.iter().take(MAX_ACTIONS).flat_map(|line| {
        rest.iter()
            .flat_map(move |part| [format!("{line}; {part}"), format!("{part}; {line}")])
    });
    lines
        .flat_map(|line| {
            let bare = Action::recorded("shell_cmd", line.as_str().into());
            [Action::shell(&line), bare]
        })
        .collect()
}

impl Vocabulary {
    /// The words of an abstract action.
    fn from_sketch(sketch: &Sketch) -> Self {
        let workdir = format!("{}/", Surroundings::CWD);
        let short = |path: &String| path.strip_prefix(&workdir).unwrap_or(path).to_owned();
        let mut own = Self {
            kinds: Some(sketch.kind),
            tools: sketch.tools.clone(),
            agents: sketch.agent.iter().cloned().collect(),
            modes: sketch.mode.iter().cloned().collect(),
            production: Some(sketch.production),
            turns: vec![sketch.turn],
            risks: sketch.risk.iter().copied().collect(),
            texts: Some(&sketch.payload)
                .filter(|t| !t.is_empty())
                .into_iter()
                .cloned()
                .collect(),
            paths: sketch.paths.iter().map(|(path, _)| short(path)).collect(),
            access: sketch.paths.iter().map(|(_, access)| *access).collect(),
            hosts: sketch.hosts.clone(),
            effects: sketch.effects,
            approved_before: sketch.approved_before,
            ..Self::default()
        };
        own.whole = true;
        if own.paths.iter().any(|path| path == ANY_PATH) {
            own.paths.push(FAMILIAR_PATH.to_owned());
            own.access.push(Access::Write);
        }
        // A glob's shortest name seldom says what the tool does.
        let verbs = [
            "write_file",
            "read_file",
            "delete_file",
            "fetch",
            "run_command",
        ];
        let named = own.tools.iter().flat_map(|tool| {
            let longer = verbs.iter().map(move |verb| format!("{tool}{verb}"));
            std::iter::once(tool.clone()).chain(longer)
        });
        own.tools = named.collect();
        let commands = sketch.commands.iter().filter(|text| !text.is_empty());
        let mut lines: Vec<String> = commands.cloned().collect();
        lines.extend(
            sketch
                .requests
                .iter()
                .filter_map(|text| commands_of(text).0),
        );
        lines.extend(Some(&sketch.line).filter(|line| !line.is_empty()).cloned());
        for (program, arguments) in &sketch.steps {
            let program = if program.is_empty() { "ls" } else { program };
            let words = std::iter::once(program)
                .chain(arguments.iter().map(String::as_str))
                .filter(|word| !word.is_empty());
            lines.push(words.map(quoted).collect::<Vec<_>>().join(" "));
            own.programs.push(quoted(program));
            own.arguments.extend(arguments.iter().cloned());
        }
        // Several programs in one command.
        if let [first, rest @ ..] = lines.as_slice() {
            let nested: Vec<String> = rest.iter().map(|line| format!("$({line})")).collect();
            if !nested.is_empty() {
                lines.push(format!("{first} {}", nested.join(" ")));
            }
        }
        for line in lines {
            let paths = own.paths.iter().map(|path| quoted(path));
            let paths = paths.flat_map(|path| {
                [
                    format!("{line} {path}"),
                    format!("{line} > {path}"),
                    format!("{line} $(rm -r {path})"),
                    format!("{line} $(cat {path})"),
                ]
            });
            let hosts = own.hosts.iter().flat_map(|host| {
                let url = format!("https://{host}/x");
                [
                    format!("{line} {url}"),
                    format!("{line} $(curl {url})"),
                    format!("{line} > /dev/tcp/{host}/80"),
                ]
            });
            let longer: Vec<String> = paths.chain(hosts).collect();
            let hidden = hiding(own.effects, &line);
            own.lines.extend([format!("{line} --help"), line]);
            own.lines.extend(longer.into_iter().chain(hidden));
        }
        own
    }

    /// The words of the abstract action that a real one should have.
    fn words(&self) -> Vec<&str> {
        let named = [
            &self.paths,
            &self.hosts,
            &self.programs,
            &self.arguments,
            &self.texts,
        ];
        let words = named.into_iter().flatten().map(String::as_str);
        let any = [ANY_PATH, FAMILIAR_PATH];
        words.filter(|word| !any.contains(word)).collect()
    }

    /// Parameters that hold everything at once.
    pub(super) fn whole_inputs(&self) -> Vec<Value> {
        let members = |line: Option<&String>| {
            let mut all = serde_json::Map::new();
            if let Some(line) = line {
                all.insert("command".into(), line.as_str().into());
            }
            if let Some(path) = self.paths.first() {
                all.insert("path".into(), path.as_str().into());
            }
            if let Some(host) = self.hosts.first() {
                all.insert("url".into(), format!("https://{host}/x").into());
            }
            Value::Object(all)
        };
        let lines = self.lines.iter().take(4).map(|line| members(Some(line)));
        lines.chain([members(None)]).collect()
    }
}
