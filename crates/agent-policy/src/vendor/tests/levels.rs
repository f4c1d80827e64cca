//! Settings of Claude Code on several levels.

use super::*;
use crate::read::load_tree;
use crate::vendor::{SettingsFile, SettingsLevel, Translation, translate_settings};

const LEVELS: [(SettingsLevel, &str); 4] = [
    (SettingsLevel::Managed, "managed"),
    (SettingsLevel::Project, "local"),
    (SettingsLevel::Project, "project"),
    (SettingsLevel::Other, "user"),
];

/// The pack of these members of `permissions`, the highest level first.
fn merge(permissions: [&str; 4], managed_only: &str) -> Translation {
    let texts = permissions.map(|p| format!("{{\n\"permissions\":{{{p}}}{managed_only}}}"));
    let files = LEVELS.iter().zip(&texts).map(|((level, name), text)| {
        let level = *level;
        SettingsFile { name, level, text }
    });
    translate_settings("p", &files.collect::<Vec<_>>()).unwrap()
}

fn policy(pack: &Translation) -> Policy {
    load_tree("p", &pack.tree()).unwrap()
}

fn gaps(pack: &Translation) -> Vec<(u16, u32)> {
    let gaps = pack.gaps.iter();
    gaps.map(|gap| (gap.at.source, gap.at.line)).collect()
}

#[test]
fn rules_of_all_levels_apply_and_keep_their_files() {
    let pack = merge(
        [
            r#""allow":["Bash(make *)"]"#,
            r#""allow":["Bash(npm *)"],"deny":["Bash(npm publish)"]"#,
            r#""ask":["Bash(make deploy)"],"allow":["Bash(curl *)"]"#,
            r#""deny":["Bash(curl *)"],"allow":["Bash(npm publish)"]"#,
        ],
        "",
    );
    let own = policy(&pack);
    check(
        &own,
        "allow make x\nallow npm ci; make\nask make deploy\ndeny npm publish\ndeny curl x\nask other",
    );
    let source = |id: &str| own.rule(id).map(|rule| (rule.at.source, rule.at.line));
    assert_eq!(source("deny Bash(npm publish)"), Some((1, 2)));
    assert_eq!(source("ask Bash(make deploy)"), Some((2, 2)));
    assert_eq!(source("deny Bash(curl *)"), Some((3, 2)));
    assert_eq!(gaps(&pack), []);
}

#[test]
fn the_highest_level_that_sets_a_mode_decides() {
    let mode = |modes: [&str; 4]| {
        let permissions = modes.map(|mode| match mode {
            "" => String::new(),
            mode => format!("\"defaultMode\":\"{mode}\""),
        });
        let pack = merge(permissions.each_ref().map(String::as_str), "");
        let effect = decide(&policy(&pack), "rm x");
        (effect, gaps(&pack))
    };
    let (ask, deny, allow) = (Effect::RequireApproval, Effect::Deny, Effect::Allow);
    assert_eq!(mode(["dontAsk", "default", "", ""]), (deny, vec![]));
    assert_eq!(mode(["", "default", "dontAsk", ""]), (ask, vec![]));
    assert_eq!(mode(["", "", "", "bypassPermissions"]), (allow, vec![]));
    // A project can't skip all checks; what is below it counts instead.
    let ignored = vec![(1, 2), (2, 2)];
    let modes = ["", "bypassPermissions", "bypassPermissions", "dontAsk"];
    assert_eq!(mode(modes), (deny, ignored));
    assert_eq!(mode(["", "", "auto", ""]), (ask, vec![(2, 2)]));
}

#[test]
fn any_level_forbids_to_skip_all_checks() {
    let bypass = r#""defaultMode":"bypassPermissions""#;
    let disable = r#""disableBypassPermissionsMode":"disable""#;
    for permissions in [
        [disable, "", "", bypass],
        [bypass, disable, "", ""],
        [bypass, "", "", disable],
    ] {
        let pack = merge(permissions, "");
        assert_eq!(
            decide(&policy(&pack), "rm x"),
            Effect::RequireApproval,
            "{permissions:?}"
        );
    }
}

#[test]
fn managed_settings_can_be_the_only_ones_with_rules() {
    let permissions = [
        r#""allow":["Bash(make *)"]"#,
        r#""allow":["Bash(npm *)"],"additionalDirectories":["/etc"]"#,
        r#""deny":["Bash(make *)"]"#,
        r#""defaultMode":"dontAsk""#,
    ];
    // Every file of the test sets it. Only the first is managed.
    let pack = merge(permissions, ",\"allowManagedPermissionRulesOnly\":true");
    check(&policy(&pack), "allow make x\ndeny npm ci\ndeny cat /etc/x");
    assert_eq!(gaps(&pack), [(1, 2), (1, 2), (2, 2), (2, 2), (3, 2)]);
    let pack = merge(permissions, ",\"allowManagedPermissionRulesOnly\":false");
    check(
        &policy(&pack),
        "deny make x\nallow npm ci\nallow cat /etc/x",
    );
}

#[test]
fn mistakes_of_several_files_name_the_file() {
    let files = ["{", "{\"permissions\":{\"deny\":[7]}}", "[]"].map(|text| SettingsFile {
        name: "a\u{202e}\n.json",
        level: SettingsLevel::Other,
        text,
    });
    let found = translate_settings("p", &files).unwrap_err();
    let sources: Vec<u16> = found.iter().map(|problem| problem.at.source).collect();
    assert_eq!(sources, [0, 1, 2], "{found:?}");
    let files = [SettingsFile {
        text: "{\"sandbox\":{}}",
        ..files[0]
    }; 2];
    let yaml = translate_settings("p", &files).unwrap().yaml();
    assert!(
        yaml.starts_with("# a\u{fffd}\u{fffd}.json, line 1: "),
        "{yaml}"
    );
    assert_eq!(
        translate_settings("p", &[files[0]; 33]).unwrap_err().len(),
        1
    );
    let large = "x".repeat(10 << 20);
    let files = [
        files[0],
        SettingsFile {
            text: &large,
            ..files[0]
        },
    ];
    let found = translate_settings("p", &files).unwrap_err();
    assert_eq!(found.first().map(|problem| problem.at.source), Some(1));
    let list: Vec<String> = (0..1_500).map(|n| format!("\"Bash(t{n})\"")).collect();
    let half = format!("{{\"permissions\":{{\"deny\":[{}]}}}}", list.join(","));
    let files = [SettingsFile {
        text: &half,
        ..files[0]
    }; 2];
    assert_eq!(translate_settings("p", &files).unwrap_err().len(), 1);
}
