//! Detection of a file's language.

use serde::{Deserialize, Serialize};

/// A supported language: its definitions and references are extracted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// Bash and similar shells.
    Bash,
    C,
    Cpp,
    CSharp,
    Go,
    Java,
    /// JavaScript, with or without JSX.
    JavaScript,
    Php,
    Python,
    Ruby,
    Rust,
    /// TypeScript without JSX.
    TypeScript,
    /// TypeScript with JSX.
    Tsx,
    /// The scripts of Svelte components, as TypeScript.
    Svelte,
    /// The scripts of Vue components, as TypeScript.
    Vue,
    Dart,
    Elixir,
    /// HCL, the language of Terraform.
    Hcl,
    Kotlin,
    Lua,
    PowerShell,
    Protobuf,
    R,
    Sql,
    Zig,
}

/// All languages. Those after the first [`BASIC`] need the feature `languages-extra`.
const EVERY: [Language; 25] = [
    Language::Bash,
    Language::C,
    Language::Cpp,
    Language::CSharp,
    Language::Go,
    Language::Java,
    Language::JavaScript,
    Language::Php,
    Language::Python,
    Language::Ruby,
    Language::Rust,
    Language::TypeScript,
    Language::Tsx,
    Language::Svelte,
    Language::Vue,
    Language::Dart,
    Language::Elixir,
    Language::Hcl,
    Language::Kotlin,
    Language::Lua,
    Language::PowerShell,
    Language::Protobuf,
    Language::R,
    Language::Sql,
    Language::Zig,
];

/// Number of languages in every build.
const BASIC: usize = 15;

/// Number of languages in this build.
const COUNT: usize = if cfg!(feature = "languages-extra") {
    EVERY.len()
} else {
    BASIC
};

impl Language {
    /// The languages that this build can parse.
    pub const ALL: [Language; COUNT] = match EVERY.first_chunk() {
        Some(all) => *all,
        None => [Language::Bash; COUNT],
    };

    /// Returns the name used in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Language::Bash => "bash",
            Language::C => "c",
            Language::Cpp => "cpp",
            Language::CSharp => "csharp",
            Language::Go => "go",
            Language::Java => "java",
            Language::JavaScript => "javascript",
            Language::Php => "php",
            Language::Python => "python",
            Language::Ruby => "ruby",
            Language::Rust => "rust",
            Language::TypeScript => "typescript",
            Language::Tsx => "tsx",
            Language::Svelte => "svelte",
            Language::Vue => "vue",
            Language::Dart => "dart",
            Language::Elixir => "elixir",
            Language::Hcl => "hcl",
            Language::Kotlin => "kotlin",
            Language::Lua => "lua",
            Language::PowerShell => "powershell",
            Language::Protobuf => "protobuf",
            Language::R => "r",
            Language::Sql => "sql",
            Language::Zig => "zig",
        }
    }

    /// Returns the group of languages whose files can refer to each other's definitions. A
    /// reference never matches a definition of another group.
    pub(super) const fn family(self) -> u8 {
        match self {
            Language::Bash => 0,
            Language::C | Language::Cpp => 1,
            Language::CSharp => 2,
            Language::Go => 3,
            Language::Java | Language::Kotlin => 4,
            Language::JavaScript
            | Language::TypeScript
            | Language::Tsx
            | Language::Svelte
            | Language::Vue => 5,
            Language::Php => 6,
            Language::Python => 7,
            Language::Ruby => 8,
            Language::Rust => 9,
            Language::Dart => 10,
            Language::Elixir => 11,
            Language::Hcl => 12,
            Language::Lua => 13,
            Language::PowerShell => 14,
            Language::Protobuf => 15,
            Language::R => 16,
            Language::Sql => 17,
            Language::Zig => 18,
        }
    }

    /// Returns whether the language is JavaScript or is compiled to it.
    pub(super) const fn is_script(self) -> bool {
        self.family() == Language::JavaScript.family()
    }

    /// Returns whether this build can parse the language.
    pub fn is_available(self) -> bool {
        Self::ALL.contains(&self)
    }

    /// Detects the language of a file that this build can parse. See [`Language::detect`].
    pub fn of(path: &str, content: &[u8]) -> Option<Language> {
        Self::detect(path, content).filter(|language| language.is_available())
    }

    /// Detects the language by the file extension, then by the file name or the first line, whether
    /// or not this build can parse it. A `.h` file is C++ if one of its lines starts like C++ only.
    pub fn detect(path: &str, content: &[u8]) -> Option<Language> {
        let name = path.rsplit('/').next().unwrap_or(path);
        match name.rsplit_once('.') {
            Some((_, "h")) if is_cpp(content) => Some(Language::Cpp),
            Some((stem, extension)) if !stem.is_empty() => Self::of_extension(extension),
            _ => Self::of_name(name).or_else(|| Self::of_shebang(content)),
        }
    }

    fn of_extension(extension: &str) -> Option<Language> {
        Some(match extension {
            "sh" | "bash" => Language::Bash,
            "c" | "h" => Language::C,
            "cc" | "cpp" | "cxx" | "c++" | "hh" | "hpp" | "hxx" | "h++" | "ipp" | "tpp" | "inl" => {
                Language::Cpp
            }
            "cs" => Language::CSharp,
            "go" => Language::Go,
            "java" => Language::Java,
            "js" | "jsx" | "mjs" | "cjs" => Language::JavaScript,
            "php" => Language::Php,
            "py" | "pyi" => Language::Python,
            "rb" | "rake" | "gemspec" => Language::Ruby,
            "rs" => Language::Rust,
            "ts" | "mts" | "cts" => Language::TypeScript,
            "tsx" => Language::Tsx,
            "svelte" => Language::Svelte,
            "vue" => Language::Vue,
            "dart" => Language::Dart,
            "ex" | "exs" => Language::Elixir,
            "hcl" | "tf" | "tfvars" => Language::Hcl,
            "kt" | "kts" => Language::Kotlin,
            "lua" => Language::Lua,
            "ps1" | "psm1" => Language::PowerShell,
            "proto" => Language::Protobuf,
            "r" | "R" => Language::R,
            "sql" => Language::Sql,
            "zig" => Language::Zig,
            _ => return None,
        })
    }

    fn of_name(name: &str) -> Option<Language> {
        Some(match name {
            "Rakefile" | "Gemfile" | "Vagrantfile" => Language::Ruby,
            ".bashrc" | ".bash_profile" | ".profile" => Language::Bash,
            _ => return None,
        })
    }

    fn of_shebang(content: &[u8]) -> Option<Language> {
        let line = content.strip_prefix(b"#!")?.split(|b| *b == b'\n').next()?;
        let line = std::str::from_utf8(line.get(..line.len().min(200))?).ok()?;
        let mut words = line
            .split_ascii_whitespace()
            .map(|w| w.rsplit('/').next().unwrap_or(w));
        let program = words.find(|w| *w != "env" && !w.starts_with('-') && !w.contains('='))?;
        Some(
            match program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.') {
                "sh" | "bash" | "dash" | "ksh" => Language::Bash,
                "python" | "pypy" => Language::Python,
                "ruby" => Language::Ruby,
                "node" | "nodejs" => Language::JavaScript,
                "php" => Language::Php,
                "elixir" => Language::Elixir,
                "lua" | "luajit" => Language::Lua,
                "pwsh" => Language::PowerShell,
                "Rscript" => Language::R,
                _ => return None,
            },
        )
    }
}

/// Returns whether a header contains a line that is only valid in C++.
fn is_cpp(content: &[u8]) -> bool {
    const STARTS: [&[u8]; 6] = [
        b"class ",
        b"namespace ",
        b"template",
        b"using ",
        b"public:",
        b"private:",
    ];
    content.split(|b| *b == b'\n').any(|line| {
        let line = line.trim_ascii_start();
        STARTS.iter().any(|start| line.starts_with(start))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_told_by_name_and_first_line() {
        let of = |path, content: &str| Language::of(path, content.as_bytes());
        assert_eq!(of("a/b.rs", ""), Some(Language::Rust));
        assert_eq!(of("a.d.ts", ""), Some(Language::TypeScript));
        assert_eq!(
            of("x/run", "#!/usr/bin/env -S python3.12 -u\n"),
            Some(Language::Python)
        );
        assert_eq!(of("x/run", "#!/bin/sh"), Some(Language::Bash));
        assert_eq!(of("x/run", "#!/usr/bin/perl\n"), None);
        assert_eq!(of("Rakefile", ""), Some(Language::Ruby));
        assert_eq!(of(".py", ""), None);
        assert_eq!(of("a.h", "struct a;\n"), Some(Language::C));
        assert_eq!(of("a.h", "namespace a {\n"), Some(Language::Cpp));
        assert_eq!(of("README.md", ""), None);
        assert_eq!(of("a.vue", ""), Some(Language::Vue));
        assert_eq!(Language::detect("a.kt", b""), Some(Language::Kotlin));
        let has_more = cfg!(feature = "languages-extra");
        assert_eq!(of("a.kt", "").is_some(), has_more);
        assert_eq!(Language::ALL.len(), if has_more { 25 } else { 15 });
        assert_eq!(of("", "#!"), None);
    }
}
