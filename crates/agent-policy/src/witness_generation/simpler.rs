//! Simplifies the command lines of questions, which are put together from parts.

use crate::question::Question;
use crate::surroundings::table;
use serde_json::Value;

/// The question with a shorter command line each time: without a substitution, a command, a blank
/// or the program that runs another.
pub(crate) fn simpler(question: &Question) -> Vec<Question> {
    let places = ["/command", "/parameters/command", ""];
    let at = places.into_iter().find(|at| {
        let line = question.action.payload.pointer(at);
        line.is_some_and(Value::is_string)
    });
    let line = at.and_then(|at| question.action.payload.pointer(at)?.as_str());
    let (Some(at), Some(line)) = (at, line) else {
        return Vec::new();
    };
    let with = |line: String| {
        let mut simpler = question.clone();
        *simpler.action.payload.pointer_mut(at)? = line.into();
        Some(simpler)
    };
    shorter_lines(line).into_iter().filter_map(with).collect()
}

fn shorter_lines(line: &str) -> Vec<String> {
    let words = words(line);
    let mut all: Vec<String> = Vec::new();
    let inner = words
        .iter()
        .filter_map(|word| word.strip_prefix("$(")?.strip_suffix(')'));
    all.extend(inner.map(str::to_owned));
    for separator in ["; ", " && "] {
        let parts: Vec<&str> = line.split(separator).collect();
        if parts.len() > 1 {
            all.extend(parts.into_iter().map(str::to_owned));
        }
    }
    let without = |at: usize| {
        let mut rest = words.clone();
        rest.remove(at);
        rest.join(" ")
    };
    let is_spare = |word: &str| word.is_empty() || word.starts_with("$(") || word == "--help";
    for (at, word) in words.iter().enumerate() {
        let runs_other = at == 0 && words.get(1).is_some_and(|next| table().contains(next));
        if is_spare(word) || runs_other {
            all.push(without(at));
        }
    }
    all.retain(|shorter| !shorter.trim().is_empty());
    all
}

/// The words of a line, divided at each blank that stands outside of substitutions.
fn words(line: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    line.split(|c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ' ' && depth == 0
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spare_parts_are_left_out() {
        for (line, wanted) in [
            ("npm test  --help", &["npm test --help", "npm test "][..]),
            (
                "git push $(ls) $(git -f)",
                &["ls", "git -f", "git push $(git -f)", "git push $(ls)"],
            ),
            ("nice du a", &["du a"]),
            ("cat a; rm b", &["cat a", "rm b"]),
            ("git push --force", &[]),
            ("git ", &["git"]),
            ("$(ls $(cat a))", &["ls $(cat a)"]),
            ("echo ) $(a", &["echo )"]),
            (" ", &[]),
        ] {
            assert_eq!(shorter_lines(line), wanted, "{line}");
        }
    }
}
