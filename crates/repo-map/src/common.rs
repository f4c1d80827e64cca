//! Common names, which standard libraries use for their own items. A reference to `map` rarely
//! means the one definition of that name in the tree.

/// Sorted, for binary search.
#[rustfmt::skip]
const NAMES: &[&str] = &[
    "Arc", "Box", "Error", "Exception", "HashMap", "Iterator", "List", "Map", "None", "Object",
    "Ok", "Option", "Path", "Promise", "Result", "Self", "Set", "Some", "String", "Vec", "add",
    "all", "any", "append", "apply", "as_bytes", "as_mut", "as_ref", "as_str", "assert",
    "assert_eq", "await", "bind", "build", "call", "catch", "chars", "clear", "clone", "close",
    "cmp", "collect", "contains", "copy", "count", "create", "data", "debug", "default", "delete",
    "drain", "drop", "each", "emit", "ends_with", "enumerate", "eq", "error", "exec", "exists",
    "exit", "extend", "fail", "filter", "filter_map", "find", "find_map", "first", "flat_map",
    "flush", "fmt", "fold", "forEach", "for_each", "format", "from", "get", "get_mut", "has",
    "hash", "head", "id", "includes", "index", "indexOf", "info", "init", "insert", "into",
    "into_iter", "is_empty", "is_none", "is_some", "items", "iter", "iter_mut", "join", "key",
    "keys", "last", "len", "length", "lines", "list", "load", "log", "lower", "main", "map",
    "map_err", "match", "max", "merge", "min", "name", "new", "new_line", "next", "none", "now",
    "ok", "ok_or", "on", "open", "or_else", "panic", "parse", "path", "peek", "pop", "position",
    "print", "println", "push", "push_str", "put", "read", "ref", "remove", "replace", "reset",
    "resolve", "retain", "rev", "reverse", "round", "run", "send", "set", "size", "skip", "slice",
    "some", "sort", "sort_by", "split", "start", "starts_with", "state", "stop", "str", "strip",
    "sum", "swap", "take", "test", "text", "then", "toString", "to_owned", "to_string", "trim",
    "try_from", "type", "unwrap", "unwrap_or", "update", "upper", "value", "values", "vec", "warn",
    "with", "write", "writeln", "zip",
];

/// Returns the factor for a reference's weight that reflects how specific its name is.
pub(super) fn weight(name: &str) -> f64 {
    if NAMES.binary_search(&name).is_ok() {
        0.1
    } else if name.chars().count() < 3 {
        0.2
    } else {
        1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(NAMES.windows(2).all(|w| w[0] < w[1]));
        assert!(weight("map") < weight("ab") && weight("ab") < weight("read_settings"));
    }
}
