//! Finds the scripts of Vue and Svelte components. Everything else in the file is hidden.

use super::Mask;

/// Hides everything but the contents of `<script>` elements.
pub(super) fn mask(text: &str) -> Mask {
    let mut mask = Mask::default();
    let mut at = 0;
    for script in scripts(text) {
        mask.hidden.push(at..script.start);
        at = script.end;
    }
    mask.hidden.push(at..text.len());
    mask
}

/// Returns the content of each `<script>` element that holds code.
fn scripts(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(found) = text.get(at..).and_then(|rest| rest.find('<')) {
        let start = at + found;
        let rest = text.get(start..).unwrap_or_default();
        if rest.starts_with("<!--") {
            at = rest.find("-->").map_or(text.len(), |end| start + end + 3);
            continue;
        }
        let attributes = rest
            .strip_prefix("<script")
            .filter(|r| r.starts_with(|c: char| c == '>' || c == '/' || c.is_whitespace()));
        let Some(attributes) = attributes else {
            at = start + 1;
            continue;
        };
        let Some(length) = end_of_tag(attributes) else {
            break;
        };
        let tag = attributes.get(..length).unwrap_or_default();
        let content = text.len() - attributes.len() + length + 1;
        if tag.ends_with('/') {
            at = content;
            continue;
        }
        let Some(end) = text.get(content..).and_then(|r| r.find("</script")) else {
            break;
        };
        if is_code(tag) {
            out.push(content..content + end);
        }
        at = content + end;
    }
    out
}

/// Returns the place of the `>` that ends a tag, outside of quoted values.
fn end_of_tag(attributes: &str) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in attributes.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return Some(at),
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(q), b) if q == b => quote = None,
            _ => {}
        }
    }
    None
}

/// Returns whether a script is JavaScript or TypeScript, by its attributes `lang` and `type`.
fn is_code(tag: &str) -> bool {
    let value = |name: &str| {
        let (_, rest) = tag.split_once(name)?;
        rest.trim_start_matches(['"', '\''])
            .split(['"', '\'', ' ', '/', '>'])
            .next()
    };
    value("lang=").is_none_or(|lang| matches!(lang, "ts" | "tsx" | "js" | "jsx" | "typescript" | "javascript" | ""))
        // `text/javascript`, `module`: not `application/json`
        && value("type=").is_none_or(|kind| !matches!(kind, "application"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_stay_in_place() {
        let text = "<!-- <script>x</script> -->\n<script>\nä\n</script>\n<script setup lang=\"ts\" generic=\"T extends A<B>\">\nb\n</script><script lang='coffee'>c</script><script src=\"x\" /><scripted>";
        let found: Vec<&str> = scripts(text)
            .into_iter()
            .filter_map(|r| text.get(r))
            .collect();
        assert_eq!(found, ["\nä\n", "\nb\n"]);
        let masked = mask(text).apply(text);
        assert_eq!(masked.len(), text.len());
        assert_eq!(masked.matches('\n').count(), text.matches('\n').count());
        assert_eq!(masked.split_whitespace().collect::<Vec<_>>(), ["ä", "b"]);
        assert!(scripts("<script>").is_empty());
        assert!(scripts("<script a=\"").is_empty());
    }
}
