//! Programs whose arguments are a language of their own.

use super::chars::{STAR, UNKNOWN, show};
use super::effect::{Certainty, EffectKind, How, RiskLevel, Span};
use super::engine::{Engine, Stream};
use super::expand::Arg;
use super::parse::Base;
use super::spec_eval::{is_assignment, read};
use super::tar::old_style;

impl Engine<'_> {
    /// Programs that the table alone can't describe; nothing if the name is none.
    pub(crate) fn special(
        &mut self,
        name: &str,
        first: &Arg,
        rest: &[Arg],
        stdin: &Stream,
        want: bool,
        span: Span,
    ) -> Option<Stream> {
        match name {
            "busybox" | "toybox" => {
                let words = rest
                    .iter()
                    .skip_while(|a| a.text.starts_with('-'))
                    .cloned()
                    .collect::<Vec<_>>();
                if words.is_empty() {
                    return Some(Stream::unknown());
                }
                Some(self.wrapped(&words, stdin, want, span))
            }
            "find" | "gfind" => {
                self.find(rest, span);
                if want {
                    return Some(self.filter_output("find", rest, stdin, Stream::unknown()));
                }
                Some(Stream::unknown())
            }
            "fd" | "fdfind" => {
                let i = rest.iter().position(|a| {
                    matches!(a.text.as_str(), "-x" | "-X" | "--exec" | "--exec-batch")
                })?;
                let words: Vec<Arg> = rest
                    .iter()
                    .skip(i + 1)
                    .take_while(|a| a.text != ";")
                    .cloned()
                    .collect();
                let below = format!("./{STAR}");
                let placed = words.iter().any(|w| {
                    w.text.contains("{}") || w.text.contains("{/}") || w.text.contains("{.}")
                });
                let mut args: Vec<Arg> = words
                    .into_iter()
                    .map(|w| {
                        if w.text.contains('{') {
                            Arg {
                                text: ["{}", "{/}", "{//}", "{.}", "{/.}"]
                                    .iter()
                                    .fold(w.text.clone(), |t, m| t.replace(m, &below)),
                                at: None,
                                ..w
                            }
                        } else {
                            w
                        }
                    })
                    .collect();
                if !placed {
                    args.push(Arg::literal(below, span));
                }
                Some(self.wrapped(&args, &Stream::default(), false, span))
            }
            "cmake" if rest.first().is_some_and(|a| a.text == "-E") => {
                let words = rest.get(1..).unwrap_or_default();
                let (tool, args) = words.split_first()?;
                let run = |n: &str, extra: &[&str]| {
                    let mut w: Vec<Arg> = std::iter::once(n)
                        .chain(extra.iter().copied())
                        .map(|t| Arg::literal(t, tool.span))
                        .collect();
                    w.extend(args.iter().cloned());
                    w
                };
                let w = match tool.text.as_str() {
                    "rm" => run("rm", &[]),
                    "remove" => run("rm", &["-f"]),
                    "remove_directory" => run("rm", &["-rf"]),
                    "env" => run("env", &[]),
                    "time" => args.to_vec(),
                    "copy" | "copy_if_different" => run("cp", &[]),
                    "copy_directory" => run("cp", &["-r"]),
                    "rename" => run("mv", &[]),
                    "make_directory" => run("mkdir", &["-p"]),
                    "touch" => run("touch", &[]),
                    "tar" => run("tar", &[]),
                    "cat" => run("cat", &[]),
                    "create_symlink" | "create_hardlink" => run("ln", &[]),
                    "echo" | "sleep" | "capabilities" | "compare_files" | "md5sum"
                    | "sha256sum" | "true" | "false" | "environment" | "help" => {
                        return Some(Stream::unknown());
                    }
                    _ => return None,
                };
                if w.is_empty() {
                    return Some(Stream::unknown());
                }
                Some(self.wrapped(&w, stdin, want, span))
            }
            "xargs" | "gxargs" => Some(self.xargs(rest, stdin, span)),
            "parallel" => Some(self.parallel(rest, stdin, span)),
            "sh" | "bash" | "dash" | "zsh" | "ksh" | "ash" | "mksh" | "rbash" | "yash" | "fish"
            | "csh" | "tcsh" => Some(self.shell(name, rest, stdin, want, span)),
            "git" => {
                self.git_config(rest);
                None
            }
            "tar" | "gtar" | "bsdtar" => {
                let words = old_style(rest);
                self.tar(&words);
                self.fetched |= stdin.present
                    && stdin.text.is_none()
                    && !stdin.inline
                    && self.effects.iter().any(|e| e.kind == EffectKind::Network);
                let ctx = self.ctx;
                let spec = ctx.table.get("tar")?;
                Some(self.apply("tar", spec, &words, stdin, want, span))
            }
            "ssh" | "scp" | "sftp" | "autossh" | "sshpass" | "rsync" | "mosh" => {
                self.ssh_options(rest);
                if name == "ssh" && stdin.present && !stdin.inline && stdin.text.is_none() {
                    self.emit_raw(
                        EffectKind::Network,
                        None,
                        Certainty::Certain,
                        span,
                        RiskLevel::High,
                        "sends what it is given to another machine",
                    );
                }
                if name == "rsync"
                    && rest.iter().any(|a| {
                        matches!(a.text.as_str(), "--dry-run" | "--list-only")
                            || a.text.starts_with('-')
                                && !a.text.starts_with("--")
                                && a.text.contains('n')
                    })
                {
                    if let Some(a) = rest.iter().find(|a| a.text.contains(':')) {
                        self.network(&a.clone());
                    }
                    return Some(Stream::unknown());
                }
                None
            }
            "env" => {
                self.env_split(rest, stdin);
                None
            }
            "time" => {
                let words: Vec<Arg> = rest
                    .iter()
                    .skip_while(|a| a.text.starts_with('-'))
                    .cloned()
                    .collect();
                if words.is_empty() {
                    return Some(Stream::unknown());
                }
                Some(self.wrapped(&words, stdin, want, span))
            }
            "dd" => {
                self.dd(rest, stdin);
                None
            }
            "cp" | "gcp" | "install" | "ln" => {
                if name != "ln" {
                    self.copy_null(rest);
                }
                self.copied(rest);
                None
            }
            "mv" => {
                if let Some(last) = rest.iter().find(|a| a.text.ends_with("/dev/null")) {
                    self.emit_raw(
                        EffectKind::Delete,
                        None,
                        Certainty::Certain,
                        last.span,
                        RiskLevel::High,
                        "moves files into nothing",
                    );
                }
                None
            }
            "tee" => {
                // `tee file < /dev/null` empties it.
                if stdin.text.as_deref() == Some("")
                    && !rest
                        .iter()
                        .any(|a| a.text.starts_with("-a") || a.text == "--append")
                {
                    for a in rest.iter().filter(|a| !a.text.starts_with('-')) {
                        self.path_empty(a);
                    }
                }
                for a in rest.iter().filter(|a| !a.text.starts_with('-')) {
                    if let Some(p) = super::path::normalise(&a.text, self.cwd.as_deref()) {
                        self.files.insert(p, stdin.text.clone());
                    }
                }
                None
            }
            "chmod" => {
                self.chmod(rest);
                None
            }
            "truncate" => self.truncate(rest),
            "make" | "gmake" => {
                for (i, a) in rest.iter().enumerate() {
                    let file = match a.text.as_str() {
                        "-f" | "--file" | "--makefile" => rest.get(i + 1).map(|f| f.text.clone()),
                        t => t
                            .strip_prefix("--file=")
                            .or_else(|| t.strip_prefix("--makefile="))
                            .or_else(|| t.strip_prefix("-f"))
                            .map(str::to_owned),
                    };
                    if file
                        .as_deref()
                        .is_some_and(|f| f == "-" || f == "/dev/stdin" || self.wrote(f))
                    {
                        self.dynamic(
                            a.span,
                            "make reads its rules from text that this line makes",
                        );
                    }
                }
                if self.fetched {
                    self.dynamic(span, "make may follow rules that this line has fetched");
                }
                if ["Makefile", "makefile", "GNUmakefile"]
                    .iter()
                    .any(|f| self.wrote(f))
                {
                    self.dynamic(span, "make reads rules that this line wrote");
                }
                for a in rest {
                    let Some((k, v)) = is_assignment(&a.text) else {
                        continue;
                    };
                    if matches!(k, "SHELL" | "MAKEFLAGS" | "MAKE")
                        || v.contains("$(shell")
                        || v.contains('`')
                    {
                        self.dynamic(a.span, "a variable of make that runs commands");
                    } else {
                        let (k, v) = (k.to_owned(), v.to_owned());
                        self.env_effect(&k, &v, a.span);
                    }
                }
                None
            }
            "curl" | "wget" => {
                self.download(name, rest);
                self.secret_in_url(rest);
                None
            }
            "nc" | "ncat" | "netcat" | "socat" | "telnet" => {
                self.netcat(name, rest, stdin, span);
                None
            }
            "openssl"
                if rest.first().is_some_and(|a| a.text == "s_client")
                    && stdin.present
                    && !stdin.inline
                    && stdin.text.is_none() =>
            {
                self.emit_raw(
                    EffectKind::Network,
                    None,
                    Certainty::Possible,
                    span,
                    RiskLevel::High,
                    "sends what it is given over the network",
                );
                None
            }
            "npm" | "yarn" | "pnpm" | "npx" | "bun" | "bunx" | "pip" | "pip3" | "pipx" | "uv"
            | "uvx" => {
                if rest
                    .first()
                    .is_some_and(|a| matches!(a.text.as_str(), "pkg" | "set-script"))
                    && rest
                        .iter()
                        .any(|a| a.text.starts_with("scripts") || a.text == "set-script")
                    && let Some(p) = super::path::normalise("package.json", self.cwd.as_deref())
                {
                    self.files.insert(p, None);
                }
                if self.wrote("package.json")
                    && rest.iter().any(|a| {
                        matches!(
                            a.text.as_str(),
                            "run"
                                | "test"
                                | "start"
                                | "exec"
                                | "install"
                                | "i"
                                | "ci"
                                | "run-script"
                        )
                    })
                {
                    self.dynamic(span, "runs scripts of a file that this line wrote");
                }
                self.install_from_url(name, rest);
                None
            }
            "gcc" | "cc" | "g++" | "clang" | "clang++" | "c++" | "tcc" | "rustc" | "go"
            | "javac" => {
                // A program compiled from text of this line is text of this line.
                if stdin.present || rest.iter().any(|a| self.wrote(&a.text)) {
                    let out = rest
                        .iter()
                        .position(|a| a.text == "-o")
                        .and_then(|i| rest.get(i + 1))
                        .map_or("a.out".to_owned(), |a| a.text.clone());
                    if let Some(p) = super::path::normalise(&out, self.cwd.as_deref()) {
                        self.files.insert(p, None);
                    }
                    if rest.first().is_some_and(|a| a.text == "run") {
                        self.dynamic(span, "runs a program that this line wrote");
                    }
                }
                None
            }
            "vim" | "vi" | "nvim" | "view" | "gvim" | "ex" | "vimdiff" => {
                for a in rest
                    .iter()
                    .filter(|a| a.text.starts_with('+') && a.text.len() > 1)
                {
                    let code = Arg {
                        text: a.text.get(1..).unwrap_or_default().to_owned(),
                        at: None,
                        ..a.clone()
                    };
                    self.code("vim", &code, &Stream::default());
                }
                None
            }
            "hyperfine" => {
                for (i, a) in rest
                    .iter()
                    .enumerate()
                    .filter(|(_, a)| matches!(a.text.as_str(), "-L" | "--parameter-list"))
                {
                    if rest
                        .get(i + 2)
                        .is_some_and(|v| v.text.contains([';', '|', '&', '`', '$', UNKNOWN, '\n']))
                    {
                        self.dynamic(a.span, "a parameter that becomes a part of the commands");
                    }
                }
                None
            }
            "strace" | "ltrace" => {
                for (i, a) in rest.iter().enumerate() {
                    let target = if matches!(a.text.as_str(), "-o" | "--output") {
                        rest.get(i + 1).map(|v| v.text.clone())
                    } else {
                        a.text
                            .strip_prefix("-o")
                            .or_else(|| a.text.strip_prefix("--output="))
                            .map(str::to_owned)
                    };
                    if let Some(cmd) = target.as_deref().and_then(|t| t.strip_prefix(['|', '!'])) {
                        let c = Arg {
                            text: cmd.to_owned(),
                            at: None,
                            ..a.clone()
                        };
                        self.shell_arg(&c, &Stream::default(), false);
                    }
                }
                None
            }
            "psql" | "pgcli" | "usql" => {
                for (i, a) in rest.iter().enumerate() {
                    let to = match a.text.as_str() {
                        "-o" | "--output" => rest.get(i + 1).map(|v| v.text.clone()),
                        t => t
                            .strip_prefix("--output=")
                            .or_else(|| t.strip_prefix("-o"))
                            .map(str::to_owned),
                    };
                    if let Some(cmd) = to.as_deref().and_then(|t| t.trim_start().strip_prefix('|'))
                    {
                        self.shell_arg(&Arg::literal(cmd, a.span), &Stream::unknown(), false);
                    }
                }
                None
            }
            "ed" | "red" => {
                for a in rest {
                    if let Some(cmd) = a.text.strip_prefix('!') {
                        self.shell_arg(&Arg::literal(cmd, a.span), &Stream::default(), false);
                    }
                }
                None
            }
            // `load("file")` and `load_str("file")` read what they name.
            "yq" => {
                for a in rest.iter().filter(|a| a.text.contains("load")) {
                    for file in a.text.split(['"', '\'']).skip(1).step_by(2) {
                        if self.classify(file).secret {
                            self.path_read(&Arg::literal(file, a.span));
                        }
                    }
                }
                None
            }
            "perl" => {
                self.perl_operands(rest);
                for a in rest {
                    if let Some(m) = a
                        .text
                        .strip_prefix("-M")
                        .or_else(|| a.text.strip_prefix("-m"))
                        && m.contains([';', '(', '`', '{'])
                    {
                        let code = Arg {
                            text: m.to_owned(),
                            at: None,
                            ..a.clone()
                        };
                        self.code("perl", &code, &Stream::default());
                    }
                }
                None
            }
            "ipython" | "ipython3" => {
                for line in rest
                    .iter()
                    .flat_map(|a| a.text.split(['\n', ';']).map(move |l| (l.trim(), a.span)))
                {
                    if let (Some(cmd), span) = (line.0.strip_prefix('!'), line.1) {
                        self.shell_arg(
                            &Arg::literal(cmd.trim_start_matches('!'), span),
                            &Stream::default(),
                            false,
                        );
                    } else if line.0.starts_with('%')
                        || line.0.contains("=!")
                        || line.0.contains("= !")
                    {
                        self.dynamic(line.1, "magic of IPython, which may run commands");
                    }
                }
                None
            }
            "python" | "python3" | "python2" | "pypy" | "pypy3" | "php" => {
                if let Some(i) = rest.iter().position(|a| a.text == "timeit").filter(|i| {
                    i.checked_sub(1)
                        .and_then(|k| rest.get(k))
                        .is_some_and(|p| p.text == "-m")
                }) {
                    for a in rest.iter().skip(i + 1).filter(|a| !a.text.starts_with('-')) {
                        self.code("python", a, &Stream::default());
                    }
                }
                if rest.iter().any(|a| a.text == "pdb") {
                    for (i, a) in rest
                        .iter()
                        .enumerate()
                        .filter(|(_, a)| a.text.starts_with("-c"))
                    {
                        let code = if a.text == "-c" {
                            rest.get(i + 1).cloned()
                        } else {
                            Some(Arg {
                                text: a.text.get(2..).unwrap_or_default().to_owned(),
                                at: None,
                                ..a.clone()
                            })
                        };
                        if let Some(c) = code {
                            self.code(
                                "python",
                                &Arg {
                                    text: c.text.trim_start_matches('!').to_owned(),
                                    at: None,
                                    ..c
                                },
                                &Stream::default(),
                            );
                        }
                    }
                }
                if let Some((script, words)) = rest.split_first() {
                    self.framework(script, words);
                }
                let _ = first;
                None
            }
            _ => None,
        }
    }

    fn ssh_options(&mut self, rest: &[Arg]) {
        for (i, a) in rest.iter().enumerate() {
            let t = a.text.as_str();
            let option = match t {
                "-o" => rest.get(i + 1).map(|v| v.text.clone()),
                _ => t.strip_prefix("-o").map(str::to_owned),
            };
            let Some(option) = option else { continue };
            let (k, v) = option.split_once(['=', ' ']).unwrap_or((&option, ""));
            if matches!(
                k.to_ascii_lowercase().as_str(),
                "proxycommand"
                    | "localcommand"
                    | "knownhostscommand"
                    | "remotecommand_"
                    | "pkcs11provider"
                    | "securitykeyprovider"
                    | "proxyusefdpass_"
            ) && v != "none"
            {
                let c = Arg {
                    text: v.to_owned(),
                    at: None,
                    ..a.clone()
                };
                self.shell_arg(&c, &Stream::default(), false);
                self.emit_raw(
                    EffectKind::Dynamic,
                    Some(show(&option)),
                    Certainty::Possible,
                    a.span,
                    RiskLevel::High,
                    "an option that makes ssh run a command",
                );
            }
        }
    }

    /// `env -S 'cmd args'`
    fn env_split(&mut self, rest: &[Arg], stdin: &Stream) {
        for (i, a) in rest.iter().enumerate() {
            let t = a.text.as_str();
            let code = match t {
                "-S" | "--split-string" => rest.get(i + 1).map(|v| v.text.clone()),
                _ => t
                    .strip_prefix("--split-string=")
                    .or_else(|| t.strip_prefix("-S"))
                    .or_else(|| t.strip_prefix("-vS"))
                    .map(str::to_owned),
            };
            if let Some(c) = code {
                let mut words = vec![c];
                let from = if matches!(t, "-S" | "--split-string") {
                    i + 2
                } else {
                    i + 1
                };
                words.extend(
                    rest.get(from..)
                        .unwrap_or_default()
                        .iter()
                        .map(|a| super::run::quote(&a.text)),
                );
                let text = format!("env {}", words.join(" "));
                self.run_text(&text, Base::Fixed(a.span), How::Wrapper, stdin, false);
                return;
            }
            if !t.starts_with('-') && is_assignment(t).is_none() {
                return;
            }
        }
    }

    fn dd(&mut self, rest: &[Arg], stdin: &Stream) {
        let get = |k: &str| {
            rest.iter()
                .find_map(|a| a.text.strip_prefix(k).map(|v| (a, v)))
        };
        let Some((a, of)) = get("of=") else { return };
        let source = get("if=").map(|(_, v)| v);
        if matches!(
            source,
            Some("/dev/zero" | "/dev/null" | "/dev/urandom" | "/dev/random")
        ) || stdin.text.as_deref() == Some("")
        {
            let f = Arg {
                text: of.to_owned(),
                at: None,
                ..a.clone()
            };
            let inside = matches!(
                self.classify(of).class,
                super::path::PathClass::Inside | super::path::PathClass::Temporary
            );
            // Making a test file of zeros is everyday work; `/dev/null` empties.
            let sized = get("count=").is_some() && source != Some("/dev/null");
            if !(inside && sized) {
                self.path_empty(&f);
            }
        }
    }

    /// A copy of a program or of text of this line is run under another name later.
    fn copied(&mut self, rest: &[Arg]) {
        let ops: Vec<&Arg> = rest.iter().filter(|a| !a.text.starts_with('-')).collect();
        let [from, .., to] = ops.as_slice() else {
            return;
        };
        let text = self.file_text(&from.text);
        let foreign = !matches!(
            self.classify(&from.text).class,
            super::path::PathClass::Inside | super::path::PathClass::Root
        );
        if (foreign || self.wrote(&from.text))
            && let Some(p) = super::path::normalise(&to.text, self.cwd.as_deref())
        {
            let base = from.text.rsplit('/').next().unwrap_or_default();
            self.files.insert(format!("{p}/{base}"), text.clone());
            self.files.insert(p, text);
        }
    }

    fn copy_null(&mut self, rest: &[Arg]) {
        let ops: Vec<&Arg> = rest.iter().filter(|a| !a.text.starts_with('-')).collect();
        if let [first, .., last] = ops.as_slice()
            && matches!(
                first.text.as_str(),
                "/dev/null" | "/dev/zero" | "/dev/urandom"
            )
        {
            let last = (*last).clone();
            self.path_empty(&last);
        }
    }

    /// `perl -n`, `-p` and `<>` open their operands in the old way: `>file` is written, `cmd|` is
    /// run.
    fn perl_operands(&mut self, rest: &[Arg]) {
        let ctx = self.ctx;
        let Some(spec) = ctx.table.get("perl") else {
            return;
        };
        let (call, _) = read(spec, rest);
        let code = |f: &super::spec_eval::Seen<'_>| matches!(f.name.as_str(), "-e" | "-E");
        let opens = call.has("-n")
            || call.has("-p")
            || call.flags.iter().filter(|f| code(f)).any(|f| {
                f.values
                    .iter()
                    .any(|v| v.text.contains("<>") || v.text.contains("<ARGV>"))
            });
        if !opens || !call.flags.iter().any(code) {
            return;
        }
        for a in &call.operands {
            let t = a.text.trim();
            if let Some(file) = t.strip_prefix('>') {
                self.path_write(&Arg::literal(file.trim_start_matches(['>', ' ']), a.span));
                self.path_empty(&Arg::literal(file.trim_start_matches(['>', ' ']), a.span));
            } else if t.starts_with('|') || t.ends_with('|') {
                self.shell_arg(
                    &Arg::literal(t.trim_matches('|'), a.span),
                    &Stream::unknown(),
                    false,
                );
            }
        }
    }

    /// A size that isn't zero only makes a file of that length.
    fn truncate(&mut self, rest: &[Arg]) -> Option<Stream> {
        let ctx = self.ctx;
        let spec = ctx.table.get("truncate")?;
        let (call, _) = read(spec, rest);
        let size = call
            .flags
            .iter()
            .rev()
            .find(|f| matches!(f.name.as_str(), "-s" | "--size"))
            .and_then(|f| f.values.first())?;
        let digits = size.text.trim_start_matches(['+', '>', '%', '/']);
        let grows = digits
            .bytes()
            .next()
            .is_some_and(|c| (b'1'..=b'9').contains(&c));
        if !grows {
            return None;
        }
        for a in &call.operands {
            self.path_write(a);
        }
        Some(Stream::unknown())
    }

    /// True if the line itself wrote this file.
    pub(crate) fn wrote(&self, file: &str) -> bool {
        !self.files.is_empty()
            && super::path::normalise(file, self.cwd.as_deref())
                .is_some_and(|p| self.files.contains_key(&p))
    }
}
