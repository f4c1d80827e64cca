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
const READS: &str = " \
 in and or not as from join on where values exists any all some over using by select case when then \
 else union except intersect filter group explain interval limit having between like ilike is \
 offset distinct lateral array row rows top describe summarize pivot unpivot with recursive order \
 partition within returning materialized cube rollup sets unnest analyze verbose costs buffers \
 format table show columns exclude anti semi left right inner outer cross natural full qualify \
 varchar nvarchar char nchar numeric decimal float double bit varbinary binary datetime2 time \
 timestamp timestamptz datetimeoffset date datetime int integer bigint text real boolean struct map \
 tuple list nullable lowcardinality fixedstring datetime64 decimal64 decimal128 enum8 enum16 \
 count sum avg min max total abs round ceil ceiling floor sqrt power pow exp ln log log2 log10 mod \
 sign pi sin cos tan asin acos atan atan2 degrees radians rand random greatest least coalesce \
 nullif ifnull isnull nvl nvl2 iif if decode cast try_cast convert try_convert typeof length len \
 char_length character_length octet_length bit_length lower upper initcap trim ltrim rtrim btrim \
 substr substring replace reverse repeat concat concat_ws position strpos instr locate charindex \
 lpad rpad ascii chr unicode format printf to_char to_date to_timestamp to_number translate \
 split_part string_agg array_agg group_concat listagg json_agg jsonb_agg json_object_agg \
 jsonb_object_agg regexp_replace regexp_matches regexp_match regexp_split_to_array \
 regexp_split_to_table regexp_like regexp_substr regexp_extract regexp_extract_all \
 regexp_full_match string_to_array array_to_string array_length array_position array_remove \
 array_append array_cat array_upper array_lower cardinality generate_series generate_subscripts \
 range now current_timestamp current_date current_time localtime localtimestamp date_trunc \
 datetrunc date_part datepart extract age make_date make_timestamp make_interval date_add date_sub \
 dateadd datediff date_diff date_format str_to_date unix_timestamp from_unixtime strftime julianday \
 unixepoch timediff epoch epoch_ms year month day hour minute second week quarter dayofweek \
 dayofmonth dayofyear dayname monthname weekday last_day curdate curtime sysdate getdate \
 getutcdate eomonth adddate subdate addtime row_number rank dense_rank percent_rank cume_dist \
 ntile lag lead first_value last_value nth_value first last any_value arg_min arg_max median mode \
 quantile quantile_cont quantile_disc percentile_cont percentile_disc approx_count_distinct stddev \
 stddev_pop stddev_samp variance var_pop var_samp corr covar_pop covar_samp regr_slope \
 regr_intercept bool_and bool_or every bit_and bit_or bit_xor json json_array json_object json_extract \
 json_extract_string json_extract_path json_extract_path_text json_each json_tree json_type \
 json_valid json_array_length json_quote json_value json_query json_group_array json_group_object \
 json_keys json_contains json_unquote json_length json_array_elements json_array_elements_text \
 json_object_keys json_build_object json_build_array json_strip_nulls json_to_record \
 json_to_recordset json_populate_record jsonb_array_elements jsonb_array_elements_text \
 jsonb_object_keys jsonb_build_object jsonb_build_array jsonb_array_length jsonb_each \
 jsonb_each_text json_each_text jsonb_pretty jsonb_set jsonb_typeof json_typeof jsonb_path_query \
 jsonb_path_exists jsonb_extract_path jsonb_extract_path_text jsonb_to_recordset to_json to_jsonb \
 row_to_json array_to_json hex unhex md5 sha1 sha2 sha256 crc32 encode quote quote_ident \
 quote_literal quote_nullable soundex levenshtein similarity version sqlite_version database \
 schema user current_user session_user current_database current_schema current_schemas \
 current_catalog system_user connection_id last_insert_id changes total_changes last_insert_rowid \
 row_count found_rows pg_size_pretty pg_database_size pg_relation_size pg_total_relation_size \
 pg_table_size pg_indexes_size pg_tablespace_size pg_column_size pg_get_viewdef pg_get_functiondef \
 pg_get_indexdef pg_get_constraintdef pg_get_expr pg_get_serial_sequence pg_get_userbyid \
 pg_get_triggerdef pg_get_ruledef pg_backend_pid pg_postmaster_start_time pg_conf_load_time \
 pg_is_in_recovery pg_current_wal_lsn pg_last_wal_replay_lsn pg_last_wal_receive_lsn \
 pg_last_xact_replay_timestamp pg_blocking_pids pg_encoding_to_char pg_typeof pg_table_is_visible \
 format_type obj_description col_description shobj_description has_table_privilege \
 has_schema_privilege has_database_privilege to_regclass to_tsvector to_tsquery plainto_tsquery \
 websearch_to_tsquery ts_rank ts_headline txid_current pg_current_xact_id current_setting \
 inet_server_addr inet_server_port inet_client_addr inet_aton inet_ntoa uuid gen_random_uuid \
 uuid_generate_v4 newid object_id object_name db_name db_id schema_name col_name type_name \
 serverproperty databasepropertyex suser_name suser_sname user_name host_name app_name isdate \
 isnumeric choose stuff string_split openjson parsename patindex replicate space str left right \
 pragma_table_info pragma_table_list pragma_index_list pragma_index_info pragma_foreign_key_list \
 pragma_database_list pragma_function_list pragma_compile_options sqlite_source_id \
 sqlite_compileoption_used likelihood likely unlikely glob match highlight snippet bm25 \
 duckdb_tables duckdb_columns duckdb_settings duckdb_functions duckdb_extensions duckdb_databases \
 duckdb_schemas duckdb_views duckdb_indexes list_value list_aggregate list_distinct list_sort \
 list_contains list_filter list_transform list_extract struct_pack struct_extract map_keys \
 map_values string_split regexp_split_to_array contains starts_with ends_with prefix suffix \
 bar histogram columns to_days to_hours to_minutes to_seconds time_bucket hash table_info \
 numbers zeros generaterandom uniq uniqexact uniqcombined countif sumif avgif minif maxif quantiles \
 quantileexact grouparray groupuniqarray argmin argmax tostring toint32 toint64 touint32 touint64 \
 touint8 tofloat64 tofloat32 todate todatetime todatetime64 tostartofday tostartofhour \
 tostartofminute tostartofmonth tostartofweek tostartofinterval toyyyymm toyyyymmdd toyear tomonth \
 today yesterday formatdatetime formatreadablesize formatreadablequantity datediff arrayjoin \
 arraymap arrayfilter arraysort length empty notempty multiif tuple splitbychar extractall \
 jsonextract jsonextractstring jsonextractint jsonextractfloat domain path hostname uptime \
 currentdatabase matchall token ttl writetime todate dateof unixtimestampof mintimeuuid maxtimeuuid \
 strptime try_strptime make_time century isodow epoch_us epoch_ns list_unique \
 list_min list_max list_sum list_avg list_reduce list_concat list_slice list_position flatten array_slice \
 array_distinct array_sort str_split string_length reservoir_quantile mad skewness kurtosis product \
 from_json json_structure json_transform json_merge_patch json_set json_insert json_replace json_remove \
 json_patch jsonb_strip_nulls jsonb_object_agg jsonb_path_query_array jsonb_build_array regexp_count \
 regexp_instr num_nulls width_bucket trunc cbrt gcd lcm factorial isfinite justify_days timeofday \
 statement_timestamp clock_timestamp transaction_timestamp tsvector_to_array numnode to_base64 \
 from_base64 makedate maketime period_diff timestampdiff timestampadd to_seconds elt field find_in_set \
 format_bytes is_uuid bin_to_uuid uuid_to_bin inet6_ntoa conv bin oct ord insert lcase ucase mid \
 sqlite_offset subtype concat_ws unistr octet_length format_type tojson fromjson ";

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
    let behind = toks.get(if dotted { 4 } else { 2 }..).unwrap_or_default();
    let sets = !behind.is_empty();
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
