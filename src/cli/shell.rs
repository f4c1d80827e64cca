//! `completions` and `man`: what a shell and a manual know of the command line, from the same
//! source as `--help`.

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
    /// Prints the script.
    pub(super) fn run(self, mut command: Command) -> Result<u8, Failure> {
        let mut script = Vec::new();
        clap_complete::generate(
            self.shell,
            &mut command,
            env!("CARGO_PKG_NAME"),
            &mut script,
        );
        print(Color::Always, |out| out.write_all(&script))?;
        Ok(EXIT_CLEAN)
    }
}

/// Print the manual page.
#[derive(Debug, Args)]
pub(super) struct ManArgs {
    /// The page of this subcommand instead, such as `replay` or `fsm prove`.
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

/// Writes the page of a command and those of its subcommands.
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
