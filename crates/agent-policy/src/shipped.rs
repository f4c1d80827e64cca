//! The policies that come with the program, with their tests.

/// A policy that is built in.
#[derive(Debug, Clone, Copy)]
pub struct Shipped {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is for.
    pub summary: &'static str,
    /// Its text.
    pub text: &'static str,
    /// Its cases.
    pub cases: &'static str,
}

macro_rules! shipped {
    ($name:literal, $summary:literal) => {
        Shipped {
            name: $name,
            summary: $summary,
            text: include_str!(concat!("../../../policies/", $name, ".yaml")),
            cases: include_str!(concat!("../../../policies/", $name, ".test.yaml")),
        }
    };
}

/// All of them.
pub const SHIPPED: [Shipped; 5] = [
    shipped!(
        "default",
        "reads freely, asks for changes, forbids what can't be undone"
    ),
    shipped!(
        "strict",
        "reads inside the work tree; everything else needs a human or is forbidden"
    ),
    shipped!("read-only", "looks and never changes"),
    shipped!("yuangs", "the older runtime's rules, as they stood"),
    shipped!("permission-defaults", "levels for tools by their names"),
];

/// The policy of this name.
#[must_use]
pub fn shipped(name: &str) -> Option<&'static Shipped> {
    SHIPPED.iter().find(|s| s.name == name)
}
