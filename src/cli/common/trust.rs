//! Trust files: the public keys whose signatures are accepted.

use crate::cli::file;
use crate::cli::output::Failure;
use crate::trace::keys::TrustStore;
use std::path::Path;

/// Reads a trust file.
pub(in crate::cli) fn trust_store(path: &Path) -> Result<TrustStore, Failure> {
    parse_trust_store(path, &file::text(path)?)
}

/// Like [`trust_store`], with the text already read from `path`.
pub(in crate::cli) fn parse_trust_store(path: &Path, text: &str) -> Result<TrustStore, Failure> {
    let remedy = "a trust file is {\"keys\": [{\"keyId\", \"publicKey\", \"signer\", \"validFrom\", \"validTo\"}]}";
    TrustStore::parse(text)
        .map_err(|e| Failure::unable(format!("`{}`: {e}", path.display()), remedy))
}
