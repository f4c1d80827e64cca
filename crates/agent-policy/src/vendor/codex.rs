//! `.rules` of Codex: which commands run outside of its sandbox.

use super::pack::{PackRule, Translation};
use super::starlark::{self, Call};
use crate::effect::Effect;
use crate::read::nearest;
use crate::yaml::{Node, Position, Problem, Value};
use serde_json::json;

/// Maximum number of rules in a file.
const MAX_RULES: usize = 2_000;

/// Names that one rule may be written out in; others become an expression.
const MAX_NAMES: usize = 12;

/// What makes Codex take a line as one command that no rule matches: expansions, redirections,
/// groups, comments, jobs and keywords.
pub(super) const UNREAD_BY_CODEX: &str = r"[$`*?\[\](){}<>~#!\\\n]|(?:^|[^&])&(?:[^&]|$)|(?:^|[;&|\s])(?:if|then|elif|else|for|do|while|until|case|select|function|time|coproc)\s";

#[derive(Default)]
struct Rules {
    /// The commands that run.
    allowed: Vec<String>,
    allowed_at: Option<Position>,
}

pub(super) fn translate(name: &str, text: &str) -> Result<Translation, Vec<Problem>> {
    let calls = starlark::parse(text).map_err(|problem| vec![problem])?;
    let mut pack = Translation::new(name);
    let reason = "no rule is about this command";
    pack.set_default(Position::START, Effect::RequireApproval, reason);
    let mut rules = Rules::default();
    if pack.too_many(Position::START, calls.len(), MAX_RULES) {
        return pack.finish();
    }
    for call in &calls {
        match call.name.as_str() {
            "prefix_rule" => rules.prefix(call, &mut pack),
            "network_rule" => network(call, &mut pack),
            "host_executable" => {
                take(call, &["name", "paths"], &mut pack);
                let message = "a program with its path is asked about, whatever a rule allows \
                               its name; rules that forbid match it in any directory";
                pack.gap(call.at, message);
            }
            other => {
                let known = ["prefix_rule", "network_rule", "host_executable"];
                let help = nearest(other, &known).map_or_else(
                    || format!("known: {}", known.join(", ")),
                    |near| format!("did you mean `{near}`?"),
                );
                pack.problem(call.at, format!("unknown function `{other}`"), Some(&help));
            }
        }
    }
    pack.gap(
        Position::START,
        "what runs inside of the sandbox isn't in this file: commands without a rule are asked \
         about",
    );
    if let Some(at) = rules.allowed_at {
        let when = json!({
            "command": { "text": rules.allowed },
            "not": { "command": { "raw": UNREAD_BY_CODEX } },
        });
        pack.rule(PackRule {
            at,
            id: "allow commands".to_owned(),
            description: Some("`prefix_rule` with the decision `allow`".to_owned()),
            when: Some(when),
            effect: Effect::Allow,
            reason: "allowed by the rules for commands".to_owned(),
        });
    }
    let answers = json!({ "any": [{ "type": "answer" }, { "tool": "update_plan" }] });
    pack.rule(PackRule {
        at: Position::START,
        id: "no permission needed".to_owned(),
        description: None,
        when: Some(answers),
        effect: Effect::Allow,
        reason: "runs no command".to_owned(),
    });
    pack.finish()
}

/// The arguments of a call, in the order of `known`. Others are problems.
fn take<'c>(call: &'c Call, known: &[&str], pack: &mut Translation) -> Vec<Option<&'c Node>> {
    for (name, at, _) in &call.arguments {
        if !known.contains(&name.as_str()) {
            let help = nearest(name, known).map_or_else(
                || format!("known: {}", known.join(", ")),
                |near| format!("did you mean `{near}`?"),
            );
            let message = format!("`{}` has no argument `{name}`", call.name);
            pack.problem(*at, message, Some(&help));
        }
    }
    let find = |wanted: &&str| {
        let found = call.arguments.iter().find(|(name, ..)| name == wanted);
        found.map(|(_, _, value)| value)
    };
    known.iter().map(find).collect()
}

fn text(node: &Node, what: &str, pack: &mut Translation) -> Option<String> {
    if let Value::Text(text) = &node.value {
        return Some(text.clone());
    }
    let message = format!("{what} is a text, not {}", node.kind());
    pack.problem(node.at, message, None);
    None
}

fn decision(node: Option<&Node>, network: bool, pack: &mut Translation) -> Option<Effect> {
    let Some(node) = node else {
        return Some(Effect::Allow);
    };
    let word = text(node, "`decision`", pack)?;
    match word.as_str() {
        "allow" => Some(Effect::Allow),
        "prompt" => Some(Effect::RequireApproval),
        "forbidden" => Some(Effect::Deny),
        "deny" if network => Some(Effect::Deny),
        _ => {
            let message = format!("unknown decision `{word}`");
            pack.problem(node.at, message, Some("known: allow, prompt, forbidden"));
            None
        }
    }
}

/// The tokens of a pattern, each with its alternatives.
fn pattern(node: &Node, pack: &mut Translation) -> Option<Vec<Vec<String>>> {
    let Value::List(list) = &node.value else {
        let message = format!("`pattern` is a list, not {}", node.kind());
        pack.problem(node.at, message, None);
        return None;
    };
    if list.is_empty() {
        pack.problem(node.at, "the pattern is empty".to_owned(), None);
        return None;
    }
    let mut tokens = Vec::new();
    for item in list {
        let alternatives: Option<Vec<String>> = match &item.value {
            Value::List(some) if some.is_empty() => {
                let message = "an element without alternatives matches nothing".to_owned();
                pack.problem(item.at, message, None);
                None
            }
            Value::List(some) => some
                .iter()
                .map(|one| text(one, "an alternative", pack))
                .collect(),
            _ => text(item, "an element of `pattern`", pack).map(|one| vec![one]),
        };
        tokens.push(alternatives?);
    }
    Some(tokens)
}

/// The words of an example.
fn example(node: &Node, pack: &mut Translation) -> Option<Vec<String>> {
    let words = match &node.value {
        Value::Text(line) => shlex::split(line),
        Value::List(list) => {
            return list
                .iter()
                .map(|word| text(word, "a word of an example", pack))
                .collect();
        }
        _ => None,
    };
    let words = words.filter(|words| !words.is_empty());
    if words.is_none() {
        pack.problem(node.at, "an example is a command".to_owned(), None);
    }
    words
}

fn base_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

/// Whether a command begins with the tokens. A program with its path may be meant by its name.
fn begins(tokens: &[Vec<String>], words: &[String]) -> bool {
    words.len() >= tokens.len()
        && tokens
            .iter()
            .zip(words)
            .enumerate()
            .all(|(index, (some, word))| {
                some.contains(word)
                    || index == 0
                        && word.starts_with('/')
                        && some.iter().any(|s| s == base_name(word))
            })
}

/// Names of the commands that begin with the tokens.
pub(super) fn names(tokens: &[Vec<String>]) -> Vec<String> {
    let count = tokens
        .iter()
        .map(Vec::len)
        .fold(1_usize, usize::saturating_mul);
    let special = tokens
        .iter()
        .flatten()
        .any(|t| t.contains('*') || t.starts_with('^'));
    if count > MAX_NAMES || special {
        let one = |some: &Vec<String>| {
            let some: Vec<String> = some.iter().map(|t| regex_syntax::escape(t)).collect();
            format!("(?:{})", some.join("|"))
        };
        let all: Vec<String> = tokens.iter().map(one).collect();
        return vec![format!("^{}(?: [^]*)?$", all.join(" "))];
    }
    let lines = tokens.iter().fold(vec![String::new()], |lines, some| {
        let longer = |line: &String| {
            let space = if line.is_empty() { "" } else { " " };
            let add = move |token: &String| format!("{line}{space}{token}");
            some.iter().map(add).collect::<Vec<_>>()
        };
        lines.iter().flat_map(longer).collect()
    });
    lines
        .into_iter()
        .flat_map(|line| [line.clone(), format!("{line} *")])
        .collect()
}

impl Rules {
    fn prefix(&mut self, call: &Call, pack: &mut Translation) {
        let known = ["pattern", "decision", "justification", "match", "not_match"];
        let arguments = take(call, &known, pack);
        let [written, decided, why, matching, not_matching] = arguments.as_slice() else {
            return;
        };
        let Some(written) = *written else {
            pack.problem(call.at, "the rule has no `pattern`".to_owned(), None);
            return;
        };
        let why = match why {
            Some(node) => match text(node, "`justification`", pack) {
                Some(why) if why.trim().is_empty() => {
                    pack.problem(node.at, "the justification is empty".to_owned(), None);
                    return;
                }
                other => other,
            },
            None => None,
        };
        let (Some(tokens), Some(effect)) =
            (pattern(written, pack), decision(*decided, false, pack))
        else {
            return;
        };
        for (list, wanted) in [(matching, true), (not_matching, false)] {
            if let Some(list) = list {
                examples(list, &tokens, wanted, pack);
            }
        }
        let shown: Vec<String> = tokens.iter().map(|some| some.join("|")).collect();
        let shown = shown.join(" ");
        let mut all = names(&tokens);
        if effect == Effect::Allow {
            self.allowed_at = self.allowed_at.or(Some(call.at));
            self.allowed.append(&mut all);
            return;
        }
        // The program runs whatever directory it is in.
        let mut by_name = tokens.clone();
        if let Some(first) = by_name.first_mut() {
            *first = first.iter().map(|t| base_name(t).to_owned()).collect();
        }
        if by_name != tokens {
            all.extend(names(&by_name));
        }
        let word = if effect == Effect::Deny {
            "forbidden"
        } else {
            "prompt"
        };
        let id = format!("{word} {shown}");
        pack.rule(PackRule {
            at: call.at,
            reason: why.unwrap_or_else(|| format!("the rule for `{shown}`")),
            id,
            description: None,
            when: Some(json!({ "command": { "text": all } })),
            effect,
        });
    }
}

/// Runs the examples of a rule.
fn examples(node: &Node, tokens: &[Vec<String>], wanted: bool, pack: &mut Translation) {
    let Value::List(list) = &node.value else {
        let message = format!("examples are a list, not {}", node.kind());
        pack.problem(node.at, message, None);
        return;
    };
    for one in list {
        if let Some(words) = example(one, pack)
            && begins(tokens, &words) != wanted
        {
            let line = words.join(" ");
            let message = if wanted {
                format!("the rule doesn't match its example `{line}`")
            } else {
                format!("the rule matches `{line}`, which it must not match")
            };
            pack.problem(one.at, message, None);
        }
    }
}

fn network(call: &Call, pack: &mut Translation) {
    let known = ["host", "protocol", "decision", "justification"];
    let arguments = take(call, &known, pack);
    let [host, _, decided, why] = arguments.as_slice() else {
        return;
    };
    let (Some(host), Some(_)) = (host, decided) else {
        let message = "the rule has no `host` or no `decision`".to_owned();
        pack.problem(call.at, message, None);
        return;
    };
    let (Some(name), Some(effect)) = (text(host, "`host`", pack), decision(*decided, true, pack))
    else {
        return;
    };
    if effect == Effect::Allow {
        let message =
            format!("`{name}` is allowed for commands in the sandbox, and asked about here");
        pack.gap(call.at, message);
        return;
    }
    let why = why.and_then(|node| text(node, "`justification`", pack));
    pack.rule(PackRule {
        at: call.at,
        id: format!("host {name} {effect}"),
        description: None,
        reason: why.unwrap_or_else(|| format!("the rule for the host `{name}`")),
        when: Some(json!({ "host": name.to_ascii_lowercase() })),
        effect,
    });
}
