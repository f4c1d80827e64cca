use super::*;
use crate::risk_of_call as risk;
use serde_json::json;

#[test]
fn queries_are_read() {
    for (name, params) in [
        ("query", json!({"sql": "drop table x"})),
        (
            "mcp__postgres__query",
            json!({"query": "DELETE FROM users"}),
        ),
        ("sql_query", json!({"query": "truncate t"})),
        ("db_read", json!({"q": "drop table x"})),
        ("query", json!({"query": "delete from users where 1=1"})),
        (
            "graphql_query",
            json!({"query": "mutation { deleteRepo(id: 1) { id } }"}),
        ),
        (
            "graphql",
            json!({"query": "# a\nquery a { b }\nmutation M($x: Int) { c }"}),
        ),
        (
            "read_database",
            json!({"statements": ["select 1", "drop table x"]}),
        ),
    ] {
        assert_eq!(
            risk(name, params.clone()),
            RiskLevel::High,
            "{name} {params}"
        );
    }
    for (name, params) in [
        ("query", json!({"sql": "select 1"})),
        (
            "mcp__postgres__query",
            json!({"query": "SELECT name FROM users"}),
        ),
        ("search_code", json!({"query": "drop table"})),
        ("search", json!({"query": "mutation testing"})),
        ("query_metrics", json!({"query": "rate(errors[5m])"})),
        ("describe_table", json!({"table": "users"})),
    ] {
        assert_eq!(
            risk(name, params.clone()),
            RiskLevel::Low,
            "{name} {params}"
        );
    }
}

#[test]
fn secrets_are_secrets_by_name() {
    for (name, params) in [
        ("get_secret", json!({"name": "prod"})),
        ("read_secret", json!({})),
        ("get_token", json!({})),
        ("get_password", json!({"user": "x"})),
        ("list_credentials", json!({})),
        ("mcp__vault__read_secret", json!({"path": "kv/a"})),
        ("getAccessToken", json!({})),
        ("get_env", json!({"name": "AWS_SECRET_ACCESS_KEY"})),
        (
            "get_environment_variable",
            json!({"variable": "GITHUB_TOKEN"}),
        ),
    ] {
        assert_eq!(
            risk(name, params.clone()),
            RiskLevel::High,
            "{name} {params}"
        );
    }
    for (name, params) in [
        ("count_tokens", json!({"text": "a b"})),
        ("get_token_usage", json!({})),
        ("get_password_policy", json!({})),
        ("get_semantic_tokens", json!({"path": "src/a.rs"})),
        ("get_env", json!({"name": "LANG"})),
        ("get_setting", json!({"name": "MAX_TOKENS"})),
    ] {
        assert_eq!(
            risk(name, params.clone()),
            RiskLevel::Low,
            "{name} {params}"
        );
    }
}

#[test]
fn parameters_of_git_are_options_of_git() {
    for (name, params) in [
        ("git_diff", json!({"args": ["--output=/etc/x"]})),
        ("git_diff", json!({"target": "--output=/etc/x"})),
        ("git_log", json!({"args": "--output=/etc/x -p"})),
        ("git_log", json!({"args": "; rm -rf src"})),
        ("git_grep", json!({"args": ["-O", "rm"]})),
        ("git_grep", json!({"args": ["-Orm", "x"]})),
        ("git_branch", json!({"args": "-D x"})),
        ("git_push", json!({"force": true})),
        ("git_push", json!({"force": 1})),
        ("git_push", json!({"force": "True"})),
        ("mcp__git__push", json!({"remote": "origin", "force": true})),
        ("git_show", json!({"revision": "HEAD:.env"})),
        (
            "mcp__git__git_show",
            json!({"repo_path": "/home/dev/project", "revision": "HEAD:.env"}),
        ),
    ] {
        assert_eq!(
            risk(name, params.clone()),
            RiskLevel::High,
            "{name} {params}"
        );
    }
    assert_eq!(
        risk("git_branch", json!({"delete": "x"})),
        RiskLevel::Medium
    );
    assert_eq!(risk("git_branch", json!({"name": "x"})), RiskLevel::Medium);
    assert_eq!(
        risk("git_push", json!({"remote": "origin", "branch": "main"})),
        RiskLevel::Medium
    );
    for (name, params) in [
        ("git_diff", json!({"args": ["--stat"], "target": "main"})),
        ("git_log", json!({"max_count": 5, "args": "--oneline -5"})),
        ("git_show", json!({"revision": "HEAD~1"})),
        ("git_diff_staged", json!({"repo_path": "/home/dev/project"})),
        (
            "git_status",
            json!({"repo_path": "/home/dev/project", "short": true}),
        ),
        ("git_branch", json!({})),
    ] {
        assert_eq!(
            risk(name, params.clone()),
            RiskLevel::Low,
            "{name} {params}"
        );
    }
}

#[test]
fn an_id_with_a_leading_slash_is_a_path_below_known_roots_only() {
    let targets = |name: &str, id: &str| {
        let table = crate::Table::builtin();
        let found = crate::effects_of_tool(
            "get_docs",
            &json!({ name: id }),
            &crate::Context::new(&table),
        );
        let all = found.effects.into_iter();
        all.filter_map(|effect| effect.target).collect::<Vec<_>>()
    };
    for (name, id) in [
        ("libraryId", "/vercel/next.js"),
        ("context7CompatibleLibraryID", "/facebook/react/v19"),
        ("library_id", "/a/b"),
    ] {
        assert!(targets(name, id).is_empty(), "{name} {id}");
    }
    for (name, id) in [
        ("libraryId", "/etc/passwd"),
        ("libraryId", "/Users/x"),
        ("libraryId", "/x"),
        ("libraryId", "/a/../b"),
        ("libraryId", "/a/.env"),
        ("libraryId", "/a/b/c/d"),
        ("libraryId", "/a/b.pem"),
        ("library", "/vercel/next.js"),
    ] {
        assert_eq!(targets(name, id), [id], "{name}");
    }
}

#[test]
fn what_a_reader_is_asked_for_counts() {
    for (name, params) in [
        ("Grep", json!({"pattern": "KEY", "glob": ".env*"})),
        ("search", json!({"query": "KEY", "include": ".env"})),
        (
            "search_files",
            json!({"regex": "x", "include": ["src/*", "**/{.env,a}"]}),
        ),
        ("read_file", json!({"path": "a", "output": "/etc/x"})),
        ("read_file", json!({"path": "a", "save_to": "/etc/x"})),
        ("get_object", json!({"key": "a", "dest": "/etc/x"})),
        (
            "download_file",
            json!({"url": "https://x.example/a", "path": "/etc/x"}),
        ),
        ("find_files", json!({"pattern": "*.log", "delete": true})),
        ("list_processes", json!({"kill": true})),
        ("open", json!({"file": "/etc/hosts", "mode": "w"})),
        ("read_file", json!({"command": "rm -rf /"})),
        ("read_file", json!({"path": "C:\\Users\\dev\\.ssh\\id_rsa"})),
        (
            "read_file",
            json!({"anything": "C:\\Users\\dev\\.ssh\\id_rsa"}),
        ),
        ("read_file", json!({"path": "..\\..\\.ssh\\id_rsa"})),
        ("read_file", json!({"path": ".env\0.txt"})),
        ("read_file", json!({"path": ".env\n"})),
        ("read_file", json!({"path": " /home/dev/.ssh/id_rsa\n"})),
        ("read_file", json!({"path": "a\nb"})),
        (
            "read_file",
            json!({"path": format!("{}.env", "./".repeat(2100))}),
        ),
        ("read_file", json!({"name": ".env"})),
        ("read_files", json!({"names": ["a", "server.key"]})),
        ("read_file", json!([".env"])),
        ("open", json!({"uri": "file:///home/dev/project/%2eenv"})),
        ("open", json!({"uri": "file://localhost/etc/shadow"})),
        ("open", json!({"uri": "file:///a%zz"})),
        ("copy_file", json!({"path": "src/a", "to": "/etc/x"})),
        ("find_files", json!({"pattern": "*.log", "delete": 1})),
        ("find_files", json!({"pattern": "*.log", "delete": "True"})),
    ] {
        assert_eq!(
            risk(name, params.clone()),
            RiskLevel::High,
            "{name} {params}"
        );
    }
    assert_eq!(
        risk("open", json!({"file": "a.txt", "mode": "a"})),
        RiskLevel::Medium
    );
    assert_eq!(
        risk("get_object", json!({"key": "a", "dest": "data/a"})),
        RiskLevel::Medium
    );
    for (name, params) in [
        (
            "Grep",
            json!({"pattern": "\\.env", "glob": "*.rs", "output_mode": "content"}),
        ),
        ("Glob", json!({"pattern": "**/*.ts"})),
        (
            "search_files",
            json!({"regex": "x", "include": "src/**/*.{ts,tsx}"}),
        ),
        ("read_file", json!({"path": "a", "output": "json"})),
        ("open", json!({"file": "a.txt", "mode": "rb"})),
        (
            "list_files",
            json!({"path": ".", "include_deleted": true, "no_delete": true, "recursive": true}),
        ),
        ("which", json!({"command": "ls"})),
        (
            "read_file",
            json!({"path": "src/a.rs\n", "limit": 0, "offset": 10}),
        ),
        ("list_files", json!({"path": ".", "delete": 0})),
        ("search_text", json!({"input": "two\nlines"})),
    ] {
        assert_eq!(
            risk(name, params.clone()),
            RiskLevel::Low,
            "{name} {params}"
        );
    }
}
