//! Names of the scripting languages and what calling them does.

use super::lex::Token;
use super::safe_names::{PERL_SAFE, PYTHON_DULL, safe};
use rustc_hash::FxHashMap;
use std::sync::OnceLock;

/// What a name does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    Safe,
    Shell,
    Dynamic,
    Delete,
    DeleteTree,
    Write,
    /// Writes its second argument.
    Write2,
    Move,
    Read,
    Open,
    PerlOpen,
    Network,
    NetSend,
    Process,
    PathMethodDelete,
    PathMethodMove,
    PathMethodOpen,
    /// Changes the directory that later paths start from.
    Chdir,
    /// Sets a variable of the environment.
    Setenv,
    PathMethodWrite,
    PathMethodRead,
    Execute,
    System,
    /// SQL as its first argument.
    Sql,
}

type Names = &'static [(Action, &'static str)];

/// Names by the last part; a blank-separated list for each action.
const PYTHON: Names = &[
    (Action::Sql, "execute executescript executemany"),
    (
        Action::Shell,
        "system popen Popen getoutput getstatusoutput check_output check_call create_subprocess_shell spawn runcmd",
    ),
    (
        Action::Dynamic,
        "eval exec compile __import__ getattr setattr delattr globals locals vars __builtins__ builtins __dict__ __class__ __subclasses__ __mro__ __bases__ __getattribute__ __globals__ __code__ modules import_module importlib runpy run_path run_module loads_pickle pickle marshal shelve dill cloudpickle ctypes cffi code interact pdb breakpoint execfile attrgetter methodcaller ast.literal_exec FunctionType CodeType input_exec settrace setprofile addaudithook b64decode a85decode b85decode b32decode b16decode fromhex unhexlify decompress rot13 codecs",
    ),
    (Action::Delete, "remove unlink"),
    (Action::DeleteTree, "rmtree removedirs rmdir"),
    (
        Action::Write,
        "mkdir makedirs mkfifo mknod truncate chmod lchmod chown lchown utime touch extractall",
    ),
    (
        Action::Write2,
        "copy copyfile copy2 copytree symlink link copymode",
    ),
    (Action::Write, "make_archive"),
    (Action::Chdir, "chdir fchdir"),
    (Action::Setenv, "putenv"),
    (Action::Dynamic, "unsafe_load unsafe_load_all read_pickle"),
    (Action::Move, "rename renames replace_file move"),
    (Action::Open, "open fdopen"),
    (
        Action::Network,
        "urlopen urlretrieve requests urllib http httpx aiohttp ftplib poplib imaplib nntplib xmlrpc",
    ),
    (
        Action::NetSend,
        "post put patch socket create_connection smtplib sendmail telnetlib paramiko websocket websockets HTTPServer TCPServer serve_forever upload_file upload_fileobj put_object",
    ),
    (
        Action::Process,
        "kill killpg fork forkpty setuid setgid setreuid abort _exit pthread_kill reboot",
    ),
    (
        Action::Shell,
        "execv execve execvp execvpe execl execle execlp execlpe spawnl spawnlp spawnv spawnvp posix_spawn posix_spawnp startfile pty.spawn",
    ),
    (
        Action::PathMethodWrite,
        "write_text write_bytes symlink_to hardlink_to link_to",
    ),
    (Action::PathMethodRead, "read_text read_bytes"),
    (
        Action::Write,
        "to_csv to_json to_excel to_parquet to_pickle savefig",
    ),
    (
        Action::System,
        "syscall mmap winreg _winapi setxattr removexattr",
    ),
    (Action::Read, "read_csv read_json read_parquet read_excel"),
];

const JS: Names = &[
    (
        Action::Shell,
        "exec execSync spawn spawnSync execFile execFileSync fork",
    ),
    (
        Action::Dynamic,
        "eval Function constructor runInThisContext runInNewContext runInContext vm binding dlopen _linkedBinding mainModule __proto__ Reflect globalThis atob fromCharCode WebAssembly Worker createRequire register inspector",
    ),
    (Action::Delete, "unlink unlinkSync"),
    (
        Action::DeleteTree,
        "rm rmSync rmdir rmdirSync rimraf emptyDirSync removeSync remove",
    ),
    (
        Action::Write,
        "writeFile writeFileSync appendFile appendFileSync createWriteStream mkdir mkdirSync mkdtempSync truncate truncateSync chmod chmodSync chown chownSync utimesSync outputFileSync writeJsonSync symlinkSync",
    ),
    (
        Action::Write2,
        "copyFile copyFileSync cpSync symlink link linkSync",
    ),
    (Action::Move, "rename renameSync"),
    (
        Action::Read,
        "readFile readFileSync createReadStream readdir readdirSync readlinkSync",
    ),
    (Action::Open, "open openSync"),
    (Action::Network, "fetch http https http2 axios request got"),
    (
        Action::NetSend,
        "net dgram tls connect createConnection createServer post put WebSocket",
    ),
    (Action::Process, "kill setuid setgid abort"),
    (Action::Chdir, "chdir"),
];

const RUBY: Names = &[
    (
        Action::Shell,
        "system exec spawn popen popen2 popen3 popen2e capture2 capture2e capture3 pipeline syscall sh",
    ),
    (
        Action::Dynamic,
        "eval instance_eval class_eval module_eval send public_send __send__ to_proc const_get instance_exec binding load require_relative define_method method_missing unpack unpack1 decode64 strict_decode64 Fiddle Marshal constantize Base64 ObjectSpace",
    ),
    (Action::Delete, "delete unlink safe_unlink"),
    (
        Action::DeleteTree,
        "rm_r rm_rf rm_f rm remove_dir remove_entry rmtree rmdir remove_entry_secure remove",
    ),
    (
        Action::Write,
        "write binwrite mkdir mkdir_p makedirs touch chmod chmod_R chown chown_R truncate",
    ),
    (
        Action::Write2,
        "cp cp_r copy ln ln_s ln_sf symlink link copy_file install",
    ),
    (Action::Move, "mv move rename"),
    (Action::Open, "open File.new"),
    (Action::Read, "read readlines foreach binread"),
    (Action::Network, "get URI.open get_response"),
    (
        Action::NetSend,
        "TCPSocket UDPSocket TCPServer Socket post post_form put UNIXSocket start",
    ),
    (Action::Process, "kill fork daemon setuid abort_on"),
    (Action::Chdir, "chdir cd"),
];

const PHP: Names = &[
    (
        Action::Shell,
        "system exec shell_exec passthru popen proc_open pcntl_exec expect_popen",
    ),
    (
        Action::Dynamic,
        "eval assert create_function call_user_func call_user_func_array include include_once require require_once base64_decode gzinflate gzuncompress str_rot13 hex2bin preg_replace_callback ReflectionFunction array_map array_filter array_walk array_walk_recursive array_reduce usort uasort uksort iterator_apply forward_static_call forward_static_call_array register_shutdown_function register_tick_function set_error_handler set_exception_handler spl_autoload_register ob_start preg_replace_callback_array fromCallable ReflectionMethod dl unserialize ini_set putenv mail FFI",
    ),
    (Action::Delete, "unlink"),
    (Action::DeleteTree, "rmdir"),
    (
        Action::Write,
        "file_put_contents mkdir touch chmod chown chgrp tempnam fputcsv_file",
    ),
    (Action::Write2, "copy symlink link move_uploaded_file"),
    (Action::Move, "rename"),
    (Action::Open, "fopen"),
    (
        Action::Read,
        "file_get_contents readfile file parse_ini_file scandir glob",
    ),
    (
        Action::NetSend,
        "fsockopen pfsockopen stream_socket_client stream_socket_server socket_connect socket_create curl_exec curl_init curl_setopt",
    ),
    (Action::Process, "posix_kill pcntl_fork posix_setuid"),
    (Action::Chdir, "chdir chroot"),
];

const PERL: Names = &[
    (Action::Shell, "system exec"),
    (
        Action::Dynamic,
        "eval do require s///e unpack pack decode_base64 AUTOLOAD can sub_ref syscall dbmopen",
    ),
    (Action::Delete, "unlink"),
    (Action::DeleteTree, "rmdir rmtree remove_tree"),
    (
        Action::Write,
        "mkdir truncate make_path sysopen utime chmod chown",
    ),
    (Action::Write2, "copy symlink link"),
    (Action::Move, "rename move"),
    (Action::PerlOpen, "open"),
    (
        Action::NetSend,
        "socket connect IO::Socket::INET IO::Socket IO::Socket::SSL LWP::UserAgent HTTP::Tiny LWP::Simple Net::FTP",
    ),
    (Action::Process, "kill fork setpgrp"),
    (Action::Chdir, "chdir chroot"),
];

const LUA: Names = &[
    (Action::Shell, "execute popen spawn"),
    (
        Action::Dynamic,
        "load loadstring dofile loadfile require setfenv getfenv _G _ENV debug package loadlib rawget string.char char ffi",
    ),
    (Action::Delete, "remove_file"),
    (Action::Move, "rename"),
    (Action::Open, "open"),
    (Action::Write, "output tmpname"),
    (Action::Read, "lines input"),
];

pub(crate) fn table(lang: &str) -> Names {
    match lang {
        "python" => PYTHON,
        "js" => JS,
        "ruby" => RUBY,
        "php" => PHP,
        "perl" => PERL,
        "lua" => LUA,
        _ => &[],
    }
}

/// The names of a language by text, made once.
fn known(lang: &str, table: Names) -> &'static FxHashMap<&'static str, Action> {
    static MAPS: [OnceLock<FxHashMap<&'static str, Action>>; 6] = [const { OnceLock::new() }; 6];
    static EMPTY: OnceLock<FxHashMap<&'static str, Action>> = OnceLock::new();
    let slot = match lang {
        "python" => MAPS.first(),
        "js" => MAPS.get(1),
        "ruby" => MAPS.get(2),
        "php" => MAPS.get(3),
        "perl" => MAPS.get(4),
        "lua" => MAPS.get(5),
        _ => None,
    };
    slot.unwrap_or(&EMPTY).get_or_init(|| {
        let mut map: FxHashMap<&'static str, Action> =
            safe(lang).split(' ').map(|w| (w, Action::Safe)).collect();
        // What acts wins over what is safe, and the first entry over later ones.
        for (action, names) in table.iter().rev() {
            map.extend(names.split(' ').map(|w| (w, *action)));
        }
        map
    })
}

/// True for a name that does more than read, wherever it stands.
pub(crate) fn acts(lang: &str, name: &str) -> bool {
    let quiet = |a: &Action| {
        matches!(
            a,
            Action::Safe | Action::Read | Action::Open | Action::Network | Action::PathMethodRead
        )
    };
    known(lang, table(lang))
        .get(name)
        .is_some_and(|action| !quiet(action))
}

fn listed(list: &str, name: &str) -> bool {
    list.split(' ').any(|w| w == name)
}

/// What a name does; nothing if it isn't known.
pub(crate) fn lookup(
    lang: &str,
    table: Names,
    name: &str,
    tokens: &[Token],
    i: usize,
) -> Option<Action> {
    let sep: &[char] = if lang == "lua" { &['.', ':'] } else { &['.'] };
    let last = name.rsplit(sep).next().unwrap_or(name);
    let last = last.rsplit("::").next().unwrap_or(last);
    let called = matches!(tokens.get(i + 1), Some(Token::Punct('(')));
    let prev = i.checked_sub(1).and_then(|k| tokens.get(k));
    let member = prev == Some(&Token::Punct('.')) || prev == Some(&Token::Punct('>'));
    // A key of an object or a keyword argument, not a call.
    let next = tokens.get(i + 1);
    if matches!(next, Some(Token::Punct('=')))
        && tokens.get(i + 2) != Some(&Token::Punct('='))
        && lang == "python"
        && !name.contains('.')
        && matches!(prev, Some(Token::Punct('(' | ',')))
    {
        return Some(Action::Safe);
    }
    match lang {
        "python" => {
            match name {
                // `subprocess.run` and the like; a bare `run` or `call` of an imported name too.
                "subprocess.run" | "subprocess.call" | "sp.run" | "sp.call" => return Some(Action::Shell),
                "run" | "call" if called && !member => return Some(Action::Shell),
                _ if called
                    && matches!(last, "run" | "call")
                    && tokens.iter().any(|t| matches!(t, Token::Name(n) if n == "subprocess" || n == "asyncio.subprocess")) =>
                {
                    return Some(Action::Shell);
                }
                // What is loaded can be code, unless the format knows none.
                "torch.load" | "joblib.load" => return Some(Action::Dynamic),
                _ if called && last == "load" => {
                    let head = name.rsplit_once('.').map(|(h, _)| h);
                    let given =
                        |word: &str| tokens.iter().any(|t| matches!(t, Token::Name(n) if n.rsplit('.').next() == Some(word)));
                    return match head {
                        Some("json" | "tomllib" | "toml" | "simplejson" | "ujson" | "orjson" | "tomli") => Some(Action::Safe),
                        Some("yaml") if given("SafeLoader") || given("CSafeLoader") || given("BaseLoader") => Some(Action::Safe),
                        Some("yaml") => Some(Action::Dynamic),
                        Some("np" | "numpy") if given("allow_pickle") => Some(Action::Dynamic),
                        Some("np" | "numpy") => Some(Action::Read),
                        None if given("json") || given("tomllib") => Some(Action::Safe),
                        _ => None,
                    };
                }
                "os.environ.update" | "os.environ.setdefault" => return Some(Action::Setenv),
                // Handed on under another name.
                "open" | "io.open"
                    if !called && !member && !matches!(next, Some(Token::Name(_) | Token::Punct('\n' | ';')) | None) =>
                {
                    return Some(Action::Dynamic);
                }
                "open" | "io.open" if !called && !member && matches!(prev, Some(Token::Punct('=' | ':' | ',' | '(' | '['))) => {
                    return Some(Action::Dynamic);
                }
                "open" if matches!(next, Some(Token::Name(n)) if n == "as") => return Some(Action::Dynamic),
                _ if called && last == "open" && name.contains('.') => {
                    let head = name.rsplit_once('.').map(|(h, _)| h);
                    let module = matches!(
                        head,
                        Some(
                            "io" | "os"
                                | "codecs"
                                | "gzip"
                                | "bz2"
                                | "lzma"
                                | "tarfile"
                                | "zipfile"
                                | "wave"
                                | "shelve"
                                | "dbm"
                                | "Image"
                                | "webbrowser"
                                | "fileinput"
                                | "tokenize"
                                | "aiofiles"
                        )
                    );
                    return Some(if module { Action::Open } else { Action::PathMethodOpen });
                }
                // Text is replaced by text; a path is replaced by nothing but one place.
                _ if called && last == "replace" && (member || name.contains('.')) && name != "os.replace" => {
                    let args = super::lex::call_args(tokens, i + 1);
                    let place = matches!(args.as_slice(), [one] if !one.keyword && (one.literal.is_some() || member && super::lex::receiver_literal(tokens, i).is_some()));
                    return Some(if place { Action::PathMethodMove } else { Action::Safe });
                }
                "re.compile" | "json.dump" | "asyncio.run" => return Some(Action::Safe),
                "codecs.open" => return Some(Action::Open),
                "os.replace" => return Some(Action::Move),
                "platform.system" | "base64.b64encode" | "sys.modules.keys" => return Some(Action::Safe),
                "urllib.parse" | "urllib.parse.quote" | "urllib.parse.unquote" | "urllib.parse.urlparse" | "http.HTTPStatus" => {
                    return Some(Action::Safe);
                }
                "os.environ" | "os.environ.get" | "os.getenv" => return Some(Action::Safe),
                "base64.b64decode" | "bytes.fromhex" | "binascii.unhexlify" | "zlib.decompress" => {
                    // Decoding alone prints; it matters where the result is run.
                    let runs = tokens.iter().any(|t| matches!(t, Token::Name(n) if matches!(n.as_str(), "exec" | "eval" | "compile" | "os.system" | "__import__" | "subprocess")));
                    return Some(if runs { Action::Dynamic } else { Action::Safe });
                }
                "list.remove" => return Some(Action::Safe),
                _ => {}
            }
            if (matches!(prev, Some(Token::Name(n)) if n == "import" || n == "from")
                || member && !called)
                && let Some(top) = name.split('.').next()
                && (PYTHON_DULL.contains(&name) || PYTHON_DULL.contains(&top))
            {
                return Some(Action::Safe);
            }
            if matches!(
                last,
                "remove"
                    | "replace"
                    | "copy"
                    | "get"
                    | "put"
                    | "post"
                    | "move"
                    | "link"
                    | "code"
                    | "connect"
                    | "kill"
                    | "spawn"
                    | "open"
                    | "touch"
                    | "mkdir"
                    | "unlink"
                    | "rmdir"
                    | "rename"
                    | "chmod"
                    | "compile"
                    | "http"
                    | "vars"
                    | "socket"
                    | "modules"
                    | "codecs"
                    | "truncate"
            ) {
                let head = name.rsplit_once('.').map(|(h, _)| h);
                let risky_head = matches!(
                    head,
                    Some(
                        "os" | "shutil"
                            | "requests"
                            | "httpx"
                            | "pathlib.Path"
                            | "Path"
                            | "s"
                            | "session"
                            | "sys"
                            | "_os"
                    )
                );
                let path_method = member
                    && matches!(
                        last,
                        "unlink" | "rmdir" | "touch" | "mkdir" | "rename" | "chmod" | "open"
                    );
                if path_method {
                    return Some(if matches!(last, "unlink" | "rmdir") {
                        Action::PathMethodDelete
                    } else if last == "open" {
                        Action::PathMethodOpen
                    } else if last == "rename" {
                        Action::PathMethodMove
                    } else {
                        Action::PathMethodWrite
                    });
                }
                let bare = head.is_none()
                    && !member
                    && called
                    && !matches!(last, "replace" | "get" | "copy");
                if !(risky_head || bare) {
                    if matches!(
                        last,
                        "remove"
                            | "replace"
                            | "copy"
                            | "get"
                            | "link"
                            | "code"
                            | "move"
                            | "vars"
                            | "socket"
                            | "http"
                            | "codecs"
                            | "compile"
                            | "modules"
                    ) && !matches!(name, "codecs" | "socket" | "modules" | "code")
                    {
                        return Some(Action::Safe);
                    }
                    if matches!(last, "kill" | "spawn" | "unlink" | "rmdir" | "post" | "put")
                        && head.is_some()
                    {
                        return Some(if matches!(last, "post" | "put") {
                            Action::NetSend
                        } else {
                            Action::Dynamic
                        });
                    }
                }
                if name == "requests.get" || name == "httpx.get" {
                    return Some(Action::Network);
                }
            }
        }
        "js" => {
            if name == "require" || name == "import" {
                if let (false, Some(Token::Str(m, _))) = (called, next) {
                    return Some(js_module(m));
                }
                return match tokens.get(i + 2) {
                    Some(Token::Str(m, true)) if called => Some(js_module(m)),
                    Some(Token::Name(_)) if name == "import" && !called => Some(Action::Safe),
                    _ if called => Some(Action::Dynamic),
                    _ => Some(Action::Safe),
                };
            }
            if name == "from"
                && let Some(Token::Str(m, _)) = next
            {
                return Some(js_module(m));
            }
            if name.split('.').any(|part| part == "Reflect") {
                return Some(Action::Dynamic);
            }
            if matches!(
                last,
                "exec"
                    | "remove"
                    | "get"
                    | "put"
                    | "delete"
                    | "open"
                    | "connect"
                    | "register"
                    | "kill"
                    | "net"
                    | "http"
                    | "https"
                    | "request"
                    | "constructor"
            ) {
                let head = name.rsplit_once('.').map(|(h, _)| h);
                if last == "exec"
                    && (prev == Some(&Token::Num)
                        || member
                            && matches!(
                                i.checked_sub(2).and_then(|k| tokens.get(k)),
                                Some(Token::Num)
                            ))
                {
                    return Some(Action::Safe);
                }
                if matches!(last, "remove" | "register" | "open" | "connect") && !called {
                    return Some(Action::Safe);
                }
                if last == "kill" && head == Some("process") {
                    return Some(Action::Process);
                }
            }
            if name.starts_with("globalThis.") && !called {
                return None;
            }
        }
        "perl" => {
            if matches!(name, "do") && matches!(next, Some(Token::Punct('{'))) {
                return Some(Action::Safe);
            }
            if name == "eval" && matches!(next, Some(Token::Punct('{'))) {
                return Some(Action::Safe);
            }
            if name.starts_with(['$', '@']) {
                return Some(Action::Safe);
            }
            if matches!(name, "pack" | "unpack") {
                let runs = tokens.iter().any(|t| matches!(t, Token::Name(n) if matches!(n.as_str(), "eval" | "system" | "exec")));
                return Some(if runs { Action::Dynamic } else { Action::Safe });
            }
            if matches!(prev, Some(Token::Name(n)) if n == "use") {
                return Some(if listed(PERL_SAFE, name) {
                    Action::Safe
                } else {
                    Action::Execute
                });
            }
            // `name => value`: a key.
            if matches!(
                (next, tokens.get(i + 2)),
                (Some(Token::Punct('=')), Some(Token::Punct('>')))
            ) {
                return Some(Action::Safe);
            }
            // A hash key or a method is no call of the builtin; a block that holds one is.
            let of_hash = match i.checked_sub(2).and_then(|k| tokens.get(k)) {
                Some(Token::Name(n)) => n.starts_with(['$', '@', '%']),
                Some(Token::Punct(p)) => matches!(p, '>' | ']'),
                _ => false,
            };
            if of_hash
                && matches!(prev, Some(Token::Punct('{')))
                && matches!(next, Some(Token::Punct('}')))
            {
                return Some(Action::Safe);
            }
        }
        "ruby" => {
            // A class is named for what its methods are: `TCPSocket.new`.
            if name
                .split(['.', ':'])
                .any(|part| part.ends_with("Socket") || part == "TCPServer")
            {
                return Some(Action::NetSend);
            }
            if name == "require" {
                let what = if next == Some(&Token::Punct('(')) {
                    tokens.get(i + 2)
                } else {
                    next
                };
                return match what {
                    Some(Token::Str(library, true)) if !library.starts_with(['/', '.', '~']) => {
                        Some(Action::Safe)
                    }
                    _ => Some(Action::Dynamic),
                };
            }
            if matches!(
                last,
                "read"
                    | "open"
                    | "write"
                    | "delete"
                    | "get"
                    | "start"
                    | "remove"
                    | "copy"
                    | "move"
                    | "rename"
                    | "install"
                    | "load"
                    | "link"
                    | "foreach"
                    | "send"
                    | "rm"
                    | "cp"
                    | "mv"
                    | "ln"
                    | "unlink"
                    | "readlines"
            ) {
                let head = name.rsplit_once('.').map(|(h, _)| h).unwrap_or_default();
                let on_class = head.chars().next().is_some_and(|c| c.is_ascii_uppercase());
                let std = matches!(
                    head,
                    "STDIN"
                        | "STDOUT"
                        | "STDERR"
                        | "$stdin"
                        | "$stdout"
                        | "$stderr"
                        | "ARGF"
                        | "ENV"
                );
                if std
                    || (!on_class && !head.is_empty() && !matches!(last, "send"))
                    || (member && !matches!(last, "send"))
                {
                    return Some(Action::Safe);
                }
                if matches!(name, "YAML.load" | "JSON.load" | "YAML.safe_load") {
                    return Some(Action::Safe);
                }
            }
        }
        "php" if name.starts_with('$') => {
            // `$f(...)` calls what the variable names.
            return Some(if called {
                Action::Dynamic
            } else {
                Action::Safe
            });
        }
        "lua" => {
            if name == "os.remove" {
                return Some(Action::Delete);
            }
            if name == "table.remove" {
                return Some(Action::Safe);
            }
        }
        _ => {}
    }
    let known = known(lang, table);
    for n in [last, name] {
        if let Some(action) = known.get(n).filter(|a| **a != Action::Safe) {
            return Some(*action);
        }
    }
    if lang == "python" {
        // Any part of a dotted name may be the dangerous one: `random._os.system`.
        if name.split('.').any(|p| {
            matches!(
                p,
                "_os"
                    | "modules"
                    | "__builtins__"
                    | "__globals__"
                    | "__class__"
                    | "__subclasses__"
                    | "__dict__"
                    | "ctypes"
                    | "__loader__"
                    | "__spec__"
            )
        }) {
            return Some(Action::Dynamic);
        }
    }
    if lang == "js"
        && name
            .split('.')
            .any(|p| matches!(p, "constructor" | "mainModule" | "__proto__" | "binding"))
    {
        return Some(Action::Dynamic);
    }
    let is_safe = |n: &str| known.get(n) == Some(&Action::Safe);
    if is_safe(name) || (name.contains('.') || member) && is_safe(last) {
        return Some(Action::Safe);
    }
    None
}

fn js_module(m: &str) -> Action {
    let m = m.strip_prefix("node:").unwrap_or(m);
    match m {
        "fs" | "path" | "os" | "util" | "url" | "crypto" | "assert" | "events" | "querystring"
        | "readline" | "zlib" | "stream" | "buffer" | "fs/promises" | "perf_hooks"
        | "string_decoder" | "timers" | "tty" | "process" | "child_process" | "punycode"
        | "http" | "https" | "semver" | "lodash" | "typescript" | "chalk" | "yaml" | "dns" => {
            Action::Safe
        }
        "vm" | "inspector" | "worker_threads" | "module" | "v8" | "repl" | "cluster" => {
            Action::Dynamic
        }
        "net" | "dgram" | "tls" | "http2" => Action::NetSend,
        m if m.contains("://") || m.starts_with("data:") => Action::Dynamic,
        m if m.starts_with('.') && m.ends_with(".json") => Action::Safe,
        _ => Action::Execute,
    }
}

/// True if an unknown name at `i` is called or used in a way that can do something.
pub(crate) fn matters(lang: &str, tokens: &[Token], i: usize) -> bool {
    match lang {
        // A bare word of perl or ruby is a call.
        "perl" | "ruby" => {
            !matches!(tokens.get(i), Some(Token::Name(n)) if n.starts_with(['$', '@']))
        }
        _ => {
            matches!(tokens.get(i + 1), Some(Token::Punct('(')))
                || matches!(i.checked_sub(1).and_then(|k| tokens.get(k)), Some(Token::Name(n)) if n == "import" || n == "from")
        }
    }
}

/// True if a hole stands where code would, not where a value would.
pub(crate) fn hole_is_code(tokens: &[Token], i: usize) -> bool {
    let prev = i.checked_sub(1).and_then(|k| tokens.get(k));
    let next = tokens.get(i + 1);
    matches!(prev, None | Some(Token::Punct(';' | '\n' | '{' | '}')))
        || matches!(next, Some(Token::Punct('(')))
        || matches!(prev, Some(Token::Hole))
}
