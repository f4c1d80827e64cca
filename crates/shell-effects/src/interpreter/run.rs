//! Determines the program that a list of words runs, and runs it.

use super::engine::{Engine, Stream};
use super::expand::Arg;
use crate::calls::spec_eval;
use crate::chars::{ANY, SAFE_UNKNOWN, STAR, UNKNOWN, has_unknown, show};
use crate::code;
use crate::effect::{Certainty, EffectKind, RiskLevel, Span, StepOrigin};
use crate::paths::path::PathClass;
use crate::programs::{self, Invocation, downloads, filters, printed_secrets, project_code};
use crate::syntax::parse::Base;
use crate::syntax::quote::quote;

/// Directories whose programs are identified by name alone.
const BIN_DIRS: &[&str] = &[
    "/bin",
    "/sbin",
    "/usr/bin",
    "/usr/sbin",
    "/usr/local/bin",
    "/usr/local/sbin",
    "/opt/homebrew/bin",
    "/snap/bin",
    "/usr/games",
    "/usr/lib/git-core",
    "/usr/libexec",
    "/usr/libexec/git-core",
    "/run/current-system/sw/bin",
    "/busybox",
    "/system/bin",
];

/// Directories of a project or a user with installed tools.
pub(super) const TOOL_DIRS: &[&str] = &[
    "node_modules/.bin",
    ".venv/bin",
    "venv/bin",
    "env/bin",
    ".cargo/bin",
    ".local/bin",
    "go/bin",
    "vendor/bin",
    ".bun/bin",
    ".deno/bin",
    "miniconda3/bin",
    "anaconda3/bin",
    ".pyenv/shims",
    ".rbenv/shims",
    ".nvm/current/bin",
    "venv/Scripts",
    ".venv/Scripts",
    ".tox/py3/bin",
];

impl Engine<'_> {
    /// Runs a command given as expanded words.
    pub(crate) fn run_args(
        &mut self,
        args: &[Arg],
        stdin: &Stream,
        want: bool,
        span: Span,
    ) -> Stream {
        let Some(first) = args.first() else {
            return Stream::unknown();
        };
        self.burn(16 + args.iter().map(|a| a.text.len() / 8 + 2).sum::<usize>());
        if self.is_spent(span) {
            return Stream::unknown();
        }
        if self.work.is_too_deep() {
            self.dynamic(span, "commands nested too deeply");
            return Stream::unknown();
        }
        // If an unquoted variable is empty, the next word becomes the program.
        let text = first.text.as_str();
        if text.contains([UNKNOWN, SAFE_UNKNOWN, STAR, ANY]) {
            return self.unknown_program(args, stdin, want, span);
        }
        if first.obfuscated {
            self.dynamic(first.span, "the name of the program is computed to hide it");
        }
        if let Some(body) = self.shell.alias(text)
            && !first.quoted
            && !self.work.is_too_deep()
        {
            return self.run_alias(&body, args, stdin, want, span);
        }
        if self.shell.has_function(text) {
            let i = self.step(text, args.get(1..).unwrap_or_default(), span);
            let parent = self.sink.enter_step(i);
            let rest = args.get(1..).unwrap_or_default();
            let s = self.call_function(text, rest, stdin, want, span);
            self.sink.leave_step(parent);
            return s;
        }
        let Some(name) = self.program_name(first, stdin) else {
            let i = self.step(text, args.get(1..).unwrap_or_default(), span);
            let parent = self.sink.enter_step(i);
            self.local_program(first, args, stdin);
            self.sink.leave_step(parent);
            return Stream::unknown();
        };
        let rest = args.get(1..).unwrap_or_default();
        let i = self.step(&name, rest, span);
        let parent = self.sink.enter_step(i);
        self.work.enter();
        let out = self.run_program(&name, first, rest, stdin, want, span);
        self.work.leave();
        self.sink.leave_step(parent);
        out
    }

    fn run_alias(
        &mut self,
        body: &str,
        args: &[Arg],
        stdin: &Stream,
        want: bool,
        span: Span,
    ) -> Stream {
        let mut text = body.to_owned();
        for a in args.iter().skip(1) {
            text.push(' ');
            text.push_str(&quote(&a.text));
        }
        let name = args.first().map(|a| a.text.clone()).unwrap_or_default();
        // An alias isn't expanded inside itself.
        let saved = self.shell.remove_alias(&name);
        let s = self.run_text(&text, Base::Fixed(span), StepOrigin::Code, stdin, want);
        if let Some(b) = saved {
            self.shell.set_alias(name, b);
        }
        s
    }

    fn unknown_program(&mut self, args: &[Arg], stdin: &Stream, want: bool, span: Span) -> Stream {
        let Some(first) = args.first() else {
            return Stream::unknown();
        };
        let i = self.step(&first.text, args.get(1..).unwrap_or_default(), span);
        let _ = i;
        let why = if has_unknown(&first.text) {
            "which program runs isn't known from the text"
        } else {
            "the program is given by a pattern"
        };
        self.emit_raw(
            EffectKind::Dynamic,
            Some(show(&first.text)),
            Certainty::Certain,
            first.span,
            RiskLevel::High,
            why,
        );
        let _ = (stdin, want);
        Stream::unknown()
    }

    /// Returns the name to look up in the table. `None` for a file of the project or in an unknown
    /// directory.
    pub(crate) fn program_name(&mut self, first: &Arg, stdin: &Stream) -> Option<String> {
        let text = first.text.as_str();
        let _ = stdin;
        if !text.contains('/') {
            return Some(text.to_owned());
        }
        let abs = self.resolve(text).unwrap_or_else(|| text.to_owned());
        if self.history.has_written(&abs) {
            return None;
        }
        let (dir, base) = abs.rsplit_once('/')?;
        if BIN_DIRS.contains(&dir) {
            return Some(base.to_owned());
        }
        if TOOL_DIRS.iter().any(|t| dir.ends_with(t)) {
            // Elsewhere, anybody can fill a directory of that name.
            let class = self.classify(dir).class;
            let own = matches!(class, PathClass::Inside | PathClass::Root | PathClass::Home);
            return own.then(|| base.to_owned());
        }
        if dir.starts_with("/usr/lib/")
            || dir.starts_with("/opt/") && dir.ends_with("/bin")
            || dir.starts_with("/nix/store/")
        {
            return Some(base.to_owned());
        }
        None
    }

    /// Runs a program given by its path that isn't an installed tool.
    fn local_program(&mut self, first: &Arg, args: &[Arg], stdin: &Stream) {
        self.script(first, "", stdin);
        downloads::framework(self, first, args.get(1..).unwrap_or_default());
    }

    /// Runs a file as a program or script. Always returns true.
    pub(crate) fn script(&mut self, arg: &Arg, interpreter: &str, stdin: &Stream) -> bool {
        let text = arg.text.as_str();
        let lang = interpreter_language(interpreter);
        if text == "-" || text == "/dev/stdin" {
            if stdin.present {
                let code = Arg {
                    text: stdin.text.clone().unwrap_or_else(|| UNKNOWN.to_string()),
                    span: arg.span,
                    obfuscated: stdin.obfuscated,
                    ..Arg::default()
                };
                code::code(self, lang, &code, &Stream::default());
            }
            return true;
        }
        if text.starts_with("/dev/tcp/") {
            self.dynamic(arg.span, "runs data from the network");
            return true;
        }
        if text.contains("://") {
            self.network(arg);
            self.dynamic(arg.span, "runs a program fetched from the network");
            return true;
        }
        let abs = self.resolve(text).unwrap_or_default();
        let proc = text.starts_with("/dev/fd/proc");
        if proc || self.history.has_written(&abs) {
            match self.file_text(text) {
                Some(code) => {
                    let obfuscated = proc
                        && text
                            .strip_prefix("/dev/fd/proc")
                            .and_then(|n| n.parse::<usize>().ok())
                            .and_then(|n| self.shell.stream(n))
                            .is_some_and(|s| s.obfuscated);
                    let lang = if interpreter.is_empty() {
                        shebang(&code)
                    } else {
                        lang
                    };
                    let a = Arg {
                        text: code,
                        span: arg.span,
                        obfuscated,
                        ..Arg::default()
                    };
                    project_code::imports(self, lang, &a);
                    code::code(self, lang, &a, stdin);
                }
                None => self.dynamic(
                    arg.span,
                    "runs a file whose text was only made by this line",
                ),
            }
            return true;
        }
        // Interpreters add the extension themselves.
        let with_extension = ["js", "cjs", "mjs", "ts", "py", "rb", "lua"]
            .iter()
            .map(|extension| format!("{abs}.{extension}"))
            .any(|path| lang != "sh" && self.history.has_written(&path));
        if with_extension || self.history.edited().contains(&abs) {
            self.dynamic(arg.span, "runs a file that this line has written");
            return true;
        }
        let info = self.classify(text);
        if text == "/dev/null" {
            return true;
        }
        if matches!(info.class, PathClass::Inside | PathClass::Root) {
            project_code::changed_modules(self, lang, arg.span);
        }
        let (risk, why) = match info.class {
            _ if has_unknown(text) => {
                self.dynamic(arg.span, "runs a file that isn't known");
                return true;
            }
            PathClass::Inside | PathClass::Root if self.history.has_downloaded() => {
                self.dynamic(arg.span, "runs a file that this line may have fetched");
                return true;
            }
            PathClass::Inside | PathClass::Root => {
                (RiskLevel::Medium, "runs a file of the work tree")
            }
            PathClass::Temporary => (RiskLevel::High, "runs a file from a temporary directory"),
            PathClass::GitInternal => (RiskLevel::High, "runs a file from git's own directory"),
            _ => (RiskLevel::High, "runs a file outside the work tree"),
        };
        self.emit_raw(
            EffectKind::Execute,
            Some(show(text)),
            Certainty::Certain,
            arg.span,
            risk,
            why,
        );
        true
    }

    /// Runs the command of a wrapper.
    pub(crate) fn wrapped(
        &mut self,
        args: &[Arg],
        stdin: &Stream,
        want: bool,
        span: Span,
    ) -> Stream {
        if self.work.is_too_deep() {
            self.dynamic(span, "commands nested too deeply");
            return Stream::unknown();
        }
        let origin = self.sink.set_origin(StepOrigin::Wrapper);
        let functions = self.shell.take_functions();
        let aliases = self.shell.take_aliases();
        let s = self.run_args(args, stdin, want, span);
        self.shell.restore_functions(functions);
        self.shell.restore_aliases(aliases);
        self.sink.set_origin(origin);
        s
    }

    fn run_program(
        &mut self,
        name: &str,
        first: &Arg,
        rest: &[Arg],
        stdin: &Stream,
        want: bool,
        span: Span,
    ) -> Stream {
        printed_secrets::variables(self, name, rest, stdin, span);
        if let Some(s) = self.builtin(name, first, rest, stdin, want, span) {
            return s;
        }
        let mut call = Invocation {
            name,
            rest,
            stdin,
            want,
            span,
        };
        if let Some(s) = programs::run(&call, self) {
            return s;
        }
        if let Some(table_name) = self.table_name(name) {
            // `bash-5.2`, `python3.11`
            if table_name != name {
                call.name = &table_name;
                if let Some(s) = programs::run(&call, self) {
                    return s;
                }
            }
            let piped = stdin.present && !stdin.inline && stdin.text.is_none();
            let first_arg = rest.first().map(|a| a.text.as_str()).unwrap_or_default();
            if table_name == "git" && first_arg == "clone"
                || matches!(
                    table_name.as_str(),
                    "tar" | "bsdtar" | "cpio" | "unzip" | "gtar"
                ) && piped
                    && self.sink.has(EffectKind::Network)
            {
                self.history.mark_downloaded();
            }
            let ctx = self.ctx;
            if let Some(spec) = ctx.table.get(&table_name) {
                let first = self.effect_count();
                let out = spec_eval::apply(self, &table_name, spec, rest, stdin, want, span);
                if matches!(table_name.as_str(), "sqlite3" | "sqlite" | "duckdb")
                    && self.sink.has_changed_data(first)
                {
                    programs::files::write_database(self, spec, rest);
                }
                if table_name == "ln" {
                    programs::files::link(self, rest);
                }
                if want {
                    return filters::filter_output(self, &table_name, rest, stdin, out);
                }
                return out;
            }
        }
        self.unlisted(name, first, rest);
        Stream::unknown()
    }

    /// Returns the name in the table, without version (`python3.12`) and `.exe`.
    pub(crate) fn table_name(&self, name: &str) -> Option<String> {
        let table = self.ctx.table;
        if table.contains(name) {
            return Some(name.to_owned());
        }
        let mut base = name;
        if let Some(b) = base
            .strip_suffix(".exe")
            .or_else(|| base.strip_suffix(".EXE"))
        {
            base = b;
            if table.contains(base) {
                return Some(base.to_owned());
            }
        }
        // `npx tool@1.2` and `uvx tool@latest` name a version.
        if let Some((b, v)) = base.split_once('@')
            && !b.is_empty()
            && v.bytes()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, b'.' | b'-' | b'^' | b'~'))
            && table.contains(b)
        {
            return Some(b.to_owned());
        }
        let cut = base
            .trim_end_matches(|c: char| c.is_ascii_digit() || c == '.')
            .trim_end_matches('-');
        (cut.len() > 1 && cut.len() < base.len() && table.contains(cut)).then(|| cut.to_owned())
    }

    fn unlisted(&mut self, name: &str, first: &Arg, rest: &[Arg]) {
        let is_cmdlet = code::powershell::is_cmdlet(name);
        let cmdlet = is_cmdlet.then_some(crate::syntax::non_posix::POWERSHELL);
        if let Some(why) = cmdlet.or_else(|| crate::syntax::non_posix::program(name)) {
            self.emit_unknown(Some(show(name)), first.span, why);
            return;
        }
        // Asking an installed program for its version or help is harmless.
        let only_help = matches!(
            rest,
            [a] if matches!(a.text.as_str(), "--version" | "--help" | "-version" | "-help" | "-V")
        );
        let made_here = self.shell.has_var("PATH")
            || self
                .history
                .files()
                .keys()
                .any(|f| f.rsplit('/').next() == Some(name));
        let risk = match (only_help, made_here) {
            (true, false) => RiskLevel::Low,
            (true, true) => RiskLevel::Medium,
            (false, _) => RiskLevel::High,
        };
        self.emit_raw(
            EffectKind::Unknown,
            Some(show(name)),
            Certainty::Possible,
            first.span,
            risk,
            "a program that isn't in the table",
        );
    }
}

/// Returns the language that an interpreter runs.
pub(crate) fn interpreter_language(name: &str) -> &'static str {
    let base = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    match base {
        "python" | "pypy" | "ipython" => "python",
        "perl" => "perl",
        "ruby" => "ruby",
        "node" | "nodejs" | "deno" | "bun" | "tsx" | "ts-node" => "js",
        "php" => "php",
        "lua" | "luajit" => "lua",
        "osascript" => "osascript",
        "pwsh" | "powershell" => "powershell",
        "awk" | "gawk" | "mawk" | "nawk" => "awk",
        "sed" | "gsed" => "sed",
        "Rscript" | "R" => "r",
        "tclsh" | "expect" => "tcl",
        "make" | "gmake" => "make",
        "fish" | "csh" | "tcsh" => "sh",
        "psql" | "mysql" | "sqlite" => "sql",
        "dc" => "dc",
        _ => "sh",
    }
}

/// Returns the language of a script by its first line.
pub(crate) fn shebang(code: &str) -> &'static str {
    let first = code.lines().next().unwrap_or_default();
    if !first.starts_with("#!") {
        return "sh";
    }
    let mut last = "sh";
    for w in first.trim_start_matches("#!").split_ascii_whitespace() {
        let base = w.rsplit('/').next().unwrap_or(w);
        if base == "env" || base.starts_with('-') {
            continue;
        }
        last = interpreter_language(base);
        break;
    }
    last
}
