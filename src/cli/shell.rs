//! `completions` and `man`: generated from the same definition as `--help`.

use super::common::exit::EXIT_CLEAN;
use super::output::{Color, Failure, print};
use super::write::{cannot_write, write};
use clap::{Args, Command};
use std::path::{Path, PathBuf};

/// Print completions for a shell.
#[derive(Debug, Args)]
pub(super) struct CompletionsArgs {
    /// The shell.
    shell: clap_complete::Shell,
}

impl CompletionsArgs {
    pub(super) fn run(self, mut command: Command) -> Result<u8, Failure> {
        let mut script = Vec::new();
        clap_complete::generate(
            self.shell,
            &mut command,
            env!("CARGO_PKG_NAME"),
            &mut script,
        );
        if self.shell == clap_complete::Shell::Bash {
            script = with_split_values(with_one_spelling(script));
        }
        if self.shell == clap_complete::Shell::Fish {
            add_for_fish(&command, &[], &mut script);
        }
        print(Color::Always, |out| out.write_all(&script))?;
        Ok(EXIT_CLEAN)
    }
}

/// Unifies the spelling of the hyphen in the program's name.
///
/// `clap_complete` writes it as `__` in code that finds the subcommand, and as `__subcmd__` in code
/// that lists its options. Bash then completes nothing after the first word.
fn with_one_spelling(script: Vec<u8>) -> Vec<u8> {
    let name = env!("CARGO_PKG_NAME");
    match String::from_utf8(script) {
        Ok(text) => text
            .replace(&name.replace('-', "__subcmd__"), &name.replace('-', "__"))
            .into_bytes(),
        Err(error) => error.into_bytes(),
    }
}

/// Completes the value in `--option=VALUE`, which Bash splits into three words. `clap_complete`
/// expects the option as the previous word.
fn with_split_values(script: Vec<u8>) -> Vec<u8> {
    const PREVIOUS: &str = "    prev=\"$3\"\n";
    const SPLIT: &str = include_str!("shell/split_values.bash");
    match String::from_utf8(script) {
        Ok(text) => text
            .replacen(PREVIOUS, &format!("{PREVIOUS}{SPLIT}"), 1)
            .into_bytes(),
        Err(error) => error.into_bytes(),
    }
}

/// Adds completions for fish that `clap_complete` omits: options of third-level subcommands, and
/// values of positional arguments.
fn add_for_fish(command: &Command, above: &[&str], script: &mut Vec<u8>) {
    let quoted = |text: String| text.replace('\\', "\\\\").replace('\'', "\\'");
    for subcommand in command.get_subcommands() {
        let names = [above, &[subcommand.get_name()]].concat();
        let typed = names.join("; and __fish_seen_subcommand_from ");
        for argument in subcommand.get_arguments().filter(|a| !a.is_hide_set()) {
            let values = argument.get_possible_values();
            let is_missing = if argument.is_positional() {
                !values.is_empty()
            } else {
                names.len() > 2
            };
            if !is_missing {
                continue;
            }
            let mut line = format!(
                "complete -c yuangs-verify -n '__fish_yuangs_verify_using_subcommand {typed}'"
            );
            if let Some(long) = argument.get_long() {
                line.push_str(&format!(" -l {long}"));
            }
            if let Some(short) = argument.get_short() {
                line.push_str(&format!(" -s {short}"));
            }
            if !argument.is_positional() && argument.get_action().takes_values() {
                line.push_str(" -r");
            }
            if !values.is_empty() && argument.get_action().takes_values() {
                let words: Vec<&str> = values.iter().map(|v| v.get_name()).collect();
                line.push_str(&format!(" -f -a '{}'", quoted(words.join(" "))));
            }
            if let Some(help) = argument.get_help() {
                let help = help.to_string().replace('\n', " ");
                line.push_str(&format!(" -d '{}'", quoted(help)));
            }
            script.extend_from_slice(line.as_bytes());
            script.push(b'\n');
        }
        add_for_fish(subcommand, &names, script);
    }
}

/// Print the manual page.
#[derive(Debug, Args)]
pub(super) struct ManArgs {
    /// Print the page of this subcommand, such as `replay` or `fsm prove`.
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,
    /// Write the pages of all commands to this directory, a file for each.
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    output: Option<PathBuf>,
}

impl ManArgs {
    /// Prints the page in roff, or writes all pages.
    pub(super) fn run(self, mut command: Command) -> Result<u8, Failure> {
        command.build();
        if let Some(directory) = &self.output {
            return write_pages(command, directory);
        }
        for word in &self.command {
            let found = command.find_subcommand(word).cloned();
            command = found.ok_or_else(|| {
                Failure::unable(
                    format!("no command is called `{}`", self.command.join(" ")),
                    "`yuangs-verify --help` lists them",
                )
            })?;
        }
        print(Color::Always, |out| {
            clap_mangen::Man::new(command).render(out)
        })?;
        Ok(EXIT_CLEAN)
    }
}

/// Writes the pages of a command and its subcommands.
fn write_pages(command: Command, directory: &Path) -> Result<u8, Failure> {
    let mut commands = vec![(env!("CARGO_PKG_NAME").to_owned(), command)];
    while let Some((name, command)) = commands.pop() {
        commands.extend(
            command
                .get_subcommands()
                .filter(|sub| sub.get_name() != "help" && !sub.is_hide_set())
                .map(|sub| (format!("{name}-{}", sub.get_name()), sub.clone())),
        );
        let path = directory.join(format!("{name}.1"));
        let mut page = Vec::new();
        clap_mangen::Man::new(command)
            .render(&mut page)
            .map_err(|error| cannot_write(&path, &error))?;
        write(&path, page)?;
    }
    Ok(EXIT_CLEAN)
}
