//! Questions about the abstract actions of the exact analysis.

use super::{MAX_ACTIONS, Vocabulary, histories, quoted};
use crate::action::Action;
use crate::limit::Limit;
use crate::question::Question;
use crate::surroundings::Surroundings;
use crate::symbolic::Sketch;
use serde_json::Value;

/// Questions that may be about an abstract action, the simplest first. Histories have approvals
/// around `limits`.
pub(crate) fn questions_of(sketch: &Sketch, limits: &[Limit]) -> Vec<Question> {
    let vocabulary = Vocabulary::from_sketch(sketch);
    let mut actions = vocabulary.tried();
    if sketch.several {
        actions.extend(lines_of_several(sketch, &vocabulary));
    }
    actions.sort_by_key(|action| action.payload.to_string().len());
    let mut all: Vec<Question> = actions
        .iter()
        .flat_map(|action| vocabulary.circumstances(action))
        .collect();
    if !limits.is_empty() || vocabulary.approved_before {
        let approved = vocabulary.approved_before;
        let some = all.iter().take(MAX_ACTIONS);
        let after: Vec<Question> = some.flat_map(|q| histories(q, limits, approved)).collect();
        all.splice(0..0, after);
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
        let mut lines: Vec<String> = Vec::new();
        lines.extend(Some(&sketch.line).filter(|line| !line.is_empty()).cloned());
        for (program, arguments) in &sketch.steps {
            let program = if program.is_empty() { "x" } else { program };
            let words = std::iter::once(program)
                .chain(arguments.iter().map(String::as_str))
                .filter(|word| !word.is_empty());
            lines.push(words.map(quoted).collect::<Vec<_>>().join(" "));
            own.programs.push(quoted(program));
            own.arguments.extend(arguments.iter().cloned());
        }
        for line in lines {
            let paths = own.paths.iter().map(|path| quoted(path));
            let paths =
                paths.flat_map(|path| [format!("{line} {path}"), format!("{line} > {path}")]);
            let hosts = own.hosts.iter().flat_map(|host| {
                let url = format!("https://{host}/x");
                [
                    format!("{line} {url}"),
                    format!("{line} $(curl {url})"),
                    format!("{line} > /dev/tcp/{host}/80"),
                ]
            });
            let longer: Vec<String> = paths.chain(hosts).collect();
            own.lines.push(line);
            own.lines.extend(longer);
        }
        own
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
