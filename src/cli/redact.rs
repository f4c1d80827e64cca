//! `redact`: writes a trace without its credentials.

use super::common::exit::{EXIT_CLEAN, EXIT_NOTHING_VERIFIED};
use super::common::secrets::secret_rules;
use super::file;
use super::output::{Color, Failure, print_as_is, warn};
use crate::attest::private_key;
use crate::redact::{Error, Keys, Outcome, RecomputedCounts, redact};
use crate::source::{Limits, discover, open, read_whole};
use clap::Args;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Take the credentials out of a trace.
#[derive(Debug, Args)]
pub struct RedactArgs {
    /// The trace: a file (also `.gz` and `.zst`), or `-` for standard input. It isn't changed.
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// The redacted trace: a file that doesn't exist yet, or `-` for standard output.
    #[arg(value_name = "OUT")]
    output: PathBuf,
    /// Sign again with this private key (Ed25519 in PEM) the decisions that are signed with its id,
    /// and recompute the chain. Without it both stay as they are, and the records say so.
    #[arg(long, value_name = "ID=FILE", value_parser = key_of)]
    key: Vec<(String, PathBuf)>,
}

fn key_of(text: &str) -> Result<(String, PathBuf), String> {
    match text.split_once('=') {
        Some((id, file)) if !id.is_empty() && !file.is_empty() => Ok((id.to_owned(), file.into())),
        _ => Err("expected ID=FILE".to_owned()),
    }
}

impl RedactArgs {
    pub(super) fn run(self) -> Result<u8, Failure> {
        secret_rules()?;
        let to_standard = self.output.as_os_str() == "-";
        if !to_standard {
            may_write(&self.output)?;
        }
        let mut keys = Keys::new();
        for (id, file) in &self.key {
            let key = private_key(&file::text(file)?);
            let remedy = "`openssl genpkey -algorithm ed25519` makes one";
            let key =
                key.map_err(|e| Failure::unable(format!("`{}`: {e}", file.display()), remedy))?;
            if keys.insert(id.clone(), key).is_some() {
                return Err(Failure::unable(
                    format!("the key `{id}` is given twice"),
                    "give each id once",
                ));
            }
        }
        let text = self.text()?;
        let (redacted, outcome) = match redact(&text, &keys) {
            Ok(done) => done,
            Err(Error::Empty) => {
                warn("nothing was redacted: the input holds no record");
                return Ok(EXIT_NOTHING_VERIFIED);
            }
            Err(error) => {
                let remedy = match &error {
                    Error::UnknownFormat => "only text inside of JSON can be replaced safely",
                    Error::SealedDocument => "write it as JSON lines, one record a line",
                    _ => "nothing was written; take this text out by hand",
                };
                return Err(Failure::unable(error.to_string(), remedy));
            }
        };
        if to_standard {
            print_as_is(Color::Never, |out| out.write_all(redacted.as_bytes()))?;
        } else {
            // A partial trace would look like a truncated one.
            let written = super::write::create_new(&self.output)?
                .write_all(redacted.as_bytes())
                .inspect_err(|_| drop(std::fs::remove_file(&self.output)));
            written.map_err(|e| super::write::cannot_write(&self.output, &e))?;
        }
        for line in sentences(&outcome) {
            warn(&line);
        }
        Ok(EXIT_CLEAN)
    }

    /// Reads the input as text.
    fn text(&self) -> Result<String, Failure> {
        let name = self.input.display();
        if self.input.is_dir() {
            return Err(Failure::unable(
                format!("`{name}` is a folder"),
                "redact one trace at a time",
            ));
        }
        let cannot = |e: std::io::Error| {
            Failure::unable(
                format!("can't read `{name}`: {e}"),
                "the trace must be a readable file",
            )
        };
        let found = discover(std::slice::from_ref(&self.input))
            .into_iter()
            .next();
        let found = match found {
            Some(Ok(found)) => found,
            Some(Err(missing)) => return Err(cannot(missing.error)),
            None => {
                return Err(Failure::unable(
                    format!("`{name}` isn't a trace"),
                    "name a file",
                ));
            }
        };
        // The input is read into memory, since a secret found in one place is removed everywhere.
        let limit = Limits::default().document_bytes as u64;
        let bytes = open(&found.input)
            .and_then(|reader| read_whole(reader, limit))
            .map_err(|e| match e.kind() {
                std::io::ErrorKind::FileTooLarge => {
                    Failure::unable(format!("`{name}`: {e}"), "split it by execution")
                }
                _ => cannot(e),
            })?;
        String::from_utf8(bytes).map_err(|e| {
            let before = e
                .as_bytes()
                .get(..e.utf8_error().valid_up_to())
                .unwrap_or_default();
            let line = memchr::memchr_iter(b'\n', before).count() + 1;
            Failure::unable(
                format!(
                    "`{name}`: line {line} is not valid UTF-8, so its text can't be replaced safely"
                ),
                "take the line out, or write it as UTF-8",
            )
        })
    }
}

/// Checks that the output doesn't exist yet, so that nothing is overwritten.
fn may_write(path: &Path) -> Result<(), Failure> {
    super::common::inputs::outside_git(path)?;
    if path.symlink_metadata().is_ok() {
        return Err(Failure::unable(
            format!("`{}` is there already", path.display()),
            "nothing is overwritten; choose another name",
        ));
    }
    if path.extension().is_some_and(|e| e == "gz" || e == "zst") {
        return Err(Failure::unable(
            "the redacted trace is written as it is, not compressed",
            "name OUT without this ending",
        ));
    }
    Ok(())
}

/// Describes the changes in sentences.
fn sentences(outcome: &Outcome) -> Vec<String> {
    let n = |count: u64, word: &str| crate::trajectory::words::plural(count, word);
    let mut all = vec![match outcome.places {
        0 => format!(
            "no secret in {}: nothing was replaced",
            n(outcome.records, "record")
        ),
        places => format!(
            "{} replaced in {} of {}",
            n(places, "secret"),
            outcome.changed,
            n(outcome.records, "record")
        ),
    }];
    let mut remade = |what: &str, counts: RecomputedCounts, remedy: &str| {
        all.extend(
            (counts.recomputed > 0).then(|| format!("{} recomputed", n(counts.recomputed, what))),
        );
        all.extend((counts.stale > 0).then(|| {
            format!(
                "{} no longer good, and marked as such: {remedy}",
                n(counts.stale, what)
            )
        }));
    };
    remade(
        "link",
        outcome.links,
        "--key recomputes links that were good before",
    );
    remade(
        "signature",
        outcome.signatures,
        "--key signs again what it has signed before",
    );
    all.extend((outcome.input_hashes > 0).then(|| {
        format!(
            "{} of messages recomputed",
            n(outcome.input_hashes, "hash value")
        )
    }));
    all.extend((outcome.unreadable > 0).then(|| {
        format!(
            "{} not JSON; the text was replaced all the same",
            n(outcome.unreadable, "line")
        )
    }));
    all
}
