//! Questions about the abstract actions of the exact analysis.

use super::{Candidate, MAX_ACTIONS, Vocabulary, histories, quoted};
use crate::action::Action;
use crate::facts::{Facts, HIDDEN, bit};
use crate::limit::Limit;
use crate::network::commands_of;
use crate::path::Access;
use crate::question::Question;
use crate::surroundings::{Surroundings, table};
use crate::symbolic::{MANY, Sketch, StepSketch};
use governance::ActionType;
use serde_json::{Value, json};
use shell_effects::EffectKind;

/// The path that a sketch has where any path would do.
const ANY_PATH: &str = "/";
/// What people would write for it: to touch the root is always of high risk.
const FAMILIAR_PATH: &str = "/tmp/x";
/// The program of a call where any would do.
const ANY_PROGRAM: &str = "ls";
/// Maximum number of programs whose names match a glob to look at.
const MAX_PROGRAMS: usize = 6;

/// Questions that may be about an abstract action: first those with all of its words, familiar
/// calls before made ones; at most `most`, and of few ways of writing them if `brief`. Histories
/// have approvals around `limits`.
pub(crate) fn questions_of(
    sketch: &Sketch,
    limits: &[Limit],
    most: usize,
    brief: bool,
) -> Vec<Question> {
    let vocabulary = Vocabulary {
        brief,
        ..Vocabulary::from_sketch(sketch)
    };
    let familiar = familiar_lines(sketch, &vocabulary);
    let mut actions: Vec<(bool, Candidate)> = Vec::new();
    let written = |(made, action)| (made, Candidate::new(action));
    if vocabulary.is_about(Some(ActionType::ShellCmd)) {
        let lines = familiar.iter();
        let lines = lines.map(|(made, line)| (*made, Action::shell(line)));
        actions.extend(lines.map(written));
    }
    if vocabulary.is_about(Some(ActionType::ToolCall)) {
        let tool = vocabulary.tools.first().map_or("bash", String::as_str);
        let call = |line: &String| Action::call(tool, json!({ "command": line }));
        let calls = familiar.iter().map(|(made, line)| (*made, call(line)));
        actions.extend(calls.map(written));
    }
    actions.extend(vocabulary.tried().into_iter().map(|made| (true, made)));
    if sketch.several {
        let several = lines_of_several(sketch, &vocabulary);
        actions.extend(several.into_iter().map(|action| written((true, action))));
    }
    let mut words = vocabulary.words();
    let unnamed = sketch.steps.iter().filter(|step| step.program.is_empty());
    words.extend(unnamed.filter_map(|step| step.text.as_deref()));
    let arguments: Vec<&str> = vocabulary.arguments.iter().map(String::as_str).collect();
    let operands: Vec<&str> = sketch.steps.iter().flat_map(StepSketch::operands).collect();
    let touches = touches(sketch);
    let context = Surroundings::new(Surroundings::CWD);
    actions.sort_by_cached_key(|(made, Candidate { action, text })| {
        let lacking = |words: &[&str]| words.iter().filter(|word| !text.contains(**word)).count();
        let missing = lacking(&words);
        if *made || missing > 0 {
            return (missing + lacking(&arguments), 0, *made, text.len());
        }
        let missing = lacking(&operands);
        // Familiar calls may spell options another way. Those that do what the sketch does come
        // first.
        let facts = Facts::new(action, None, &context);
        let options = sketch
            .steps
            .iter()
            .map(|step| step.missing_options(facts.steps()));
        let missing = missing + options.sum::<usize>();
        let effects = facts.effects();
        let lacks = touches
            .iter()
            .filter(|kinds| **kinds & effects == 0)
            .count();
        (missing, lacks, *made, text.len())
    });
    let all = actions
        .iter()
        .flat_map(|(_, one)| vocabulary.circumstances(&one.action));
    // A stated risk seldom matters.
    let (own, stated) = (all.clone(), all);
    let own = own.filter(|question| question.context.risk.is_none());
    let stated = stated.filter(|question| question.context.risk.is_some());
    let all = own.take(most - most / 4).chain(stated);
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
    for step in &sketch.steps {
        let (program, options) = (&step.program, step.spelled_options());
        if program.is_empty() {
            continue;
        }
        let arguments: Vec<&str> = step
            .arguments
            .iter()
            .chain(options)
            .map(String::as_str)
            .collect();
        let named: Vec<&str> = if table.contains(program) {
            vec![program]
        } else {
            table.names_with_prefix(program)
        };
        for name in named.into_iter().take(MAX_PROGRAMS) {
            for example in examples(name) {
                // A program with more arguments isn't read to its end.
                let room = MANY.saturating_sub(example.split(' ').count() - 1);
                let some: Vec<&str> = arguments.iter().copied().take(room).collect();
                let longer = format!("{example} {}", some.join(" "));
                let variants = variants(&example, vocabulary).into_iter();
                lines.extend(variants.map(|line| (false, line)));
                lines.push((true, longer));
            }
        }
    }
    lines
}

/// Calls of all programs of an abstract action that hide nothing, unless it hides something.
fn plain_lines(sketch: &Sketch) -> Option<Vec<String>> {
    if sketch.effects & HIDDEN != 0 {
        return None;
    }
    let calls = sketch
        .steps
        .iter()
        .map(plain_call)
        .collect::<Option<Vec<_>>>()?;
    let (first, rest) = calls.split_first()?;
    let inner: String = rest.iter().map(|call| format!(" $({call})")).collect();
    let mut lines = vec![format!("{first}{inner}")];
    if !rest.is_empty() {
        lines.extend(in_turn(&calls));
    }
    Some(lines)
}

/// Commands one after the other, and the same as questions for help.
fn in_turn(calls: &[String]) -> [String; 2] {
    let asked: Vec<String> = calls.iter().map(|call| format!("{call} --help")).collect();
    [calls.join("; "), asked.join("; ")]
}

/// The shortest call of a program that has the options of a step and hides nothing.
fn plain_call(step: &StepSketch) -> Option<String> {
    let own = joined(step.arguments.iter().chain(step.spelled_options()));
    if is_unlisted(&step.program) {
        // It may do anything, unless it is a function of the line.
        return Some(format!("{0}() {{ X=1; }}; {0} {own}", step.program));
    }
    let program = match &*step.program {
        "" => ANY_PROGRAM,
        program => program,
    };
    let spelled = step.spellings.iter().map(|options| {
        let words = joined(options.iter().chain(&step.arguments));
        format!("{program} {words}")
    });
    let familiar = examples(program).chain(step.text.clone());
    let familiar = familiar.flat_map(|example| [format!("{example} {own}"), example]);
    let context = Surroundings::new(Surroundings::CWD);
    let is_plain = |line: &String| {
        let action = Action::shell(line);
        let facts = Facts::new(&action, None, &context);
        let mut texts = step.operands().chain(step.text.as_deref());
        facts.effects() & HIDDEN == 0
            && facts.steps().len() == 1
            && step.missing_options(facts.steps()) == 0
            && texts.all(|text| line.contains(text))
    };
    let calls = spelled
        .chain(familiar)
        .map(|line| line.trim_end().to_owned());
    let mut calls: Vec<String> = calls.collect();
    calls.sort_by_key(String::len);
    calls.into_iter().find(is_plain)
}

/// Words of a line. A variable without quotes may become any number of them.
fn joined<'w>(words: impl Iterator<Item = &'w String>) -> String {
    let words = words.map(|word| {
        if word.contains('$') {
            format!("\"{word}\"")
        } else {
            quoted(word)
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Whether a name may be a program's that the table doesn't list.
fn is_unlisted(name: &str) -> bool {
    let is_plain = name
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b));
    !name.is_empty() && is_plain && !name.starts_with('-') && !table().contains(name)
}

/// Calls of a program that people write, without anything that isn't a plain word.
fn examples(program: &str) -> impl Iterator<Item = String> {
    let odd = ['\'', '"', ';', '&', '|', '<', '>', '(', '`', '#', '\n'];
    table()
        .examples(program)
        .into_iter()
        .filter(move |example| !example.contains(odd))
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

/// A host, and before it one that people write: the shortest text of `*.com` is `.com`.
fn hosts(host: &str) -> Vec<String> {
    let named = host.starts_with('.').then(|| format!("www{host}"));
    named.into_iter().chain([host.to_owned()]).collect()
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
            hosts: sketch.hosts.iter().flat_map(|host| hosts(host)).collect(),
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
        let commands: Vec<String> = commands.cloned().collect();
        let mut lines = commands.clone();
        lines.extend(plain_lines(sketch).unwrap_or_default());
        lines.extend(
            sketch
                .requests
                .iter()
                .filter_map(|text| commands_of(text).0),
        );
        lines.extend(Some(&sketch.line).filter(|line| !line.is_empty()).cloned());
        for step in &sketch.steps {
            let program = if step.program.is_empty() {
                ANY_PROGRAM
            } else {
                &step.program
            };
            let options = step.spelled_options();
            let words = std::iter::once(program)
                .chain(step.arguments.iter().chain(options).map(String::as_str))
                .filter(|word| !word.is_empty());
            lines.push(words.map(quoted).collect::<Vec<_>>().join(" "));
            own.programs.push(quoted(program));
            own.arguments
                .extend(step.arguments.iter().chain(options).cloned());
        }
        // Several programs in one command.
        if let [first, rest @ ..] = lines.as_slice()
            && !rest.is_empty()
        {
            let nested: Vec<String> = rest.iter().map(|line| format!("$({line})")).collect();
            lines.push(format!("{first} {}", nested.join(" ")));
        }
        if let [_, _, ..] = commands.as_slice() {
            lines.extend(in_turn(&commands));
        }
        for line in lines {
            let paths = own.paths.iter().map(|path| quoted(path));
            let paths = paths.flat_map(|path| {
                [
                    format!("{line} {path}"),
                    format!("{line} > {path}"),
                    format!("{line}; rm -r {path}"),
                    format!("{line}; unlink {path}"),
                    format!("{line}; cat {path}"),
                    format!("{line} $(rm -r {path})"),
                    format!("{line} $(cat {path})"),
                ]
            });
            let hosts = own.hosts.iter().flat_map(|host| {
                let url = format!("https://{host}/x");
                [
                    format!("{line} {url}"),
                    format!("{line}; curl {url}"),
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

    /// The words of the abstract action that a real one should have, besides arguments.
    fn words(&self) -> Vec<&str> {
        let named = [&self.paths, &self.hosts, &self.programs, &self.texts];
        let words = named.into_iter().flatten().map(String::as_str);
        let any = [ANY_PATH, FAMILIAR_PATH, ANY_PROGRAM];
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
