//! Names of the scripting languages and what calling them does.

use super::lex::Token;
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

/// Names that never do anything outside the program.
const PYTHON_SAFE: &str = "import from as if else elif for in not and or is None True False print len range str int float bool list dict set tuple sorted sum min max abs enumerate zip map filter any all repr round type isinstance lambda def return class pass break continue try except finally raise with while yield assert format join split strip lstrip rstrip upper lower title replace startswith endswith find index count items keys values get append extend update pop insert sort reverse reversed encode decode json json.load json.loads json.dumps json.tool sys sys.stdin sys.argv sys.version sys.version_info sys.path sys.executable sys.platform sys.exit sys.maxsize sys.stdin.read sys.stdin.readlines sys.stdin.readline sys.stdout.write sys.stderr sys.prefix sys.byteorder sys.getsizeof sys.stdout read readline readlines os os.path os.path.exists os.path.join os.path.abspath os.path.realpath os.path.basename os.path.dirname os.path.isfile os.path.isdir os.path.getsize os.path.relpath os.path.expanduser os.getcwd os.listdir os.walk os.scandir os.sep os.name os.cpu_count os.uname os.getpid os.stat re re.findall re.search re.match re.sub re.compile math datetime time time.time random string collections itertools functools operator statistics textwrap decimal fractions hashlib uuid platform pprint glob fnmatch csv reader DictReader getsource getsourcefile getfile getdoc signature getmembers isfunction io secrets calendar typing dataclasses copy bisect heapq pathlib Path argparse ast ast.parse tokenize keyword struct zlib_crc inspect locale site sysconfig tomllib toml yaml yaml.safe_load yaml.safe_load_all configparser hexdigest sha256 md5 sha1 now today strftime isoformat timedelta date Counter defaultdict pformat ord chr hex oct bin divmod pow e f i j k n x y d s a b c l r t v p m w o q data line lines item name key value result res obj _ self __version__ __file__ __name__ __doc__ sqrt pi floor ceil log exp sin cos datetime.datetime.now datetime.date.today stdin nums words text num uuid4 token_hex version python_version system_name iterdir exists is_file is_dir stem suffix parent rglob stat st_size group groups tqdm ensure_ascii indent sort_keys end sep file utf8 encoding errors key default mode end next iter slice hash id callable dir object Exception ValueError KeyError json.JSONDecodeError dumps loads load parse search match sub findall compile_ safe_load base64 b64encode calendar.month randint choice seed shuffle";
const JS_SAFE: &str = "const let var function return if else for of in while do new typeof instanceof null undefined true false this class extends async await try catch finally throw switch case break continue default delete void yield console.log console.error console.table console.dir console.info JSON.parse JSON.stringify JSON Math Math.max Math.min Math.round Math.floor Math.random Math.sqrt Math.PI Date Date.now Object Object.keys Object.entries Object.values Object.assign Array Array.from Array.isArray String Number Boolean RegExp Map Set Promise Symbol BigInt parseInt parseFloat isNaN process.version process.versions process.versions.node process.versions.v8 process.argv process.env process.cwd process.exit process.platform process.arch process.memoryUsage process.stdout.write process.uptime process.hrtime process.stdin process process.execPath process.pid os os.cpus os.platform os.totalmem os.freemem os.homedir os.tmpdir os.EOL os.hostname path path.join path.resolve path.basename path.dirname path.extname fs fs.existsSync fs.statSync existsSync statSync length map filter reduce forEach push pop slice splice join split replace trim toString toFixed toUpperCase toLowerCase includes indexOf startsWith endsWith match test sort reverse keys values entries has get set concat flat flatMap find some every then catch padStart padEnd repeat charAt charCodeAt version name scripts dependencies devDependencies x y z a b c d e f i j k n s v m p r t o data json pkg res line key item result acc cur err util util.inspect crypto.randomUUID crypto.randomBytes crypto.createHash randomUUID update digest on url URL querystring assert encodeURIComponent decodeURIComponent setTimeout toISOString getTime require performance.now import default module exports";
const RUBY_SAFE: &str = "puts print p pp require def end if else elsif unless while until for in do each map select reject reduce inject sum to_s to_i to_f to_a to_h length size join split strip chomp upcase downcase gsub sub match scan sort sort_by reverse first last uniq min max nil true false return yield lambda proc class module begin rescue ensure and or not then case when JSON.parse JSON.pretty_generate JSON RUBY_VERSION RUBY_PLATFORM Time.now Time Date.today Date Math STDIN.read STDIN ARGF ARGV ENV File.exist? File.basename File.dirname File.extname File.join File.size Dir.pwd Dir.glob Dir $stdin $stdin.read $stdout $_ gets x y a b c i n s k v l line key value data rand Integer Float String Array Hash format printf times upto step each_with_index each_line include? empty? nil? keys values count zip flat_map group_by tally sprintf Gem::VERSION Gem Ruby Set Comparable Struct SecureRandom.hex SecureRandom.uuid SecureRandom";
const PHP_SAFE: &str = "echo print php phpversion phpinfo PHP_VERSION PHP_EOL PHP_OS var_dump print_r json_encode json_decode strlen str_replace explode implode trim strtoupper strtolower substr count array_keys array_values array_sum array_merge in_array sort ksort range foreach for while if else elseif return function fn as true false null date time microtime strtotime rand mt_rand random_int max min abs round floor ceil sqrt sprintf printf number_format md5 sha1 hash crc32 base64_encode bin2hex random_bytes uniqid isset empty unset is_array is_string intval floatval strval var_export exit die STDIN STDOUT fgets feof stream_get_contents str_repeat str_pad ucfirst ucwords strrev htmlspecialchars urlencode rawurlencode urldecode JSON_PRETTY_PRINT extension_loaded get_loaded_extensions ini_get php_sapi_name memory_get_usage sys_get_temp_dir getcwd file_exists is_file is_dir filesize basename dirname pathinfo password_hash PASSWORD_DEFAULT PASSWORD_BCRYPT array list new DateTime";
const PERL_SAFE: &str = "print printf say sprintf if unless else elsif for foreach while until my our local return sub use strict warnings length substr index rindex uc lc ucfirst lcfirst join split map grep sort reverse keys values each push pop shift unshift splice defined exists delete scalar wantarray chomp chop chr ord hex oct abs int sqrt sin cos log exp rand srand time localtime gmtime and or not eq ne lt gt le ge cmp x BEGIN END next last redo die warn exit STDIN STDOUT STDERR ARGV ENV INC List::Util Data::Dumper POSIX JSON::PP Time::HiRes Dumper sum max min first uniq feature utf8 $_ $. $, $/ $\\ @F $0 $1 $2 $3 qw eof lc tr binmode encode_json decode_json sum0 shuffle reduce strftime floor ceil";
const LUA_SAFE: &str = "print local function end if then else elseif for in do while repeat until return nil true false and or not pairs ipairs tostring tonumber type string table math io.write io.read os.time os.date os.clock os.getenv string.format string.rep string.sub string.gsub string.upper string.lower string.len string.find string.match string.reverse table.concat table.insert table.sort table.unpack math.max math.min math.floor math.sqrt math.random math.pi select next unpack assert error pcall i j k v n s t x y a b c _VERSION arg";

/// Modules of which only single functions matter; importing them alone does nothing.
const PYTHON_DULL: &[&str] = &[
    "subprocess",
    "shutil",
    "tempfile",
    "asyncio",
    "zipfile",
    "tarfile",
    "gzip",
    "bz2",
    "lzma",
    "signal",
    "threading",
    "multiprocessing",
    "sqlite3",
    "unittest",
    "logging",
    "traceback",
    "warnings",
    "email",
    "html",
    "xml",
    "ssl",
    "ipaddress",
    "getpass",
    "pwd",
    "grp",
    "resource",
    "select",
    "queue",
    "concurrent",
    "contextlib",
    "types",
    "abc",
    "enum",
    "numbers",
    "cmath",
    "difflib",
    "unicodedata",
    "zlib",
    "binascii",
    "quopri",
    "numpy",
    "np",
    "pandas",
    "pd",
    "zoneinfo",
    "timeit",
    "gc",
    "errno",
    "stat",
    "filecmp",
    "linecache",
    "importlib.metadata",
    "importlib.util",
    "pkgutil",
    "pkg_resources",
    "torch",
    "tensorflow",
    "django",
    "flask",
    "yaml",
    "cProfile",
    "py_compile",
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

fn safe(lang: &str) -> &'static str {
    match lang {
        "python" => PYTHON_SAFE,
        "js" => JS_SAFE,
        "ruby" => RUBY_SAFE,
        "php" => PHP_SAFE,
        "perl" => PERL_SAFE,
        "lua" => LUA_SAFE,
        _ => "",
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
