use super::*;

static SCHEMA: Schema = Schema {
    application_id: 0x7465_7374,
    version: 7,
    tables: "CREATE TABLE note (source INTEGER NOT NULL, text TEXT NOT NULL) STRICT;",
    owned: &["note"],
};

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

#[test]
fn readers_see_the_last_state_that_stood() {
    let root = folder();
    let store = Store::create(&root.path().join("a/b/index.db"), &SCHEMA).unwrap();
    let mode: String = store
        .db
        .pragma_query_value(None, "journal_mode", |r| r.get(0))
        .unwrap();
    assert_eq!(mode, "wal");
}

#[test]
fn other_files_are_left_alone() {
    let root = folder();
    let text = root.path().join("notes.txt");
    std::fs::write(
        &text,
        "no database at all, but long enough to be looked at as one",
    )
    .unwrap();
    assert!(matches!(
        Store::open(&text, &SCHEMA),
        Err(IndexError::Foreign { .. })
    ));
    assert!(matches!(
        Store::create(&text, &SCHEMA),
        Err(IndexError::Foreign { .. })
    ));
    // SQLite takes a file shorter than a header for an empty database.
    std::fs::write(&text, "x").unwrap();
    assert!(matches!(
        Store::open(&text, &SCHEMA),
        Err(IndexError::Foreign { .. })
    ));
    assert!(matches!(
        Store::create(&text, &SCHEMA),
        Err(IndexError::Foreign { .. })
    ));
    assert_eq!(std::fs::read(&text).unwrap(), b"x");
    let other = root.path().join("other.db");
    Connection::open(&other)
        .unwrap()
        .execute_batch("CREATE TABLE mine (x)")
        .unwrap();
    assert!(matches!(
        Store::create(&other, &SCHEMA),
        Err(IndexError::Foreign { .. })
    ));
    // A valid store with an added view.
    let planted = root.path().join("planted.db");
    drop(Store::create(&planted, &SCHEMA).unwrap());
    Connection::open(&planted)
        .unwrap()
        .execute_batch("CREATE VIEW evil AS SELECT 1")
        .unwrap();
    assert!(matches!(
        Store::open(&planted, &SCHEMA),
        Err(IndexError::Foreign { .. })
    ));
    assert!(matches!(
        Store::create(&planted, &SCHEMA),
        Err(IndexError::Foreign { .. })
    ));
    // A valid store with another virtual table, or with ours made in another way.
    for (n, planted) in [
        "CREATE VIRTUAL TABLE more USING fts5 (a)",
        "DROP TABLE words; CREATE VIRTUAL TABLE words USING fts5 (head, body)",
    ]
    .into_iter()
    .enumerate()
    {
        let path = root.path().join(format!("planted{n}.db"));
        drop(Store::create(&path, &SCHEMA).unwrap());
        let db = Connection::open(&path).unwrap();
        db.execute_batch(planted).unwrap();
        drop(db);
        let opened = Store::open(&path, &SCHEMA);
        assert!(
            matches!(opened, Err(IndexError::Foreign { .. })),
            "{planted}"
        );
    }
    assert!(matches!(
        Store::open(&root.path().join("none.db"), &SCHEMA),
        Err(IndexError::Missing { .. })
    ));
    assert!(!root.path().join("none.db").exists());
}

#[test]
fn stores_of_other_versions_are_refused() {
    let root = folder();
    let path = root.path().join("index.db");
    drop(Store::create(&path, &SCHEMA).unwrap());
    let set = |version: i64| {
        Connection::open(&path)
            .unwrap()
            .pragma_update(None, "user_version", version)
            .unwrap();
    };
    set(SCHEMA.version - 1);
    for result in [Store::open(&path, &SCHEMA), Store::create(&path, &SCHEMA)] {
        assert!(matches!(
            result,
            Err(IndexError::Older {
                found,
                known
            }) if (found, known) == (SCHEMA.version - 1, SCHEMA.version)
        ));
    }
    set(SCHEMA.version + 1);
    for result in [Store::open(&path, &SCHEMA), Store::create(&path, &SCHEMA)] {
        assert!(matches!(result, Err(IndexError::Newer { .. })));
    }
    set(SCHEMA.version);
    drop(Store::open(&path, &SCHEMA).unwrap());
}

#[test]
fn one_writes_and_others_read() {
    let root = folder();
    let path = root.path().join("index.db");
    let mut one = Store::create(&path, &SCHEMA).unwrap();
    let reader = Store::open(&path, &SCHEMA).unwrap();
    let mut other = Store::create(&path, &SCHEMA).unwrap();
    other.db.busy_timeout(Duration::ZERO).unwrap();
    let writer = one.write().unwrap();
    assert!(matches!(other.write(), Err(IndexError::Busy)));
    let count: i64 = reader
        .db
        .query_row("SELECT count(*) FROM observation", [], |r| r.get(0))
        .unwrap();
    assert_eq!(count, 0);
    drop(writer);
    assert!(other.write().is_ok());
}

#[test]
fn an_index_in_a_folder_that_is_read_only_is_read() {
    let error = |code| {
        IndexError::from(rusqlite::Error::SqliteFailure(
            rusqlite::ffi::Error::new(code),
            None,
        ))
    };
    let (readonly, cannot_open, corrupt) = (error(8), error(14), error(11));
    let root = folder();
    let path = root.path().join("in 100%#1?.db");
    drop(Store::create(&path, &SCHEMA).unwrap());
    assert!(unchanging(&path, &corrupt).is_none());
    for refused in [readonly, cannot_open] {
        let uri = unchanging(&path, &refused).unwrap();
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
        assert_eq!(
            version(
                &Connection::open_with_flags(uri, flags).unwrap(),
                &path,
                &SCHEMA
            )
            .unwrap(),
            SCHEMA.version
        );
        // A WAL left by a writer would not be seen.
        let log = root.path().join("in 100%#1?.db-wal");
        std::fs::write(&log, "left behind").unwrap();
        assert!(unchanging(&path, &refused).is_none());
        std::fs::write(&log, "").unwrap();
    }
}

#[test]
fn a_full_disk_is_no_damage() {
    let root = folder();
    let store = Store::create(&root.path().join("index.db"), &SCHEMA).unwrap();
    let pages: i64 = store
        .db
        .pragma_query_value(None, "page_count", |r| r.get(0))
        .unwrap();
    store
        .db
        .query_row(&format!("PRAGMA max_page_count = {pages}"), [], |_| Ok(()))
        .unwrap();
    let full = store
        .db
        .execute("INSERT INTO meta VALUES ('big', zeroblob(1000000))", [])
        .unwrap_err();
    let full = IndexError::from(full);
    assert!(matches!(full, IndexError::Refused(_)), "{full}");
}

#[test]
fn rows_of_an_application_go_with_their_source() {
    let mut store = Store::in_memory(&SCHEMA).unwrap();
    let mut add = |path: &str, note: &str| {
        let source = NewSource {
            kind: "notes",
            path,
            hash: &[],
            bytes: 0,
            hidden: 0,
        };
        let mut writer = store.write().unwrap();
        let mut open = writer
            .add(&source, &Prepared::new(Vec::new(), path))
            .unwrap();
        let id = open.id();
        writer
            .connection()
            .execute("INSERT INTO note VALUES (?1, ?2)", (id, note))
            .unwrap();
        open.note(&[note]);
        writer.finish(open).unwrap();
        let digest = writer.digest().unwrap();
        writer.commit().unwrap();
        (id, digest)
    };
    let (_, one) = add("a", "one");
    let (second, both) = add("b", "two");
    assert_ne!(one, both);
    let mut writer = store.write().unwrap();
    writer.remove(second).unwrap();
    assert_eq!(writer.digest().unwrap(), one);
    writer.commit().unwrap();
    let notes: String = store
        .connection()
        .query_row("SELECT group_concat(text) FROM note", [], |row| row.get(0))
        .unwrap();
    assert_eq!(notes, "one");
    // What an application notes of its rows is a part of the digest.
    let mut other = Store::in_memory(&SCHEMA).unwrap();
    let mut writer = other.write().unwrap();
    let source = NewSource {
        kind: "notes",
        path: "a",
        hash: &[],
        bytes: 0,
        hidden: 0,
    };
    let open = writer
        .add(&source, &Prepared::new(Vec::new(), "a"))
        .unwrap();
    writer.finish(open).unwrap();
    assert_ne!(writer.digest().unwrap(), one);
}
