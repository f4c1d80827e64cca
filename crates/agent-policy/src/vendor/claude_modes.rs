//! What Claude Code decides where no rule of the settings matches: its modes, and what it never or
//! always asks about.

use super::claude::Settings;
use super::claude_rules::{EDITORS, READERS, Specs, with_wrappers};
use super::pack::{PackRule, Translation};
use crate::effect::Effect;
use serde_json::{Value as Json, json};

/// A permission mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Mode {
    #[default]
    Default,
    AcceptEdits,
    Plan,
    Auto,
    DontAsk,
    Bypass,
}

impl Mode {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::AcceptEdits => "acceptEdits",
            Self::Plan => "plan",
            Self::Auto => "auto",
            Self::DontAsk => "dontAsk",
            Self::Bypass => "bypassPermissions",
        }
    }

    pub(super) fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "default" | "manual" => Self::Default,
            "acceptEdits" => Self::AcceptEdits,
            "plan" => Self::Plan,
            "auto" => Self::Auto,
            "dontAsk" => Self::DontAsk,
            "bypassPermissions" => Self::Bypass,
            _ => return None,
        })
    }
}

/// Tools that need no permission.
pub(super) const FREE: [&str; 21] = [
    "Agent",
    "AgentOutputTool",
    "BashOutput",
    "EnterPlanMode",
    "KillBash",
    "KillShell",
    "ListMcpResourcesTool",
    "ReadMcpResourceTool",
    "SendMessage",
    "Task",
    "TaskCreate",
    "TaskGet",
    "TaskList",
    "TaskOutput",
    "TaskStop",
    "TaskUpdate",
    "TodoRead",
    "TodoWrite",
    "ToolSearch",
    "AskUserQuestion",
    "LSP",
];

/// Commands that only read, whatever their options.
pub(super) const READERS_OF_FILES: [&str; 12] = [
    "ls", "cat", "echo", "pwd", "head", "tail", "grep", "wc", "which", "diff", "stat", "du",
];

/// `find` without wildcards that the shell expands.
const FIND: &str = r#"^find(?: +(?:[^ *?\[\]'"$`\\{}~()<>|&;\n]+|'[^']*'|"[^"$`\\]*")+)*$"#;
/// `cd` into a directory below the current one.
const CD: &str =
    r"^cd (?:\./)?[A-Za-z0-9_@][A-Za-z0-9_@+.-]*(?:/[A-Za-z0-9_@+-][A-Za-z0-9_@+.-]*)*/?$";
/// Commands of `git` that only read, with options that write and run nothing.
const GIT: &str = r"^git (?:status|log|diff|show|blame|ls-files|rev-parse|describe|shortlog)(?: (?:-[a-zA-Z0-9]+|--(?:oneline|name-only|name-status|stat|shortstat|numstat|cached|staged|porcelain|short|graph|decorate|all|follow|patch|no-color|abbrev-ref|show-toplevel|(?:since|until|author|max-count|format|pretty|color)=[A-Za-z0-9_.:%-]+)|--|[A-Za-z0-9_:@^%+][A-Za-z0-9_./:@^~,%+=-]*))*$";
/// Commands of `git` that can read, with any options: what they do is compared as well.
const GIT_READERS: &str = r"^git (?:status|log|diff|show|blame|ls-files|ls-tree|rev-parse|rev-list|describe|shortlog|grep|cat-file|branch|remote|reflog|name-rev|merge-base|for-each-ref)(?: [^]*)?$";
/// Options with which `find` does more than find.
const ACTIVE_FIND: [&str; 5] = [
    "find * -delete*",
    "find * -exec*",
    "find * -ok*",
    "find * -fprint*",
    "find * -fls*",
];
/// Programs that run others, and are always asked about.
const ALWAYS_ASKED: [&str; 8] = [
    "watch", "watch *", "setsid", "setsid *", "ionice", "ionice *", "flock", "flock *",
];
/// Where edits aren't accepted automatically.
const GUARDED: [&str; 10] = [
    ".git/",
    ".config/git/",
    ".claude/",
    ".vscode/",
    ".idea/",
    ".husky/",
    ".cargo/",
    ".devcontainer/",
    ".yarn/",
    ".mvn/",
];
/// Commands whose changes in the work tree are accepted with edits.
const EDITING: [&str; 4] = ["mkdir *", "touch *", "mv *", "cp *"];

/// Commands that only read, and no files that they are told of.
pub(super) fn without_paths() -> Vec<String> {
    ["echo", "echo *", "pwd", "which *", CD, GIT]
        .map(str::to_owned)
        .to_vec()
}

struct Writer<'w> {
    settings: &'w Settings,
    pack: &'w mut Translation,
}

impl Writer<'_> {
    fn rule(&mut self, id: &str, effect: Effect, when: Json, reason: &str) {
        self.pack.rule(PackRule {
            at: self.settings.mode_at,
            id: id.to_owned(),
            description: None,
            when: Some(when),
            effect,
            reason: reason.to_owned(),
        });
    }

    /// What lies outside of the work tree and the additional directories.
    fn elsewhere(&self) -> Json {
        let mut path = json!({ "outside_workdir": true });
        if let (false, Some(members)) = (self.settings.directories.is_empty(), path.as_object_mut())
        {
            let directories = self.settings.directories.as_slice();
            members.insert("except".to_owned(), json!(directories));
        }
        json!({ "path": path })
    }
}

/// Writes the rules of the mode.
pub(super) fn write(settings: &Settings, specs: &Specs, pack: &mut Translation) {
    let mode = settings.mode;
    let mut to = Writer { settings, pack };
    match mode {
        Mode::Bypass => {
            to.pack.set_default(
                settings.mode_at,
                Effect::Allow,
                "the mode is bypassPermissions",
            );
            // The directories themselves, not what is in them.
            let root =
                json!({ "path": { "glob": ["/**"], "except": ["/*/"], "access": "delete" } });
            let home = json!({ "path": { "glob": ["~"], "except": ["~/*/"], "access": "delete" } });
            to.rule(
                "removes the root or home",
                Effect::RequireApproval,
                json!({ "command": { "text": ["rm *", "rmdir *", "find *"] }, "any": [root, home] }),
                "removes the root or the home directory",
            );
        }
        Mode::DontAsk => to
            .pack
            .set_default(settings.mode_at, Effect::Deny, "the mode is dontAsk"),
        _ => {
            let reason = "no rule of the settings is about this";
            to.pack
                .set_default(settings.mode_at, Effect::RequireApproval, reason);
        }
    }
    if mode != Mode::Bypass {
        asked(mode, specs, &mut to);
        free(mode, specs, &mut to);
    }
    match mode {
        Mode::AcceptEdits => {
            let (outside, guarded) = (to.elsewhere(), json!({ "path": { "glob": GUARDED } }));
            let when = json!({
                "any": [{ "tool": EDITORS }, { "type": "code_diff" }],
                "path": { "access": ["read", "write"] },
                "not": { "any": [outside, guarded] },
            });
            to.rule(
                "acceptEdits",
                Effect::Allow,
                when,
                "the mode is acceptEdits",
            );
        }
        Mode::Plan => {
            let when = json!({ "any": [{ "tool": EDITORS }, { "type": "code_diff" }] });
            to.rule("plan edits", Effect::Deny, when, "the mode is plan");
            let when = json!({ "path": { "access": ["write", "delete"] } });
            let reason = "changes files while the mode is plan";
            to.rule("plan changes", Effect::RequireApproval, when, reason);
        }
        Mode::Auto => to.pack.gap(
            settings.mode_at,
            "the mode `auto` asks a model; what it would allow is asked about here",
        ),
        Mode::DontAsk => {
            // Where a rule only may match, the default would be to ask.
            let allowed = to.pack.allowed();
            let when = json!({ "not": { "any": allowed } });
            to.rule("dontAsk", Effect::Deny, when, "the mode is dontAsk");
        }
        _ => {}
    }
}

/// Commands that are asked about whatever the rules allow.
fn asked(mode: Mode, specs: &Specs, to: &mut Writer<'_>) {
    let effect = if mode == Mode::DontAsk {
        Effect::Deny
    } else {
        Effect::RequireApproval
    };
    let texts: Vec<&str> = ALWAYS_ASKED.iter().chain(&ACTIVE_FIND).copied().collect();
    let mut when = json!({ "command": { "text": texts } });
    if let (false, Some(members)) = (specs.exact.is_empty(), when.as_object_mut()) {
        let exact = json!({ "command": { "text": specs.exact } });
        members.insert("not".to_owned(), exact);
    }
    let reason = "runs or removes what it finds: only a rule with the exact command allows it";
    to.rule("runs others", effect, when, reason);
    let when = json!({ "all": [
        { "command": { "text": "cd *" } },
        { "command": { "text": ["git", "git *"] } },
    ] });
    let reason = "runs git in another directory, which may have hooks";
    to.rule("git elsewhere", effect, when, reason);
}

/// What needs no permission.
fn free(mode: Mode, specs: &Specs, to: &mut Writer<'_>) {
    let outside = to.elsewhere();
    let reads = json!({
        "tool": READERS,
        "effects": ["read", "credential"],
        "not": outside,
    });
    to.rule(
        "reads",
        Effect::Allow,
        reads,
        "reads in the work tree need no permission",
    );
    let free: Vec<&str> = FREE
        .into_iter()
        .filter(|tool| mode != Mode::DontAsk || *tool != "AskUserQuestion")
        .collect();
    let when = json!({ "any": [{ "type": "answer" }, { "tool": free }] });
    to.rule(
        "no permission needed",
        Effect::Allow,
        when,
        "needs no permission",
    );
    let mut texts: Vec<String> = Vec::new();
    for program in READERS_OF_FILES {
        texts.extend([program.to_owned(), format!("{program} *")]);
    }
    texts.extend([FIND, CD].map(str::to_owned));
    let mut only_reads = texts.clone();
    only_reads.push(GIT_READERS.to_owned());
    texts.push(GIT.to_owned());
    texts.extend(specs.commands.iter().cloned());
    if mode == Mode::AcceptEdits {
        texts.extend(EDITING.map(str::to_owned));
    }
    let with_rules = json!({ "command": { "text": with_wrappers(&texts) } });
    let alone = json!({
        "command": { "text": with_wrappers(&only_reads) },
        "effects": ["read", "git_read"],
    });
    let mut not = vec![outside];
    if mode == Mode::AcceptEdits {
        not.push(json!({ "path": { "glob": GUARDED, "access": ["write", "delete"] } }));
    }
    let when = json!({ "any": [with_rules, alone], "not": { "any": not } });
    let reason = "reads in the work tree, and runs what the rules allow";
    to.rule("read-only commands", Effect::Allow, when, reason);
}
