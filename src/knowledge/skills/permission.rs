//! Declared permissions, and whether they cover an access.

use super::effects::Access;
use crate::manifest::{Permission, PermissionType, Rules, request_pattern};
use agent_policy::{NetworkPattern, NetworkRequest};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use shell_effects::path::normalise;

/// Maximum number of rules of one kind. Nobody reviews a longer list.
const RULES: usize = 1_000;

fn globs<'r>(rules: impl Iterator<Item = &'r str>, path: bool) -> GlobSet {
    let mut set = GlobSetBuilder::new();
    for rule in rules.take(RULES) {
        if let Ok(glob) = GlobBuilder::new(rule)
            .literal_separator(path)
            .case_insensitive(!path)
            .build()
        {
            set.add(glob);
        }
    }
    set.build().unwrap_or_else(|_| GlobSet::empty())
}

/// The paths that rules allow.
#[derive(Debug, Clone)]
pub(super) struct Paths {
    /// Globs of paths below the project.
    below: GlobSet,
    /// Globs of absolute paths, from rules that begin with `/`.
    absolute: GlobSet,
    /// Whether `/**` allows every path.
    every: bool,
}

impl Paths {
    /// Compiles the rules. A rule that is invalid or contains `..` allows nothing.
    pub(super) fn of<'r>(rules: impl Iterator<Item = &'r str>) -> Self {
        let rules: Vec<&str> = rules
            .take(RULES)
            .filter(|r| !r.split(['/', '\\']).any(|part| part == ".."))
            .map(unprefixed)
            .collect();
        let (absolute, below): (Vec<&str>, Vec<&str>) =
            rules.iter().partition(|rule| rule.starts_with('/'));
        Self {
            every: absolute.contains(&"/**"),
            below: globs(below.into_iter(), true),
            absolute: globs(absolute.into_iter(), true),
        }
    }

    /// Whether the rules allow a path. The destination decides, not the spelling. An absolute path
    /// needs a rule that begins with `/`. A path that leaves the project or is in a home has an
    /// unknown destination, so only `/**` allows it.
    pub(super) fn is_match(&self, path: &str) -> bool {
        self.every
            || match seen(path) {
                Seen::Below(path) => self.below.is_match(path),
                Seen::Absolute(path) => self.absolute.is_match(path),
                Seen::Elsewhere => false,
            }
    }
}

fn unprefixed(rule: &str) -> &str {
    rule.strip_prefix("./").unwrap_or(rule)
}

/// The destination of a path.
enum Seen {
    /// Below the project, as a relative path.
    Below(String),
    /// An absolute path.
    Absolute(String),
    /// Outside of the project, in a home, on a drive or on another host.
    Elsewhere,
}

fn seen(path: &str) -> Seen {
    // Windows accepts both separators.
    let path = path.replace('\\', "/");
    let drive = path
        .split('/')
        .next()
        .is_some_and(|first| first.len() == 2 && first.ends_with(':'));
    let share = path.starts_with("//");
    if path.starts_with('/') && !share {
        return normalise(&path, None).map_or(Seen::Elsewhere, Seen::Absolute);
    }
    if drive || share || path.starts_with('~') || path.contains('\0') {
        return Seen::Elsewhere;
    }
    let mut kept: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                if kept.pop().is_none() {
                    return Seen::Elsewhere;
                }
            }
            part => kept.push(part),
        }
    }
    Seen::Below(if kept.is_empty() {
        ".".to_owned()
    } else {
        kept.join("/")
    })
}

/// Rules for programs. A rule of several words matches commands that begin with these words.
#[derive(Debug)]
struct Commands {
    programs: GlobSet,
    lines: Vec<Vec<GlobSet>>,
}

impl Commands {
    fn of<'r>(rules: impl Iterator<Item = &'r str>) -> Self {
        let (lines, programs): (Vec<&str>, Vec<&str>) = rules
            .take(RULES)
            .partition(|rule| rule.split_whitespace().nth(1).is_some());
        let words = |line: &str| {
            line.split_whitespace()
                .map(|word| globs(std::iter::once(word), false))
                .collect()
        };
        Self {
            programs: globs(programs.into_iter(), false),
            lines: lines.into_iter().map(words).collect(),
        }
    }

    fn is_match(&self, program: &str, args: &[String]) -> bool {
        let words = || std::iter::once(program).chain(args.iter().map(String::as_str));
        let begins = |line: &Vec<GlobSet>| {
            line.len() <= args.len() + 1
                && line
                    .iter()
                    .zip(words())
                    .all(|(glob, word)| glob.is_match(word))
        };
        self.programs.is_match(program) || self.lines.iter().any(begins)
    }
}

/// Rules for requests over the network. A rule is a glob of hosts, or a pattern of requests:
/// `GET:https://api.test/v1/*`.
#[derive(Debug)]
struct Requests {
    hosts: GlobSet,
    patterns: Vec<NetworkPattern>,
}

impl Requests {
    /// Compiles the rules. An invalid rule matches nothing.
    fn of<'r>(rules: impl Iterator<Item = &'r str>) -> Self {
        let mut patterns = Vec::new();
        let hosts = rules
            .take(RULES)
            .filter(|rule| match request_pattern(rule) {
                Some(pattern) => {
                    patterns.extend(pattern);
                    false
                }
                None => true,
            });
        Self {
            hosts: globs(hosts, false),
            patterns,
        }
    }

    /// Whether the rules cover a request for certain. A part that isn't known is covered only where
    /// a rule leaves it open.
    fn cover(&self, request: &NetworkRequest) -> bool {
        self.hosts.is_match(request.host().unwrap_or("*"))
            || self.patterns.iter().any(|p| p.fits(request, true))
    }

    /// Whether the rules may be about a request.
    fn may_concern(&self, request: &NetworkRequest) -> bool {
        let Some(host) = request.host() else {
            return !(self.hosts.is_empty() && self.patterns.is_empty());
        };
        self.hosts.is_match(host) || self.patterns.iter().any(|p| p.fits(request, false))
    }
}

/// The rules of permissions, by kind of access.
#[derive(Debug)]
struct Lists {
    read: Paths,
    write: Paths,
    network: Requests,
    command: Commands,
    /// Whether there are rules of each kind: files, network, commands.
    present: [bool; 3],
    /// Whether the rules match every access.
    all: bool,
}

impl Lists {
    /// Compiles some of the rules of a list of permissions.
    fn of(permissions: &[Permission], chosen: fn(&Rules) -> &[String]) -> Self {
        let rules = |kind: PermissionType| {
            permissions
                .iter()
                .filter(move |p| p.kind == kind)
                .flat_map(move |p| chosen(&p.rules).iter().map(String::as_str))
        };
        let files = |wanted: &'static str, other: &'static str| {
            let rules = rules(PermissionType::FileSystem).filter(move |r| !r.starts_with(other));
            Paths::of(rules.map(move |r| r.strip_prefix(wanted).unwrap_or(r)))
        };
        let every = |kind, all: &str| rules(kind).any(|r| r == all);
        let kinds = [
            PermissionType::FileSystem,
            PermissionType::Network,
            PermissionType::Command,
        ];
        Self {
            read: files("read:", "write:"),
            write: files("write:", "read:"),
            network: Requests::of(rules(PermissionType::Network)),
            command: Commands::of(rules(PermissionType::Command)),
            present: kinds.map(|kind| rules(kind).next().is_some()),
            all: every(PermissionType::FileSystem, "**")
                && every(PermissionType::Network, "*")
                && every(PermissionType::Command, "*"),
        }
    }

    /// Whether the rules cover an access for certain.
    fn cover(&self, access: &Access) -> bool {
        let path =
            |set: &Paths, path: &Option<String>| path.as_ref().is_some_and(|p| set.is_match(p));
        self.all
            || match access {
                Access::Read(target) => path(&self.read, target),
                Access::Write(target) => path(&self.write, target),
                Access::Network(request) => self.network.cover(request),
                Access::Program(name, args) => self.command.is_match(name, args),
                // Allowing a program includes what it starts. If the starter is unknown, every
                // program must be allowed.
                Access::Project(_, programs) if programs.is_empty() => {
                    self.command.is_match("*", &[])
                }
                Access::Project(_, programs) => {
                    programs.iter().any(|name| self.command.is_match(name, &[]))
                }
                Access::Anything(_) => false,
            }
    }

    /// Whether the rules may be about an access. What isn't known may be what they name.
    fn may_concern(&self, access: &Access) -> bool {
        let [files, network, command] = self.present;
        let path = |set: &Paths, path: &Option<String>| {
            files
                && path
                    .as_ref()
                    .is_none_or(|p| set.is_match(p) || matches!(seen(p), Seen::Elsewhere))
        };
        match access {
            Access::Read(target) => path(&self.read, target),
            Access::Write(target) => path(&self.write, target),
            Access::Network(request) => network && self.network.may_concern(request),
            Access::Program(name, args) => self.command.is_match(name, args),
            Access::Project(_, programs) => {
                command
                    && (programs.is_empty()
                        || programs.iter().any(|name| self.command.is_match(name, &[])))
            }
            Access::Anything(_) => files || network || command,
        }
    }
}

/// Everything that permissions allow. An invalid rule allows nothing.
#[derive(Debug)]
pub(super) struct Allowed {
    allow: Lists,
    deny: Lists,
    /// Whether a rule of `deny` is invalid, so that everything may be denied.
    unclear: bool,
}

impl Allowed {
    /// Compiles a list of permissions.
    pub(super) fn of(permissions: &[Permission]) -> Self {
        let denied = permissions
            .iter()
            .flat_map(|p| p.rules.deny().iter().map(|rule| (p.kind, rule)));
        let is_invalid = |(kind, rule): (PermissionType, &String)| {
            if kind == PermissionType::Network
                && let Some(pattern) = request_pattern(rule)
            {
                return pattern.is_err();
            }
            GlobBuilder::new(rule).build().is_err()
                || rule.split(['/', '\\']).any(|part| part == "..")
        };
        let unclear = denied.clone().any(is_invalid) || denied.count() > RULES;
        Self {
            allow: Lists::of(permissions, Rules::allow),
            deny: Lists::of(permissions, Rules::deny),
            unclear,
        }
    }

    /// Whether an access is allowed.
    pub(super) fn covers(&self, access: &Access) -> bool {
        !self.unclear && self.allow.cover(access) && !self.deny.may_concern(access)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::extract::RecordedAction;
    use crate::knowledge::skills::effects::accesses;
    use crate::manifest::AllowDeny;

    fn allowed(rules: &[(PermissionType, &str)]) -> Allowed {
        let all: Vec<Permission> = rules
            .iter()
            .map(|(kind, rule)| Permission {
                kind: *kind,
                rules: Rules::Allow(vec![(*rule).to_owned()]),
            })
            .collect();
        Allowed::of(&all)
    }

    /// A contact of which only the host is known.
    fn host(name: Option<&str>) -> Access {
        Access::Network(NetworkRequest::to_host(name))
    }

    #[test]
    fn rules_cover_what_they_name_and_no_more() {
        use PermissionType::{Command, FileSystem, Network};
        let path = |p: &str| Some(p.to_owned());
        let a = allowed(&[
            (FileSystem, "read:src/**"),
            (FileSystem, "write:./out/*"),
            (Network, "*.example.com"),
            (Command, "cat"),
        ]);
        assert!(
            a.covers(&Access::Read(path("src/a/b.rs"))) && a.covers(&Access::Write(path("out/a")))
        );
        assert!(
            !a.covers(&Access::Write(path("src/a/b.rs")))
                && !a.covers(&Access::Write(path("out/a/b")))
        );
        assert!(!a.covers(&Access::Read(path("/etc/passwd"))) && !a.covers(&Access::Read(None)));
        assert!(a.covers(&host(Some("api.example.com"))) && !a.covers(&host(Some("example.org"))));
        assert!(!a.covers(&host(None)));
        assert!(
            a.covers(&Access::Program("cat".into(), vec![]))
                && !a.covers(&Access::Program("rm".into(), vec![]))
        );
        assert!(!a.covers(&Access::Anything("x".into())));
        let none = Allowed::of(&[]);
        assert!(
            !none.covers(&Access::Read(path("a")))
                && !none.covers(&Access::Project("x".into(), vec!["ls".into()]))
        );
        let climbs = allowed(&[(FileSystem, "src/../../**"), (FileSystem, "[")]);
        assert!(!climbs.covers(&Access::Read(path("a"))));
        let ls = allowed(&[(Command, "ls")]);
        assert!(ls.covers(&Access::Project("x".into(), vec!["ls".into()])));
        for programs in [vec![], vec!["npm".to_owned()]] {
            assert!(!ls.covers(&Access::Project("x".into(), programs)));
        }
        let all = allowed(&[(FileSystem, "**"), (Network, "*"), (Command, "*")]);
        assert!(all.covers(&Access::Anything("x".into())));
    }

    #[test]
    fn what_is_denied_is_not_allowed() {
        use PermissionType::{Command, FileSystem, Network};
        let both = |kind, allow: &str, deny: &str| Permission {
            kind,
            rules: Rules::Both(AllowDeny {
                allow: vec![allow.to_owned()],
                deny: vec![deny.to_owned()],
            }),
        };
        let a = Allowed::of(&[
            both(FileSystem, "**", "write:src/**"),
            both(Network, "*", "*.example.org"),
            both(Command, "*", "rm"),
        ]);
        let path = |p: &str| Some(p.to_owned());
        for allowed in [
            Access::Read(path("src/a")),
            Access::Write(path("out/a")),
            host(Some("example.com")),
            Access::Program("ls".into(), vec![]),
        ] {
            assert!(a.covers(&allowed), "{allowed:?}");
        }
        for denied in [
            Access::Write(path("src/a")),
            Access::Write(None),
            Access::Write(path("../src/a")),
            host(Some("a.example.org")),
            host(None),
            Access::Program("rm".into(), vec!["-r".into()]),
            Access::Project("x".into(), vec![]),
            Access::Anything("x".into()),
        ] {
            assert!(!a.covers(&denied), "{denied:?}");
        }
        let unclear = Allowed::of(&[both(FileSystem, "**", "src/../a")]);
        assert!(!unclear.covers(&Access::Read(path("b"))));
        let nothing = Allowed::of(&[Permission {
            kind: Command,
            rules: Rules::Both(AllowDeny {
                allow: Vec::new(),
                deny: vec!["rm".to_owned()],
            }),
        }]);
        assert!(!nothing.covers(&Access::Program("ls".into(), vec![])));
    }

    #[test]
    fn rules_of_several_words_match_the_beginning_of_commands() {
        use PermissionType::{Command, Network};
        let a = allowed(&[
            (Command, "git diff"),
            (Network, "GET:https://api.example.com/*"),
        ]);
        let git = |args: &[&str]| {
            Access::Program("git".into(), args.iter().map(|s| (*s).to_owned()).collect())
        };
        assert!(a.covers(&git(&["diff"])) && a.covers(&git(&["diff", "--stat"])));
        for args in [&[][..], &["push"], &["-c", "x", "diff"], &["difftool"]] {
            assert!(!a.covers(&git(args)), "{args:?}");
        }
        // Neither method nor path is known.
        assert!(!a.covers(&host(Some("api.example.com"))));
    }

    /// The requests of a command line.
    fn requests(command: &str) -> Vec<Access> {
        let payload = serde_json::json!({ "command": command }).to_string();
        let action = RecordedAction {
            kind: "shell_cmd".into(),
            known: Some(governance::ActionType::ShellCmd),
            payload: Some(payload),
        };
        let all = accesses(&action).into_iter();
        let all: Vec<Access> = all.filter(|a| matches!(a, Access::Network(_))).collect();
        assert!(!all.is_empty(), "{command}");
        all
    }

    #[test]
    fn requests_have_a_method_and_a_path() {
        const V1: &str = "GET:https://api.example.com/v1/*";
        const ANY: &str = "*:https://api.example.com/*";
        let url = "https://api.example.com/v1/users";
        for (rule, command, covered) in [
            (V1, format!("curl {url}"), true),
            (V1, format!("curl -o out {url}"), true),
            (V1, format!("curl -X POST {url}"), false),
            (V1, format!("curl -d @secret {url}"), false),
            (V1, format!("curl -X \"$METHOD\" {url}"), false),
            (V1, format!("curl --config c {url}"), false),
            (V1, "curl https://api.example.com/v2/users".into(), false),
            (
                V1,
                "curl https://api.example.com/v1/../v2/users".into(),
                false,
            ),
            (V1, "curl https://api.example.com/v1/$ID".into(), false),
            (V1, "curl http://api.example.com/v1/users".into(), false),
            (
                V1,
                "curl https://api.example.com:8443/v1/users".into(),
                false,
            ),
            (V1, format!("curl {url}; curl -X DELETE {url}"), false),
            (V1, format!("curl {url} https://example.org/"), false),
            (V1, "scp me@api.example.com:a@b .".into(), false),
            (ANY, format!("curl -X DELETE {url}"), true),
            (ANY, "curl https://example.org/v1/users".into(), false),
            ("api.example.com", format!("curl -X DELETE {url}"), true),
            (
                "api.example.com",
                "scp me@api.example.com:a@b .".into(),
                true,
            ),
            ("api.example.com", "ssh me@api.example.com".into(), true),
            (
                "api.example.com/v1/*",
                format!("curl -X DELETE {url}"),
                true,
            ),
            ("api.example.com/v2/*", format!("curl {url}"), false),
            (
                "FETCH IT:https://api.example.com/*",
                format!("curl {url}"),
                false,
            ),
        ] {
            let rules = allowed(&[(PermissionType::Network, rule)]);
            let found = requests(&command).iter().all(|access| rules.covers(access));
            assert_eq!(found, covered, "{rule}: {command}");
        }
        for (deny, command, covered) in [
            (
                "POST:https://api.example.com/*",
                format!("curl {url}"),
                true,
            ),
            (
                "POST:https://api.example.com/*",
                format!("curl -d x {url}"),
                false,
            ),
            (
                "POST:https://api.example.com/*",
                "scp me@api.example.com:a@b .".into(),
                false,
            ),
            (
                "GET:https://api.example.com/v2/*",
                format!("curl {url}"),
                true,
            ),
            (
                "GET:https://api.example.com/v2/*",
                "curl https://example.org".into(),
                true,
            ),
            (
                "GET:https://api.example.com/v2/*",
                "curl https://$HOST/".into(),
                false,
            ),
            ("NO METHOD:https://x/", format!("curl {url}"), false),
        ] {
            let both = Permission {
                kind: PermissionType::Network,
                rules: Rules::Both(AllowDeny {
                    allow: vec!["*".to_owned()],
                    deny: vec![deny.to_owned()],
                }),
            };
            let rules = Allowed::of(&[both]);
            let found = requests(&command).iter().all(|access| rules.covers(access));
            assert_eq!(found, covered, "not {deny}: {command}");
        }
    }

    #[test]
    fn only_rules_from_the_root_name_what_lies_outside() {
        use PermissionType::FileSystem;
        let outside = [
            "/etc/passwd",
            "/etc/secret.txt",
            "~/.ssh/x.txt",
            "~root/x.txt",
            "../../x.txt",
            "src/../../etc/x.txt",
            "C:\\x.txt",
            "C:/x.txt",
            "\\\\host\\x.txt",
            "..\\x.txt",
        ];
        let of = |rule: &str| Paths::of(std::iter::once(rule));
        for rule in ["**", "**/*.txt", "./**", "*", "{/etc,src}/**", "src/**"] {
            for path in outside {
                assert!(!of(rule).is_match(path), "{rule} {path}");
            }
        }
        for path in outside.into_iter().chain(["src/a.txt", "."]) {
            assert!(of("/**").is_match(path), "{path}");
            assert!(
                allowed(&[(FileSystem, "read:/**")]).covers(&Access::Read(Some(path.to_owned()))),
                "{path}"
            );
        }
        assert!(
            of("/etc/**").is_match("/etc/passwd") && of("/etc/**").is_match("/etc/../etc//passwd")
        );
        assert!(
            !of("/etc/**").is_match("etc/passwd") && !of("/src/**").is_match("/src/../etc/passwd")
        );
        for path in [
            "src/a.rs",
            "./src/a.rs",
            "src//a.rs",
            "src/../src/a.rs",
            "src\\a.rs",
        ] {
            assert!(
                of("src/**").is_match(path)
                    && of("./src/*").is_match(path)
                    && of("**").is_match(path),
                "{path}"
            );
        }
        assert!(!of("src/**").is_match("src/../b.rs") && !of("/x/../**").is_match("/etc/passwd"));
    }
}
