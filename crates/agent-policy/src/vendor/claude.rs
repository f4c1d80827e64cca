//! `settings.json` of Claude Code: its `permissions`.

use super::claude_modes::{self, Mode};
use super::claude_rules::Specs;
use super::json;
use super::pack::Translation;
use crate::read::nearest;
use crate::yaml::{Node, Position, Problem, Value};

/// Maximum number of rules in a list.
const MAX_RULES: usize = 2_000;

/// The members of `permissions`.
const KNOWN: [&str; 7] = [
    "allow",
    "ask",
    "deny",
    "defaultMode",
    "additionalDirectories",
    "disableBypassPermissionsMode",
    "disableAutoMode",
];

/// What the settings say besides rules.
#[derive(Debug, Default)]
pub(super) struct Settings {
    pub(super) mode: Mode,
    pub(super) mode_at: Position,
    /// Globs of the additional directories.
    pub(super) directories: Vec<String>,
}

/// Whether a file with this name is settings of Claude Code.
pub(super) fn is_settings(name: &str, text: &str) -> bool {
    if [
        "settings.json",
        "settings.local.json",
        "managed-settings.json",
    ]
    .contains(&name)
    {
        return true;
    }
    let Ok(root) = json::parse(text) else {
        return false;
    };
    let member = |node: &Node, wanted: &dyn Fn(&str) -> bool| match &node.value {
        Value::Map(members) => {
            let found = members
                .iter()
                .find(|(key, _)| key.text().is_some_and(|key| wanted(&key)));
            found.map(|(_, value)| value.clone())
        }
        _ => None,
    };
    let permissions = member(&root, &|key| key == "permissions");
    permissions.is_some_and(|node| member(&node, &|key| KNOWN.contains(&key)).is_some())
}

pub(super) fn translate(name: &str, text: &str) -> Result<Translation, Vec<Problem>> {
    let root = json::parse(text).map_err(|problem| vec![problem])?;
    let mut pack = Translation::new(name);
    let Value::Map(members) = &root.value else {
        pack.problem(
            root.at,
            format!("settings are an object, not {}", root.kind()),
            None,
        );
        return pack.finish();
    };
    let find = |wanted: &str| {
        let found = members
            .iter()
            .find(|(key, _)| key.text().as_deref() == Some(wanted));
        found.map(|(_, value)| value)
    };
    let mut settings = Settings {
        mode_at: root.at,
        ..Settings::default()
    };
    let mut specs = Specs::default();
    if let Some(node) = find("permissions") {
        permissions(node, &mut settings, &mut specs, &mut pack);
    }
    other_members(&find, &mut pack);
    specs.write(&settings, &mut pack);
    claude_modes::write(&settings, &specs, &mut pack);
    pack.finish()
}

fn permissions(node: &Node, settings: &mut Settings, specs: &mut Specs, pack: &mut Translation) {
    let Value::Map(members) = &node.value else {
        pack.problem(
            node.at,
            format!("`permissions` is an object, not {}", node.kind()),
            None,
        );
        return;
    };
    let mut disabled = false;
    for (key, value) in members {
        let name = key.text().unwrap_or_default();
        match name.as_str() {
            "deny" | "ask" | "allow" => {
                let list = texts(value, &name, pack);
                if pack.too_many(value.at, list.len(), MAX_RULES) {
                    continue;
                }
                for (text, at) in list {
                    specs.add(&name, &text, at, pack);
                }
            }
            "additionalDirectories" => {
                for (text, at) in texts(value, &name, pack) {
                    let glob = super::claude_paths::directory(&text);
                    super::claude_paths::check_glob(&glob, at, pack);
                    settings.directories.push(glob);
                }
            }
            "defaultMode" => match value.text() {
                Some(word) => match Mode::from_name(&word) {
                    Some(mode) => {
                        settings.mode = mode;
                        settings.mode_at = value.at;
                    }
                    None => pack.problem(
                        value.at,
                        format!("unknown mode `{word}`"),
                        Some("known: default, acceptEdits, plan, auto, dontAsk, bypassPermissions"),
                    ),
                },
                None => pack.problem(value.at, "`defaultMode` is a text".to_owned(), None),
            },
            "disableBypassPermissionsMode" | "disableAutoMode" => {
                if value.text().as_deref() == Some("disable") {
                    disabled |= name == "disableBypassPermissionsMode";
                } else {
                    let message = format!("`{name}` can only be `disable`");
                    pack.problem(value.at, message, None);
                }
            }
            _ => {
                let help = nearest(&name, &KNOWN).map_or_else(
                    || format!("known: {}", KNOWN.join(", ")),
                    |near| format!("did you mean `{near}`?"),
                );
                let message = format!("`permissions` has no member `{name}`");
                pack.problem(key.at, message, Some(&help));
            }
        }
    }
    if disabled && settings.mode == Mode::Bypass {
        settings.mode = Mode::Default;
        pack.gap(
            settings.mode_at,
            "the mode `bypassPermissions` is disabled: read as `default`",
        );
    }
}

/// The texts of a list. Anything else is a problem.
fn texts(node: &Node, name: &str, pack: &mut Translation) -> Vec<(String, Position)> {
    let Value::List(list) = &node.value else {
        let message = format!("`{name}` is a list of texts, not {}", node.kind());
        pack.problem(node.at, message, None);
        return Vec::new();
    };
    let mut all = Vec::new();
    for item in list {
        match &item.value {
            Value::Text(text) => all.push((text.clone(), item.at)),
            _ => pack.problem(
                item.at,
                format!("an entry of `{name}` is a text, not {}", item.kind()),
                None,
            ),
        }
    }
    all
}

/// Members outside of `permissions` that change what is allowed.
fn other_members<'n>(find: &dyn Fn(&str) -> Option<&'n Node>, pack: &mut Translation) {
    if let Some(hooks) = find("hooks") {
        let decides = |key: &Node| {
            matches!(
                key.text().as_deref(),
                Some("PreToolUse" | "PermissionRequest")
            )
        };
        if let Value::Map(members) = &hooks.value
            && let Some((key, _)) = members.iter().find(|(key, _)| decides(key))
        {
            pack.gap(
                key.at,
                "hooks can allow or deny a call; their decisions aren't read",
            );
        }
    }
    if let Some(sandbox) = find("sandbox") {
        let message = "the sandbox may run commands without asking; they are asked about here";
        pack.gap(sandbox.at, message);
    }
    if let Some(only) = find("allowManagedPermissionRulesOnly") {
        let message = "other settings files aren't read: only the rules of this file apply";
        pack.gap(only.at, message);
    }
}
