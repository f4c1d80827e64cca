//! Checks that a file to write stays below a directory.

use std::path::{Path, PathBuf};

/// Returns true if a path to write is below a directory after symbolic links are resolved.
///
/// Neither the path nor its parent has to exist. A path that is itself a symbolic link is never
/// below.
#[must_use]
pub fn stays(root: &Path, path: &Path) -> bool {
    let named = |p: &Path| {
        if p.as_os_str().is_empty() {
            PathBuf::from(".")
        } else {
            p.to_path_buf()
        }
    };
    let Ok(root) = named(root).canonicalize() else {
        return false;
    };
    let mut there = path;
    loop {
        match named(there).symlink_metadata() {
            Ok(meta) if there == path && meta.file_type().is_symlink() => return false,
            // An existing path that can't be resolved may lead anywhere.
            Ok(_) => {
                return named(there)
                    .canonicalize()
                    .is_ok_and(|real| real.starts_with(&root));
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(_) => return false,
        }
        // The missing part must consist of names, because the target of its `..` is unknown.
        let is_name = matches!(
            there.components().next_back(),
            Some(std::path::Component::Normal(_))
        );
        match there.parent() {
            Some(parent) if is_name => there = parent,
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::stays;

    #[test]
    fn what_is_to_be_written_stays_below() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("root");
        std::fs::create_dir_all(root.join("real")).unwrap();
        for (path, inside) in [
            ("x.db", true),
            ("real/x.db", true),
            ("new/deep/x.db", true),
            ("../x.db", false),
            ("../new/x.db", false),
            ("new/../../x.db", false),
        ] {
            assert_eq!(stays(&root, &root.join(path)), inside, "{path}");
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::symlink;
            symlink(folder.path(), root.join("out")).unwrap();
            symlink("nowhere", root.join("broken")).unwrap();
            symlink("real", root.join("alias")).unwrap();
            for (path, inside) in [
                ("out/x.db", false),
                ("out/new/x.db", false),
                ("out", false),
                ("broken", false),
                ("broken/x.db", false),
                ("alias", false),
                ("alias/new/x.db", true),
            ] {
                assert_eq!(stays(&root, &root.join(path)), inside, "{path}");
            }
        }
    }
}
