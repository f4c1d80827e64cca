//! Settings of Claude Code from a policy.

use super::claude_specs::{permissions, prohibitions, says};
use super::clauses::clauses;
use super::{Draft, Excess, Part, meaning};
use crate::condition::{Condition, Predicate};
use crate::effect::Effect;
use crate::model::{Policy, Rule};
use crate::name::Name;
use crate::vendor::claude_modes::{FREE, Mode, READERS_OF_FILES};
use crate::vendor::claude_rules::{READERS, WRAPPERS};
use crate::vendor::pack::plain_json;
use crate::vendor::{Translation, VendorFormat};
use crate::yaml::Problem;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

/// Commands of `git` that Claude Code runs without asking.
const GIT: [&str; 18] = [
    "blame",
    "branch",
    "cat-file",
    "describe",
    "diff",
    "for-each-ref",
    "grep",
    "log",
    "ls-files",
    "ls-tree",
    "merge-base",
    "name-rev",
    "reflog",
    "remote",
    "rev-list",
    "rev-parse",
    "shortlog",
    "show",
];
/// Programs that Claude Code looks through.
const LOOKED_THROUGH: [&str; 6] = ["nice", "nohup", "stdbuf", "time", "timeout", "xargs"];

/// An entry of a list of rules.
#[derive(Debug, Clone)]
struct Entry {
    effect: Effect,
    text: String,
    /// The rule that it says; none if it only takes back what the vendor allows by itself.
    rule: Option<usize>,
    /// The id of the rule that an entry of `allow` becomes a part of.
    group: &'static str,
    active: bool,
}

/// Settings in the making.
pub(super) struct Settings<'p> {
    policy: &'p Policy,
    mode: Mode,
    directories: Vec<String>,
    entries: Vec<Entry>,
    lost: BTreeMap<Option<usize>, Vec<String>>,
    /// Rules that are left out because the vendor would allow too much.
    left_out: BTreeSet<Part>,
    not_compared: bool,
    /// How much of what the vendor allows by itself is taken back.
    tools_taken: usize,
    commands_taken: usize,
    all_denied: bool,
}

impl<'p> Settings<'p> {
    pub(super) fn new(policy: &'p Policy) -> Self {
        let mut settings = Self {
            policy,
            mode: match policy.default.effect {
                Effect::Allow => Mode::Bypass,
                Effect::RequireApproval => Mode::Default,
                Effect::Deny => Mode::DontAsk,
            },
            directories: directories(policy),
            entries: Vec::new(),
            lost: BTreeMap::new(),
            left_out: BTreeSet::new(),
            not_compared: false,
            tools_taken: 0,
            commands_taken: 0,
            all_denied: false,
        };
        for (index, rule) in policy.rules.iter().enumerate() {
            if rule.effect == Effect::Allow {
                settings.allow(index, rule);
            }
        }
        settings.find_mode();
        let own = settings.own_rules();
        settings.take_back_missing(&own);
        // What the mode itself allows isn't lost.
        for (index, rule) in policy.rules.iter().enumerate() {
            let meaning = meaning(rule);
            if own.iter().any(|(_, own)| *own == meaning) {
                settings.lost.remove(&Some(index));
            } else if rule.effect != Effect::Allow {
                settings.forbid(index, rule);
            }
        }
        settings
    }

    /// Takes a mode that has a rule of its own from the policy that contains this rule.
    fn find_mode(&mut self) {
        if self.mode != Mode::Default {
            return;
        }
        let policy: BTreeSet<_> = self.policy.rules.iter().map(meaning).collect();
        for (mode, id) in [
            (Mode::AcceptEdits, "acceptEdits"),
            (Mode::Plan, "plan edits"),
        ] {
            let before = std::mem::replace(&mut self.mode, mode);
            let head = VendorFormat::Claude.load("export", &self.text()).ok();
            let rule = head.as_ref().and_then(|head| head.rule(id));
            if rule.is_some_and(|rule| policy.contains(&meaning(rule))) {
                return;
            }
            self.mode = before;
        }
    }

    /// The rules that the settings have already: their ids and meanings.
    fn own_rules(&self) -> Vec<(String, (Effect, String))> {
        let head = VendorFormat::Claude.load("export", &self.text());
        let rules = head.iter().flat_map(|head| head.rules.iter());
        rules.map(|rule| (rule.id.clone(), meaning(rule))).collect()
    }

    fn lose(&mut self, rule: usize, message: impl Into<String>) {
        let all = self.lost.entry(Some(rule)).or_default();
        let message = message.into();
        if !all.contains(&message) {
            all.push(message);
        }
    }

    fn add(&mut self, entry: Entry) {
        let same = |other: &Entry| other.effect == entry.effect && other.text == entry.text;
        match self.entries.iter_mut().find(|other| same(other)) {
            Some(other) => other.active |= entry.active,
            None => self.entries.push(entry),
        }
    }

    fn allow(&mut self, index: usize, rule: &Rule) {
        if !rule.limits.is_empty() {
            self.lose(index, "left out: a limit can't be said");
            return;
        }
        let Some(clauses) = clauses(&rule.when) else {
            self.lose(index, "left out: it has too many alternatives");
            return;
        };
        for clause in clauses {
            match permissions(&clause) {
                Ok(said) => {
                    if said.missed {
                        self.lose(index, "some of its names can't be said, and are left out");
                    }
                    for (group, text) in said.entries {
                        self.add(Entry {
                            effect: Effect::Allow,
                            text,
                            rule: Some(index),
                            group,
                            active: true,
                        });
                    }
                }
                Err(what) => self.lose(index, format!("left out: {what} can't be said")),
            }
        }
    }

    fn forbid(&mut self, index: usize, rule: &Rule) {
        let mut add = |text: String, active: bool| {
            self.add(Entry {
                effect: rule.effect,
                text,
                rule: Some(index),
                group: "",
                active,
            });
        };
        // A rule that comes from such settings has its text as its id.
        let written = rule.id.split_once(' ').map(|(_, text)| text);
        if let Some(text) = written.filter(|text| says(rule, text)) {
            add(text.to_owned(), true);
            return;
        }
        let Some(clauses) = clauses(&rule.when) else {
            self.lose(index, "it has too many alternatives to be said");
            return;
        };
        let mut exact = rule.limits.is_empty();
        let mut some = false;
        for clause in clauses {
            let (texts, fits) = prohibitions(&clause);
            some |= !texts.is_empty();
            exact &= fits;
            for text in texts {
                // What says more than the rule is only added if it is needed.
                add(text, fits);
            }
        }
        if !some {
            self.lose(index, "no rule of these settings says it");
        } else if !exact {
            self.lose(index, "said more widely, or by leaving out what it forbids");
        }
    }

    /// Adds the rules that say more than a rule of the policy; returns whether there were any.
    fn widen(&mut self, rule: Option<usize>) -> bool {
        let mut found = false;
        for entry in &mut self.entries {
            if entry.effect != Effect::Allow && rule.is_some() && entry.rule == rule {
                found |= !std::mem::replace(&mut entry.active, true);
            }
        }
        found
    }

    /// Leaves out the permissions that become a part of a rule.
    fn leave_out(&mut self, group: &str) -> bool {
        let mut found = false;
        for entry in &mut self.entries {
            if entry.active && entry.effect == Effect::Allow && entry.group == group {
                entry.active = false;
                found = true;
                self.left_out
                    .extend(entry.rule.map(|rule| (rule, entry.group)));
            }
        }
        found
    }

    /// Takes back something that the vendor allows by itself.
    fn take_back(&mut self, text: impl Into<String>) {
        self.add(Entry {
            effect: Effect::RequireApproval,
            text: text.into(),
            rule: None,
            group: "",
            active: true,
        });
    }

    /// Takes back what the mode allows by itself and the policy has no such rule for.
    fn take_back_missing(&mut self, own: &[(String, (Effect, String))]) {
        if self.mode == Mode::Bypass {
            return;
        }
        let policy: BTreeSet<_> = self.policy.rules.iter().map(meaning).collect();
        let missing = own.iter().filter(|(_, rule)| !policy.contains(rule));
        for (id, _) in missing {
            match id.as_str() {
                "reads" => {
                    let allowed = allowed_tools(self.policy);
                    let is_allowed = |tool: &str| allowed.iter().any(|n| n.fits(tool, true));
                    if !READERS.iter().all(|tool| is_allowed(tool)) {
                        self.take_back("Read");
                    }
                }
                "no permission needed" => {
                    self.take_back_tools();
                }
                "read-only commands" => {
                    self.take_back_commands();
                }
                _ => {}
            }
        }
    }

    fn take_back_tools(&mut self) -> bool {
        self.not_compared = true;
        self.tools_taken = self.tools_taken.saturating_add(1);
        let allowed: Vec<&Name> = match self.tools_taken {
            1 => allowed_tools(self.policy),
            2 => Vec::new(),
            _ => return false,
        };
        for tool in FREE {
            if !allowed.iter().any(|name| name.fits(tool, true)) {
                self.take_back(tool);
            }
        }
        true
    }

    fn take_back_commands(&mut self) -> bool {
        self.commands_taken = self.commands_taken.saturating_add(1);
        let texts: BTreeSet<String> = match self.commands_taken {
            1 => allowed_texts(self.policy),
            2 => {
                self.leave_out("allow commands");
                BTreeSet::new()
            }
            3 => {
                self.take_back("Bash");
                return true;
            }
            _ => return false,
        };
        let looks_through = texts.iter().any(|text| text.contains(WRAPPERS));
        let covered = |command: &str| {
            let mut begins = command
                .char_indices()
                .filter(|(_, c)| *c == ' ')
                .filter_map(|(end, _)| command.get(..end))
                .chain([command]);
            begins.any(|begin| {
                texts.contains(&format!("{begin} *"))
                    && (begin.len() < command.len() || texts.contains(begin))
            })
        };
        let git = GIT.map(|name| format!("git {name}"));
        let own = READERS_OF_FILES.iter().chain(&["find", "cd", "git status"]);
        let own = own.map(|name| (*name).to_owned()).chain(git);
        let mut missing: Vec<String> = own.filter(|command| !covered(command)).collect();
        if !looks_through {
            missing.extend(LOOKED_THROUGH.map(str::to_owned));
        }
        for command in missing {
            self.take_back(format!("Bash({command} *)"));
        }
        true
    }

    fn deny_all(&mut self) -> bool {
        if std::mem::replace(&mut self.all_denied, true) {
            return false;
        }
        self.set_mode(Mode::DontAsk);
        for entry in &mut self.entries {
            entry.active = false;
            if entry.effect == Effect::Allow {
                self.left_out
                    .extend(entry.rule.map(|rule| (rule, entry.group)));
            }
        }
        self.not_compared = true;
        for tool in ["Bash", "Read", "Edit"].into_iter().chain(FREE) {
            self.add(Entry {
                effect: Effect::Deny,
                text: tool.to_owned(),
                rule: None,
                group: "",
                active: true,
            });
        }
        true
    }

    fn set_mode(&mut self, mode: Mode) {
        if self.mode == Mode::Bypass && self.mode != mode {
            let message = "what no rule is about is allowed; the settings don't allow it";
            self.lost.entry(None).or_default().push(message.to_owned());
        }
        self.mode = mode;
    }

    fn tighten_one(&mut self, one: &Excess<'_>) -> bool {
        if self.widen(one.base_rule) {
            return true;
        }
        if one.head == Effect::Allow {
            return match one.head_rule {
                None | Some("acceptEdits") => {
                    self.set_mode(Mode::Default);
                    true
                }
                Some("reads") => {
                    let before = self.entries.len();
                    self.take_back("Read");
                    self.entries.len() > before
                }
                Some("no permission needed") => self.take_back_tools(),
                Some("read-only commands" | "allow commands") => self.take_back_commands(),
                Some(group) => self.leave_out(group),
            };
        }
        if self.mode == Mode::DontAsk {
            return false;
        }
        self.set_mode(Mode::DontAsk);
        if let Some(rule) = one.base_rule {
            let message = "can't be denied by a rule alone: the settings deny whatever they don't \
                           allow (`dontAsk`)";
            self.lose(rule, message);
        }
        let asking = |(_, rule): &(usize, &Rule)| rule.effect == Effect::RequireApproval;
        for (index, _) in self.policy.rules.iter().enumerate().filter(asking) {
            self.lose(index, "denied instead of asked about");
        }
        if self.policy.default.effect == Effect::RequireApproval {
            let message = "denied instead of asked about";
            self.lost.entry(None).or_default().push(message.to_owned());
        }
        true
    }
}

impl Draft for Settings<'_> {
    fn text(&self) -> String {
        let list = |effect: Effect| -> Vec<&str> {
            let own = |entry: &&Entry| entry.active && entry.effect == effect;
            let all = self.entries.iter().filter(own);
            all.map(|entry| entry.text.as_str()).collect()
        };
        let mut permissions = serde_json::Map::new();
        for (name, effect) in [
            ("allow", Effect::Allow),
            ("ask", Effect::RequireApproval),
            ("deny", Effect::Deny),
        ] {
            let list = list(effect);
            if !list.is_empty() {
                permissions.insert(name.to_owned(), json!(list));
            }
        }
        if self.mode != Mode::Default {
            permissions.insert("defaultMode".to_owned(), self.mode.name().into());
        }
        if !self.directories.is_empty() {
            permissions.insert("additionalDirectories".to_owned(), json!(self.directories));
        }
        plain_json(&json!({ "permissions": permissions }))
    }

    fn translate(&self) -> Result<Translation, Vec<Problem>> {
        VendorFormat::Claude.translate("export", &self.text())
    }

    fn tighten(&mut self, excess: &[Excess<'_>]) -> bool {
        let mut seen = BTreeSet::new();
        let (mut found, mut wide, mut stuck) = (false, false, false);
        for one in excess {
            // Each cause once in a round.
            if seen.insert((one.base_rule, one.base, one.head, one.head_rule)) {
                wide |= self.widen(one.base_rule);
            }
        }
        if wide {
            return true;
        }
        let mut causes = BTreeSet::new();
        for one in excess {
            let asks = one.head != Effect::Allow;
            if causes.insert((asks, one.head_rule.filter(|_| !asks))) {
                let stricter = self.tighten_one(one);
                found |= stricter;
                stuck |= !stricter;
            }
        }
        found || stuck && self.deny_all()
    }

    fn left_out(&self) -> Vec<Part> {
        let asked = |group: &str| self.commands_taken > 2 && group == "allow commands";
        let all = self.left_out.iter().copied();
        all.filter(|(_, group)| !self.all_denied && !asked(group))
            .collect()
    }

    fn restore(&mut self, part: Part, kept: bool) {
        let (rule, group) = part;
        for entry in &mut self.entries {
            let own = entry.rule == Some(rule) && entry.group == group;
            if entry.effect == Effect::Allow && own {
                entry.active = kept;
            }
        }
        if kept {
            self.left_out.remove(&part);
        } else {
            self.left_out.insert(part);
        }
    }

    fn lost(&self) -> BTreeMap<Option<usize>, Vec<String>> {
        let mut all = self.lost.clone();
        for (rule, _) in &self.left_out {
            let message = "left out: these settings would allow more than the policy";
            all.entry(Some(*rule)).or_default().push(message.to_owned());
        }
        if self.all_denied {
            let message =
                "everything is denied: nothing more permissive is proved to be strict enough";
            all.entry(None).or_default().push(message.to_owned());
        } else if self.tools_taken > 0 || self.commands_taken > 0 {
            let message = "what Claude Code allows by itself is taken back by rules of their own";
            all.entry(None).or_default().push(message.to_owned());
        }
        all
    }

    fn not_compared(&self) -> Option<&'static str> {
        self.not_compared
            .then_some("answers, which Claude Code gives without asking")
    }
}

/// The directories outside of the work tree that the policy doesn't count as outside.
fn directories(policy: &Policy) -> Vec<String> {
    let mut found = Vec::new();
    for rule in policy.rules.iter() {
        rule.when.walk(true, &mut |condition, _| {
            if let Condition::Is(Predicate::Path(test), _) = condition
                && test.outside == Some(true)
            {
                for glob in test.except.iter().filter(|glob| glob.is_folder()) {
                    let text = glob.text().trim_end_matches('/');
                    let text = text.strip_prefix("././").unwrap_or(text);
                    let text = text.replace("[{]", "{").replace("[}]", "}");
                    if !found.contains(&text) && !text.is_empty() {
                        found.push(text);
                    }
                }
            }
        });
    }
    found
}

/// The names of tools that the policy allows whatever their calls say.
fn allowed_tools(policy: &Policy) -> Vec<&Name> {
    let rules = policy.rules.iter();
    let rules = rules.filter(|rule| rule.effect == Effect::Allow && rule.limits.is_empty());
    let clauses = rules.filter_map(|rule| clauses(&rule.when)).flatten();
    let whole = clauses.filter(|clause| {
        clause.others.is_empty()
            && clause.command.is_none()
            && clause.path.is_none()
            && clause.hosts.is_empty()
    });
    whole.flat_map(|clause| clause.tools).collect()
}

/// The texts of commands that the policy allows wherever they run.
fn allowed_texts(policy: &Policy) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let rules = policy.rules.iter();
    for rule in rules.filter(|rule| rule.effect == Effect::Allow && rule.limits.is_empty()) {
        for clause in clauses(&rule.when).into_iter().flatten() {
            if let (Some(test), true) = (clause.command, clause.others.is_empty())
                && clause.path.is_none()
            {
                found.extend(test.text.iter().map(|name| name.text().to_owned()));
            }
        }
    }
    found
}
