//! Checks that the handlers and paths a manifest names exist inside the project.

use super::code::{defines, is_name};
use super::fault::{Fault, TOOLS, step};
use super::kind::Kind;
use super::servers::ARGUMENTS;
use serde_json::Value;
use std::path::Path;
use worktree::path::entry;

/// Bytes of a handler's file that are searched for its function.
const SEARCHED: u64 = 8 << 20;

/// A path that a manifest names.
#[derive(Debug, Clone, PartialEq, Eq)]
struct NamedPath<'v> {
    pointer: String,
    path: &'v str,
    function: Option<&'v str>,
    /// Whether the path may be a directory.
    folder: bool,
}

/// Returns the paths that a manifest names.
fn named(kind: Kind, value: &Value) -> Vec<NamedPath<'_>> {
    let mut all = Vec::new();
    let text = |pointer: &str| value.pointer(pointer).and_then(Value::as_str);
    match kind {
        Kind::Skill => {
            let mut handler = |pointer: String, handler| {
                if let Some(text) = value.pointer(&pointer).and_then(Value::as_str) {
                    let (path, function) = text
                        .split_once('#')
                        .map_or((text, None), |(path, f)| (path, Some(f)));
                    if handler || function.is_some() {
                        all.push(NamedPath {
                            pointer,
                            path,
                            function,
                            folder: false,
                        });
                    }
                }
            };
            let tools = value
                .get("tools")
                .and_then(Value::as_array)
                .map_or(0, Vec::len);
            (0..tools.min(TOOLS)).for_each(|n| handler(format!("/tools/{n}/handler"), true));
            let hooks = value
                .get("hooks")
                .and_then(Value::as_object)
                .into_iter()
                .flatten();
            hooks.for_each(|(name, _)| handler(format!("/hooks/{}", step(name)), false));
        }
        Kind::SkillSet => skills("/skills", value, &mut all),
        Kind::Agent => {
            for pointer in ["/mcp/configPath", "/skill/configPath"] {
                if let Some(path) = text(pointer) {
                    all.push(NamedPath {
                        pointer: pointer.into(),
                        path,
                        function: None,
                        folder: false,
                    });
                }
            }
            if let Some(path) = text("/knowledge/code/rootDir") {
                all.push(NamedPath {
                    pointer: "/knowledge/code/rootDir".into(),
                    path,
                    function: None,
                    folder: true,
                });
            }
            let folders = value
                .pointer("/skill/directories")
                .and_then(Value::as_array)
                .into_iter()
                .flatten();
            for (n, path) in folders
                .enumerate()
                .filter_map(|(n, p)| Some((n, p.as_str()?)))
            {
                all.push(NamedPath {
                    pointer: format!("/skill/directories/{n}"),
                    path,
                    function: None,
                    folder: true,
                });
            }
            servers("/mcp/servers", value, &mut all);
            skills("/skill/skills", value, &mut all);
        }
        Kind::Servers => servers("/mcpServers", value, &mut all),
        Kind::Tool | Kind::Tools | Kind::Metadata | Kind::Listing => {}
    }
    all
}

/// Adds the paths of the skills in the object at a pointer.
fn skills<'v>(at: &str, value: &'v Value, all: &mut Vec<NamedPath<'v>>) {
    let skills = value.pointer(at).and_then(Value::as_object);
    for (name, skill) in skills.into_iter().flatten() {
        if let Some(path) = skill.get("path").and_then(Value::as_str) {
            all.push(NamedPath {
                pointer: format!("{at}/{}/path", step(name)),
                path,
                function: None,
                folder: true,
            });
        }
    }
}

/// Adds the paths that the servers in the object at a pointer run.
fn servers<'v>(at: &str, value: &'v Value, all: &mut Vec<NamedPath<'v>>) {
    let servers = value.pointer(at).and_then(Value::as_object);
    for (name, server) in servers.into_iter().flatten() {
        let command = server.get("command").and_then(Value::as_str);
        // A bare name is searched among the installed programs, not in the project.
        if let Some(path) = command.filter(|c| c.starts_with("./") || c.starts_with("../")) {
            all.push(NamedPath {
                pointer: format!("{at}/{}/command", step(name)),
                path,
                function: None,
                folder: false,
            });
        }
        let args = server
            .get("args")
            .and_then(Value::as_array)
            .map_or(&[][..], Vec::as_slice);
        for (n, path) in arguments(command.unwrap_or_default(), args) {
            all.push(NamedPath {
                pointer: format!("{at}/{}/args/{n}", step(name)),
                path,
                function: None,
                folder: true,
            });
        }
    }
}

/// Checks the paths of a manifest in `folder`, in a project at `root`.
pub(super) fn look(kind: Kind, value: &Value, folder: &Path, root: &Path) -> Vec<Fault> {
    let roots = (root.canonicalize(), folder.canonicalize());
    let (Ok(root), Ok(folder)) = roots else {
        return vec![Fault::manifest(
            "",
            "the path can't be checked: its directory can't be resolved",
        )];
    };
    let mut all: Vec<Fault> = hooks(kind, value);
    all.extend(
        named(kind, value)
            .into_iter()
            .filter_map(|n| fault(&n, &folder, &root).map(|why| Fault::manifest(n.pointer, why))),
    );
    all
}

/// Reports hooks that are neither a function's name nor a file with a function.
fn hooks(kind: Kind, value: &Value) -> Vec<Fault> {
    let hooks = value
        .get("hooks")
        .and_then(Value::as_object)
        .filter(|_| kind == Kind::Skill);
    let strange = hooks.into_iter().flatten().filter_map(|(name, hook)| {
        let text = hook
            .as_str()
            .filter(|text| !text.contains('#') && !is_name(text))?;
        let message = format!(
            "`{text}` is neither the name of a function nor a file with one, as `./hooks.js#load`"
        );
        Some(Fault::manifest(format!("/hooks/{}", step(name)), message))
    });
    strange.collect()
}

/// Programs whose first argument is the file that they run.
const INTERPRETERS: [&str; 12] = [
    "node", "nodejs", "bun", "tsx", "ts-node", "python", "python3", "py", "ruby", "php", "perl",
    "Rscript",
];

/// Returns the arguments of a server that are paths in the project: those that begin with `./` or
/// `../`, and the file that an interpreter runs.
fn arguments<'v>(command: &str, args: &'v [Value]) -> Vec<(usize, &'v str)> {
    let name = command.rsplit(['/', '\\']).next().unwrap_or(command);
    let name = name.strip_suffix(".exe").unwrap_or(name);
    let is_file = |arg: &str| {
        arg.rsplit_once('.')
            .is_some_and(|(stem, end)| !stem.is_empty() && (1..=3).contains(&end.len()))
    };
    let mut all = Vec::new();
    let mut first = INTERPRETERS.contains(&name);
    for (n, arg) in args.iter().enumerate().take(ARGUMENTS) {
        let Some(arg) = arg.as_str() else { continue };
        // The argument after these options is code or a shell line, not a path.
        let before = n
            .checked_sub(1)
            .and_then(|n| args.get(n))
            .and_then(Value::as_str)
            .unwrap_or_default();
        if matches!(before, "-c" | "--call" | "-e" | "--eval") {
            continue;
        }
        if arg.starts_with("./")
            || arg.starts_with("../")
            || (first && !arg.starts_with('-') && is_file(arg))
        {
            all.push((n, arg));
        }
        // The argument after an option may be that option's value, so it isn't taken for the file.
        first &= arg.starts_with("--") && arg.contains('=');
    }
    all
}

fn fault(named: &NamedPath<'_>, folder: &Path, root: &Path) -> Option<String> {
    let shown = named.path;
    let plain = shown.strip_prefix("./").unwrap_or(shown);
    let plain = if named.folder {
        plain.trim_end_matches('/')
    } else {
        plain
    };
    if named.folder && plain.is_empty() {
        return None;
    }
    if let Err(why) = entry(plain) {
        return Some(format!("`{shown}` isn't a path inside the project: {why}"));
    }
    let real = match folder.join(plain).canonicalize() {
        Ok(real) => real,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Some(format!("`{shown}` doesn't exist"));
        }
        Err(error) => return Some(format!("`{shown}` can't be read: {error}")),
    };
    if !real.starts_with(root) {
        return Some(format!(
            "`{shown}` leads out of the project by a symbolic link"
        ));
    }
    if !named.folder && !real.is_file() {
        return Some(format!("`{shown}` isn't a file"));
    }
    let function = named.function?;
    if !is_name(function) {
        return Some(format!("`{function}` isn't the name of a function"));
    }
    match std::fs::metadata(&real).map(|m| m.len()) {
        Ok(length) if length > SEARCHED => {
            return Some(format!("`{shown}` is too long to look for `{function}`"));
        }
        Ok(_) => {}
        Err(error) => return Some(format!("`{shown}` can't be read: {error}")),
    }
    let found = std::fs::read(&real)
        .is_ok_and(|bytes| defines(plain, &String::from_utf8_lossy(&bytes), function));
    (!found).then(|| format!("`{shown}` defines nothing that is called `{function}`"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn handlers_exist_and_stay_inside() {
        let root = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        let folder = root.path().join("skills/fix");
        std::fs::create_dir_all(folder.join("lib")).unwrap();
        std::fs::write(folder.join("lib/a.js"), "export function fixAll() {}").unwrap();
        std::fs::write(root.path().join("skills/common.js"), "fixAll").unwrap();
        std::fs::write(outside.path().join("evil.js"), "fixAll").unwrap();
        let of = |handler: &str| {
            let value = json!({"tools":[{"handler":handler}]});
            look(Kind::Skill, &value, &folder, root.path()).len()
        };
        for good in ["./lib/a.js#fixAll", "lib/a.js#fixAll"] {
            assert_eq!(of(good), 0, "{good}");
        }
        for bad in [
            "./lib/b.js#fixAll",
            "./lib/a.js#fix",
            "./lib/a.js#",
            "../common.js#fixAll",
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
            std::os::unix::fs::symlink(outside.path().join("evil.js"), folder.join("link.js"))
                .unwrap();
            assert_eq!(of("./link.js#fixAll"), 1);
        }
        let agent = json!({"skill":{"directories":["./lib/","missing"]},"mcp":{"configPath":"../common.js"}});
        assert_eq!(look(Kind::Agent, &agent, &folder, root.path()).len(), 2);
        let set = json!({"skills":{"a":{"path":"lib"},"b":{"path":"../.."},"c":{"package":"x"}}});
        assert_eq!(look(Kind::SkillSet, &set, &folder, root.path()).len(), 1);
        let hooks = json!({"hooks":{"onLoad":"./lib/a.js#fixAll","onUnload":"bye"}});
        assert_eq!(look(Kind::Skill, &hooks, &folder, root.path()).len(), 0);
        for strange in [
            "rm -rf /",
            "",
            "./lib/a.js",
            "curl x | sh",
            "./lib/a.js#none",
        ] {
            let hooks = json!({"hooks":{"onLoad":strange}});
            assert_eq!(
                look(Kind::Skill, &hooks, &folder, root.path()).len(),
                1,
                "{strange}"
            );
        }
        std::fs::write(
            folder.join("lib/b.js"),
            "// ghost\nconst a = 'strung';\nfoo(); if (1) {}\nfunction run() {}",
        )
        .unwrap();
        for bad in ["ghost", "strung", "foo", "if", "run()"] {
            assert_eq!(of(&format!("./lib/b.js#{bad}")), 1, "{bad}");
        }
        let servers = |command: &str, args: &[&str]| {
            let value = json!({"mcpServers":{"s":{"command":command,"args":args}}});
            look(Kind::Servers, &value, &folder, root.path()).len()
        };
        for (command, args) in [
            ("node", &["./lib/a.js"][..]),
            ("node", &["lib/a.js", "x.txt"]),
            ("python3", &["-m", "server"]),
            ("x", &["a.js"]),
            ("sh", &["-c", "./serve"]),
        ] {
            assert_eq!(servers(command, args), 0, "{command} {args:?}");
        }
        for (command, args) in [
            ("node", &["./nope.js"][..]),
            ("node", &["nope.mjs"]),
            ("node", &["../common.js"]),
            ("python3", &["./nope.py"]),
            ("python3", &["-u", "./nope.py"]),
            ("x", &["--config", "./nope.toml"]),
        ] {
            assert_eq!(servers(command, args), 1, "{command} {args:?}");
        }
    }
}
