//! The built-in policies, with their tests.

/// A built-in policy.
#[derive(Debug, Clone, Copy)]
pub struct BuiltInPolicy {
    /// The name on the command line.
    pub name: &'static str,
    pub summary: &'static str,
    /// The policy as YAML.
    pub text: &'static str,
    /// The test file as YAML.
    pub cases: &'static str,
}

macro_rules! shipped {
    ($name:literal, $summary:literal) => {
        BuiltInPolicy {
            name: $name,
            summary: $summary,
            text: include_str!(concat!("../../../policies/", $name, ".yaml")),
            cases: include_str!(concat!("../../../policies/", $name, ".test.yaml")),
        }
    };
}

/// All built-in policies.
pub const SHIPPED: [BuiltInPolicy; 5] = [
    shipped!(
        "default",
        "reads freely, asks for changes, forbids what can't be undone"
    ),
    shipped!(
        "strict",
        "reads inside the work tree; everything else needs a human or is forbidden"
    ),
    shipped!("read-only", "looks and never changes"),
    shipped!("yuangs", "the older runtime's rules, as they were"),
    shipped!("permission-defaults", "levels for tools by their names"),
];

/// Finds a built-in policy by name.
#[must_use]
pub fn built_in_policy(name: &str) -> Option<&'static BuiltInPolicy> {
    SHIPPED.iter().find(|s| s.name == name)
}
