//! Test files with cases for a policy, and corpora of actions with expected effects.

use super::action::Action;
use super::effect::Effect;
use super::facts::Facts;
use super::model::Policy;
use super::question::{Approvals, Context, Question};
use super::read::{Fields, Reader};
use super::request::{History, Past, Request};
use super::yaml::{Node, Position, Problem, Value, parse};
use governance::RiskLevel;
use serde_json::Value as Json;

/// Maximum number of cases in a file.
const MAX_CASES: usize = 100_000;
/// Maximum number of past approvals in one case.
const MAX_APPROVALS: u64 = 100_000;

/// A case: an action in its context, and the expected decision.
#[derive(Debug, Clone)]
pub struct Case {
    pub name: String,
    /// The position in the file.
    pub at: Position,
    pub action: Action,
    pub context: Context,
    /// The past approvals.
    pub history: History,
    /// The past approvals as written.
    pub past: Vec<Approvals>,
    /// The expected decision.
    pub expect: Expect,
    /// Rules that must not decide this case, though they nearly match.
    pub near_miss: Vec<String>,
}

/// The expected decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expect {
    pub effect: Effect,
    /// The rule that decides.
    pub rule: Option<String>,
    pub reason: Option<String>,
}

impl Case {
    /// The case as a request.
    #[must_use]
    pub fn request(&self) -> Request<'_> {
        self.context.request(&self.action, &self.history)
    }

    /// The case as a question.
    #[must_use]
    pub fn question(&self) -> Question {
        Question {
            action: self.action.clone(),
            context: self.context.clone(),
            past: self.past.clone(),
        }
    }
}

/// Reads a test file: `cases [{name, action, context?, history?, expect, near_miss?}]`.
///
/// # Errors
/// All errors, in the order of the file.
pub fn load_cases(text: &str) -> Result<Vec<Case>, Vec<Problem>> {
    let root = parse(text).map_err(|p| vec![p])?;
    let mut reader = Reader::new();
    let mut fields = Fields::new(&root, "a test file", &mut reader);
    fields.accept("description");
    let mut cases = Vec::new();
    match fields.take("cases").map(|n| (&n.value, n)) {
        Some((Value::List(list), _)) => {
            for node in list.iter().take(MAX_CASES) {
                cases.extend(case(node, &mut reader));
            }
            if let Some(more) = list.get(MAX_CASES) {
                reader.problem(more.at, too_many(), None);
            }
        }
        Some((_, node)) => reader.expected(node, "a list of cases"),
        None => reader.problem(root.at, "a test file has `cases`".into(), None),
    }
    fields.finish(&mut reader);
    let mut names = std::collections::BTreeSet::new();
    for case in &cases {
        if !names.insert(case.name.as_str()) {
            reader.problem(
                case.at,
                format!("a case is called `{}` already", case.name),
                None,
            );
        }
    }
    if reader.problems.is_empty() {
        Ok(cases)
    } else {
        Err(reader.problems)
    }
}

fn case(node: &Node, reader: &mut Reader) -> Option<Case> {
    let mut fields = Fields::new(node, "a case", reader);
    let name = fields.required("name", reader);
    let action = if let Some(written) = fields.take("action") {
        let action = Action::from_json(&written.json());
        action
            .map_err(|error| reader.problem(written.at, error.to_string(), None))
            .ok()
    } else {
        reader.problem(node.at, "a case has no `action`".into(), None);
        None
    };
    let context = fields
        .take("context")
        .map(|n| context(n, reader))
        .unwrap_or_default();
    let past = fields
        .take("history")
        .map(|n| approvals(n, &context, reader))
        .unwrap_or_default();
    let expect = if let Some(written) = fields.take("expect") {
        expect(written, reader)
    } else {
        reader.problem(
            node.at,
            "a case has no `expect`: it could not fail".into(),
            None,
        );
        None
    };
    let near_miss = fields
        .texts("near_miss", reader)
        .unwrap_or_default()
        .into_iter()
        .map(|(text, _)| text)
        .collect();
    fields.finish(reader);
    let history = history_of(&past);
    Some(Case {
        name: name?.0,
        at: node.at,
        action: action?,
        context,
        history,
        past,
        expect: expect?,
        near_miss,
    })
}

fn context(node: &Node, reader: &mut Reader) -> Context {
    let mut fields = Fields::new(node, "`context`", reader);
    let risk = fields
        .text("risk", reader)
        .and_then(|(word, at)| level(&word, at, reader));
    let context = Context {
        risk,
        turn: fields.count("turn", reader),
        agent: fields.text("agent", reader).map(|(text, _)| text),
        mode: fields.text("mode", reader).map(|(text, _)| text),
        production: fields.flag("production", reader).unwrap_or(false),
        time: fields
            .count("time", reader)
            .and_then(|n| i64::try_from(n).ok()),
    };
    fields.finish(reader);
    context
}

fn level(word: &str, at: Position, reader: &mut Reader) -> Option<RiskLevel> {
    let found = risk(word);
    if found.is_none() {
        reader.unknown_word(at, "level of risk", word, &["low", "medium", "high"]);
    }
    found
}

fn risk(word: &str) -> Option<RiskLevel> {
    [RiskLevel::Low, RiskLevel::Medium, RiskLevel::High]
        .into_iter()
        .find(|l| l.name() == word)
}

fn history_of(past: &[Approvals]) -> History {
    let mut history = History::default();
    for approvals in past {
        approvals.add_to(&mut history);
    }
    history
}

/// Reads past approvals, up to the maximum of all together.
fn approvals(node: &Node, context: &Context, reader: &mut Reader) -> Vec<Approvals> {
    let past: Vec<Approvals> = node
        .items()
        .iter()
        .map(|item| approval(item, context, reader))
        .collect();
    let most = past
        .iter()
        .map(|approvals| approvals.count)
        .fold(0, u64::saturating_add);
    if most > MAX_APPROVALS {
        reader.problem(
            node.at,
            format!("{most} approvals; there may be {MAX_APPROVALS}"),
            None,
        );
        return Vec::new();
    }
    past
}

/// `{type, tool?, risk?, time?, by?, count?, cost?, durationMs?}`: approvals, `count` of them.
fn approval(node: &Node, context: &Context, reader: &mut Reader) -> Approvals {
    let mut fields = Fields::new(node, "a past approval", reader);
    let kind = fields.required("type", reader).and_then(|(word, at)| {
        let kind = super::action::parse_kind(&word);
        if kind.is_none() {
            reader.unknown_word(
                at,
                "action type",
                &word,
                &["tool_call", "shell_cmd", "code_diff", "answer"],
            );
        }
        kind
    });
    let each = Past {
        kind,
        tool: fields.text("tool", reader).map(|(text, _)| text),
        risk: fields
            .text("risk", reader)
            .and_then(|(w, at)| level(&w, at, reader))
            .unwrap_or(RiskLevel::Low),
        time: fields
            .count("time", reader)
            .and_then(|n| i64::try_from(n).ok())
            .or(context.time),
        by_human: match fields.text("by", reader) {
            Some((word, at)) if word != "human" && word != "policy" => {
                reader.unknown_word(at, "decider", &word, &["human", "policy"]);
                false
            }
            Some((word, _)) => word == "human",
            None => false,
        },
    };
    let count = fields.count("count", reader).unwrap_or(1);
    let busy = fields.count("durationMs", reader).unwrap_or(0);
    let cost = fields.count("cost", reader).unwrap_or(0);
    fields.finish(reader);
    Approvals {
        each,
        count,
        cost: u32::try_from(cost).unwrap_or(u32::MAX),
        busy,
    }
}

fn expect(node: &Node, reader: &mut Reader) -> Option<Expect> {
    if let Some(word) = node.text() {
        return reader.effect(&word, node.at).map(|effect| Expect {
            effect,
            rule: None,
            reason: None,
        });
    }
    let mut fields = Fields::new(node, "`expect`", reader);
    let effect = fields
        .required("effect", reader)
        .and_then(|(word, at)| reader.effect(&word, at));
    let rule = fields.text("rule", reader).map(|(text, _)| text);
    let reason = fields.text("reason", reader).map(|(text, _)| text);
    fields.finish(reader);
    Some(Expect {
        effect: effect?,
        rule,
        reason,
    })
}

/// Reads a snapshot: reasons by the names of cases.
///
/// # Errors
/// If it isn't a map of texts.
pub fn load_reasons(
    text: &str,
) -> Result<std::collections::BTreeMap<String, String>, Vec<Problem>> {
    let root = parse(text).map_err(|p| vec![p])?;
    let mut reader = Reader::new();
    let mut reasons = std::collections::BTreeMap::new();
    match &root.value {
        Value::Null => {}
        Value::Map(map) => {
            for (key, value) in map {
                match (key.text(), value.text()) {
                    (Some(name), Some(reason)) => {
                        reasons.insert(name, reason);
                    }
                    _ => reader.expected(value, "the name of a case with its reason"),
                }
            }
        }
        _ => reader.expected(&root, "reasons by the names of cases"),
    }
    if reader.problems.is_empty() {
        Ok(reasons)
    } else {
        Err(reader.problems)
    }
}

/// The message for cases beyond the maximum.
fn too_many() -> String {
    format!(
        "there may be {MAX_CASES} cases in a file, and this is one more: divide them into several"
    )
}

/// Reads a corpus: one `{"action", "expect", "source"?, "why"?, "context"?}` a line.
///
/// # Errors
/// The lines that aren't valid cases.
pub fn load_corpus(text: &str) -> Result<Vec<Case>, Vec<Problem>> {
    let mut cases = Vec::new();
    let mut problems = Vec::new();
    for (number, line) in (1u32..)
        .zip(text.lines())
        .filter(|(_, l)| !l.trim().is_empty())
    {
        let at = Position::new(number, 1);
        if cases.len() + problems.len() == MAX_CASES {
            problems.push(Problem {
                at,
                message: too_many(),
                help: None,
            });
            break;
        }
        match corpus_case(line, at) {
            Ok(case) => cases.push(case),
            Err(message) => problems.push(Problem {
                at,
                message,
                help: None,
            }),
        }
    }
    if problems.is_empty() {
        Ok(cases)
    } else {
        Err(problems)
    }
}

fn corpus_case(line: &str, at: Position) -> Result<Case, String> {
    let value = json_once(line).map_err(|e| format!("not a JSON object: {e}"))?;
    known_members(
        &value,
        &["action", "expect", "source", "why", "context", "history"],
    )?;
    let action = Action::from_json(value.get("action").ok_or("the line has no `action`")?)
        .map_err(|e| e.to_string())?;
    let word = value
        .get("expect")
        .and_then(Json::as_str)
        .ok_or("the line has no `expect`: it could not fail")?;
    let effect = Effect::parse(word).ok_or_else(|| format!("unknown effect `{word}`"))?;
    let name = value
        .get("why")
        .and_then(Json::as_str)
        .map_or_else(|| action.summary(), str::to_owned);
    let context = json_context(value.get("context").unwrap_or(&Json::Null))?;
    let past = json_history(value.get("history"), &context)?;
    let expect = Expect {
        effect,
        rule: None,
        reason: None,
    };
    let history = history_of(&past);
    Ok(Case {
        name,
        at,
        action,
        context,
        history,
        past,
        expect,
        near_miss: Vec::new(),
    })
}

/// Reads JSON without repeated members, since readers disagree about which of two counts.
///
/// # Errors
/// If the text isn't valid JSON, or repeats a member.
pub fn json_once(text: &str) -> Result<Json, String> {
    if let Some(at) = repeated(text).map_err(|e| e.to_string())? {
        let pointer = strict_json::pointer_at(text, at);
        return Err(format!(
            "the member `{pointer}` appears twice; readers disagree about which of the two counts"
        ));
    }
    strict_json::from_text(text).map_err(|e| e.to_string())
}

/// The offset of the first repeated member.
///
/// # Errors
/// If the text isn't valid JSON.
pub fn repeated(text: &str) -> Result<Option<usize>, strict_json::Error> {
    let mut scanner = strict_json::Scanner::new(text, strict_json::DEFAULT_MAX_DEPTH);
    scanner.skip()?;
    scanner.end()?;
    let twice = |note: &&strict_json::Note| note.kind != strict_json::NoteKind::LoneSurrogate;
    Ok(scanner.notes().iter().find(twice).map(|note| note.at))
}

/// Rejects unknown members.
fn known_members(value: &Json, known: &[&str]) -> Result<(), String> {
    let members = value.as_object().ok_or("it isn't an object")?;
    match members.keys().find(|name| !known.contains(&name.as_str())) {
        Some(other) => Err(format!(
            "it has no member `{other}` (known: {})",
            known.join(", ")
        )),
        None => Ok(()),
    }
}

/// Reads a question from JSON: an action, or `{"action", "context"?, "history"?}`. Without
/// `context`, `base` applies.
///
/// # Errors
/// If it isn't an action, or has unknown members.
pub fn json_question(text: &str, base: &Context) -> Result<Question, String> {
    let value = json_once(text)?;
    let Some(action) = value.get("action") else {
        let action = Action::from_json(&value).map_err(|e| e.to_string())?;
        return Ok(Question {
            action,
            context: base.clone(),
            past: Vec::new(),
        });
    };
    known_members(&value, &["action", "context", "history"])?;
    let action = Action::from_json(action).map_err(|e| e.to_string())?;
    let context = match value.get("context") {
        Some(context) => json_context(context)?,
        None => base.clone(),
    };
    let past = json_history(value.get("history"), &context)?;
    Ok(Question {
        action,
        context,
        past,
    })
}

/// Reads a history from JSON, as in test files.
fn json_history(value: Option<&Json>, context: &Context) -> Result<Vec<Approvals>, String> {
    let Some(value) = value.filter(|v| !v.is_null()) else {
        return Ok(Vec::new());
    };
    if !value.is_array() {
        return Err("`history` is a list of approvals".into());
    }
    let node = Node::from_json(value);
    let mut reader = Reader::new();
    let past = approvals(&node, context, &mut reader);
    match reader.problems.into_iter().next() {
        Some(problem) => Err(format!("`history`: {}", problem.message)),
        None => Ok(past),
    }
}

/// Reads a context from JSON.
///
/// # Errors
/// If a member has the wrong type or is unknown.
pub fn json_context(value: &Json) -> Result<Context, String> {
    let mut context = Context::default();
    let Some(object) = value.as_object() else {
        return if value.is_null() {
            Ok(context)
        } else {
            Err("the context isn't an object".into())
        };
    };
    for (key, value) in object {
        let text = value.as_str().map(str::to_owned);
        let wrong = || format!("`{key}` of the context has another shape");
        match key.as_str() {
            "risk" => context.risk = Some(text.as_deref().and_then(risk).ok_or_else(wrong)?),
            "turn" => context.turn = Some(value.as_u64().ok_or_else(wrong)?),
            "agent" => context.agent = Some(text.ok_or_else(wrong)?),
            "mode" => context.mode = Some(text.ok_or_else(wrong)?),
            "production" => context.production = value.as_bool().ok_or_else(wrong)?,
            "time" => context.time = Some(value.as_i64().ok_or_else(wrong)?),
            _ => return Err(format!("the context has no member `{key}`")),
        }
    }
    Ok(context)
}

/// How a case fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// The decision has another effect.
    Effect {
        /// The effect of the decision.
        found: Effect,
        /// The rule that decided.
        rule: String,
        /// The reason.
        reason: String,
    },
    /// The effect is right, but another rule decided.
    Rule(String),
    /// The reason differs.
    Reason(String),
    /// A near miss decides the case.
    NearMiss(String),
    /// The case names a rule that doesn't exist.
    NoSuchRule(String),
}

impl Case {
    /// Runs the case; `None` if the decision is as expected.
    #[must_use]
    pub fn run(&self, policy: &Policy) -> Option<Failure> {
        let named = self.expect.rule.iter().chain(&self.near_miss);
        if let Some(id) = named
            .into_iter()
            .find(|id| *id != "default" && policy.rule(id).is_none())
        {
            return Some(Failure::NoSuchRule(id.clone()));
        }
        let request = self.request();
        let facts = Facts::new(&self.action, self.context.risk, &policy.surroundings);
        let decision = policy.decide_on(&facts, &request);
        let rule = decision.rule_id().to_owned();
        let reason = decision.reason().into_owned();
        if decision.effect != self.expect.effect {
            return Some(Failure::Effect {
                found: decision.effect,
                rule,
                reason,
            });
        }
        if self.expect.rule.as_ref().is_some_and(|r| *r != rule) {
            return Some(Failure::Rule(rule));
        }
        if self.expect.reason.as_ref().is_some_and(|r| *r != reason) {
            return Some(Failure::Reason(reason));
        }
        self.near_miss
            .iter()
            .find(|id| rule == **id)
            .map(|id| Failure::NearMiss(id.clone()))
    }
}
