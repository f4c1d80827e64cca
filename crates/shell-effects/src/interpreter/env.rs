//! Environment variables that run programs or change what runs.

use super::engine::{Engine, Stream};
use super::expand::{Arg, Var};
use super::hosts::KEY_SERVERS;
use crate::calls::shell_args;
use crate::chars::{INHERITED, UNKNOWN, has_unknown, show};
use crate::effect::{Certainty, EffectKind, RiskLevel, Span};
use crate::programs::git_settings;

/// Variables with the server of a database client.
const SERVERS: [&str; 15] = [
    "PGHOST",
    "PGHOSTADDR",
    "PGSERVICE",
    "PGSERVICEFILE",
    "MYSQL_HOST",
    "CLICKHOUSE_HOST",
    "CQLSH_HOST",
    "SQLCMDSERVER",
    "NEO4J_ADDRESS",
    "HELM_KUBEAPISERVER",
    "KUBERNETES_MASTER",
    "GH_HOST",
    "GITLAB_HOST",
    "TWINE_REPOSITORY_URL",
    "HF_ENDPOINT",
];

/// Variables whose value is a command line or a program.
const RUNS: &[&str] = &[
    "GIT_SSH_COMMAND",
    "GIT_SSH",
    "GIT_EXTERNAL_DIFF",
    "GIT_EDITOR",
    "GIT_SEQUENCE_EDITOR",
    "GIT_PAGER",
    "GIT_ASKPASS",
    "GIT_PROXY_COMMAND",
    "GIT_DIFF_OPTS_COMMAND",
    "PAGER",
    "MANPAGER",
    "BAT_PAGER",
    "DELTA_PAGER",
    "SYSTEMD_PAGER",
    "PSQL_PAGER",
    "AWS_PAGER",
    "GH_PAGER",
    "EDITOR",
    "VISUAL",
    "FCEDIT",
    "BROWSER",
    "GH_BROWSER",
    "GH_EDITOR",
    "SSH_ASKPASS",
    "SUDO_ASKPASS",
    "SUDO_EDITOR",
    "PROMPT_COMMAND",
    "PS4",
    "PS0",
    "LESSOPEN",
    "LESSCLOSE",
    "RSYNC_RSH",
    "RSYNC_CONNECT_PROG",
    "CARGO_BUILD_RUSTC",
    "CVS_RSH",
    "SVN_SSH",
    "SVN_EDITOR",
    "HGEDITOR",
    "TAR_OPTIONS_COMMAND",
    "KUBE_EDITOR",
    "PSQL_EDITOR",
    "CC",
    "CXX",
    "LD",
    "AR",
    "MAKE_SHELL",
    "RUSTC_WRAPPER",
    "RUSTC_WORKSPACE_WRAPPER",
    "CARGO_BUILD_RUSTC_WRAPPER",
    "CMAKE_C_COMPILER_LAUNCHER",
    "CMAKE_CXX_COMPILER_LAUNCHER",
    "TEXEDIT",
    "MAILER",
    "NODE_REPL_EXTERNAL_MODULE",
    "npm_config_script_shell",
    "npm_config_git",
    "NPM_CONFIG_SCRIPT_SHELL",
    "FZF_DEFAULT_COMMAND",
    "TMUX_COMMAND",
    "XDG_OPEN_COMMAND",
    "TERMINAL",
    "PYTHONBREAKPOINT_COMMAND",
    "DEBUGGER",
    "GZIP_COMMAND",
    "HOMEBREW_EDITOR",
    "GIT_TEMPLATE_COMMAND",
    "RUSTC",
    "RUSTDOC",
    "GOFLAGS_TOOLEXEC",
    "SHELL_COMMAND",
    "LESS_EDITOR",
    "LESSEDIT_COMMAND",
];

/// Variables that load code into other programs.
pub(super) const LOADS: &[&str] = &[
    "LD_PRELOAD",
    "LD_LIBRARY_PATH",
    "LD_AUDIT",
    "DYLD_INSERT_LIBRARIES",
    "DYLD_LIBRARY_PATH",
    "BASH_ENV",
    "ENV",
    "PERL5OPT",
    "PERL5LIB",
    "PERLLIB",
    "PERL5DB",
    "PYTHONSTARTUP",
    "PYTHONHOME",
    "PYTHONINSPECT",
    "PYTHONBREAKPOINT",
    "PYTHONWARNINGS",
    "RUBYOPT",
    "RUBYLIB",
    "NODE_OPTIONS",
    "JAVA_TOOL_OPTIONS",
    "_JAVA_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "GIT_CONFIG",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
    "GCC_EXEC_PREFIX",
    "GIT_EXEC_PATH",
    "GIT_TEMPLATE_DIR",
    "GIT_DIR",
    "GIT_COMMON_DIR",
    "PYTHONPATH",
    "PYTHONPYCACHEPREFIX",
    "NODE_PATH",
    "HOME",
    "XDG_CONFIG_HOME",
    "XDG_CONFIG_DIRS",
    "RIPGREP_CONFIG_PATH",
    "ACKRC",
    "CARGO_HOME",
    "KUBECONFIG",
    "CURL_HOME",
    "WGETRC",
    "SYSTEM_WGETRC",
    "PSQLRC",
    "FZF_DEFAULT_OPTS",
    "FZF_DEFAULT_OPTS_FILE",
    "LESS",
    "RUSTFLAGS",
    "RUSTDOCFLAGS",
    "CARGO_ENCODED_RUSTFLAGS",
    "CARGO_BUILD_RUSTFLAGS",
    "SHELL",
    "MAKESHELL",
    "SHELLOPTS",
    "BASHOPTS",
    "IFS_LOAD",
    "GCONV_PATH",
    "GLIBC_TUNABLES",
    "LUA_INIT",
    "VIMINIT",
    "EXINIT",
    "VIM",
    "MAKEFLAGS",
    "GNUMAKEFLAGS",
    "TERMINFO",
    "INPUTRC",
    "ZDOTDIR",
    "PYTHONUSERBASE",
    "OPENSSL_CONF",
    "OPENSSL_ENGINES",
    "LESSKEY",
    "LESSKEYIN",
    "LESSKEY_CONTENT",
    "GOFLAGS",
    "RUSTFLAGS_LINKER",
    "PHPRC",
    "PHP_INI_SCAN_DIR",
    "R_PROFILE",
    "R_PROFILE_USER",
    "JULIA_LOAD_PATH",
    "ERL_FLAGS",
    "ERL_AFLAGS",
    "MAVEN_OPTS",
    "GRADLE_OPTS",
    "ANT_OPTS",
    "SBT_OPTS",
    "KUBECONFIG_EXEC",
    "TF_CLI_CONFIG_FILE",
    "ANSIBLE_CONFIG",
    "CARGO_TARGET_RUNNER",
    "TAR_OPTIONS",
    "MAKEFILES",
    "CMAKE_TOOLCHAIN_FILE",
    "DOTNET_STARTUP_HOOKS",
    "DOTNET_ADDITIONAL_DEPS",
    "CORECLR_PROFILER_PATH",
    "GTK_MODULES",
    "GTK3_MODULES",
    "TCLLIBPATH",
    "LOCPATH",
    "COMPOSER",
    "NPM_CONFIG_USERCONFIG",
    "npm_config_userconfig",
    "ELIXIR_ERL_OPTIONS",
    "CFLAGS",
    "CXXFLAGS",
    "CPPFLAGS",
    "LDFLAGS",
    "CGO_CFLAGS",
    "CGO_CXXFLAGS",
    "CGO_LDFLAGS",
];

/// Variables with the source of packages.
const REGISTRIES: &[&str] = &[
    "PIP_INDEX_URL",
    "PIP_EXTRA_INDEX_URL",
    "PIP_FIND_LINKS",
    "UV_INDEX_URL",
    "UV_EXTRA_INDEX_URL",
    "UV_DEFAULT_INDEX",
    "UV_INDEX",
    "npm_config_registry",
    "NPM_CONFIG_REGISTRY",
    "YARN_REGISTRY",
    "YARN_NPM_REGISTRY_SERVER",
    "BUN_CONFIG_REGISTRY",
    "GOPROXY",
    "RUBYGEMS_HOST",
    "GEM_SOURCE",
    "CARGO_REGISTRIES_CRATES_IO_INDEX",
    "HOMEBREW_BOTTLE_DOMAIN",
    "HOMEBREW_ARTIFACT_DOMAIN",
    "CONDA_CHANNELS",
    "CPAN_MIRROR",
    "PERL_CPANM_OPT",
];

/// Returns whether a name is typical for a variable with a secret: `DB_PASSWORD`, `GITHUB_TOKEN`,
/// `AWS_SECRET_ACCESS_KEY`. Local variables (`token`), counts (`MAX_TOKENS`) and paths to a secret
/// (`TOKEN_FILE`) don't match.
pub(crate) fn names_secret(name: &str) -> bool {
    if name.len() > 128 || name.bytes().any(|c| c.is_ascii_lowercase()) {
        return false;
    }
    let words: Vec<&str> = name.split('_').collect();
    let leads = matches!(
        words.last(),
        Some(
            &("FILE"
                | "PATH"
                | "DIR"
                | "NAME"
                | "ID"
                | "URL"
                | "TTL"
                | "LENGTH"
                | "TYPE"
                | "COUNT")
        )
    );
    let key = |w: &[&str]| {
        matches!(
            w,
            [
                "API" | "PRIVATE" | "ACCESS" | "SIGNING" | "ENCRYPTION",
                "KEY"
            ]
        )
    };
    let secret = |w: &&str| {
        matches!(
            *w,
            "SECRET" | "TOKEN" | "PASSWORD" | "PASSWD" | "PASSPHRASE" | "APIKEY" | "PGPASSWORD"
        )
    };
    !leads && (words.iter().any(secret) || words.windows(2).any(key))
}

impl Engine<'_> {
    /// Sets a variable and adds the effects of that.
    pub(crate) fn store(&mut self, name: String, value: Var, span: Span) {
        if name.starts_with(UNKNOWN) && value.text.contains(['/', UNKNOWN]) {
            self.dynamic(span, "sets a variable whose name isn't known");
        }
        self.env_effect(&name, &value.text, span);
        self.shell.set_var(name, value);
    }

    /// Adds the effects of setting a variable. An unknown value counts as a dangerous one, unless
    /// the environment has set it before.
    pub(crate) fn env_effect(&mut self, name: &str, value: &str, span: Span) {
        self.known_env_effect(name, value, span);
        let unknown = value.contains(UNKNOWN) && value.replace(INHERITED, "").contains(UNKNOWN);
        if unknown && name == "IFS" {
            self.dynamic(
                span,
                "separators that aren't known decide what the words of the line are",
            );
        } else if unknown {
            if name == "PATH" || SERVERS.contains(&name) {
                return;
            }
            if matches!(name, "DOCKER_HOST" | "CONTAINER_HOST" | "PODMAN_HOST") {
                self.known_env_effect(name, &value.replace(UNKNOWN, "tcp://unknown"), span);
            }
            let cargo = name.starts_with("CARGO_TARGET_") && !name.ends_with("_DIR");
            if cargo || LOADS.contains(&name) || RUNS.contains(&name) || name.starts_with("HIST") {
                self.dynamic(
                    span,
                    "a variable that other programs follow, whose value isn't known",
                );
            } else if super::unlisted_variables::value_kind(name).is_some() {
                self.known_env_effect(name, &value.replace(UNKNOWN, "/tmp/unknown"), span);
                self.known_env_effect(name, &value.replace(UNKNOWN, "/etc/unknown"), span);
            }
        }
    }

    /// Adds the effects of setting a variable whose unknown parts are values that it had before.
    pub(super) fn known_env_effect(&mut self, name: &str, value: &str, span: Span) {
        let proxy = matches!(
            name.to_ascii_lowercase().as_str(),
            "http_proxy" | "https_proxy" | "ftp_proxy" | "all_proxy"
        );
        let may_act = name
            .bytes()
            .next()
            .is_some_and(|c| c.is_ascii_uppercase() || matches!(c, b'_' | b'n'));
        if name.len() < 2 || !(may_act || proxy) {
            return;
        }
        self.burn(8);
        if proxy {
            if !value.is_empty() {
                let (host, why) = (
                    super::hosts::host_of(value),
                    "requests go through another host",
                );
                self.emit_raw(
                    EffectKind::Network,
                    Some(show(host)),
                    Certainty::Possible,
                    span,
                    RiskLevel::Medium,
                    why,
                );
            }
            return;
        }
        if SERVERS.contains(&name) {
            return self.server(&Arg::literal(value, span));
        }
        if KEY_SERVERS.contains(&name) && !value.is_empty() {
            return self.key_server(&Arg::literal(value, span));
        }
        if matches!(name, "BASH_CMDS" | "BASH_ALIASES") {
            self.dynamic(span, "changes which program a name means");
            return;
        }
        if RUNS.contains(&name) {
            self.runs_value(name, value, span);
        } else if LOADS.contains(&name) {
            self.loads_value(name, value, span);
        } else if name.starts_with("BASH_FUNC_") {
            self.dynamic(span, "defines a function for every shell that follows");
        } else if name.starts_with("GIT_CONFIG_KEY_") {
            // Its value is in another variable, which may be set later or outside of the line.
            git_settings::git_setting(self, value, &Arg::literal(UNKNOWN, span));
        } else if name.starts_with("GIT_CONFIG_VALUE_") {
            if value.starts_with('!') || value.contains('/') || has_unknown(value) {
                self.dynamic(span, "sets a configuration of git that may run programs");
            }
        } else if name.starts_with("CARGO_TARGET_")
            && (name.ends_with("_RUNNER") || name.ends_with("_LINKER"))
        {
            self.runs_value(name, value, span);
        } else if REGISTRIES.contains(&name) {
            let known = [
                "https://registry.npmjs.org",
                "https://registry.yarnpkg.com",
                "https://pypi.org/",
                "https://proxy.golang.org",
                "https://rubygems.org",
                "https://index.crates.io",
                "https://download.pytorch.org/whl",
            ];
            let harmless = value.is_empty()
                || matches!(value, "off" | "direct")
                || known.iter().any(|k| {
                    value.starts_with(k) && !value.contains([',', ' ', '|'])
                        || value == format!("{k},direct")
                });
            if !harmless {
                self.emit_raw(
                    EffectKind::Install,
                    Some(format!("{name}={}", show(value))),
                    Certainty::Possible,
                    span,
                    RiskLevel::High,
                    "packages come from another registry",
                );
            }
        } else if matches!(name, "DOCKER_HOST" | "CONTAINER_HOST" | "PODMAN_HOST")
            && !value.starts_with("unix://")
            && !value.is_empty()
        {
            let host = super::hosts::host_of(value);
            // Unlike `ssh://`, it doesn't authenticate the host: the project and its files are sent
            // to anyone there.
            let near = ["localhost", "127.", "10.", "192.168.", "172.", "docker"];
            let open = value.starts_with("tcp://") && !near.iter().any(|n| host.starts_with(n));
            self.emit_raw(
                EffectKind::Network,
                Some(show(host)),
                Certainty::Possible,
                span,
                if open {
                    RiskLevel::High
                } else {
                    RiskLevel::Medium
                },
                "controls containers on another machine",
            );
        } else if name == "DOCKER_CONTEXT"
            && !matches!(value, "" | "default" | "rootless")
            && !value.starts_with("desktop-")
        {
            let why = "controls containers on another machine";
            self.emit_raw(
                EffectKind::Network,
                Some(show(value)),
                Certainty::Possible,
                span,
                RiskLevel::Medium,
                why,
            );
        } else if name == "PATH" {
            self.path_value(value, span);
        } else if matches!(
            name,
            "HISTFILE" | "HISTSIZE" | "HISTFILESIZE" | "HISTCONTROL" | "HISTIGNORE"
        ) {
            if matches!(value, "/dev/null" | "0" | "")
                || name == "HISTIGNORE" && value.contains('*')
            {
                self.emit_raw(
                    EffectKind::System,
                    Some(name.to_owned()),
                    Certainty::Certain,
                    span,
                    RiskLevel::High,
                    "hides the history of the shell",
                );
            }
        } else if let Some(what) = super::unlisted_variables::value_kind(name) {
            self.unlisted_variable(what, name, value, span);
        } else if matches!(name, "NODE_TLS_REJECT_UNAUTHORIZED") && value == "0" {
            self.emit_raw(
                EffectKind::Network,
                None,
                Certainty::Possible,
                span,
                RiskLevel::Medium,
                "disables the check of certificates",
            );
        }
    }

    pub(super) fn runs_value(&mut self, name: &str, value: &str, span: Span) {
        // `PAGER=cat`, `EDITOR=true`: known to be harmless.
        let head = value.split_ascii_whitespace().next().unwrap_or_default();
        let base = head.rsplit('/').next().unwrap_or_default();
        let installed = !head.contains('/')
            || matches!(
                self.classify(head).class,
                crate::paths::path::PathClass::System
            )
            || head.starts_with("/usr/")
            || head.starts_with("/opt/");
        if value.is_empty()
            || installed
                && matches!(
                    base,
                    "cat"
                        | "less"
                        | "more"
                        | "true"
                        | ":"
                        | "false"
                        | "echo"
                        | "delta"
                        | "bat"
                        | "most"
                        | "vi"
                        | "vim"
                        | "nvim"
                        | "nano"
                        | "emacs"
                        | "code"
                        | "gcc"
                        | "g++"
                        | "clang"
                        | "clang++"
                        | "cc"
                        | "c++"
                        | "ld"
                        | "ar"
                        | "sccache"
                        | "ccache"
                        | "xdg-open"
                )
                && !value.contains([';', '|', '&', '`', '$', '<', '>', '!', '\n', '\0'])
                && !(name == "PS4" || name == "PROMPT_COMMAND")
                && value.split_ascii_whitespace().skip(1).all(|w| {
                    w.starts_with('-')
                        && !w.starts_with("-c")
                        && !w.starts_with("-e")
                        && !w.contains("cmd")
                        && !w.contains('=')
                })
        {
            return;
        }
        if name == "PS4" || name == "PS0" {
            if value.contains("$(") || value.contains('`') {
                self.dynamic(span, "the prompt runs a command");
            }
            return;
        }
        if value == "\0" {
            // Inherited from the environment unchanged.
            self.emit_raw(
                EffectKind::Execute,
                Some(name.to_owned()),
                Certainty::Possible,
                span,
                RiskLevel::Medium,
                "names a program that other programs run",
            );
            return;
        }
        // `ssh -i key -o StrictHostKeyChecking=no`: options of the usual program.
        let plain_ssh = name.starts_with("GIT_SSH")
            && base == "ssh"
            && !value.to_ascii_lowercase().contains("command");
        if plain_ssh && !value.contains([';', '|', '&', '`', '$', '<', '>', '\0', '\n']) {
            return;
        }
        let arg = Arg::literal(value, span);
        shell_args::shell_arg(self, &arg, &Stream::default(), false);
        self.emit_raw(
            EffectKind::Dynamic,
            Some(format!("{name}={}", show(value))),
            Certainty::Possible,
            span,
            RiskLevel::High,
            "a variable that makes other programs run this command",
        );
    }

    fn loads_value(&mut self, name: &str, value: &str, span: Span) {
        let harmless = value.is_empty()
            || match name {
                "NODE_OPTIONS" => !["require", "import", "loader", "-r", "inspect", "\0"]
                    .iter()
                    .any(|w| value.contains(w)),
                "RUBYOPT" | "PERL5OPT" => value
                    .split_ascii_whitespace()
                    .all(|w| w.starts_with("-W") || w == "-w"),
                "MAKEFLAGS" | "GNUMAKEFLAGS" => value
                    .split_ascii_whitespace()
                    .all(|w| w.starts_with("-j") || w == "-s" || w == "--silent" || w == "-k"),
                "TAR_OPTIONS" => !["action", "command", "program", "script", "\0"]
                    .iter()
                    .any(|w| value.contains(w)),
                "ELIXIR_ERL_OPTIONS" => !["eval", "-s", "-run", "-pa", "\0"]
                    .iter()
                    .any(|w| value.contains(w)),
                "CFLAGS" | "CXXFLAGS" | "CPPFLAGS" | "LDFLAGS" | "CGO_CFLAGS" | "CGO_CXXFLAGS"
                | "CGO_LDFLAGS" => !["-fplugin", "-specs", "-wrapper", "-B", "-load", "@/"]
                    .iter()
                    .any(|w| value.contains(w)),
                "GOFLAGS" => !value.contains("toolexec") && !value.contains("exec"),
                "JAVA_TOOL_OPTIONS" | "_JAVA_OPTIONS" | "JDK_JAVA_OPTIONS" | "MAVEN_OPTS"
                | "GRADLE_OPTS" | "ANT_OPTS" | "SBT_OPTS" => {
                    !value.contains("agent")
                        && !value.contains("OnError")
                        && !value.contains("OnOutOfMemory")
                        && !value.contains('@')
                        && !has_unknown(value)
                }
                "GIT_CONFIG_GLOBAL" | "GIT_CONFIG_SYSTEM" => value == "/dev/null",
                "GIT_CONFIG_COUNT" => value.bytes().all(|c| c.is_ascii_digit()),
                "PYTHONINSPECT" => true,
                // The third part may name a class of a module.
                "PYTHONWARNINGS" => !value
                    .split(',')
                    .any(|w| w.split(':').nth(2).is_some_and(|c| c.contains(['.', '\0']))),
                "PYTHONBREAKPOINT" => {
                    value == "0" || matches!(value, "pdb.set_trace" | "ipdb.set_trace")
                }
                // `+cmd` runs when less starts, `!` in it runs a shell, and prompts may contain
                // anything.
                "LESS" => !value.contains(['+', '!', '|', '\0', '/']) && !value.contains("-o"),
                "FZF_DEFAULT_OPTS" => ![
                    "preview",
                    "bind",
                    "execute",
                    "become",
                    "reload",
                    "transform",
                    "listen",
                    "command",
                    "\0",
                ]
                .iter()
                .any(|w| value.contains(w)),
                "RUSTFLAGS"
                | "RUSTDOCFLAGS"
                | "CARGO_ENCODED_RUSTFLAGS"
                | "CARGO_BUILD_RUSTFLAGS" => {
                    !["linker", "plugin", "load", "\0"]
                        .iter()
                        .any(|w| value.contains(w))
                        || value.contains("linker=clang") && !value.contains(['/', '\0'])
                        || value.contains("linker-flavor") && value.matches("linker").count() == 1
                }
                "SHELL" => matches!(
                    value,
                    "bash"
                        | "sh"
                        | "zsh"
                        | "fish"
                        | "/bin/bash"
                        | "/bin/sh"
                        | "/bin/zsh"
                        | "/usr/bin/bash"
                        | "/usr/bin/zsh"
                        | "/usr/bin/fish"
                        | "\0"
                ),
                "GIT_DIR" | "GIT_COMMON_DIR" => !matches!(
                    self.classify(value).class,
                    crate::paths::path::PathClass::Temporary
                        | crate::paths::path::PathClass::Outside
                        | crate::paths::path::PathClass::System
                ),
                // The user's own settings are read anyway. Settings in a directory that anyone can
                // write to may be someone else's.
                "HOME"
                | "XDG_CONFIG_HOME"
                | "XDG_CONFIG_DIRS"
                | "RIPGREP_CONFIG_PATH"
                | "ACKRC"
                | "CARGO_HOME"
                | "KUBECONFIG"
                | "CURL_HOME"
                | "WGETRC"
                | "SYSTEM_WGETRC"
                | "PSQLRC"
                | "FZF_DEFAULT_OPTS_FILE"
                | "PYTHONPYCACHEPREFIX" => value.split(':').all(|p| {
                    !matches!(
                        self.classify(p).class,
                        crate::paths::path::PathClass::Temporary
                    ) && !matches!(p.trim_end_matches('/'), "/tmp" | "/var/tmp" | "/dev/shm")
                }),
                "PYTHONPATH"
                | "NODE_PATH"
                | "PERL5LIB"
                | "RUBYLIB"
                | "LD_LIBRARY_PATH"
                | "DYLD_LIBRARY_PATH"
                | "TERMINFO"
                | "ANSIBLE_CONFIG"
                | "OPENSSL_CONF"
                | "PHPRC"
                | "TF_CLI_CONFIG_FILE"
                | "CMAKE_TOOLCHAIN_FILE"
                | "DOTNET_STARTUP_HOOKS"
                | "DOTNET_ADDITIONAL_DEPS"
                | "CORECLR_PROFILER_PATH"
                | "GTK_MODULES"
                | "GTK3_MODULES"
                | "TCLLIBPATH"
                | "LOCPATH"
                | "COMPOSER"
                | "NPM_CONFIG_USERCONFIG"
                | "npm_config_userconfig" => value.split(':').all(|p| {
                    p.is_empty() || {
                        let c = self.classify(p).class;
                        matches!(
                            c,
                            crate::paths::path::PathClass::Inside
                                | crate::paths::path::PathClass::Root
                        ) || p.starts_with("/usr/")
                            || p.starts_with("/opt/")
                            || p == INHERITED
                    }
                }),
                _ => false,
            };
        if harmless {
            return;
        }
        self.emit_raw(
            EffectKind::Dynamic,
            Some(format!("{name}={}", show(value))),
            Certainty::Possible,
            span,
            RiskLevel::High,
            "a variable that loads code into other programs",
        );
    }

    /// Adds an effect for an unsafe directory at the front of `PATH`, which may change the meaning
    /// of every program name.
    fn path_value(&mut self, value: &str, span: Span) {
        for dir in value.split(':') {
            if dir == INHERITED || dir == "$PATH" {
                // Directories after the old path can't shadow a program.
                break;
            }
            let below = dir.strip_prefix(INHERITED);
            if below.is_some_and(|b| b.starts_with('/') && !b.contains("..") && !has_unknown(b)) {
                continue;
            }
            if dir.contains(UNKNOWN) {
                let why = "programs are searched in a directory that isn't known";
                return self.unsafe_path(value, span, why);
            }
            let class = self.classify(dir).class;
            let tools = super::run::TOOL_DIRS
                .iter()
                .any(|tools| dir.trim_end_matches('/').ends_with(tools));
            if matches!(
                class,
                crate::paths::path::PathClass::Inside | crate::paths::path::PathClass::Root
            ) && !tools
            {
                let (target, why) = (
                    format!("PATH={}", show(value)),
                    "programs of the work tree come before those of the system",
                );
                self.emit_raw(
                    EffectKind::Execute,
                    Some(target),
                    Certainty::Possible,
                    span,
                    RiskLevel::Medium,
                    why,
                );
            }
            let filled = self.resolve(dir).is_some_and(|dir| {
                let inside = |path: &String| {
                    path.strip_prefix(dir.as_str())
                        .is_some_and(|rest| rest.starts_with('/'))
                };
                self.history.files().keys().any(inside)
            });
            let unsafe_dir = filled
                || dir.is_empty()
                || dir == "."
                || matches!(class, crate::paths::path::PathClass::Temporary)
                || dir.starts_with("/tmp")
                || dir.starts_with("/dev/");
            if unsafe_dir {
                let why = "programs are searched in an unsafe directory first";
                return self.unsafe_path(value, span, why);
            }
        }
    }

    fn unsafe_path(&mut self, value: &str, span: Span, why: &'static str) {
        self.emit_raw(
            EffectKind::Dynamic,
            Some(format!("PATH={}", show(value))),
            Certainty::Possible,
            span,
            RiskLevel::High,
            why,
        );
    }
}
