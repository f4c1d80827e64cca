//! Extends help pages with groups of commands, examples and related commands.

mod pages;

use clap::Command;
use pages::{PAGES, Page};
use std::fmt::Write as _;

/// The command groups of the first page, in order.
const GROUPS: [(&str, &[&str]); 5] = [
    (
        "Verify",
        &[
            "replay", "merge", "gate", "validate", "attest", "init", "config", "doctor",
        ],
    ),
    (
        "Look into sessions",
        &[
            "audit", "explain", "compare", "stats", "export", "convert", "redact",
        ],
    ),
    (
        "Rate actions",
        &[
            "command",
            "patch",
            "policy",
            "secrets",
            "detectors",
            "fsm",
            "rules",
            "schema",
        ],
    ),
    ("Repository and knowledge", &["repomap", "knowledge"]),
    ("This program", &["completions", "man", "help"]),
];

/// Adds these sections to all pages of a command line.
pub(super) fn complete(root: Command) -> Command {
    let groups = groups(&root);
    let root = root.help_template(format!(
        "{{about}}\n\n{{usage-heading}} {{usage}}\n\n{groups}Options:\n{{options}}{{after-help}}"
    ));
    PAGES.iter().fold(root, |root, page| {
        let names: Vec<&str> = page.command.split_whitespace().collect();
        add(root, &names, page)
    })
}

fn groups(root: &Command) -> String {
    let mut text = String::new();
    for (title, names) in GROUPS {
        let _ = writeln!(text, "{title}:");
        for name in names {
            let about = match *name {
                "help" => Some("Print the help of a command".to_owned()),
                name => root
                    .find_subcommand(name)
                    .and_then(Command::get_about)
                    .map(ToString::to_string),
            };
            if let Some(about) = about {
                let _ = writeln!(text, "  {name:<11}  {about}");
            }
        }
        text.push('\n');
    }
    text
}

fn add(command: Command, names: &[&str], page: &Page) -> Command {
    match names {
        // In a build without the feature, the command has no subcommands.
        [first, rest @ ..] if command.find_subcommand(first).is_some() => {
            command.mut_subcommand(*first, |command| add(command, rest, page))
        }
        [_, ..] => command,
        [] => {
            let mut text = command
                .get_after_help()
                .map_or_else(String::new, |own| format!("{own}\n\n"));
            text.push_str(if page.examples.len() == 1 {
                "Example:"
            } else {
                "Examples:"
            });
            for (what, arguments) in page.examples {
                let _ = write!(text, "\n  # {what}\n  yuangs-verify {arguments}");
            }
            if !page.related.is_empty() {
                let _ = write!(text, "\n\nSee also: {}", page.related.join(", "));
            }
            command.after_help(text)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Cli;
    use clap::CommandFactory as _;

    /// Collects the names of all commands below `command`.
    fn names(command: &Command, above: &str, found: &mut Vec<String>) {
        for sub in command.get_subcommands().filter(|s| s.get_name() != "help") {
            let name = format!("{above} {}", sub.get_name()).trim().to_owned();
            names(sub, &name, found);
            found.push(name);
        }
    }

    /// Splits a line into arguments; single quotes keep one together.
    #[cfg(all(feature = "knowledge", feature = "repomap", feature = "policy-fuzz"))]
    fn arguments(line: &str) -> Vec<String> {
        let quoted = line.split('\'').enumerate();
        quoted
            .flat_map(|(at, part)| match at % 2 {
                0 => part.split_whitespace().map(str::to_owned).collect(),
                _ => vec![part.to_owned()],
            })
            .collect()
    }

    #[test]
    fn every_command_has_a_page_and_every_page_a_command() {
        let mut commands = vec![String::new()];
        names(&Cli::command(), "", &mut commands);
        let mut pages: Vec<&str> = PAGES.iter().map(|page| page.command).collect();
        pages.sort_unstable();
        commands.sort_unstable();
        #[cfg(all(feature = "knowledge", feature = "repomap", feature = "policy-fuzz"))]
        assert_eq!(commands, pages);
        for page in PAGES {
            for related in page.related {
                assert!(pages.contains(related), "{}: {related}", page.command);
            }
        }
        let grouped = GROUPS.iter().flat_map(|(_, names)| names.iter());
        let mut grouped: Vec<&str> = grouped.copied().filter(|name| *name != "help").collect();
        grouped.sort_unstable();
        let is_first = |name: &&str| !name.is_empty() && !name.contains(' ');
        let first: Vec<&str> = pages.into_iter().filter(is_first).collect();
        assert_eq!(grouped, first);
    }

    #[cfg(all(feature = "knowledge", feature = "repomap", feature = "policy-fuzz"))]
    #[test]
    fn every_example_is_a_command_line() {
        for page in PAGES {
            for (_, line) in page.examples {
                let all = std::iter::once("yuangs-verify".to_owned()).chain(arguments(line));
                let parsed = complete(Cli::command()).try_get_matches_from(all);
                assert!(parsed.is_ok(), "{line}: {parsed:?}");
                assert!(line.starts_with(page.command), "{line}");
            }
        }
    }

    #[test]
    fn pages_fit_sixty_columns_and_begin_with_a_verb() {
        let mut root = complete(Cli::command().term_width(60));
        let first = root.render_help().to_string();
        for line in first.lines() {
            assert!(line.chars().count() <= 60, "{line}");
        }
        let mut commands = Vec::new();
        names(&root, "", &mut commands);
        for name in commands {
            let command = name
                .split(' ')
                .try_fold(&root, |above, name| above.find_subcommand(name))
                .expect("listed");
            let about = command.get_about().map(ToString::to_string);
            let verb = about.as_deref().and_then(|a| a.split(' ').next());
            let verb = verb.unwrap_or_default().trim_end_matches(',').to_owned();
            assert!(
                verb.chars().all(|c| c.is_ascii_alphabetic())
                    && verb.starts_with(|c: char| c.is_ascii_uppercase())
                    && !NO_VERBS.contains(&verb.as_str()),
                "{name}: {about:?}"
            );
        }
    }

    /// First words that show that a summary doesn't begin with a verb.
    const NO_VERBS: [&str; 8] = ["The", "What", "How", "One", "Where", "Whole", "A", "Which"];
}
