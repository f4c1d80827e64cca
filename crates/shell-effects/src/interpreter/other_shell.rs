//! Lines that may be PowerShell instead of bash: a line is recognised by its text alone, so both
//! readings count.

use super::engine::{Engine, Stream};
use crate::Context;
use crate::code::powershell;
use crate::effect::{Analysis, Effect, EffectKind, RiskLevel, Span, StepOrigin};
use crate::syntax::non_posix;
use crate::syntax::parse::Base;

/// Returns the analysis of a line whose analysis as bash is `bash`, and what is left of the fuel.
pub(crate) fn analyse(
    line: &str,
    bash: Analysis,
    ctx: &Context<'_>,
    fuel: usize,
) -> (Analysis, usize) {
    let recognised = non_posix::is_powershell(line);
    let names_cmdlet = |e: &Effect| e.why == non_posix::POWERSHELL;
    let may_be = recognised || bash.unparsed || non_posix::hints_powershell(line);
    if !(may_be || bash.effects.iter().any(names_cmdlet)) {
        return (bash, fuel);
    }
    let mut engine = Engine::new(ctx, fuel);
    let read = powershell::line(&mut engine, line);
    let mut left = engine.fuel();
    let found = engine.finish();
    let why = match read {
        Ok(is_certain) if recognised || is_certain => {
            let (least, rest) = floor(line, bash.clone(), ctx, left);
            left = rest;
            if least <= found.risk {
                return (found, left);
            }
            "bash reads the line in another way"
        }
        Ok(_) => "no cmdlet",
        Err(why) => why,
    };
    if !recognised {
        return (bash, left);
    }
    let mut engine = Engine::new(ctx, left);
    let span = Span::new(0, line.len());
    engine.refuse(span, format!("{}: {why}", powershell::NOT_FOLLOWED));
    (engine.finish(), left)
}

/// Returns the risk of a line in bash, without what only PowerShell would run.
fn floor(line: &str, bash: Analysis, ctx: &Context<'_>, fuel: usize) -> (RiskLevel, usize) {
    let lower = line.to_ascii_lowercase();
    // In bash, a redirection to an unset variable fails.
    let (text, bash, left) = if lower.contains("$null") {
        let mut text = String::with_capacity(line.len());
        let mut from = 0;
        for (at, null) in lower.match_indices("$null") {
            text.push_str(line.get(from..at).unwrap_or_default());
            text.push_str("/dev/null");
            from = at + null.len();
        }
        text.push_str(line.get(from..).unwrap_or_default());
        let (bash, left) = in_bash(&text, ctx, fuel);
        (text, bash, left)
    } else {
        (line.to_owned(), bash, fuel)
    };
    // What bash refuses, it doesn't run; work that ran out is no refusal.
    if bash.unparsed && (left == 0 || bash.truncated) {
        return (RiskLevel::High, left);
    }
    let is_refusal =
        |e: &Effect| bash.unparsed && e.kind == EffectKind::Unknown && e.target.is_none();
    // A program named by a variable or a type: `$x = …`, `$($x.Name)`, `[int]::MaxValue`.
    let is_variable = |e: &Effect| {
        e.kind == EffectKind::Dynamic
            && text.get(e.span.from..).is_some_and(|t| {
                let word = t.split_ascii_whitespace().next().unwrap_or_default();
                t.starts_with('$') || t.starts_with('[') && word.contains("]::")
            })
    };
    let others = bash
        .effects
        .iter()
        .filter(|e| e.why != non_posix::POWERSHELL && !is_variable(e) && !is_refusal(e));
    let risk = others.map(|e| e.risk).max().unwrap_or_default();
    let dropped = if bash.truncated { bash.risk } else { risk };
    (risk.max(dropped), left)
}

/// Analyses a line of bash. Returns the fuel that is left as well.
pub(crate) fn in_bash(line: &str, ctx: &Context<'_>, fuel: usize) -> (Analysis, usize) {
    let mut engine = Engine::new(ctx, fuel);
    engine.run_text(
        line,
        Base::Offset(0),
        StepOrigin::Direct,
        &Stream::default(),
        false,
    );
    let left = engine.fuel();
    (engine.finish(), left)
}
