//! Templates of permissions in a policy, which skills name instead of listing their permissions.

use crate::manifest::{Permission, PermissionType, Rules};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Maximum size of a policy in bytes.
const MOST: usize = 4 << 20;

/// Why the templates can't be read. May contain hostile text.
#[derive(Debug, thiserror::Error)]
pub enum TemplateError {
    #[error("it is larger than 4 MiB")]
    TooLarge,
    #[error("{0}")]
    Invalid(String),
}

/// Permissions by the name of their template.
#[derive(Debug, Default)]
pub struct Templates(BTreeMap<String, Vec<Permission>>);

/// The part of a policy that holds templates.
#[derive(Deserialize)]
struct Policy {
    #[serde(default)]
    permissions: BTreeMap<String, Template>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Template {
    #[serde(default, alias = "files")]
    file_system: Vec<String>,
    #[serde(default)]
    network: Vec<String>,
    #[serde(default)]
    commands: Vec<String>,
    #[serde(default, rename = "description")]
    _description: Option<String>,
}

impl Templates {
    /// Reads the templates of a policy in YAML or JSON.
    ///
    /// # Errors
    /// When the text is too large or has another form.
    pub fn parse(text: &str) -> Result<Self, TemplateError> {
        if text.len() > MOST {
            return Err(TemplateError::TooLarge);
        }
        let policy: Policy =
            serde_saphyr::from_str(text).map_err(|e| TemplateError::Invalid(e.to_string()))?;
        let permissions = |template: Template| {
            [
                (PermissionType::FileSystem, template.file_system),
                (PermissionType::Network, template.network),
                (PermissionType::Command, template.commands),
            ]
            .into_iter()
            .map(|(kind, rules)| Permission {
                kind,
                rules: Rules::Allow(rules),
            })
            .collect()
        };
        let all = policy.permissions.into_iter();
        Ok(Self(all.map(|(name, t)| (name, permissions(t))).collect()))
    }

    /// Returns the permissions of a template.
    pub(super) fn get(&self, name: &str) -> Option<&[Permission]> {
        self.0.get(name).map(Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_are_read_from_a_policy() {
        let text = "limits:\n  max_cost_per_day: 5\npermissions:\n  looking:\n    file_system: ['read:/**']\n    network: ['GET:https://api.example.com/*']\n    commands: [git diff, ls]\n  older:\n    files: ['read:src/**']\n";
        let templates = Templates::parse(text).unwrap();
        let looking = templates.get("looking").unwrap();
        assert_eq!(looking.len(), 3);
        assert_eq!(looking[2].rules.allow(), ["git diff", "ls"]);
        assert!(templates.get("older").is_some() && templates.get("other").is_none());
        assert!(Templates::parse("{}").unwrap().get("looking").is_none());
        for bad in [
            "permissions: [a]",
            "permissions: {a: {comands: [ls]}}",
            "permissions: {a: {commands: ls}}",
            "permissions: {a: {}, a: {}}",
            "a: [",
        ] {
            assert!(Templates::parse(bad).is_err(), "{bad}");
        }
    }
}
