//! The steps of a gate. Each reads one section of the configuration and returns a report. A new
//! check adds its step to [`STEPS`] and its section to the configuration.

use super::{account, strict};
use crate::cli::common::located::LocatedConfig;
use crate::cli::common::tools::tool_manifest;
use crate::cli::common::trust::parse_trust_store;
use crate::cli::knowledge::check_index;
use crate::cli::output::Failure;
use crate::cli::policy::{compare_recorded, compare_with_base, run_cases};
use crate::cli::progress::verify_inputs;
use crate::cli::repomap::{MAX_DRIFT, check_map, compare_interface};
use crate::config::{RiskProfile, ToolFiles};
use crate::replay::{Assessor, PolicyFiles, ToolManifest};
use crate::rules::Settings;
use crate::source::Discovery;
use crate::trace::Format;
use crate::verify::{Options, Report};
use std::path::Path;
use std::sync::Arc;

/// A step: its findings, or why there was nothing to check.
type Step = fn(&LocatedConfig, StepOptions) -> Result<StepResult, Failure>;

/// Options of the command line that steps use.
#[derive(Debug, Clone, Copy)]
pub(super) struct StepOptions {
    /// Maximum number of turns to keep for a page.
    pub(super) max_turns: usize,
    /// Whether to hide the progress.
    pub(super) quiet: bool,
}

/// The result of a step.
#[derive(Debug, Default)]
pub(super) struct StepResult {
    pub(super) report: Report,
    /// Set when there was no trace, or nothing in it, to check.
    pub(super) missing: Option<String>,
    /// Set when something else that the configuration names is missing.
    pub(super) lacking: Option<String>,
}

/// All steps in order.
const STEPS: [Step; 7] = [
    traces,
    policy_test,
    policy_compare,
    policy_replay,
    repo_map,
    interfaces,
    index,
];

/// Runs the steps and merges their findings into one report.
pub(super) fn run(located: &LocatedConfig, options: StepOptions) -> Result<StepResult, Failure> {
    let mut whole = StepResult::default();
    for step in STEPS {
        let part = step(located, options)?;
        whole.report.absorb(part.report);
        whole.missing = whole.missing.or(part.missing);
        whole.lacking = whole.lacking.or(part.lacking);
    }
    Ok(whole)
}

/// Replays the traces. Each record is also checked against its schema, as by `validate`.
fn traces(located: &LocatedConfig, options: StepOptions) -> Result<StepResult, Failure> {
    let Some(traces) = &located.config.traces else {
        let missing =
            Some("nothing was verified: the configuration names no traces ([traces] paths)".into());
        return Ok(StepResult {
            missing,
            ..StepResult::default()
        });
    };
    let keys = match &located.config.keys {
        Some(keys) => {
            let file = located.material(&keys.file)?;
            Some(parse_trust_store(
                &located.label(&file),
                &located.text(&file)?,
            )?)
        }
        None => None,
    };
    let assessor = match traces.risk.unwrap_or_default() {
        RiskProfile::Off => Assessor::Off,
        RiskProfile::V0 => Assessor::V0,
        RiskProfile::V1 => Assessor::V1,
    };
    let Discovery { inputs, skipped } = located.traces(traces)?;
    let missing = inputs.is_empty().then(|| {
        format!(
            "nothing was verified: no trace under {}",
            traces.paths.join(", ")
        )
    });
    let formats = traces.formats.as_ref().map(|names| {
        names
            .iter()
            .filter_map(|name| Format::parse(name))
            .collect()
    });
    let keep_changes = traces.account_for.is_some();
    let signed = located.config.keys.as_ref().and_then(|k| k.require);
    let tools = match &located.config.tools {
        Some(tools) => Some(configured_tools(located, tools)?),
        None => None,
    };
    // A change of the policy by an execution that it governs is a finding.
    let policy = located.config.policy.as_ref();
    let settings = Settings {
        policies: PolicyFiles {
            all: policy
                .map(|policy| policy.file.clone())
                .into_iter()
                .collect(),
            ..PolicyFiles::default()
        },
        assessor,
        keys,
        keep_changes,
        signed,
        approval_timeout: traces.approval_timeout_ms,
        tools,
        ..Settings::default()
    };
    let verification = Options {
        formats,
        settings,
        max_turns: options.max_turns,
        ..Options::default()
    };
    let mut report = verify_inputs(&inputs, verification, options.quiet);
    strict::unread(&mut report, skipped);
    report.notices.extend(report.silent.sentence());
    strict::unterminated(&mut report, traces.unterminated.unwrap_or_default());
    strict::demands(&mut report, &traces.require);
    if let Some(revision) = &traces.account_for {
        account::reconcile(located, revision, &inputs, &mut report)?;
    }
    let weaker = match assessor {
        Assessor::Off => {
            Some("the risk that a record states is believed ([traces] risk = \"off\")")
        }
        Assessor::V0 => Some(
            "risk is assessed by fragments of text, and commands aren't parsed ([traces] risk = \"v0\")",
        ),
        Assessor::V1 => None,
    };
    report.notices.extend(weaker.map(str::to_owned));
    Ok(StepResult {
        report,
        missing,
        lacking: None,
    })
}

/// Reads the manifests of tools.
fn configured_tools(
    located: &LocatedConfig,
    tools: &ToolFiles,
) -> Result<Arc<ToolManifest>, Failure> {
    let read = |file: &String| {
        let material = located.material(file)?;
        Ok((located.label(&material), located.text(&material)?))
    };
    let files: Vec<_> = tools
        .files
        .iter()
        .map(read)
        .collect::<Result<_, Failure>>()?;
    Ok(Arc::new(tool_manifest(&files)?))
}

/// Runs the test cases of the policy.
fn policy_test(located: &LocatedConfig, _: StepOptions) -> Result<StepResult, Failure> {
    let Some(policy) = &located.config.policy else {
        return Ok(StepResult::default());
    };
    let file = located.material(&policy.file)?;
    let beside = |ending: &str| located.text_if_there(&file.beside(ending));
    let (mut report, cases) = run_cases(&located.label(&file), located.text(&file)?, &beside)?;
    rename(&mut report, located);
    let mut lacking = None;
    if cases == 0 {
        if let Some(reason) = &policy.untested {
            report
                .notices
                .push(format!("no case tests the policy: {reason}"));
        } else {
            let why = "nothing tests the policy: it has no case ([policy] untested = \"why\" accepts that)";
            lacking = Some(why.to_owned());
        }
    }
    Ok(StepResult {
        report,
        missing: None,
        lacking,
    })
}

/// Compares the policy of the work tree with that of the merge base.
fn policy_compare(located: &LocatedConfig, _: StepOptions) -> Result<StepResult, Failure> {
    let Some((policy, base)) = located
        .config
        .policy
        .as_ref()
        .and_then(|p| Some((p, p.base.as_deref()?)))
    else {
        return Ok(StepResult::default());
    };
    let mut report = compare_with_base(&located.root.join(&policy.file), base)?;
    rename(&mut report, located);
    Ok(StepResult {
        report,
        ..StepResult::default()
    })
}

/// Compares every recorded decision with the policy.
fn policy_replay(located: &LocatedConfig, _: StepOptions) -> Result<StepResult, Failure> {
    let (Some(policy), Some(traces)) = (&located.config.policy, &located.config.traces) else {
        return Ok(StepResult::default());
    };
    let file = located.material(&policy.file)?;
    let inputs = located.traces(traces)?.inputs;
    let (report, missing) = compare_recorded(&located.label(&file), located.text(&file)?, &inputs)?;
    Ok(StepResult {
        report,
        missing,
        lacking: None,
    })
}

/// Compares the repo map with the directory of the configuration.
fn repo_map(located: &LocatedConfig, _: StepOptions) -> Result<StepResult, Failure> {
    let Some(map) = &located.config.repo_map else {
        return Ok(StepResult::default());
    };
    let Some(file) = &map.file else {
        let lacking = map
            .base
            .is_none()
            .then(|| "[repo-map] names neither a file nor a base: nothing is checked".to_owned());
        return Ok(StepResult {
            lacking,
            ..StepResult::default()
        });
    };
    let (mut report, any) = check_map(
        &located.root.join(file),
        tree(located),
        map.max_drift.map_or(MAX_DRIFT, u8::from),
    )?;
    rename(&mut report, located);
    let lacking = (!any).then(|| {
        "the repo map maps nothing: no file with definitions in a known language was found"
            .to_owned()
    });
    Ok(StepResult {
        report,
        missing: None,
        lacking,
    })
}

/// Compares the definitions below the configuration's directory with those at the merge base.
fn interfaces(located: &LocatedConfig, _: StepOptions) -> Result<StepResult, Failure> {
    let Some(base) = located
        .config
        .repo_map
        .as_ref()
        .and_then(|m| m.base.as_deref())
    else {
        return Ok(StepResult::default());
    };
    // Its findings are already named relative to that directory.
    let (report, any) = compare_interface(tree(located), base)?;
    let lacking = (!any).then(|| {
        "no interface was compared: no file with definitions in a known language was found"
            .to_owned()
    });
    Ok(StepResult {
        report,
        missing: None,
        lacking,
    })
}

/// Compares the index of knowledge with its sources.
fn index(located: &LocatedConfig, _: StepOptions) -> Result<StepResult, Failure> {
    let knowledge = located.config.knowledge.as_ref();
    if !knowledge.is_some_and(|knowledge| knowledge.gate) {
        return Ok(StepResult::default());
    }
    Ok(StepResult {
        report: check_index(located)?,
        ..StepResult::default()
    })
}

/// Returns the directory of the configuration.
fn tree(located: &LocatedConfig) -> &Path {
    if located.root.as_os_str().is_empty() {
        Path::new(".")
    } else {
        &located.root
    }
}

/// Names the files of findings relative to the configuration.
fn rename(report: &mut Report, located: &LocatedConfig) {
    for finding in &mut report.findings {
        finding.place.file = located.name(&finding.place.file).into();
    }
}
