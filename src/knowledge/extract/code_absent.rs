//! Source code in a build without repo maps. Always refuses.

use super::{Extracted, finding};
use crate::features::{Feature, NotInBuild};
use crate::knowledge::source_config::SourceFile;

pub(super) fn extract(file: &SourceFile, out: &mut Extracted) {
    let message = format!("the source isn't mapped: {}", NotInBuild(Feature::Repomap));
    out.findings.push(finding(101, &file.name, 1, message));
}
