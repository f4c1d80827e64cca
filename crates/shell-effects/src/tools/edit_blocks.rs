//! SEARCH/REPLACE blocks, read leniently: any line that some tool may take for a file name is one.

use crate::effect::Span;

/// The files that SEARCH/REPLACE blocks of a text change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EditBlocks {
    /// Names above blocks, without decoration, and their bytes.
    pub names: Vec<(String, Span)>,
    /// Number of blocks before the first name.
    pub unnamed: usize,
}

/// Number of lines above a block that may contain its file name.
const ABOVE: usize = 3;

/// Returns whether a line begins a block, as any of the tools that use blocks writes it.
fn begins_block(line: &str) -> bool {
    let line = line.trim_end();
    let sign = line.bytes().next().filter(|b| matches!(b, b'<' | b'-'));
    let run = line.bytes().take_while(|b| Some(*b) == sign).count();
    run >= 5
        && line
            .get(run..)
            .is_some_and(|rest| matches!(rest, " SEARCH" | " SEARCH>"))
}

/// Returns the files whose blocks a text contains.
#[must_use]
pub fn edit_blocks(text: &str) -> EditBlocks {
    let mut found = EditBlocks::default();
    if !text.contains(" SEARCH") {
        return found;
    }
    // The lines before the current one that aren't code fences or empty, with their starts.
    let mut above: Vec<(usize, &str)> = Vec::new();
    let mut start = 0usize;
    for line in text.split_inclusive('\n') {
        let at = start;
        start += line.len();
        if !begins_block(line) {
            above.push((at, line));
            if above.len() > ABOVE {
                above.remove(0);
            }
            continue;
        }
        let name = above
            .iter()
            .rev()
            .map(|(at, line)| (*at, line.trim()))
            .find(|(_, line)| !line.is_empty() && !line.starts_with("```"))
            .map(|(at, line)| (at, line, undecorated(line)))
            .filter(|(_, line, name)| !name.is_empty() && !line.starts_with(">>>>>"));
        match name {
            Some((at, line, name)) => {
                let span = Span::new(at, at + line.len());
                found.names.push((name.to_owned(), span));
            }
            None if found.names.is_empty() => found.unnamed += 1,
            // A block without a name continues the file before.
            None => {}
        }
        above.clear();
    }
    found
}

fn undecorated(line: &str) -> &str {
    line.trim_matches(|c: char| matches!(c, ':' | '#' | '`' | '*') || c.is_whitespace())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        let found = edit_blocks(text);
        found.names.into_iter().map(|(name, _)| name).collect()
    }

    const BLOCK: &str = "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n";

    #[test]
    fn the_line_above_a_block_names_its_file() {
        assert_eq!(names(&format!("src/a\n{BLOCK}")), ["src/a"]);
        assert_eq!(
            names(&format!("**src/a**:\n```ts\n{BLOCK}```\n")),
            ["src/a"]
        );
        assert_eq!(names(&format!("### `src/a`\n\n{BLOCK}")), ["src/a"]);
        let two = format!("a\n{BLOCK}{BLOCK}b\n<<<<<<<<< SEARCH\n=======\nx\n>>>>>>> REPLACE\n");
        assert_eq!(names(&two), ["a", "b"]);
        assert_eq!(edit_blocks(BLOCK).unnamed, 1);
        assert_eq!(edit_blocks("no block SEARCH"), EditBlocks::default());
    }
}
