//! Maps recorded actions to the kinds of access that permissions control.

use crate::knowledge::extract::RecordedAction;
use crate::trace::action;
use agent_policy::{Action, NetworkRequest, network_requests};
use governance::ActionType;
use shell_effects::command_line::CommandLine;
use shell_effects::path::PathClass;
use shell_effects::{Analysis, Context, EffectKind, Param, Table};
use std::collections::BTreeSet;
use std::sync::LazyLock;
use strict_json::{Raw, from_text};

/// Shell builtins without effects of their own. What they are used for, such as a redirection, is
/// an effect of its own.
const HARMLESS: [&str; 16] = [
    ":", "[", "[[", "cd", "echo", "export", "false", "local", "popd", "printf", "pushd", "pwd",
    "set", "test", "true", "unset",
];

/// Made-up directories for the project and the user's home. They distinguish a relative path that
/// leaves the project from an absolute one. A path that climbs further ends at the root.
const WORK: &str = "/…/…/…/…/…/…/…/…/project";
const HOME: &str = "/~";

/// An access by an action.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Access {
    /// Reads a path, relative if it's below the project; `None` when the path is unknown.
    Read(Option<String>),
    /// Writes or deletes a path.
    Write(Option<String>),
    /// Makes a request over the network.
    Network(NetworkRequest),
    /// Runs a program with arguments.
    Program(String, Vec<String>),
    /// Runs code of the project that isn't in the record: builds, tests, scripts. The second field
    /// lists the programs that may start it.
    Project(String, Vec<String>),
    /// Has an effect that can't be determined.
    Anything(String),
}

impl Access {
    /// Describes the access, beginning with a verb.
    pub(super) fn words(&self) -> String {
        let of = |target: &Option<String>, otherwise: &str| match target {
            Some(target) => format!("`{target}`"),
            None => otherwise.to_owned(),
        };
        match self {
            Self::Read(path) => format!("reads {}", of(path, "a path that can't be determined")),
            Self::Write(path) => format!("changes {}", of(path, "a path that can't be determined")),
            Self::Network(request) => {
                let shown = request.shown().map(|shown| short(&shown));
                let shown = shown.or_else(|| request.host().map(short));
                format!("contacts {}", of(&shown, "a host that can't be determined"))
            }
            Self::Program(name, _) => format!("runs `{name}`"),
            Self::Project(what, _) => format!("runs what the project holds ({what})"),
            Self::Anything(why) => format!("may do anything ({why})"),
        }
    }
}

/// Maximum number of characters shown of a reason.
const SHOWN: usize = 80;

fn short(text: &str) -> String {
    let mut kept: String = text.chars().take(SHOWN).collect();
    if kept.len() < text.len() {
        kept.push('…');
    }
    kept
}

/// Whether an action executes anything at all.
pub(super) fn runs(deed: &RecordedAction) -> bool {
    deed.known != Some(ActionType::Answer)
}

/// Returns the tool that an action calls.
pub(super) fn tool(deed: &RecordedAction) -> Option<String> {
    let payload = deed
        .payload
        .as_deref()
        .filter(|_| deed.known == Some(ActionType::ToolCall))?;
    action::tool(from_text::<Raw<'_>>(payload).ok()?)
}

/// Describes an action in a few words.
pub(super) fn named(deed: &RecordedAction) -> String {
    let payload = deed
        .payload
        .as_deref()
        .and_then(|p| from_text::<Raw<'_>>(p).ok());
    let what = match (deed.known, payload) {
        (Some(ActionType::ShellCmd), Some(payload)) => action::command(payload),
        (Some(ActionType::ToolCall), Some(payload)) => action::tool(payload),
        _ => None,
    };
    format!("{} {}", deed.kind, short(&what.unwrap_or_default()))
        .trim_end()
        .to_owned()
}

/// Returns every access of an action.
pub(super) fn accesses(deed: &RecordedAction) -> BTreeSet<Access> {
    static TABLE: LazyLock<Table> = LazyLock::new(Table::builtin);
    let mut context = Context {
        cwd: WORK.to_owned(),
        workdir: WORK.to_owned(),
        home: HOME.to_owned(),
        ..Context::new(&TABLE)
    };
    let unknown = |why: &str| BTreeSet::from([Access::Anything(why.to_owned())]);
    let Some(payload) = deed
        .payload
        .as_deref()
        .and_then(|p| from_text::<Raw<'_>>(p).ok())
    else {
        return if runs(deed) {
            unknown("the executed action isn't recorded")
        } else {
            BTreeSet::new()
        };
    };
    let analysis = match deed.known {
        Some(ActionType::Answer)
            if !action::has_more_than(&shell_effects::ANSWER_MEMBERS, payload) =>
        {
            return BTreeSet::new();
        }
        Some(ActionType::Answer) => match payload.read::<Param<'_>>() {
            Some(all) => shell_effects::effects_of_answer(&all, &context),
            None => return unknown("the answer can't be read"),
        },
        Some(ActionType::ShellCmd) => {
            let payload: Option<serde_json::Value> = payload.read();
            match payload.as_ref().and_then(CommandLine::from_payload) {
                Some(CommandLine {
                    unknown: Some(_), ..
                }) => return unknown("something beside the command may change what runs"),
                Some(CommandLine { text, cwd, .. }) => {
                    if let Some(cwd) = cwd {
                        context.cwd = shell_effects::path::normalise(&cwd, Some(&context.workdir))
                            .unwrap_or_else(|| cwd.into_owned());
                    }
                    shell_effects::analyse(&text, &context)
                }
                None => return unknown("no command is recorded"),
            }
        }
        Some(ActionType::CodeDiff) => match action::diff(payload) {
            Some(diff) => {
                let mut analysis = shell_effects::effects_of_diff(&diff, &context);
                let all: Param<'_> = payload.read().unwrap_or(Param::Nothing);
                analysis.join(shell_effects::effects_of_diff_extras(&all, &context));
                analysis
            }
            None => return unknown("no diff is recorded"),
        },
        Some(ActionType::ToolCall) => {
            let call: Param<'_> = payload.read().unwrap_or(Param::Nothing);
            match call.tool() {
                Some(tool) => shell_effects::effects_of_call(tool, &call, &context),
                None => return unknown("no tool is named, or two are"),
            }
        }
        None => return unknown("this type of action is unknown"),
    };
    let mut all = of(&analysis, deed.known == Some(ActionType::ShellCmd));
    all.extend(requests(deed, payload, analysis));
    all
}

/// Returns the requests over the network, at least one for each host that the action contacts.
fn requests(deed: &RecordedAction, payload: Raw<'_>, analysis: Analysis) -> Vec<Access> {
    let contacts = |kind| analysis.effects.iter().any(|effect| effect.kind == kind);
    // Packages come from hosts that the record doesn't name.
    let installs = contacts(EffectKind::Install).then(|| NetworkRequest::to_host(None));
    let requests = match payload.read() {
        _ if !contacts(EffectKind::Network) => Vec::new(),
        Some(payload) => network_requests(&Action::recorded(&deed.kind, payload), analysis),
        None => vec![NetworkRequest::to_host(None)],
    };
    let all = requests.into_iter().chain(installs);
    all.map(Access::Network).collect()
}

fn of(analysis: &Analysis, shell: bool) -> BTreeSet<Access> {
    let mut all = BTreeSet::new();
    // The first step of a call is the tool itself, which isn't a program.
    let steps = analysis.tree.iter().skip(usize::from(!shell));
    let runs: BTreeSet<(String, Vec<String>)> = steps
        .filter(|step| !HARMLESS.contains(&step.program.as_str()))
        .map(|step| (short(&step.program), step.args.clone()))
        .collect();
    let programs: Vec<String> = runs
        .iter()
        .map(|(program, _)| program.clone())
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    // What a tool itself executes is attributed to the tool's name.
    let own = || {
        analysis
            .tree
            .first()
            .filter(|_| !shell)
            .map(|step| short(&step.program))
    };
    let starters: Vec<String> = if programs.is_empty() {
        own().into_iter().collect()
    } else {
        programs.clone()
    };
    if analysis.unparsed {
        all.insert(Access::Anything("the command can't be parsed".to_owned()));
    }
    if analysis.truncated {
        all.insert(Access::Anything(
            "it does more than can be analysed".to_owned(),
        ));
    }
    for effect in &analysis.effects {
        let path = || {
            let place = effect
                .path_info
                .as_ref()
                .filter(|p| p.class != PathClass::Unknown && !p.absolute.is_empty())?;
            Some(portable_path(&place.absolute))
        };
        if effect
            .path_info
            .as_ref()
            .is_some_and(|p| p.class == PathClass::Sink)
        {
            continue;
        }
        let why = || {
            short(
                &effect
                    .target
                    .clone()
                    .unwrap_or_else(|| effect.why.to_string()),
            )
        };
        all.insert(match effect.kind {
            EffectKind::Read => Access::Read(path()),
            EffectKind::Write | EffectKind::Delete => Access::Write(path()),
            // Requests are read from the whole action.
            EffectKind::Network | EffectKind::Install => continue,
            // The program is among those that run, with its arguments.
            EffectKind::GitRead if programs.iter().any(|p| p == "git") => continue,
            EffectKind::GitRead => Access::Program("git".to_owned(), Vec::new()),
            EffectKind::GitWrite | EffectKind::GitRewrite => Access::Write(Some(".git".to_owned())),
            EffectKind::Execute => Access::Project(why(), starters.clone()),
            // Keys and passwords are read from somewhere. Without a known path, it may be anywhere.
            EffectKind::Credential => Access::Read(path()),
            EffectKind::Dynamic
            | EffectKind::Unknown
            | EffectKind::Privilege
            | EffectKind::Process
            | EffectKind::System => {
                Access::Anything(format!("{}: {}", effect.kind.as_str(), why()))
            }
        });
    }
    all.extend(
        runs.into_iter()
            .map(|(program, args)| Access::Program(program, args)),
    );
    all
}

/// Returns a path in a form that doesn't depend on the made-up directories: relative below the
/// project, with `..` outside of it, with `~` in a home.
fn portable_path(absolute: &str) -> String {
    let below = |folder: &str| {
        let rest = absolute.strip_prefix(folder)?;
        if rest.is_empty() {
            Some("")
        } else {
            rest.strip_prefix('/')
        }
    };
    if let Some(rest) = below(WORK) {
        return if rest.is_empty() {
            ".".to_owned()
        } else {
            rest.to_owned()
        };
    }
    if let Some(rest) = below(HOME) {
        return format!("~/{rest}");
    }
    let all = WORK.matches("/…").count();
    let mut rest = absolute;
    let mut kept = 0;
    while let Some(after) = rest
        .strip_prefix("/…")
        .filter(|after| kept < all && (after.is_empty() || after.starts_with('/')))
    {
        (rest, kept) = (after, kept + 1);
    }
    if kept == 0 {
        return absolute.to_owned();
    }
    let up = vec![".."; all + 1 - kept].join("/");
    format!("{up}{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn shell(line: &str) -> Vec<String> {
        let payload = json!({ "command": line }).to_string();
        let deed = RecordedAction {
            kind: "shell_cmd".into(),
            known: Some(ActionType::ShellCmd),
            payload: Some(payload),
        };
        accesses(&deed).iter().map(Access::words).collect()
    }

    #[test]
    fn what_commands_touch() {
        assert_eq!(
            shell("cat src/a.rs > /dev/null"),
            ["reads `src/a.rs`", "runs `cat`"]
        );
        assert_eq!(shell("cd src && echo x > a.rs"), ["changes `src/a.rs`"]);
        assert!(
            shell("curl https://API.example.com:443/x")
                .contains(&"contacts `GET https://api.example.com/x`".to_owned())
        );
        assert!(
            shell("curl -d @a https://api.example.com/x -o b")
                .contains(&"contacts `POST https://api.example.com/x`".to_owned())
        );
        assert!(shell("ssh api.example.com").contains(&"contacts `api.example.com`".to_owned()));
        assert!(
            shell("npm install left-pad")
                .contains(&"contacts a host that can't be determined".to_owned())
        );
        assert!(
            shell("rm -rf \"$X\"").contains(&"changes a path that can't be determined".to_owned())
        );
        assert_eq!(shell("cat ../secret")[0], "reads `../secret`");
        assert_eq!(
            shell("cd src/.. && cat ../../etc/x")[0],
            "reads `../../etc/x`"
        );
        assert_eq!(shell("cat ~/.ssh/x.txt")[0], "reads `~/.ssh/x.txt`");
        assert_eq!(shell("cat /home/dev/x.txt")[0], "reads `/home/dev/x.txt`");
        assert_eq!(
            shell("cat ../../../../../../../../../../etc/x")[0],
            "reads `/etc/x`"
        );
        assert_eq!(shell("ls ..")[0], "reads `..`");
        for unclear in ["eval \"$X\"", "if then", "frobnicate --all"] {
            assert!(
                shell(unclear)
                    .iter()
                    .any(|w| w.starts_with("may do anything")),
                "{unclear}: {:?}",
                shell(unclear)
            );
        }
        let of = |kind, payload: serde_json::Value| {
            let deed = RecordedAction {
                kind: String::new(),
                known: Some(kind),
                payload: Some(payload.to_string()),
            };
            accesses(&deed)
                .iter()
                .map(Access::words)
                .collect::<Vec<_>>()
                .join(", ")
        };
        for payload in [
            json!({"command": "rm", "args": ["-rf", "src"]}),
            json!({"command": "ls", "script": "rm -rf src"}),
        ] {
            let said = of(ActionType::ShellCmd, payload);
            assert!(
                said.contains("changes `src`") || said.contains("may do anything"),
                "{said}"
            );
        }
        let outside = json!({"tool": "bash_execute", "parameters": {"command": "ls"}, "command": "rm -rf src"});
        assert!(of(ActionType::ToolCall, outside).contains("changes `src`"));
        let call = |tool: &str, parameters: serde_json::Value| {
            of(
                ActionType::ToolCall,
                json!({"tool": tool, "parameters": parameters}),
            )
        };
        assert_eq!(
            call("bash_execute", json!({"command": "date"})),
            "runs `date`"
        );
        assert!(call("bash_execute", json!({"command": "npm test"})).contains("runs `npm`"));
        assert_eq!(call("read_file", json!({"path": "a.rs"})), "reads `a.rs`");
        assert!(call("run_tests", json!({})).contains("runs what the project holds"));
        let other = RecordedAction {
            kind: "teleport".into(),
            known: None,
            payload: Some("{}".into()),
        };
        assert_eq!(accesses(&other).len(), 1);
        let lost = RecordedAction {
            kind: "shell_cmd".into(),
            known: Some(ActionType::ShellCmd),
            payload: None,
        };
        assert_eq!(accesses(&lost).len(), 1);
    }
}
