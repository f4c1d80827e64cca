//! Handlers and paths that a manifest names: they exist, and they lie in the project.

use super::fault::{Fault, step};
use super::kind::Kind;
use crate::workspace::path::entry;
use serde_json::Value;
use std::path::Path;

/// Bytes of a handler's file that are searched for its function.
const SEARCHED: u64 = 8 << 20;

/// A path that a manifest names.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Named<'v> {
    pointer: String,
    path: &'v str,
    function: Option<&'v str>,
    /// It may be a folder.
    folder: bool,
}

/// The paths that a manifest names.
fn named(kind: Kind, value: &Value) -> Vec<Named<'_>> {
    let mut all = Vec::new();
    let text = |pointer: &str| value.pointer(pointer).and_then(Value::as_str);
    match kind {
        Kind::Skill => {
            let mut handler = |pointer: String, handler| {
                if let Some(text) = value.pointer(&pointer).and_then(Value::as_str) {
                    let (path, function) = text.split_once('#').map_or((text, None), |(path, f)| (path, Some(f)));
                    if handler || function.is_some() {
                        all.push(Named { pointer, path, function, folder: false });
                    }
                }
            };
            let tools = value.get("tools").and_then(Value::as_array).map_or(0, Vec::len);
            (0..tools.min(1_000)).for_each(|n| handler(format!("/tools/{n}/handler"), true));
            let hooks = value.get("hooks").and_then(Value::as_object).into_iter().flatten();
            hooks.for_each(|(name, _)| handler(format!("/hooks/{}", step(name)), false));
        }
        Kind::SkillSet => {
            for (name, skill) in value.get("skills").and_then(Value::as_object).into_iter().flatten() {
                if let Some(path) = skill.get("path").and_then(Value::as_str) {
                    all.push(Named { pointer: format!("/skills/{}/path", step(name)), path, function: None, folder: true });
                }
            }
        }
        Kind::Agent => {
            if let Some(path) = text("/mcp/configPath") {
                all.push(Named { pointer: "/mcp/configPath".into(), path, function: None, folder: false });
            }
            let folders = value.pointer("/skill/directories").and_then(Value::as_array).into_iter().flatten();
            for (n, path) in folders.enumerate().filter_map(|(n, p)| Some((n, p.as_str()?))) {
                all.push(Named { pointer: format!("/skill/directories/{n}"), path, function: None, folder: true });
            }
        }
        Kind::Servers => {
            for (name, server) in value.get("mcpServers").and_then(Value::as_object).into_iter().flatten() {
                let command = server.get("command").and_then(Value::as_str);
                // A bare name is looked for among the installed programs.
                if let Some(path) = command.filter(|c| c.starts_with("./") || c.starts_with("../")) {
                    all.push(Named {
                        pointer: format!("/mcpServers/{}/command", step(name)),
                        path,
                        function: None,
                        folder: false,
                    });
                }
            }
        }
        Kind::Tool | Kind::Tools | Kind::Metadata => {}
    }
    all
}

/// What is wrong with the paths of a manifest that lies in `folder`, in a project at `root`.
pub(super) fn look(kind: Kind, value: &Value, folder: &Path, root: &Path) -> Vec<Fault> {
    let roots = (root.canonicalize(), folder.canonicalize());
    let (Ok(root), Ok(folder)) = roots else {
        return vec![Fault::manifest("", "what it names can't be looked for: its folder can't be resolved")];
    };
    named(kind, value).into_iter().filter_map(|n| fault(&n, &folder, &root).map(|why| Fault::manifest(n.pointer, why))).collect()
}

fn fault(named: &Named<'_>, folder: &Path, root: &Path) -> Option<String> {
    let shown = named.path;
    let plain = shown.strip_prefix("./").unwrap_or(shown);
    let plain = if named.folder { plain.trim_end_matches('/') } else { plain };
    if named.folder && plain.is_empty() {
        return None;
    }
    if let Err(why) = entry(plain) {
        return Some(format!("`{shown}` is no path inside the project: {why}"));
    }
    let real = match folder.join(plain).canonicalize() {
        Ok(real) => real,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Some(format!("`{shown}` doesn't exist")),
        Err(error) => return Some(format!("`{shown}` can't be looked at: {error}")),
    };
    if !real.starts_with(root) {
        return Some(format!("`{shown}` leads out of the project by a symbolic link"));
    }
    if !named.folder && !real.is_file() {
        return Some(format!("`{shown}` is no file"));
    }
    let function = named.function?;
    match std::fs::metadata(&real).map(|m| m.len()) {
        Ok(length) if length > SEARCHED => return Some(format!("`{shown}` is too long to look for `{function}`")),
        Ok(_) => {}
        Err(error) => return Some(format!("`{shown}` can't be looked at: {error}")),
    }
    let found = std::fs::read(&real).is_ok_and(|bytes| mentions(&String::from_utf8_lossy(&bytes), function));
    (!found).then(|| format!("`{shown}` has nothing that is called `{function}`"))
}

/// Whether a text holds a name as a word of its own.
fn mentions(text: &str, name: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    !name.is_empty()
        && text.match_indices(name).any(|(at, _)| {
            let before = text.get(..at).and_then(|b| b.chars().next_back());
            let behind = text.get(at + name.len()..).and_then(|b| b.chars().next());
            !before.is_some_and(part) && !behind.is_some_and(part)
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn handlers_exist_and_stay_inside() {
        let root = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        let folder = root.path().join("skills/mend");
        std::fs::create_dir_all(folder.join("lib")).unwrap();
        std::fs::write(folder.join("lib/a.js"), "export function mendAll() {}").unwrap();
        std::fs::write(root.path().join("skills/shared.js"), "mendAll").unwrap();
        std::fs::write(outside.path().join("evil.js"), "mendAll").unwrap();
        let of = |handler: &str| {
            let value = json!({"tools":[{"handler":handler}]});
            look(Kind::Skill, &value, &folder, root.path()).len()
        };
        for good in ["./lib/a.js#mendAll", "lib/a.js#mendAll"] {
            assert_eq!(of(good), 0, "{good}");
        }
        for bad in [
            "./lib/b.js#mendAll",
            "./lib/a.js#mend",
            "./lib/a.js#",
            "../shared.js#mendAll",
            "/etc/passwd#root",
            "./lib#a",
            "",
            "#x",
            "C:\\a.js#b",
        ] {
            assert_eq!(of(bad), 1, "{bad}");
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(outside.path().join("evil.js"), folder.join("link.js")).unwrap();
            assert_eq!(of("./link.js#mendAll"), 1);
        }
        let agent = json!({"skill":{"directories":["./lib/","missing"]},"mcp":{"configPath":"../shared.js"}});
        assert_eq!(look(Kind::Agent, &agent, &folder, root.path()).len(), 2);
        let set = json!({"skills":{"a":{"path":"lib"},"b":{"path":"../.."},"c":{"package":"x"}}});
        assert_eq!(look(Kind::SkillSet, &set, &folder, root.path()).len(), 1);
        let hooks = json!({"hooks":{"onLoad":"./lib/a.js#mendAll","onUnload":"bye"}});
        assert_eq!(look(Kind::Skill, &hooks, &folder, root.path()).len(), 0);
    }
}
