//! `when`: the conditions of a rule.

use super::fields::{Fields, Reader};
use crate::action::{kind_name, parse_kind, type_bit};
use crate::condition::{CommandTest, Condition, PathTest, Predicate, TurnRange, risk_bit};
use crate::facts::{Category, bit};
use crate::glob_alternatives::alternatives;
use crate::limit::Limit;
use crate::name::Name;
use crate::network::NetworkPattern;
use crate::path::{Access, PathGlob};
use crate::pattern;
use crate::surroundings::Surroundings;
use crate::yaml::{Node, Position, Value};
use governance::ActionType;
use governance::RiskLevel;
use shell_effects::EffectKind;

const TYPES: [ActionType; 4] = [
    ActionType::ToolCall,
    ActionType::ShellCmd,
    ActionType::CodeDiff,
    ActionType::Answer,
];
const LEVELS: [RiskLevel; 3] = [RiskLevel::Low, RiskLevel::Medium, RiskLevel::High];

/// Reads a `when` with its limits. `limits` is `None` where limits aren't allowed.
pub(crate) fn condition(
    node: &Node,
    limits: Option<&mut Vec<Limit>>,
    reader: &mut Reader,
) -> Condition {
    let mut fields = Fields::new(node, "`when`", reader);
    let mut all = Vec::new();
    let mut add = |key: &'static str, written: Option<&Node>, predicate: Option<Predicate>| {
        if let (Some(node), Some(predicate)) = (written, predicate) {
            all.push(Condition::Is(predicate, format!("{key}: {}", brief(node))));
        }
    };
    let node_of = |fields: &mut Fields<'_>, key: &'static str| fields.take(key).cloned();
    for key in [
        "type",
        "tool",
        "category",
        "risk",
        "agent",
        "mode",
        "production",
        "turn",
        "pattern",
        "command",
        "effects",
        "path",
        "host",
        "network",
    ] {
        if !fields.has(key) {
            fields.accept(key);
            continue;
        }
        let Some(written) = node_of(&mut fields, key) else {
            reader.problem(fields.at, format!("`{key}` has no value"), None);
            continue;
        };
        let predicate = match key {
            "type" => set(
                &written,
                "action type",
                &TYPES.map(kind_name),
                reader,
                |w| parse_kind(w).map(|k| type_bit(Some(k))),
            )
            .map(|bits| Predicate::Type(bits.into_iter().fold(0, |a, b| a | b))),
            "category" => set(
                &written,
                "category",
                &Category::ALL.map(Category::name),
                reader,
                |w| {
                    Category::ALL
                        .into_iter()
                        .find(|c| c.name() == w)
                        .map(Category::bits)
                },
            )
            .map(|bits| Predicate::Category(bits.into_iter().fold(0, |a, b| a | b))),
            "effects" => set(
                &written,
                "effect of an action",
                &EffectKind::ALL.map(EffectKind::as_str),
                reader,
                |w| EffectKind::from_name(w).map(bit),
            )
            .map(|bits| Predicate::Effects(bits.into_iter().fold(0, |a, b| a | b))),
            "risk" => Some(risk(&written, reader)),
            "production" => {
                if !matches!(written.value, Value::Bool(_)) {
                    reader.expected(&written, "`true` or `false`");
                }
                Some(Predicate::Production(matches!(
                    written.value,
                    Value::Bool(true)
                )))
            }
            "turn" => Some(turn(&written, reader)),
            "tool" => Some(Predicate::Tool(names(&written, reader))),
            "agent" => Some(Predicate::Agent(names(&written, reader))),
            "mode" => Some(Predicate::Mode(names(&written, reader))),
            "host" => Some(Predicate::Host(names(&written, reader))),
            "network" => Some(Predicate::Network(network(&written, reader))),
            "pattern" => Some(Predicate::Pattern(regexes(&written, reader))),
            "command" => Some(Predicate::Command(command(&written, reader))),
            _ => Some(Predicate::Path(path(&written, reader))),
        };
        add(key, Some(&written), predicate);
    }
    for key in ["all", "any"] {
        if let Some(written) = node_of(&mut fields, key) {
            if !matches!(&written.value, Value::List(list) if !list.is_empty()) {
                reader.problem(written.at, format!("`{key}` is a list of conditions"), None);
            }
            let parts = written
                .items()
                .iter()
                .map(|n| condition(n, None, reader))
                .collect();
            all.push(if key == "all" {
                Condition::All(parts)
            } else {
                Condition::Any(parts)
            });
        }
    }
    for key in ["all", "any", "not"] {
        fields.no_blank(key, reader);
    }
    if let Some(written) = node_of(&mut fields, "not") {
        if matches!(&written.value, Value::Map(members) if members.is_empty()) {
            reader.problem(
                written.at,
                "`not` is empty: what must not hold isn't said".into(),
                None,
            );
        }
        all.push(Condition::Not(Box::new(condition(&written, None, reader))));
    }
    read_limits(&mut fields, limits, reader);
    impossible(&all, node.at, reader);
    fields.finish(reader);
    if all.len() == 1 {
        all.pop().unwrap_or(Condition::All(Vec::new()))
    } else {
        Condition::All(all)
    }
}

fn read_limits(fields: &mut Fields<'_>, limits: Option<&mut Vec<Limit>>, reader: &mut Reader) {
    let mut found = Vec::new();
    for (key, limit) in [
        ("max_per_minute", Limit::PerMinute as fn(u64) -> Limit),
        ("max_per_hour", Limit::PerHour),
        ("max_per_execution", Limit::PerExecution),
    ] {
        let Some(node) = fields.take(key) else {
            continue;
        };
        match reader.count(node) {
            // The older runtime means no limit by it.
            Some(0) if reader.older && key == "max_per_minute" => {}
            Some(0) => reader.problem(
                node.at,
                format!("`{key}: 0` grants nothing: the rule would deny everything"),
                Some("leave the key away for no limit, or write `effect: deny`".into()),
            ),
            count => found.extend(count.map(limit)),
        }
    }
    match limits {
        Some(limits) => limits.extend(found),
        None => {
            if let Some(limit) = found.first() {
                let help = "a limit is about the whole rule: write it beside `all`, `any` and `not`, not in them";
                reader.problem(
                    fields.at,
                    format!("`{}` can't be inside another condition", limit.key()),
                    Some(help.into()),
                );
            }
        }
    }
}

/// Reports keys that can't hold together with the type.
fn impossible(all: &[Condition], at: Position, reader: &mut Reader) {
    let types = all.iter().find_map(|c| match c {
        Condition::Is(Predicate::Type(bits), _) => Some(*bits),
        _ => None,
    });
    let Some(types) = types else { return };
    let bits = |kinds: &[ActionType]| kinds.iter().fold(0, |b, k| b | type_bit(Some(*k)));
    for condition in all {
        let Condition::Is(predicate, _) = condition else {
            continue;
        };
        let possible = match predicate {
            Predicate::Tool(_) => bits(&[ActionType::ToolCall]),
            Predicate::Command(test) if !test.raw.is_empty() => bits(&[ActionType::ShellCmd]),
            Predicate::Command(_) => bits(&[ActionType::ShellCmd, ActionType::ToolCall]),
            Predicate::Effects(_) | Predicate::Path(_) | Predicate::Category(_) => {
                !type_bit(Some(ActionType::Answer))
            }
            Predicate::Host(_) | Predicate::Network(_) => {
                bits(&[ActionType::ShellCmd, ActionType::ToolCall])
            }
            _ => continue,
        };
        if types & possible == 0 {
            let named: Vec<&str> = TYPES
                .into_iter()
                .filter(|k| type_bit(Some(*k)) & types != 0)
                .map(kind_name)
                .collect();
            let message = format!(
                "`{}` can't hold for a `{}`: the rule would never match",
                predicate.key(),
                named.join("`, `")
            );
            reader.problem(at, message, Some("leave one of the two away".into()));
        }
    }
}

/// Reads values of a closed set.
fn set<T>(
    node: &Node,
    what: &str,
    known: &[&str],
    reader: &mut Reader,
    parse: impl Fn(&str) -> Option<T>,
) -> Option<Vec<T>> {
    let mut found = Vec::new();
    for item in node.items() {
        let Some(word) = item.text() else {
            reader.expected(item, &format!("the name of an {what}"));
            continue;
        };
        match parse(&word) {
            Some(value) => found.push(value),
            None => reader.unknown_word(item.at, what, &word, known),
        }
    }
    if node.items().is_empty() {
        reader.problem(
            node.at,
            "the list is empty: nothing would match".into(),
            None,
        );
    }
    (!found.is_empty()).then_some(found)
}

fn level(node: &Node, reader: &mut Reader) -> Option<RiskLevel> {
    let word = node.text().unwrap_or_default();
    let level = LEVELS.into_iter().find(|l| l.name() == word);
    if level.is_none() {
        reader.unknown_word(
            node.at,
            "level of risk",
            &word,
            &LEVELS.map(RiskLevel::name),
        );
    }
    level
}

fn risk(node: &Node, reader: &mut Reader) -> Predicate {
    if matches!(node.value, Value::Map(_)) {
        let mut fields = Fields::new(node, "`risk`", reader);
        let least = fields
            .take("at_least")
            .cloned()
            .and_then(|n| level(&n, reader));
        let most = fields
            .take("at_most")
            .cloned()
            .and_then(|n| level(&n, reader));
        if fields.is_empty() {
            reader.problem(
                node.at,
                "`risk` is a level, or `{at_least: LEVEL}`".into(),
                None,
            );
        }
        fields.finish(reader);
        let within = |l: &RiskLevel| least.is_none_or(|b| *l >= b) && most.is_none_or(|b| *l <= b);
        let bits = LEVELS
            .iter()
            .filter(|l| within(l))
            .fold(0, |b, l| b | risk_bit(*l));
        if bits == 0 {
            reader.problem(node.at, "no level of risk is in this range".into(), None);
        }
        return Predicate::Risk(bits);
    }
    let levels: Vec<RiskLevel> = node
        .items()
        .iter()
        .filter_map(|n| level(n, reader))
        .collect();
    Predicate::Risk(levels.into_iter().fold(0, |b, l| b | risk_bit(l)))
}

fn turn(node: &Node, reader: &mut Reader) -> Predicate {
    if matches!(node.value, Value::Map(_)) {
        let mut fields = Fields::new(node, "`turn`", reader);
        let least = fields.count("at_least", reader).unwrap_or_default();
        let most = fields.count("at_most", reader).unwrap_or(u64::MAX);
        if fields.is_empty() {
            let message = "`turn` is a number, or `{at_least: NUMBER, at_most: NUMBER}`";
            reader.problem(node.at, message.into(), None);
        }
        if least > most {
            reader.problem(node.at, "no turn is in this range".into(), None);
        }
        fields.finish(reader);
        return Predicate::Turn(vec![TurnRange { least, most }]);
    }
    if node.items().is_empty() {
        reader.problem(
            node.at,
            "the list is empty: nothing would match".into(),
            None,
        );
    }
    let items = node.items().iter();
    let counts = items.filter_map(|item| reader.count(item));
    Predicate::Turn(
        counts
            .map(|turn| TurnRange {
                least: turn,
                most: turn,
            })
            .collect(),
    )
}

fn regex(text: &str, at: Position, ignore_case: bool, reader: &mut Reader) -> Option<regex::Regex> {
    match pattern::compile(text, ignore_case) {
        Ok(regex) => Some(regex),
        Err(error) => {
            let help = matches!(error, pattern::PatternError::NotRegular { .. }).then(|| {
                "say what must not be there with `not`, or use `command`, `path` and `effects`"
                    .to_owned()
            });
            reader.problem(at, format!("`{text}`: {error}"), help);
            None
        }
    }
}

/// Reads a text or a list of texts. An empty list is reported, since nothing would match.
fn texts<T>(
    node: &Node,
    expected: &'static str,
    reader: &mut Reader,
    mut read: impl FnMut(&str, Position, &mut Reader) -> Option<T>,
) -> Vec<T> {
    let mut all = Vec::new();
    for item in node.items() {
        match item.text() {
            Some(text) => all.extend(read(&text, item.at, reader)),
            None => reader.expected(item, expected),
        }
    }
    if node.items().is_empty() {
        reader.problem(
            node.at,
            "the list is empty: nothing would match".into(),
            None,
        );
    }
    all
}

fn regexes(node: &Node, reader: &mut Reader) -> Vec<regex::Regex> {
    texts(node, "a regular expression", reader, |text, at, reader| {
        regex(text, at, true, reader)
    })
}

/// Reads a name: exact, with `*`, or a regular expression that starts with `^`.
pub(crate) fn name(text: &str, at: Position, reader: &mut Reader) -> Option<Name> {
    if text.is_empty() {
        reader.problem(at, "an empty name matches nothing".into(), None);
        return None;
    }
    if text.starts_with('^') {
        let exact = regex(text, at, false, reader)?;
        return Some(Name::Regex(exact, regex(text, at, true, reader)?));
    }
    Some(if text.contains('*') {
        Name::Star(text.to_owned())
    } else {
        Name::Exact(text.to_owned())
    })
}

fn names(node: &Node, reader: &mut Reader) -> Vec<Name> {
    texts(node, "a name", reader, name)
}

fn network(node: &Node, reader: &mut Reader) -> Vec<NetworkPattern> {
    texts(
        node,
        "a request: `GET:https://HOST/*`",
        reader,
        network_pattern,
    )
}

/// Compiles a pattern of requests, and reports an invalid one.
pub(crate) fn network_pattern(
    text: &str,
    at: Position,
    reader: &mut Reader,
) -> Option<NetworkPattern> {
    match NetworkPattern::new(text) {
        Ok(pattern) => Some(pattern),
        Err(error) => {
            reader.problem(at, format!("`{text}`: {error}"), None);
            None
        }
    }
}

fn command(node: &Node, reader: &mut Reader) -> CommandTest {
    let mut fields = Fields::new(node, "`command`", reader);
    let mut test = CommandTest::default();
    for (key, list) in [
        ("program", &mut test.program),
        ("arg", &mut test.arg),
        ("text", &mut test.text),
    ] {
        for (text, at) in fields.texts(key, reader).unwrap_or_default() {
            list.extend(name(&text, at, reader));
        }
    }
    for (text, at) in fields.texts("raw", reader).unwrap_or_default() {
        test.raw.extend(regex(&text, at, true, reader));
    }
    if fields.is_empty() {
        reader.problem(
            node.at,
            "`command` needs `program`, `arg`, `text` or `raw`".into(),
            None,
        );
    }
    fields.finish(reader);
    test
}

/// Compiles globs, and reports invalid ones.
pub(crate) fn globs(texts: &[(String, Position)], reader: &mut Reader) -> Vec<PathGlob> {
    let mut all = Vec::new();
    for (text, at) in texts {
        for one in alternatives(text) {
            match PathGlob::new(&one, &reader.workdir, Surroundings::HOME) {
                Ok(glob) => all.push(glob),
                Err(error) => reader.problem(*at, format!("`{text}`: {error}"), None),
            }
        }
    }
    all
}

fn path(node: &Node, reader: &mut Reader) -> PathTest {
    let mut fields = Fields::new(node, "`path`", reader);
    let texts = fields.texts("glob", reader).unwrap_or_default();
    let except = fields.texts("except", reader).unwrap_or_default();
    let mut test = PathTest {
        glob: globs(&texts, reader),
        except: globs(&except, reader),
        ..PathTest::default()
    };
    if let Some(written) = fields.take("access") {
        let found = set(
            written,
            "access",
            &Access::ALL.map(Access::name),
            reader,
            |w| Access::ALL.into_iter().find(|a| a.name() == w),
        );
        test.access = found.unwrap_or_default();
    }
    test.outside = fields.flag("outside_workdir", reader);
    if let Some(written) = fields.take("protected") {
        let [ask, deny] = reader.protected.clone();
        let lists = match (&written.value, written.text().as_deref()) {
            (Value::Bool(wanted), _) => Some((*wanted, [ask, deny].concat())),
            (_, Some("ask")) => Some((true, ask)),
            (_, Some("deny")) => Some((true, deny)),
            _ => {
                reader.expected(written, "`true`, `false`, `ask` or `deny`");
                None
            }
        };
        test.protected = lists.map(|(wanted, list)| {
            let list: Vec<(String, Position)> =
                list.into_iter().map(|text| (text, written.at)).collect();
            (wanted, globs(&list, reader))
        });
    }
    if fields.is_empty() {
        reader.problem(
            node.at,
            "`path` needs `glob`, `except`, `access`, `outside_workdir` or `protected`".into(),
            None,
        );
    }
    fields.finish(reader);
    test
}

/// A value on one line, for explanations.
fn brief(node: &Node) -> String {
    let text = node.json().to_string().replace('"', "");
    let short: String = text.chars().take(80).collect();
    if short.len() < text.len() {
        format!("{short}…")
    } else {
        short
    }
}
