//! `completions` and `man`: what a shell and a manual know of the command line, from the same
//! source as `--help`.

use super::common::exit::EXIT_CLEAN;
use super::output::{Color, Failure, print};
use clap::{Args, Command};

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
}

impl ManArgs {
    /// Prints the page in roff.
    pub(super) fn run(self, mut command: Command) -> Result<u8, Failure> {
        command.build();
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
