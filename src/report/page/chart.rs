//! Bar charts. A table next to each contains the same numbers.

use crate::report::terminal;
use serde::Serialize;

/// One bar of a chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// Label of the bar. May contain hostile text.
    pub label: String,
    /// Length of the bar, from 0.
    pub value: f64,
    /// End of the whisker, if the bar has one.
    pub reach: Option<f64>,
    /// The number next to the bar, as text.
    pub shown: String,
}

/// A bar chart with horizontal bars.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Chart {
    /// Title of the chart.
    pub title: String,
    /// Name and unit of the axis.
    pub axis: &'static str,
    /// Explanation of bars and whiskers.
    pub about: &'static str,
    /// Whether the axis is logarithmic, for charts with both small and large numbers.
    pub logarithmic: bool,
    /// The bars, from top to bottom.
    pub bars: Vec<Bar>,
}

// Sizes in pixels of the drawing, which a browser scales.
const LABELS: f64 = 200.0;
const LENGTH: f64 = 340.0;
const NUMBERS: f64 = 150.0;
const ROW: f64 = 26.0;
const THICK: f64 = 16.0;
/// Height of the line below the bars, which names the axis.
const BELOW: f64 = 22.0;
/// Maximum number of characters of a label. The table contains the whole label.
const LABEL: usize = 26;

/// The view of a chart for the template.
#[derive(Debug, Serialize)]
pub(super) struct View {
    title: String,
    about: String,
    width: f64,
    height: f64,
    axis: f64,
    /// Name of the axis, and its vertical position below the bars.
    measure: &'static str,
    below: f64,
    thick: f64,
    rows: Vec<Row>,
}

#[derive(Debug, Serialize)]
struct Row {
    label: String,
    shown: String,
    /// Positions of the text, the bar and the whisker.
    text: f64,
    top: f64,
    middle: f64,
    length: f64,
    whisker: Option<f64>,
    number: f64,
}

/// Rounds a number of pixels to one decimal.
fn pixels(n: f64) -> f64 {
    (n * 10.0).round() / 10.0
}

impl Chart {
    pub(super) fn view(&self) -> View {
        let finite = |n: f64| {
            let n = if n.is_finite() { n.max(0.0) } else { 0.0 };
            if self.logarithmic { n.ln_1p() } else { n }
        };
        let longest = self
            .bars
            .iter()
            .map(|b| finite(b.value).max(b.reach.map_or(0.0, finite)))
            .fold(0.0, f64::max);
        let scale = |n: f64| {
            if longest > 0.0 {
                pixels(finite(n) / longest * LENGTH)
            } else {
                0.0
            }
        };
        let mut top = 4.0;
        let mut rows = Vec::with_capacity(self.bars.len());
        for bar in &self.bars {
            let length = scale(bar.value);
            let whisker = bar
                .reach
                .map(|reach| LABELS + scale(reach))
                .filter(|end| *end > LABELS + length);
            rows.push(Row {
                label: clipped(&bar.label),
                shown: terminal(&bar.shown).into_owned(),
                text: top + THICK / 2.0 + 4.5,
                top,
                middle: top + THICK / 2.0,
                length,
                whisker,
                number: whisker.unwrap_or(LABELS + length) + 8.0,
            });
            top += ROW;
        }
        View {
            title: terminal(&self.title).into_owned(),
            about: self.about.to_owned(),
            width: LABELS + LENGTH + NUMBERS,
            height: top + BELOW,
            axis: LABELS,
            measure: self.axis,
            below: top + BELOW - 6.0,
            thick: THICK,
            rows,
        }
    }
}

fn clipped(label: &str) -> String {
    let label = terminal(label);
    let mut short: String = label.chars().take(LABEL).collect();
    if short.len() < label.len() {
        short.pop();
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn nothing_is_drawn_outside(logarithmic in any::<bool>(), bars in proptest::collection::vec((any::<f64>(), proptest::option::of(any::<f64>()), "\\PC{0,40}"), 0..8)) {
            let bars: Vec<Bar> = bars.into_iter().map(|(value, reach, label)| Bar { label, value, reach, shown: "1".into() }).collect();
            let view = Chart { title: "t".into(), axis: "", about: "", logarithmic, bars }.view();
            for row in &view.rows {
                prop_assert!(row.length >= 0.0 && row.length <= LENGTH);
                prop_assert!(row.whisker.is_none_or(|end| (LABELS..=LABELS + LENGTH).contains(&end)));
                prop_assert!(row.number <= LABELS + LENGTH + 8.0 && row.top + THICK <= view.height);
                prop_assert!(row.label.chars().count() <= LABEL);
            }
        }
    }

    #[test]
    fn the_longest_bar_has_the_whole_length() {
        let bar = |value, reach| Bar {
            label: "a".into(),
            value,
            reach,
            shown: "1".into(),
        };
        let view = Chart {
            title: "t".into(),
            axis: "",
            about: "",
            logarithmic: false,
            bars: vec![bar(1.0, None), bar(2.0, Some(4.0))],
        }
        .view();
        assert_eq!(
            (
                view.rows[0].length,
                view.rows[1].length,
                view.rows[1].whisker
            ),
            (85.0, 170.0, Some(540.0))
        );
    }
}
