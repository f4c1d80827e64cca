//! Names of functions, settings and pragmas of databases.

use super::lex::Tok;
use crate::effect::RiskLevel;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Function {
    /// Computes, or only reads tables.
    Reads,
    /// Opens the file in its first argument.
    ReadsFile,
    /// Reaches beyond the tables.
    Acts,
    Unknown,
}

/// Prefixes of functions that reach beyond the tables.
const ACTS_BY_PREFIX: [&str; 21] = [
    "dblink",
    "lo_",
    "pg_read_",
    "pg_ls_",
    "pg_file_",
    "pg_create_",
    "pg_drop_",
    "pg_logical_",
    "pg_replication_",
    "pg_stat_reset",
    "pg_wal_",
    "pg_start_",
    "pg_stop_",
    "pg_backup_",
    "xp_",
    "sp_",
    "sys_e",
    "dbms_",
    "utl_",
    "http",
    "load_",
];

const ACTS: [&str; 63] = [
    "pg_terminate_backend",
    "pg_cancel_backend",
    "pg_reload_conf",
    "pg_rotate_logfile",
    "pg_switch_wal",
    "pg_promote",
    "pg_stat_file",
    "pg_execute_server_program",
    "setval",
    "set_config",
    "query_to_xml",
    "query_to_xml_and_xmlschema",
    "query_to_xmlschema",
    "cursor_to_xml",
    "table_to_xml",
    "schema_to_xml",
    "database_to_xml",
    "ts_stat",
    "crosstab",
    "connectby",
    "openrowset",
    "openquery",
    "opendatasource",
    "load_extension",
    "writefile",
    "readfile",
    "edit",
    "url",
    "urlcluster",
    "s3",
    "s3cluster",
    "gcs",
    "remote",
    "remotesecure",
    "mysql",
    "postgresql",
    "mongodb",
    "hdfs",
    "hdfscluster",
    "executable",
    "jdbc",
    "odbc",
    "redis",
    "azureblobstorage",
    "filecluster",
    "input",
    "getenv",
    "query",
    "query_table",
    "exec",
    "shell",
    "system",
    "fsdir",
    "lsdir",
    "zipfile",
    "sqlite_scan",
    "postgres_scan",
    "mysql_scan",
    "postgres_query",
    "mysql_query",
    "postgres_execute",
    "mysql_execute",
    "json_execute_serialized_sql",
];

/// Functions of `duckdb` and `clickhouse` that open files.
const FILES: [&str; 19] = [
    "read_csv",
    "read_csv_auto",
    "csv_scan",
    "sniff_csv",
    "read_json",
    "read_json_auto",
    "read_json_objects",
    "read_json_objects_auto",
    "read_ndjson",
    "read_ndjson_auto",
    "read_ndjson_objects",
    "read_parquet",
    "parquet_scan",
    "parquet_metadata",
    "parquet_schema",
    "parquet_file_metadata",
    "read_text",
    "read_blob",
    "glob",
];

/// Words that may precede a bracket, and functions that compute.
const READS: &str = include_str!("reads.txt");

/// Returns whether `duckdb` takes a text after this word as a file name.
pub(super) fn opens(word: &str) -> bool {
    matches!(
        word,
        "from" | "join" | "summarize" | "describe" | "desc" | "pivot" | "unpivot" | "table"
    )
}

pub(super) fn function(lang: &str, name: &str) -> Function {
    if FILES.contains(&name) && lang == "duckdb" || name == "file" && lang == "clickhouse" {
        return Function::ReadsFile;
    }
    let acts = ACTS.contains(&name)
        || (name == "file" || FILES.contains(&name) && name != "glob")
        || ACTS_BY_PREFIX.iter().any(|p| name.starts_with(p));
    if acts {
        return Function::Acts;
    }
    if known(name) {
        return Function::Reads;
    }
    Function::Unknown
}

fn known(name: &str) -> bool {
    static NAMES: std::sync::LazyLock<rustc_hash::FxHashSet<&str>> =
        std::sync::LazyLock::new(|| READS.split_ascii_whitespace().collect());
    NAMES.contains(name)
}

/// Returns whether the statement only begins or ends a transaction.
pub(super) fn transaction(first: &str, rest: &[&str]) -> bool {
    if matches!(first, "savepoint" | "release") {
        return rest.len() < 4;
    }
    rest.iter().all(|w| {
        matches!(
            *w,
            "transaction"
                | "tran"
                | "work"
                | "read"
                | "only"
                | "write"
                | "isolation"
                | "level"
                | "serializable"
                | "repeatable"
                | "committed"
                | "uncommitted"
                | "snapshot"
                | "deferred"
                | "immediate"
                | "exclusive"
                | "not"
                | "deferrable"
                | "with"
                | "consistent"
                | "and"
                | "no"
                | "chain"
                | "to"
        )
    })
}

/// Returns whether `set …` only changes how the session reads and prints.
pub(super) fn setting(rest: &[&str]) -> bool {
    let name = rest
        .iter()
        .find(|w| !matches!(**w, "session" | "local" | "variable"))
        .copied()
        .unwrap_or_default();
    !rest
        .iter()
        .any(|w| matches!(*w, "global" | "persist" | "persist_only"))
        && matches!(
            name,
            "search_path"
                | "client_encoding"
                | "client_min_messages"
                | "statement_timeout"
                | "lock_timeout"
                | "work_mem"
                | "timezone"
                | "time"
                | "datestyle"
                | "intervalstyle"
                | "names"
                | "character"
                | "nocount"
                | "transaction"
                | "characteristics"
                | "enable_seqscan"
                | "enable_indexscan"
                | "enable_bitmapscan"
                | "enable_hashjoin"
                | "enable_mergejoin"
                | "enable_nestloop"
                | "enable_progress_bar"
                | "max_execution_time"
                | "max_parallel_workers_per_gather"
                | "max_threads"
                | "max_memory_usage"
                | "threads"
                | "memory_limit"
                | "extra_float_digits"
                | "bytea_output"
                | "application_name"
                | "schema"
                | "pagesize"
                | "pages"
                | "linesize"
                | "lines"
                | "heading"
                | "head"
                | "feedback"
                | "feed"
                | "echo"
                | "verify"
                | "timing"
                | "long"
                | "trimspool"
                | "wrap"
                | "statistics"
                | "rowcount"
        )
}

/// Returns the risk of a pragma, if it is known.
pub(super) fn pragma(toks: &[Tok]) -> Option<RiskLevel> {
    let dotted = toks.get(2) == Some(&Tok::Punct('.'));
    let name = toks.get(if dotted { 3 } else { 1 }).and_then(super::word)?;
    let after = toks.get(if dotted { 4 } else { 2 }..).unwrap_or_default();
    let sets = !after.is_empty();
    let reads_of = matches!(
        name,
        "table_info"
            | "table_xinfo"
            | "table_list"
            | "index_list"
            | "index_info"
            | "index_xinfo"
            | "foreign_key_list"
            | "foreign_key_check"
            | "integrity_check"
            | "quick_check"
            | "database_list"
            | "compile_options"
            | "function_list"
            | "module_list"
            | "pragma_list"
            | "collation_list"
            | "show_tables"
            | "database_size"
            | "version"
            | "show"
            | "storage_info"
    );
    let settings = matches!(
        name,
        "application_id"
            | "auto_vacuum"
            | "automatic_index"
            | "busy_timeout"
            | "cache_size"
            | "cache_spill"
            | "case_sensitive_like"
            | "data_version"
            | "encoding"
            | "foreign_keys"
            | "freelist_count"
            | "journal_mode"
            | "journal_size_limit"
            | "locking_mode"
            | "max_page_count"
            | "mmap_size"
            | "page_count"
            | "page_size"
            | "query_only"
            | "recursive_triggers"
            | "schema_version"
            | "secure_delete"
            | "synchronous"
            | "temp_store"
            | "threads"
            | "user_version"
            | "wal_autocheckpoint"
            | "memory_limit"
    );
    match (reads_of, settings, sets) {
        (true, ..) | (_, true, false) => Some(RiskLevel::Low),
        (_, true, true) => Some(RiskLevel::Medium),
        _ if matches!(name, "wal_checkpoint" | "optimize" | "shrink_memory") => {
            Some(RiskLevel::Medium)
        }
        _ => None,
    }
}

/// Returns whether a created object contains code, or grants access.
pub(super) fn creates_code(rest: &[&str]) -> bool {
    rest.iter().any(|w| {
        matches!(
            *w,
            "function"
                | "aggregate"
                | "extension"
                | "user"
                | "role"
                | "login"
                | "procedure"
                | "proc"
                | "trigger"
                | "server"
                | "secret"
                | "macro"
                | "event"
                | "rule"
                | "assembly"
                | "language"
                | "subscription"
                | "publication"
                | "foreign"
                | "external"
                | "virtual"
        )
    })
}

/// Returns whether a statement with this first word destroys or changes data.
pub(super) fn destroys(first: &str) -> bool {
    matches!(
        first,
        "rename"
            | "kill"
            | "shutdown"
            | "vacuum"
            | "flush"
            | "reset"
            | "purge"
            | "detach"
            | "load"
            | "call"
            | "do"
            | "attach"
            | "lock"
            | "install"
            | "import"
            | "export"
            | "optimize"
            | "reindex"
            | "cluster"
            | "refresh"
            | "prepare"
            | "set"
    )
}
