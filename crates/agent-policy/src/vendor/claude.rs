//! `settings.json` of Claude Code: its `permissions`, on one level or on several.
//!
//! Rules of all levels apply together. A mode is that of the highest level that sets one.

use super::claude_modes::{self, Mode};
use super::claude_rules::Specs;
use super::json;
use super::pack::Translation;
use crate::read::nearest;
use crate::yaml::{Node, Position, Problem, Value};
use std::collections::BTreeMap;

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

/// Maximum number of files.
const MAX_FILES: usize = 32;

/// A level of settings, where it makes a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingsLevel {
    /// Settings that an organization deploys.
    Managed,
    /// Settings of a project, or of one person in it.
    Project,
    /// Settings of the user, of the command line, or of a level that isn't known.
    Other,
}

/// A file of settings.
#[derive(Debug, Clone, Copy)]
pub struct SettingsFile<'t> {
    /// The name in comments of the pack.
    pub name: &'t str,
    pub level: SettingsLevel,
    pub text: &'t str,
}

impl<'t> SettingsFile<'t> {
    /// A file that is read by itself.
    pub(super) const fn alone(text: &'t str) -> Self {
        Self {
            name: "",
            level: SettingsLevel::Other,
            text,
        }
    }
}

/// What the settings say besides rules.
#[derive(Debug, Default)]
pub(super) struct Settings {
    pub(super) mode: Mode,
    pub(super) mode_at: Position,
    /// Globs of the additional directories.
    pub(super) directories: Vec<String>,
    /// Whether some level forbids the mode `bypassPermissions`.
    bypass_disabled: bool,
    /// Number of rules of all levels, by list.
    counts: BTreeMap<String, usize>,
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
    let Ok(root) = json::parse(0, text) else {
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

/// Translates the files of all levels, the highest first.
pub(super) fn translate(
    name: &str,
    files: &[SettingsFile<'_>],
) -> Result<Translation, Vec<Problem>> {
    let mut pack = Translation::new(name);
    let mut settings = Settings::default();
    let mut specs = Specs::default();
    let mut mode = None;
    let mut managed_only = false;
    if files.len() > MAX_FILES {
        let message = format!("{} files; there may be {MAX_FILES}", files.len());
        pack.problem(Position::START, message, None);
        return pack.finish();
    }
    for (source, file) in (0..).zip(files) {
        pack.source(file.name);
        let root = match json::parse(source, file.text) {
            Ok(root) => root,
            Err(problem) => {
                pack.problems.push(problem);
                continue;
            }
        };
        if source == 0 {
            settings.mode_at = root.at;
        }
        let Value::Map(members) = &root.value else {
            let message = format!("settings are an object, not {}", root.kind());
            pack.problem(root.at, message, None);
            continue;
        };
        let find = |wanted: &str| {
            let found = members
                .iter()
                .find(|(key, _)| key.text().as_deref() == Some(wanted));
            found.map(|(_, value)| value)
        };
        if let Some(node) = find("permissions") {
            let own = permissions(node, &mut settings, &mut pack);
            let rules_apply = !managed_only || file.level == SettingsLevel::Managed;
            if rules_apply {
                for (list, text, at) in &own.rules {
                    specs.add(list, text, *at, &mut pack);
                }
                settings.directories.extend(own.directories);
            } else if !own.rules.is_empty() || !own.directories.is_empty() {
                let message = "the permissions of this file don't apply: managed settings set \
                               `allowManagedPermissionRulesOnly`";
                pack.gap(node.at, message);
            }
            mode = mode.or_else(|| own.mode.filter(|own| starts(*own, file.level, &mut pack)));
        }
        other_members(&find, file.level, files.len() > 1, &mut pack);
        managed_only |= file.level == SettingsLevel::Managed
            && find("allowManagedPermissionRulesOnly").is_some_and(is_true);
    }
    if let Some((mode, at)) = mode {
        (settings.mode, settings.mode_at) = (mode, at);
    }
    if settings.bypass_disabled && settings.mode == Mode::Bypass {
        settings.mode = Mode::Default;
        pack.gap(
            settings.mode_at,
            "the mode `bypassPermissions` is disabled: read as `default`",
        );
    }
    specs.write(&settings, &mut pack);
    claude_modes::write(&settings, &specs, &mut pack);
    pack.finish()
}

/// Whether a level may set this mode.
fn starts((mode, at): (Mode, Position), level: SettingsLevel, pack: &mut Translation) -> bool {
    let ignored = level == SettingsLevel::Project && matches!(mode, Mode::Auto | Mode::Bypass);
    if ignored {
        let mode = mode.name();
        pack.gap(
            at,
            format!("`{mode}` in settings of a project is ignored by Claude Code"),
        );
    }
    !ignored
}

/// The permissions of one file.
#[derive(Debug, Default)]
struct Permissions {
    /// List, rule and place.
    rules: Vec<(String, String, Position)>,
    directories: Vec<String>,
    mode: Option<(Mode, Position)>,
}

fn permissions(node: &Node, settings: &mut Settings, pack: &mut Translation) -> Permissions {
    let mut own = Permissions::default();
    let Value::Map(members) = &node.value else {
        pack.problem(
            node.at,
            format!("`permissions` is an object, not {}", node.kind()),
            None,
        );
        return own;
    };
    for (key, value) in members {
        let name = key.text().unwrap_or_default();
        match name.as_str() {
            "deny" | "ask" | "allow" => {
                let list = texts(value, &name, pack);
                let count = settings.counts.entry(name.clone()).or_default();
                *count = count.saturating_add(list.len());
                if pack.too_many(value.at, *count, MAX_RULES) {
                    continue;
                }
                let rules = list.into_iter();
                own.rules
                    .extend(rules.map(|(text, at)| (name.clone(), text, at)));
            }
            "additionalDirectories" => {
                for (text, at) in texts(value, &name, pack) {
                    let glob = super::claude_paths::directory(&text);
                    super::claude_paths::check_glob(&glob, at, pack);
                    own.directories.push(glob);
                }
            }
            "defaultMode" => match value.text() {
                Some(word) => match Mode::from_name(&word) {
                    Some(mode) => own.mode = Some((mode, value.at)),
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
                    settings.bypass_disabled |= name == "disableBypassPermissionsMode";
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
    own
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
fn other_members<'n>(
    find: &dyn Fn(&str) -> Option<&'n Node>,
    level: SettingsLevel,
    several: bool,
    pack: &mut Translation,
) {
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
        match (level, several) {
            (SettingsLevel::Managed, true) if is_true(only) => {}
            (SettingsLevel::Managed, true) => {
                pack.gap(only.at, "rules of other levels apply as well");
            }
            (_, true) => pack.gap(only.at, "only managed settings can set this: ignored"),
            (_, false) => pack.gap(
                only.at,
                "other settings files aren't read: only the rules of this file apply",
            ),
        }
    }
}

const fn is_true(node: &Node) -> bool {
    matches!(node.value, Value::Bool(true))
}
