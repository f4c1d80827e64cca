//! A valid path of a tree stays inside it, however the path is interpreted.

#![no_main]

use libfuzzer_sys::fuzz_target;
use worktree::path::{entry, fold, relative};

fuzz_target!(|path: &str| {
    if entry(path).is_ok() {
        assert_eq!(relative(path), Ok(()));
        assert!(!path.split(['/', '\\']).any(|part| part == ".." || part.eq_ignore_ascii_case(".git")));
    }
    assert_eq!(fold(&fold(path)), fold(path));
});
