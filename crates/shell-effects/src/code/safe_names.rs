//! Names of the scripting languages that never do anything outside the program.

pub(super) fn safe(lang: &str) -> &'static str {
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

/// Names that never do anything outside the program.
const PYTHON_SAFE: &str = "import from as if else elif for in not and or is None True False print len range str int float bool list dict set tuple sorted sum min max abs enumerate zip map filter any all repr round type isinstance lambda def return class pass break continue try except finally raise with while yield assert format join split strip lstrip rstrip upper lower title replace startswith endswith find index count items keys values get append extend update pop insert sort reverse reversed encode decode json json.load json.loads json.dumps json.tool sys sys.stdin sys.argv sys.version sys.version_info sys.path sys.executable sys.platform sys.exit sys.maxsize sys.stdin.read sys.stdin.readlines sys.stdin.readline sys.stdout.write sys.stderr sys.prefix sys.byteorder sys.getsizeof sys.stdout read readline readlines os os.path os.path.exists os.path.join os.path.abspath os.path.realpath os.path.basename os.path.dirname os.path.isfile os.path.isdir os.path.getsize os.path.relpath os.path.expanduser os.getcwd os.listdir os.walk os.scandir os.sep os.name os.cpu_count os.uname os.getpid os.stat re re.findall re.search re.match re.sub re.compile math datetime time time.time random string collections itertools functools operator statistics textwrap decimal fractions hashlib uuid platform pprint glob fnmatch csv reader DictReader getsource getsourcefile getfile getdoc signature getmembers isfunction io secrets calendar typing dataclasses copy bisect heapq pathlib Path argparse ast ast.parse tokenize keyword struct zlib_crc inspect locale site sysconfig tomllib toml yaml yaml.safe_load yaml.safe_load_all configparser hexdigest sha256 md5 sha1 now today strftime isoformat timedelta date Counter defaultdict pformat ord chr hex oct bin divmod pow e f i j k n x y d s a b c l r t v p m w o q data line lines item name key value result res obj _ self __version__ __file__ __name__ __doc__ sqrt pi floor ceil log exp sin cos datetime.datetime.now datetime.date.today stdin nums words text num uuid4 token_hex version python_version system_name iterdir exists is_file is_dir stem suffix parent rglob stat st_size group groups tqdm ensure_ascii indent sort_keys end sep file utf8 encoding errors key default mode end next iter slice hash id callable dir object Exception ValueError KeyError json.JSONDecodeError dumps loads load parse search match sub findall compile_ safe_load base64 b64encode calendar.month randint choice seed shuffle";
const JS_SAFE: &str = "const let var function return if else for of in while do new typeof instanceof null undefined true false this class extends async await try catch finally throw switch case break continue default delete void yield console.log console.error console.table console.dir console.info JSON.parse JSON.stringify JSON Math Math.max Math.min Math.round Math.floor Math.random Math.sqrt Math.PI Date Date.now Object Object.keys Object.entries Object.values Object.assign Array Array.from Array.isArray String Number Boolean RegExp Map Set Promise Symbol BigInt parseInt parseFloat isNaN process.version process.versions process.versions.node process.versions.v8 process.argv process.env process.cwd process.exit process.platform process.arch process.memoryUsage process.stdout.write process.uptime process.hrtime process.stdin process process.execPath process.pid os os.cpus os.platform os.totalmem os.freemem os.homedir os.tmpdir os.EOL os.hostname path path.join path.resolve path.basename path.dirname path.extname fs fs.existsSync fs.statSync existsSync statSync length map filter reduce forEach push pop slice splice join split replace trim toString toFixed toUpperCase toLowerCase includes indexOf startsWith endsWith match test sort reverse keys values entries has get set concat flat flatMap find some every then catch padStart padEnd repeat charAt charCodeAt version name scripts dependencies devDependencies x y z a b c d e f i j k n s v m p r t o data json pkg res line key item result acc cur err util util.inspect crypto.randomUUID crypto.randomBytes crypto.createHash randomUUID update digest on url URL querystring assert encodeURIComponent decodeURIComponent setTimeout toISOString getTime require performance.now import default module exports";
const RUBY_SAFE: &str = "puts print p pp require def end if else elsif unless while until for in do each map select reject reduce inject sum to_s to_i to_f to_a to_h length size join split strip chomp upcase downcase gsub sub match scan sort sort_by reverse first last uniq min max nil true false return yield lambda proc class module begin rescue ensure and or not then case when JSON.parse JSON.pretty_generate JSON RUBY_VERSION RUBY_PLATFORM Time.now Time Date.today Date Math STDIN.read STDIN ARGF ARGV ENV File.exist? File.basename File.dirname File.extname File.join File.size Dir.pwd Dir.glob Dir $stdin $stdin.read $stdout $_ gets x y a b c i n s k v l line key value data rand Integer Float String Array Hash format printf times upto step each_with_index each_line include? empty? nil? keys values count zip flat_map group_by tally sprintf Gem::VERSION Gem Ruby Set Comparable Struct SecureRandom.hex SecureRandom.uuid SecureRandom";
const PHP_SAFE: &str = "echo print php phpversion phpinfo PHP_VERSION PHP_EOL PHP_OS var_dump print_r json_encode json_decode strlen str_replace explode implode trim strtoupper strtolower substr count array_keys array_values array_sum array_merge in_array sort ksort range foreach for while if else elseif return function fn as true false null date time microtime strtotime rand mt_rand random_int max min abs round floor ceil sqrt sprintf printf number_format md5 sha1 hash crc32 base64_encode bin2hex random_bytes uniqid isset empty unset is_array is_string intval floatval strval var_export exit die STDIN STDOUT fgets feof stream_get_contents str_repeat str_pad ucfirst ucwords strrev htmlspecialchars urlencode rawurlencode urldecode JSON_PRETTY_PRINT extension_loaded get_loaded_extensions ini_get php_sapi_name memory_get_usage sys_get_temp_dir getcwd file_exists is_file is_dir filesize basename dirname pathinfo password_hash PASSWORD_DEFAULT PASSWORD_BCRYPT array list new DateTime";
pub(super) const PERL_SAFE: &str = "print printf say sprintf if unless else elsif for foreach while until my our local return sub use strict warnings length substr index rindex uc lc ucfirst lcfirst join split map grep sort reverse keys values each push pop shift unshift splice defined exists delete scalar wantarray chomp chop chr ord hex oct abs int sqrt sin cos log exp rand srand time localtime gmtime and or not eq ne lt gt le ge cmp x BEGIN END next last redo die warn exit STDIN STDOUT STDERR ARGV ENV INC List::Util Data::Dumper POSIX JSON::PP Time::HiRes Dumper sum max min first uniq feature utf8 $_ $. $, $/ $\\ @F $0 $1 $2 $3 qw eof lc tr binmode encode_json decode_json sum0 shuffle reduce strftime floor ceil";
const LUA_SAFE: &str = "print local function end if then else elseif for in do while repeat until return nil true false and or not pairs ipairs tostring tonumber type string table math io.write io.read os.time os.date os.clock os.getenv string.format string.rep string.sub string.gsub string.upper string.lower string.len string.find string.match string.reverse table.concat table.insert table.sort table.unpack math.max math.min math.floor math.sqrt math.random math.pi select next unpack assert error pcall i j k v n s t x y a b c _VERSION arg";

/// Modules of which only single functions matter; importing them alone does nothing.
pub(super) const PYTHON_DULL: &[&str] = &[
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
