//! Source of compiled languages that a line writes, builds and runs.
//!
//! This doesn't parse. Every word counts, also in comments and texts: these languages can't
//! assemble names from parts, except by constructs that are rejected altogether. Source is harmless
//! only if no word of it reaches a file, a process, a host or memory, and it imports only the
//! standard library. Imports from the project are project code; then no word may be a verb that
//! deletes, runs or sends.

use super::language::has_verb;
use crate::chars::is_placeholder;

/// The forbidden words and the allowed imports of a language.
struct Rules {
    /// Words that reach out of the program. A star matches any ending.
    words: &'static str,
    /// Texts that hide words or reach out of the program.
    texts: &'static [&'static str],
    /// Modules of the standard library that don't reach out of the program.
    modules: &'static str,
}

const C: Rules = Rules {
    words: "\
        system popen exec* posix_* fork vfork clone kill raise signal sigaction sigqueue remove \
        rename* unlink* rmdir mk* tmpfile tmpnam tempnam fopen* freopen* fdopen* open* creat* \
        fileno dup dup2 dup3 write* pwrite* read* pread* mmap* mprotect dlopen dlsym syscall \
        ioctl fcntl socket* connect bind listen accept* send sendto sendmsg sendfile recv* \
        getenv secure_getenv setenv putenv unsetenv environ chmod chown chdir chroot fch* lch* \
        setuid setgid seteuid setegid setres* setgroups sethostname setrlimit setsid setpgid \
        link linkat symlink* truncate ftruncate ptrace mount* umount* reboot asm filesystem \
        fstream ofstream ifstream filebuf basic_* reinterpret_cast thread async pthread_* extern \
        section constructor destructor alias weak import module longjmp setjmp union atexit \
        quick_exit at_quick_exit nftw ftw",
    texts: &[
        "##", "%:", "??", "\\\n", "\\\r", "\\u", "\\U", "R\"", "_Pragma",
    ],
    modules: "\
        stdio.h stdlib.h string.h math.h stdint.h inttypes.h stdbool.h assert.h ctype.h limits.h \
        float.h time.h errno.h stddef.h stdarg.h iostream vector string algorithm map set \
        unordered_map unordered_set memory utility numeric cmath cstdio cstdlib cstring cstdint \
        iomanip sstream array deque queue stack list optional variant tuple functional iterator \
        limits type_traits chrono string_view random bitset complex ranges span numbers compare \
        concepts cassert",
};

const RUST: Rules = Rules {
    words: "\
        process Command fs File OpenOptions DirBuilder net Tcp* Udp* Unix* unsafe extern asm \
        global_asm naked_asm libc nix rustix windows_sys winapi link link_name link_section \
        no_mangle export_name include include_str include_bytes env os proc_macro* paste \
        concat_idents tokio async_std smol reqwest ureq hyper duct xshell cmd ctor dlopen \
        libloading memmap* transmute",
    texts: &["#[path", "path =", "path=", "#![feature"],
    modules: "std core alloc",
};

const GO: Rules = Rules {
    words: "\
        unsafe syscall exec plugin embed cgo runtime ioutil net filepath Remove* Create* \
        WriteFile Open* StartProcess FindProcess Rename Mkdir* Chmod Chown* Lchown Symlink \
        Truncate Link Setenv Unsetenv Clearenv NewFile DirFS CopyFS linkname MakeFunc CallSlice",
    texts: &["//go:", "import \"C\"", "\"C\"", ". \"", "_ \""],
    modules: "\
        fmt strings strconv math math/rand math/big math/bits math/cmplx sort errors time \
        unicode unicode/utf8 bytes bufio regexp testing reflect sync sync/atomic context \
        encoding/json encoding/hex encoding/base64 encoding/binary encoding/csv container/list \
        container/heap container/ring slices maps cmp iter hash/fnv crypto/sha256 crypto/md5 \
        text/tabwriter os",
};

const JAVA: Rules = Rules {
    words: "\
        Runtime Process* exec load loadLibrary *ClassLoader forName invoke* getMethod* \
        getDeclared* getConstructor* newInstance reflect MethodHandle* Unsafe Files File* \
        RandomAccessFile PrintWriter PrintStream Formatter *Socket* URL* Http* net nio io script \
        ScriptEngine* setProperty getenv ServiceLoader Logger *Handler Preferences prefs \
        Compiler native jar zip logging sun jdk javax rmi sql lang",
    texts: &["\\u"],
    modules: "\
        java.util java.util.function java.util.stream java.util.regex java.util.concurrent \
        java.math java.time java.text",
};

/// Types of Rust with associated functions.
const PRIMITIVES: [&str; 17] = [
    "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize", "f32",
    "f64", "str", "char", "bool",
];

fn rules(extension: &str) -> Option<&'static Rules> {
    Some(match extension {
        "c" | "h" | "cc" | "cpp" | "cxx" | "hpp" => &C,
        "rs" => &RUST,
        "go" => &GO,
        "java" => &JAVA,
        _ => return None,
    })
}

/// Returns whether source in a compiled language (by its extension) reaches nothing outside of the
/// program and the project's code.
pub(crate) fn harmless(path: &str, text: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let extension = name.rsplit_once('.').map_or("", |(_, e)| e);
    // Cargo runs this file before it builds.
    if name == "build.rs" {
        return false;
    }
    let Some(rules) = rules(extension) else {
        return false;
    };
    if text.contains(is_placeholder) || rules.texts.iter().any(|t| text.contains(t)) {
        return false;
    }
    let Some(own) = imports_only_standard(extension, text, rules) else {
        return false;
    };
    let forbidden = |word: &str| rules.words.split(' ').any(|bad| matches_pattern(word, bad));
    let without_subtests = text.replace("t.Run(", "");
    let verb = |word: &str| has_verb("", word);
    // A header of the project may declare any function.
    let c = !matches!(extension, "rs" | "go" | "java");
    !words(text).any(forbidden)
        && (own || !c && !words(&without_subtests).any(verb))
        && (!matches!(extension, "c" | "h") || calls_only_known(text))
}

/// Returns whether a word matches a forbidden one, which may begin or end with a star.
fn matches_pattern(word: &str, bad: &str) -> bool {
    match (bad.strip_prefix('*'), bad.strip_suffix('*')) {
        (Some(inner), Some(_)) => word.contains(inner.trim_end_matches('*')),
        (Some(end), None) => word.ends_with(end),
        (None, Some(start)) => word.starts_with(start),
        (None, None) => word == bad,
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| !word.is_empty())
}

/// Returns whether the source imports only harmless parts of the standard library; false if it also
/// imports project code. `None` if it imports anything else.
fn imports_only_standard(extension: &str, text: &str, rules: &Rules) -> Option<bool> {
    let listed = |name: &str| rules.modules.split(' ').any(|m| m == name);
    let mut own = true;
    match extension {
        "rs" => {
            // The name before `::` is a crate or a module, unless it is a type or follows another
            // name.
            for (at, _) in text.match_indices("::") {
                let head = text.get(..at)?;
                let root = words(head)
                    .last()
                    .filter(|w| head.ends_with(w))
                    .unwrap_or_default();
                let before = head.strip_suffix(root)?;
                let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '>');
                let inner = before.strip_suffix("::").is_some_and(|b| b.ends_with(part));
                let lower = root.starts_with(|c: char| c.is_lowercase() || c == '_');
                own &= inner || !lower || listed(root) || PRIMITIVES.contains(&root);
            }
            own &= !text.contains("mod ");
        }
        "go" => {
            let imports = text.split_once("import")?.1;
            let block = match imports.trim_start().strip_prefix('(') {
                Some(block) => block.split(')').next()?,
                None => imports.lines().next()?,
            };
            if text.matches("import").count() != 1 {
                return None;
            }
            for line in block.lines().map(str::trim).filter(|l| !l.is_empty()) {
                let name = line.strip_prefix('"')?.strip_suffix('"')?;
                match listed(name) {
                    true => {}
                    false if name.split('/').next()?.contains('.') => own = false,
                    false => return None,
                }
            }
            let os = |rest: &str| {
                ["Args", "Exit(", "Stdin", "Stdout", "Stderr"]
                    .iter()
                    .any(|m| rest.starts_with(m))
            };
            if text.split("os.").skip(1).any(|rest| !os(rest)) {
                return None;
            }
            own &= text.contains("package main");
        }
        "java" => {
            for line in text
                .lines()
                .map(str::trim)
                .filter(|l| l.starts_with("import"))
            {
                let name = line.strip_prefix("import ")?.trim().strip_suffix(';')?;
                let name = name.strip_prefix("static ").unwrap_or(name);
                let (package, _) = name.rsplit_once('.')?;
                if package.starts_with("java") && !listed(package) {
                    return None;
                }
                own &= listed(package);
            }
            own &= !text.contains("package ");
        }
        _ => {
            for line in text
                .lines()
                .map(str::trim_start)
                .filter(|l| l.starts_with('#'))
            {
                let line = line.strip_prefix('#')?.trim();
                let Some(name) = line.strip_prefix("include") else {
                    let directive = words(line).next()?;
                    let plain = matches!(
                        directive,
                        "define" | "undef" | "if" | "ifdef" | "ifndef" | "else" | "endif"
                    );
                    if !plain && line != "pragma once" {
                        return None;
                    }
                    continue;
                };
                let name = name.trim();
                if let Some(name) = name.strip_prefix('<').and_then(|n| n.strip_suffix('>')) {
                    if !listed(name) {
                        return None;
                    }
                } else {
                    let name = name.strip_prefix('"')?.strip_suffix('"')?;
                    own = false;
                    if name.starts_with('/') || name.contains("..") {
                        return None;
                    }
                }
            }
            // Names reserved for the compiler reach below the language.
            if words(text).any(|w| w.starts_with("__")) {
                return None;
            }
        }
    }
    Some(own)
}

/// Returns whether the source calls only functions that it defines and harmless library functions.
/// C lets a program call any library function without declaring it.
fn calls_only_known(text: &str) -> bool {
    const SAFE: &str = "\
        printf puts putchar putc fputs fputc fprintf sprintf snprintf vprintf fflush getchar \
        fgets scanf sscanf malloc calloc realloc free strlen strcmp strncmp strcpy strncpy \
        strcat strncat strchr strrchr strstr strtok strdup strtol strtoul strtod atoi atol atof \
        memcpy memmove memset memcmp abs labs exit abort qsort bsearch rand srand time clock \
        difftime assert isalpha isdigit isspace isupper islower isalnum toupper tolower sqrt pow \
        sin cos tan log log2 log10 exp floor ceil round fabs fmod if for while switch return \
        sizeof main defined va_start va_end va_arg int char void";
    let mut rest = text;
    while let Some(at) = rest.find('(') {
        let (head, tail) = (
            rest.get(..at).unwrap_or_default(),
            rest.get(at + 1..).unwrap_or_default(),
        );
        rest = tail;
        let name = words(head.trim_end()).last().unwrap_or_default();
        if !head
            .trim_end()
            .ends_with(|c: char| c.is_alphanumeric() || c == '_')
        {
            // `(*f)(…)`, `a[0](…)`: the function isn't known.
            if head.trim_end().ends_with([')', ']']) {
                return false;
            }
            continue;
        }
        let defined = || {
            text.match_indices(name).any(|(i, _)| {
                let after = text.get(i + name.len()..).unwrap_or_default().trim_start();
                let body = after.strip_prefix('(').and_then(|b| b.split_once(')'));
                body.is_some_and(|(_, b)| b.trim_start().starts_with('{'))
            })
        };
        if !(SAFE.split(' ').any(|s| s == name) || defined()) {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn source_that_only_calculates_is_harmless() {
        for (path, text) in [
            (
                "a.c",
                concat!(
                    "#include <stdio.h>\nint f(int x) { return x; }\n",
                    "int main(void) { printf(\"%d\", f(1)); return 0; }"
                ),
            ),
            (
                "a.cpp",
                concat!(
                    "#include <iostream>\n#include <vector>\n",
                    "int main() { std::vector<int> v{1}; v.push_back(2); std::cout << v.size(); }"
                ),
            ),
            (
                "a.rs",
                concat!(
                    "use std::collections::HashMap;\n",
                    "fn main() { let m: HashMap<u8, u8> = HashMap::new(); println!(\"{}\", m.len()); }"
                ),
            ),
            (
                "tests/a.rs",
                "use mycrate::parse;\n#[test]\nfn a() { assert_eq!(parse(\"1\"), Some(1)); }",
            ),
            (
                "a.go",
                "package main\nimport (\n\t\"fmt\"\n\t\"os\"\n)\nfunc main() { fmt.Println(os.Args) }",
            ),
            (
                "a_test.go",
                concat!(
                    "package a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) { ",
                    "t.Run(\"x\", func(t *testing.T) { if F() != 1 { t.Fatal(1) } }) }"
                ),
            ),
            (
                "A.java",
                concat!(
                    "import java.util.List;\nclass A { public static void main(String[] a) { ",
                    "System.out.println(List.of(1)); } }"
                ),
            ),
        ] {
            assert!(harmless(path, text), "{path}: {text}");
        }
    }

    #[test]
    fn source_that_reaches_out_is_not_harmless() {
        for (path, text) in [
            (
                "a.c",
                "#include <stdlib.h>\nint main() { system(\"rm -rf ~\"); }",
            ),
            ("a.c", "int main() { execlp(\"rm\", \"rm\", 0); }"),
            ("a.c", "int main() { frobnicate(); }"),
            ("a.c", "#define f sys##tem\nint main() { f(\"id\"); }"),
            ("a.c", "int main() { sys\\\ntem(\"id\"); }"),
            ("a.c", "#include <unistd.h>\nint main() { return 0; }"),
            ("a.c", "#include \"/tmp/x.h\"\nint main() { return 0; }"),
            (
                "a.c",
                "char c[] = \"\\x90\"; int main() { (*(void(*)())c)(); }",
            ),
            ("a.c", "#include \"x.h\"\nint main() { wipe_disk(); }"),
            ("a.c", "int main() { __builtin_trap(); }"),
            ("a.c", "#pragma GCC poison x\nint main() { return 0; }"),
            (
                "a.cpp",
                "#include <fstream>\nint main() { std::ofstream f(\"/etc/x\"); }",
            ),
            (
                "a.cpp",
                "#include <cstdlib>\nint main() { std::system(\"id\"); }",
            ),
            (
                "a.cpp",
                "#include <filesystem>\nint main() { std::filesystem::remove_all(\"/\"); }",
            ),
            ("a.rs", "fn main() { std::process::Command::new(\"rm\"); }"),
            (
                "a.rs",
                "use std::*;\nfn main() { fs::remove_dir_all(\"/\"); }",
            ),
            ("a.rs", "fn main() { unsafe { *(0 as *mut u8) = 1; } }"),
            (
                "a.rs",
                "#[path = \"/tmp/x.rs\"] mod x;\nfn main() { x::f(); }",
            ),
            ("a.rs", "fn main() { fs_extra::dir::remove(\"/\"); }"),
            ("a.rs", "include!(\"/tmp/x.rs\");"),
            (
                "a.rs",
                "fn main() { reqwest::blocking::get(\"http://x\"); }",
            ),
            (
                "a.go",
                "package main\nimport \"os\"\nfunc main() { os.RemoveAll(\"/\") }",
            ),
            (
                "a.go",
                "package main\nimport \"os/exec\"\nfunc main() { exec.Command(\"rm\").Run() }",
            ),
            (
                "a.go",
                "package main\nimport x \"os\"\nfunc main() { x.Exit(1) }",
            ),
            (
                "a.go",
                "package main\nimport . \"os\"\nfunc main() { RemoveAll(\"/\") }",
            ),
            (
                "a.go",
                "package main\n//go:generate rm -rf x\nimport \"fmt\"\nfunc main() {}",
            ),
            ("a.go", "package main\nimport \"C\"\nfunc main() {}"),
            (
                "a.go",
                "package main\nimport \"net/http\"\nfunc main() { http.Get(\"x\") }",
            ),
            (
                "A.java",
                concat!(
                    "class A { public static void main(String[] a) throws Exception { ",
                    "Runtime.getRuntime().exec(\"id\"); } }"
                ),
            ),
            (
                "A.java",
                "class A { void f() { new ProcessBuilder(\"id\").start(); } }",
            ),
            ("A.java", "class A { String s = \"\\u0022+f()\"; }"),
            ("A.java", "import java.nio.file.*;\nclass A { }"),
            (
                "A.java",
                "class A { void f() { new java.io.FileWriter(\"x\"); } }",
            ),
            ("a.swift", "print(1)"),
            ("a.c", "int main() { puts(\"\0\"); }"),
        ] {
            assert!(!harmless(path, text), "{path}: {text}");
        }
    }
}
