//! Detects lines of PowerShell and cmd. No parser for cmd exists, so its lines are rated high.

pub(crate) const POWERSHELL: &str = "looks like PowerShell, which isn't followed here";
const CMD: &str = "looks like a line for cmd, which isn't understood yet";

const VERBS: &[&str] = &[
    "add",
    "clear",
    "close",
    "compare",
    "convertfrom",
    "convertto",
    "copy",
    "disable",
    "enable",
    "enter",
    "exit",
    "export",
    "find",
    "format",
    "get",
    "group",
    "import",
    "invoke",
    "join",
    "measure",
    "mount",
    "move",
    "new",
    "open",
    "out",
    "pop",
    "push",
    "read",
    "receive",
    "register",
    "remove",
    "rename",
    "reset",
    "resolve",
    "restart",
    "restore",
    "resume",
    "save",
    "search",
    "select",
    "send",
    "set",
    "show",
    "sort",
    "split",
    "start",
    "stop",
    "submit",
    "suspend",
    "tee",
    "test",
    "trace",
    "unblock",
    "uninstall",
    "unregister",
    "update",
    "wait",
    "where",
    "write",
    "foreach",
    "install",
    "expand",
    "compress",
    "dismount",
    "initialize",
    "optimize",
    "repair",
];

/// Returns whether a word is a capitalised `Verb-Noun`, as PowerShell names its commands.
fn cmdlet(word: &str) -> bool {
    let Some((verb, noun)) = word.split_once('-') else {
        return false;
    };
    let verb_ok = verb.chars().next().is_some_and(|c| c.is_ascii_uppercase());
    let noun_ok = noun.chars().next().is_some_and(|c| c.is_ascii_uppercase())
        && noun.chars().all(|c| c.is_ascii_alphanumeric());
    verb_ok && noun_ok && VERBS.contains(&verb.to_ascii_lowercase().as_str())
}

/// Returns whether a name in lower case is a `verb-noun` with a verb of PowerShell.
pub(crate) fn has_verb(name: &str) -> bool {
    let noun = |noun: &str| noun.bytes().all(|b| b.is_ascii_alphanumeric());
    name.split_once('-')
        .is_some_and(|(verb, rest)| noun(rest) && VERBS.contains(&verb))
}

/// Returns the reason why a whole line belongs to cmd.
pub(crate) fn recognise(line: &str) -> Option<&'static str> {
    let t = line.trim_start();
    if t.starts_with("@echo off") || t.starts_with("@ECHO OFF") {
        return Some(CMD);
    }
    let b = t.as_bytes();
    // `C:\…` as the program.
    let is_drive = b.first().is_some_and(u8::is_ascii_alphabetic)
        && b.get(1) == Some(&b':')
        && b.get(2) == Some(&b'\\');
    is_drive.then_some(CMD)
}

/// Returns whether a whole line belongs to PowerShell.
pub(crate) fn is_powershell(line: &str) -> bool {
    let t = line.trim_start();
    if t.starts_with('$') && (assigns(t) || t.to_ascii_lowercase().starts_with("$env:")) {
        return true;
    }
    if t.starts_with('[') && t.contains("]::") {
        return true;
    }
    if [". {", "& ", "&{"].iter().any(|start| t.starts_with(start))
        || t.to_ascii_lowercase().starts_with("$psversiontable")
    {
        return true;
    }
    let first = t
        .split(|c: char| c.is_whitespace() || matches!(c, ';' | '|' | '('))
        .next()
        .unwrap_or_default();
    // A tool for Go has that name as well.
    let mut words = t.split_ascii_whitespace();
    let is_alias = words.next() == Some("gci")
        && !words.next().is_some_and(|word| {
            matches!(
                word,
                "write" | "print" | "diff" | "list" | "help" | "completion"
            ) || word.starts_with("--")
        });
    is_alias || cmdlet(first)
}

/// Returns whether a line has an option that is written like a parameter of PowerShell, a path on a
/// drive, or a variable of PowerShell's environment.
pub(crate) fn hints_powershell(line: &str) -> bool {
    let is_parameter = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_uppercase())
            && word.len() > 2
            && word.bytes().skip(1).take(2).all(|b| b.is_ascii_lowercase())
    };
    line.contains(":\\")
        || line.contains('$') && line.to_ascii_lowercase().contains("$env:")
        || line.split(" -").skip(1).any(is_parameter)
}

/// Returns whether a text begins with `$x = `, which makes no sense in bash.
pub(crate) fn assigns(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('$') else {
        return false;
    };
    let n = rest
        .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .unwrap_or(rest.len());
    let tail = rest.get(n..).unwrap_or_default();
    n > 0 && tail.trim_start().starts_with("= ") && tail.starts_with([' ', '='])
}

/// Returns the reason why a program that isn't in the table may belong to another shell.
pub(crate) fn program(name: &str) -> Option<&'static str> {
    if cmdlet(name) {
        return Some(POWERSHELL);
    }
    let lower = name.to_ascii_lowercase();
    match lower.as_str() {
        "del" | "erase" | "rd" | "deltree" | "copy" | "xcopy" | "robocopy" | "move" | "ren"
        | "attrib" | "icacls" | "takeown" | "cacls" | "reg" | "regedit" | "bcdedit"
        | "vssadmin" | "wmic" | "schtasks" | "sc" | "taskkill" | "tasklist" | "cipher"
        | "diskpart" | "fsutil" | "wevtutil" | "netsh" | "certutil" | "bitsadmin" | "mshta"
        | "rundll32" | "regsvr32" | "cls" | "type.exe" | "md" | "setx" | "assoc" | "ftype"
        | "chkdsk" | "sfc" | "dism" | "gpupdate" | "wscript" | "cscript" | "format.com" => {
            Some(CMD)
        }
        "iex" | "iwr" | "irm" | "gci" | "gc" | "ri" | "ni" | "sls" | "gps" | "spps" | "saps"
        | "icm" | "iwmi" => Some(POWERSHELL),
        _ => None,
    }
}
