//! Other names of places: homes of users, and links of processes.

/// Returns the path that `USER/…` stands for behind a tilde: homes lie beside each other, except
/// that of root. `None` for a place on the stack of directories.
pub(super) fn below_home_of(named: &str, home: &str) -> Option<String> {
    let (user, tail) = named.split_at(named.find('/').unwrap_or(named.len()));
    if user.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let (homes, own) = home.rsplit_once('/')?;
    Some(match user {
        "root" => format!("/root{tail}"),
        _ if user == own => format!("{home}{tail}"),
        _ => format!("{homes}/{user}{tail}"),
    })
}

/// Returns whether a path leads through a link of a process to its directory or root.
pub(super) fn follows_process(path: &str) -> bool {
    path.starts_with("/proc/") && path.split('/').any(|part| matches!(part, "cwd" | "root"))
}
