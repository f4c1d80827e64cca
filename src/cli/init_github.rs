//! Writes the workflow of `init --github`.

use super::output::Failure;
use super::write::{cannot_write, write};
use std::fs;
use std::path::Path;

/// The path of the workflow, relative to the top of the repository.
pub(super) const WORKFLOW: &str = ".github/workflows/replay-gate.yml";
/// The address of the program's source; a placeholder until its owner has chosen one.
const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");

pub(super) fn write_workflow(path: &Path) -> Result<(), Failure> {
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory).map_err(|error| cannot_write(path, &error))?;
    }
    write(path, workflow())
}

fn workflow() -> String {
    let name = REPOSITORY
        .strip_prefix("https://github.com/")
        .unwrap_or("OWNER/yuangs-verify");
    format!(
        "# Replays the traces of agents and fails when something happened without being allowed.
# Written by `yuangs-verify init --github`.
name: replay-gate

on:
  pull_request:
  merge_group:
  push:
    branches: [main, master]

# The gate only reads.
permissions:
  contents: read

jobs:
  gate:
    name: Replay gate
    runs-on: ubuntu-latest
    timeout-minutes: 30
    steps:
      - uses: actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683 # v4.2.2
        with:
          # The configuration and the policy are those of the base of a pull request.
          fetch-depth: 0
          persist-credentials: false
      # A tag can be moved: replace it by its commit, which this prints:
      # git ls-remote https://github.com/{name} action-v{version}
      - uses: {name}/.github/actions/replay-gate@action-v{version}
        with:
          config: yuangs-verify.toml
          # For the pull request that adds the first configuration. Remove it after the merge.
          first-run: true
          # One comment on the pull request; the job then needs `pull-requests: write`.
          # comment: true
          # Findings as code scanning alerts; the job then needs `security-events: write`.
          # upload-sarif: true
",
        version = env!("CARGO_PKG_VERSION")
    )
}
