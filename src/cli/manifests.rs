//! Checks the manifests among the inputs of `validate`.

use super::knowledge::ledger_faults;
use super::output::Failure;
use crate::diag::{Finding, Place, subject};
use crate::manifest::{
    DocumentSchema, File, Kind, check as check_manifest, check_document, is_ledger, is_yaml,
    kind_of,
};
use crate::rules::{self, codes};
use crate::schema::Validator;
use crate::source::{Found, Input, Missing, open, read_whole};
use crate::trace::Format;
use crate::verify::Report;
use content_scan::mask::Mask;
use std::path::{Path, PathBuf};

/// Maximum size, in bytes, of a manifest recognised by its shape.
const SHAPED: u64 = 1 << 20;
/// Maximum size, in bytes, of a manifest recognised by its name.
const NAMED: u64 = 16 << 20;

/// What a manifest is read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Content {
    /// A ledger of decisions about skills.
    Ledger,
    Json(Kind),
    Yaml,
}

/// A manifest that has been read.
pub(super) struct Manifest {
    content: Content,
    name: String,
    path: PathBuf,
    text: String,
}

impl Manifest {
    /// Returns the file that it was read from.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

/// Separates the manifests, or only documents in YAML, from other inputs.
pub(super) fn part(
    inputs: Vec<Result<Found, Missing>>,
    only_yaml: bool,
) -> (Vec<Manifest>, Vec<Result<Found, Missing>>) {
    let (mut manifests, mut others) = (Vec::new(), Vec::new());
    for input in inputs {
        let found = input.as_ref().ok();
        let found = found.filter(|found| !only_yaml || is_yaml(&found.name));
        match found.and_then(manifest) {
            Some(manifest) => manifests.push(manifest),
            None => others.push(input),
        }
    }
    (manifests, others)
}

/// Reads a file if it is a manifest. Other code reports files that can't be read.
fn manifest(found: &Found) -> Option<Manifest> {
    let Input::File(path) = &found.input else {
        return None;
    };
    if is_ledger(&found.name) {
        return Some(Manifest {
            content: Content::Ledger,
            name: found.name.clone(),
            path: path.clone(),
            text: String::new(),
        });
    }
    let named = Kind::by_name(&found.name).is_some();
    let yaml = is_yaml(&found.name);
    if !named
        && !yaml
        && !path
            .extension()
            .is_some_and(|e| e.eq_ignore_ascii_case("json"))
    {
        return None;
    }
    let most = if named || yaml { NAMED } else { SHAPED };
    let text = String::from_utf8(read_whole(open(&found.input).ok()?, most).ok()?).ok()?;
    let text = text
        .strip_prefix('\u{feff}')
        .map_or(text.clone(), str::to_owned);
    let first = text.lines().next().unwrap_or_default();
    // A record of a known format isn't a manifest, unless the file's name makes other programs load
    // it as one. Such a file is checked as what they would load.
    let record =
        |text: &str| Format::of_record(text.trim(), strict_json::DEFAULT_MAX_DEPTH).is_some();
    if !named && (record(first) || record(&text)) {
        return None;
    }
    let content = if yaml {
        Content::Yaml
    } else {
        Content::Json(kind_of(&found.name, &text)?)
    };
    Some(Manifest {
        content,
        name: found.name.clone(),
        path: path.clone(),
        text,
    })
}

/// Returns the project directory of a manifest: the nearest parent that looks like a project, or
/// else its own directory.
fn project(path: &Path) -> PathBuf {
    let own = path
        .parent()
        .filter(|p| !p.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let Ok(real) = own.canonicalize() else {
        return own.to_path_buf();
    };
    let marked =
        |folder: &&Path| folder.join(".git").exists() || folder.join(crate::config::FILE).is_file();
    real.ancestors()
        .find(marked)
        .map_or(real.clone(), Path::to_path_buf)
}

/// Returns the finding about a YAML file of an unknown kind.
fn undetected(name: &str) -> Finding {
    let place = Place {
        file: name.into(),
        line: 1,
        column: 1,
        ..Place::default()
    };
    let message = "the kind of the YAML file can't be determined: it is neither a skill, tool, server or \
         agent, nor a policy or its tests";
    let help = "pass `--schema FILE`, or name the file after its kind: skill.yaml, skills.yaml, \
         meta.yaml, tool.yaml, tools.yaml, .mcp.yaml, .ai-stack.yaml, policy.yaml";
    Finding {
        help: Some(help.into()),
        subject: Some(subject(["format", "yaml"])),
        ..rules::finding(codes::UNKNOWN_FORMAT, message, place)
    }
}

/// Checks manifests. Documents in YAML are checked against `schema`, if given. Each counts as an
/// input and as a record.
///
/// # Errors
/// When this build can't check one.
pub(super) fn check(
    manifests: &[Manifest],
    given: Option<&Path>,
    schema: Option<&Validator>,
) -> Result<Report, Failure> {
    let mut report = Report::default();
    for manifest in manifests {
        if manifest.content == Content::Ledger {
            let (findings, lines) = ledger_faults(&manifest.name, &manifest.path)?;
            report.counts.files += 1;
            // An unreadable line counts as a record too.
            report.counts.records += lines + findings.len() as u64;
            for finding in &findings {
                report.counts.count(finding.severity);
            }
            report.findings.extend(findings);
            continue;
        }
        let folder = manifest
            .path
            .parent()
            .filter(|p| !p.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        let root = given.map_or_else(|| project(&manifest.path), Path::to_path_buf);
        let file = File {
            name: &manifest.name,
            text: &manifest.text,
            places: Some((folder, &root)),
        };
        let schema = schema.map_or(DocumentSchema::Detected, DocumentSchema::Given);
        let checked = match manifest.content {
            Content::Json(kind) => Some(check_manifest(kind, &file)),
            Content::Yaml | Content::Ledger => check_document(schema, &file),
        };
        let (findings, secrets) = checked.unwrap_or_else(|| {
            report.counts.unknown_inputs += 1;
            (vec![undetected(&manifest.name)], Mask::default())
        });
        report.counts.files += 1;
        report.counts.records += 1;
        report.counts.bytes += manifest.text.len() as u64;
        for finding in &findings {
            report.counts.count(finding.severity);
        }
        report.findings.extend(findings);
        report.secrets.absorb(secrets);
    }
    Ok(report)
}
