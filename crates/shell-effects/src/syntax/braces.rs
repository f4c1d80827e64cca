//! Brace expansion: `{a,b}`, `{1..5}`.

use super::ast::{Part, Word};

/// Maximum number of words that one word expands to; beyond that the braces become a glob.
const MAX: usize = 128;

/// A character of unquoted text, or an opaque part.
#[derive(Clone)]
enum Atom {
    Char(char),
    Part(Part),
}

/// Expands the braces of a word.
pub(crate) fn expand(word: &Word) -> Vec<Word> {
    let mut atoms = Vec::new();
    for p in &word.parts {
        match p {
            Part::Lit(s) => atoms.extend(s.chars().map(Atom::Char)),
            p => atoms.push(Atom::Part(p.clone())),
        }
    }
    let mut budget = MAX;
    let lists = match expand_atoms(atoms.clone(), &mut budget, 0) {
        Some(l) => l,
        None => {
            vec![
                atoms
                    .into_iter()
                    .map(|a| {
                        if matches!(a, Atom::Char('{' | '}' | ',')) {
                            Atom::Char('*')
                        } else {
                            a
                        }
                    })
                    .collect(),
            ]
        }
    };
    lists
        .into_iter()
        .map(|l| Word {
            parts: join(l),
            span: word.span,
        })
        .collect()
}

fn join(atoms: Vec<Atom>) -> Vec<Part> {
    let mut parts = Vec::new();
    for a in atoms {
        match a {
            Atom::Char(c) => {
                if let Some(Part::Lit(s)) = parts.last_mut() {
                    s.push(c);
                } else {
                    parts.push(Part::Lit(c.to_string()));
                }
            }
            Atom::Part(p) => parts.push(p),
        }
    }
    parts
}

fn expand_atoms(atoms: Vec<Atom>, budget: &mut usize, depth: usize) -> Option<Vec<Vec<Atom>>> {
    if depth > 8 {
        return None;
    }
    // Find the first closed brace that contains a comma or a range.
    let mut open = 0;
    while open < atoms.len() {
        if matches!(atoms.get(open), Some(Atom::Char('{')))
            && let Some((close, commas)) = matching(&atoms, open)
        {
            let inner = atoms.get(open + 1..close)?;
            let choices = if commas.is_empty() {
                range(inner)
            } else {
                Some(split(&atoms, open, close, &commas))
            };
            if let Some(choices) = choices {
                let head = atoms.get(..open)?;
                let tail = atoms.get(close + 1..)?.to_vec();
                let tails = expand_atoms(tail, budget, depth + 1)?;
                let mut out = Vec::new();
                for c in choices {
                    for inner in expand_atoms(c, budget, depth + 1)? {
                        for t in &tails {
                            *budget = budget.checked_sub(1)?;
                            let mut w = head.to_vec();
                            w.extend(inner.iter().cloned());
                            w.extend(t.iter().cloned());
                            out.push(w);
                        }
                    }
                }
                return Some(out);
            }
        }
        open += 1;
    }
    Some(vec![atoms])
}

fn matching(atoms: &[Atom], open: usize) -> Option<(usize, Vec<usize>)> {
    let mut depth = 0usize;
    let mut commas = Vec::new();
    for (i, a) in atoms.iter().enumerate().skip(open).take(1024) {
        match a {
            Atom::Char('{') => depth += 1,
            Atom::Char('}') => {
                depth -= 1;
                if depth == 0 {
                    return Some((i, commas));
                }
            }
            Atom::Char(',') if depth == 1 => commas.push(i),
            _ => {}
        }
    }
    None
}

fn split(atoms: &[Atom], open: usize, close: usize, commas: &[usize]) -> Vec<Vec<Atom>> {
    let mut out = Vec::new();
    let mut from = open + 1;
    for &c in commas.iter().chain([&close]) {
        out.push(atoms.get(from..c).unwrap_or_default().to_vec());
        from = c + 1;
    }
    out
}

fn range(inner: &[Atom]) -> Option<Vec<Vec<Atom>>> {
    let text: String = inner
        .iter()
        .map(|a| if let Atom::Char(c) = a { *c } else { '\0' })
        .collect();
    let mut it = text.split("..");
    let (a, b) = (it.next()?, it.next()?);
    let step: i64 = it.next().map_or(Some(1), |s| s.parse().ok())?;
    let step = step.unsigned_abs().max(1);
    let chars = |s: String| s.chars().map(Atom::Char).collect::<Vec<_>>();
    if let (Ok(x), Ok(y)) = (a.parse::<i64>(), b.parse::<i64>()) {
        let n = x.abs_diff(y) / step;
        if n >= MAX as u64 {
            // Too many to list: an unknown number.
            return Some(vec![vec![Atom::Part(Part::Quoted(
                crate::chars::SAFE_UNKNOWN.to_string(),
            ))]]);
        }
        let width = if a.starts_with('0') || b.starts_with('0') {
            a.len().max(b.len())
        } else {
            0
        };
        return Some(
            (0..=n)
                .filter_map(|k| {
                    let d = i64::try_from(k.saturating_mul(step)).ok()?;
                    let v = if y >= x {
                        x.checked_add(d)?
                    } else {
                        x.checked_sub(d)?
                    };
                    Some(chars(format!("{v:0width$}")))
                })
                .collect(),
        );
    }
    let (mut ca, mut cb) = (a.chars(), b.chars());
    let (x, y) = (ca.next()?, cb.next()?);
    if ca.next().is_some()
        || cb.next().is_some()
        || !x.is_ascii_alphanumeric()
        || !y.is_ascii_alphanumeric()
    {
        return None;
    }
    let (lo, hi) = (u32::from(x.min(y)), u32::from(x.max(y)));
    let mut list: Vec<Vec<Atom>> = (lo..=hi)
        .step_by(usize::try_from(step).unwrap_or(1))
        .filter_map(char::from_u32)
        .map(|c| vec![Atom::Char(c)])
        .collect();
    if x > y {
        list.reverse();
    }
    Some(list)
}
