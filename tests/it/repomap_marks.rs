//! Which definitions get a mark in every language, and which don't.

use repo_map::{Language, Mark, extract};
use std::collections::BTreeSet;

/// A text, and the marks of its definitions; `.` is the file itself. Other definitions have none.
struct Case {
    language: Language,
    text: &'static str,
    marks: &'static [(&'static str, &'static str)],
}

const CASES: &[Case] = &[
    Case {
        language: Language::Rust,
        text: "static mut COUNT: u8 = 0;\nstatic LOCK: Mutex<u8> = Mutex::new(0);\nstatic FIXED: u8 = 0;\nconst LIMIT: u8 = 1;\n\
            fn main() {}\nfn pure(x: u8) -> u8 { let y = x; y }\nfn load() { let t = std::fs::read_to_string(p); }\n\
            fn start() { std::process::Command::new(\"x\").status(); }\nfn dial() { TcpStream::connect(a); }\n\
            fn threads() { fn inner() { thread::spawn(f); } inner() }\nasync fn later() {}\nfn count() { unsafe { COUNT += 1 } }\n",
        marks: &[
            ("COUNT", "global"),
            ("LOCK", "global, concurrency"),
            ("main", "entry"),
            ("load", "file"),
            ("start", "process"),
            ("dial", "network"),
            ("threads", "concurrency"),
            ("inner", "concurrency"),
            ("later", "concurrency"),
            ("count", "global"),
        ],
    },
    Case {
        language: Language::Python,
        text: "CACHE = {}\nLIMIT = 1\ndef pure(x):\n    y = x\n    return y\ndef keep(k, v):\n    CACHE[k] = v\ndef count():\n    global n\n    n = 1\n\
            def load(p):\n    with open(p) as f: return f\ndef start():\n    subprocess.run(['x'])\ndef dial():\n    requests.get(u)\n\
            async def later():\n    pass\n@app.route('/x')\ndef page():\n    pass\nif __name__ == '__main__':\n    pure(1)\n",
        marks: &[
            (".", "entry"),
            ("CACHE", "global"),
            ("keep", "global"),
            ("count", "global"),
            ("load", "file"),
            ("start", "process"),
            ("dial", "network"),
            ("later", "concurrency"),
        ],
    },
    Case {
        language: Language::JavaScript,
        text: "let count = 0;\nconst fixed = 1;\nfunction pure(x) { const y = x; return y; }\nfunction next() { count += 1; }\n\
            function load() { return fs.readFileSync(p); }\nconst start = () => child_process.exec('x');\nfunction dial() { return fetch(u); }\n\
            async function later() {}\nfunction serve() { http.createServer(f).listen(1); }\n",
        marks: &[
            ("count", "global"),
            ("next", "global"),
            ("load", "file"),
            ("start", "process"),
            ("dial", "network"),
            ("later", "concurrency"),
            ("serve", "entry, network"),
        ],
    },
    Case {
        language: Language::TypeScript,
        text: "let count: number = 0;\nexport function pure(x: number): number { return x; }\nexport class A {\n  next(): void { count++; }\n\
            load(): string { return readFileSync(p); }\n  async later(): Promise<void> {}\n  start() { execSync('x'); }\n}\n\
            function dial() { new WebSocket(u); }\napp.listen(80);\n",
        marks: &[
            (".", "entry, network"),
            ("count", "global"),
            ("next", "global"),
            ("load", "file"),
            ("later", "concurrency"),
            ("start", "process"),
            ("dial", "network"),
        ],
    },
    Case {
        language: Language::Tsx,
        text: "let shown = false;\nexport function Page() { return <b>{1}</b>; }\nfunction show() { shown = true; }\nfunction load() { return Bun.file(p); }\n\
            function start() { Deno.run(x); }\nfunction dial() { return axios.get(u); }\nasync function later() {}\naddEventListener('x', show);\n",
        marks: &[
            (".", "entry"),
            ("shown", "global"),
            ("show", "global"),
            ("load", "file"),
            ("start", "process"),
            ("dial", "network"),
            ("later", "concurrency"),
        ],
    },
    Case {
        language: Language::Go,
        text: "package a\nvar count int\nconst limit = 1\nfunc main() {}\nfunc pure(x int) int { y := x; return y }\nfunc next() { count++ }\n\
            func load() { os.ReadFile(p) }\nfunc start() { exec.Command(\"x\") }\nfunc dial() { http.Get(u) }\nfunc later() { go pure(1) }\n",
        marks: &[
            ("count", "global"),
            ("main", "entry"),
            ("next", "global"),
            ("load", "file"),
            ("start", "process"),
            ("dial", "network"),
            ("later", "concurrency"),
        ],
    },
    Case {
        language: Language::Java,
        text: "class A {\n  static int count;\n  static final int LIMIT = 1;\n  int own;\n  public static void main(String[] a) {}\n\
            int pure(int x) { int y = x; return y; }\n  void next() { count++; }\n  void load() { Files.readString(p); }\n\
            void start() { Runtime.getRuntime().exec(x); }\n  void dial() { new Socket(h, 1); }\n  synchronized void later() {}\n\
            @GetMapping(\"/x\")\n  void page() {}\n}\n",
        marks: &[
            ("count", "global"),
            ("main", "entry"),
            ("next", "global"),
            ("load", "file"),
            ("start", "process"),
            ("dial", "network"),
            ("later", "concurrency"),
            ("page", "entry"),
        ],
    },
    Case {
        language: Language::CSharp,
        text: "class A {\n  static int count;\n  const int Limit = 1;\n  int own;\n  static void Main() {}\n  int Pure(int x) { return x; }\n\
            void Next() { count++; }\n  void Load() { File.ReadAllText(p); }\n  void Start() { Process.Start(x); }\n  void Dial() { new HttpClient(); }\n\
            async Task Later() {}\n  [HttpGet]\n  void Page() {}\n}\n",
        marks: &[
            ("count", "global"),
            ("Main", "entry"),
            ("Next", "global"),
            ("Load", "file"),
            ("Start", "process"),
            ("Dial", "network"),
            ("Later", "concurrency"),
            ("Page", "entry"),
        ],
    },
    Case {
        language: Language::C,
        text: "static int count;\nstatic const int limit = 1;\nint main(void) { return 0; }\nint pure(int x) { int y = x; return y; }\n\
            void next(void) { count++; }\nvoid load(void) { fopen(p, m); }\nvoid start(void) { system(c); }\nint dial(void) { return socket(1, 2, 3); }\n\
            void later(void) { pthread_create(a, b, c, d); }\n",
        marks: &[
            ("count", "global"),
            ("main", "entry"),
            ("next", "global"),
            ("load", "file"),
            ("start", "process"),
            ("dial", "network"),
            ("later", "concurrency"),
        ],
    },
    Case {
        language: Language::Cpp,
        text: "namespace a {\nint count = 0;\nint main() { return 0; }\nint pure(int x) { return x; }\nclass B {\n  void next() { count = 1; }\n\
            void load() { std::ifstream in(p); }\n  void later() { std::lock_guard<std::mutex> l(m); }\n};\nvoid start() { std::system(c); }\n\
            int dial() { return connect(s, a, n); }\n}\n",
        marks: &[
            ("count", "global"),
            ("main", "entry"),
            ("next", "global"),
            ("load", "file"),
            ("later", "concurrency"),
            ("start", "process"),
            ("dial", "network"),
        ],
    },
    Case {
        language: Language::Php,
        text: "<?php\nfunction pure($x) { $y = $x; return $y; }\nfunction next_one() { global $count; $count++; }\nfunction load($p) { return file_get_contents($p); }\n\
            function start() { shell_exec('x'); }\nfunction dial() { curl_init(); }\nfunction later() { new Fiber('f'); }\nfunction page() { return $_GET['x']; }\n",
        marks: &[
            ("next_one", "global"),
            ("load", "file"),
            ("start", "process"),
            ("dial", "network"),
            ("later", "concurrency"),
            ("page", "entry"),
        ],
    },
    Case {
        language: Language::Ruby,
        text: "TABLE = {}\nLIMIT = 1\ndef pure(x)\n  y = x\n  y\nend\nclass A\n  def next_one\n    @@count = 1\n  end\n  def keep(k)\n    TABLE[k] = 1\n  end\nend\n\
            def load(p)\n  File.read(p)\nend\ndef start\n  system('x')\nend\ndef dial\n  Net::HTTP.get(u)\nend\ndef later\n  Thread.new { pure(1) }\nend\n\
            if __FILE__ == $0\n  pure(1)\nend\n",
        marks: &[
            (".", "entry"),
            ("TABLE", "global"),
            ("next_one", "global"),
            ("keep", "global"),
            ("load", "file"),
            ("start", "process"),
            ("dial", "network"),
            ("later", "concurrency"),
        ],
    },
    Case {
        language: Language::Bash,
        text: "count=0\nreadonly LIMIT=1\nmain() { pure; }\npure() { local y=1; echo \"$y\" >/dev/null 2>&1; }\nnext() { count=1; }\nload() { cat \"$1\" > out.txt; }\n\
            start() { sudo true; }\ndial() { curl -s x; }\nlater() { pure & wait; }\nwget x\n",
        marks: &[
            (".", "network"),
            ("count", "global"),
            ("main", "entry"),
            ("next", "global"),
            ("load", "file"),
            ("start", "process"),
            ("dial", "network"),
            ("later", "concurrency"),
        ],
    },
];

#[test]
fn every_language_has_every_mark() {
    let mut wrong = Vec::new();
    for case in CASES {
        let tags = extract(case.language, case.text).unwrap();
        assert!(!tags.has_errors, "{}: {tags:#?}", case.language.name());
        let mut found: Vec<(&str, String)> = tags
            .definitions
            .iter()
            .map(|d| (d.name.as_str(), d.marks.names().join(", ")))
            .filter(|(_, m)| !m.is_empty())
            .collect();
        if !tags.marks.is_empty() {
            found.insert(0, (".", tags.marks.names().join(", ")));
        }
        let expected: Vec<(&str, String)> = case
            .marks
            .iter()
            .map(|(name, marks)| (*name, (*marks).to_owned()))
            .collect();
        if found != expected {
            wrong.push(format!(
                "{}: {found:?}\n    expected {expected:?}",
                case.language.name()
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let languages: BTreeSet<Language> = CASES.iter().map(|c| c.language).collect();
    assert_eq!(languages.len(), Language::ALL.len());
    for case in CASES {
        for mark in [
            Mark::Entry,
            Mark::Global,
            Mark::File,
            Mark::Process,
            Mark::Network,
            Mark::Concurrency,
        ] {
            let has = case
                .marks
                .iter()
                .any(|(_, marks)| marks.split(", ").any(|m| m == mark.name()));
            assert!(
                has,
                "{}: nothing is expected to have {}",
                case.language.name(),
                mark.name()
            );
        }
    }
}

#[test]
fn names_that_only_look_alike_have_no_mark() {
    let none = |language, text: &str| {
        let tags = extract(language, text).unwrap();
        assert!(
            tags.marks.is_empty() && tags.definitions.iter().all(|d| d.marks.is_empty()),
            "{text}"
        );
    };
    none(
        Language::Rust,
        "fn f() { my_fs::read(x); reopen(y); Recommand::new(z); }\n",
    );
    none(
        Language::Python,
        "def f():\n    reopen(x)\n    self.opened(y)\nMAX = 1\ndef g():\n    OTHER = 2\n",
    );
    none(
        Language::Go,
        "package a\nfunc f(count int) { count++; reos.Open(x) }\n",
    );
    none(
        Language::C,
        "int f(int count) { count++; return my_fopen(count); }\n",
    );
}
