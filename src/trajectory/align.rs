//! Aligns two sequences by their minimum edit distance, within a bound on the work.

/// Maximum number of pairs of elements to compare: two middles of 2,000 elements each, after the
/// common prefix and suffix are removed.
const CELLS: usize = 4_000_000;

/// The similarity of two elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Likeness {
    Same,
    /// One replaces the other.
    Similar,
    Different,
}

/// The indexes of an element in the first and in the second sequence; `None` where it has no
/// counterpart.
pub(super) type Pair = (Option<usize>, Option<usize>);

/// Aligns two sequences of these lengths. The second value is false when they are too long, so that
/// everything between the common prefix and suffix was paired by position.
pub(super) fn align(
    base: usize,
    new: usize,
    like: &dyn Fn(usize, usize) -> Likeness,
) -> (Vec<Pair>, bool) {
    let same = |a: usize, b: usize| like(a, b) == Likeness::Same;
    let head = (0..base.min(new)).take_while(|n| same(*n, *n)).count();
    let rest = base.min(new) - head;
    let tail = (1..=rest).take_while(|n| same(base - n, new - n)).count();
    let (rows, columns) = (base - head - tail, new - head - tail);
    let mut pairs: Vec<Pair> = (0..head).map(|n| (Some(n), Some(n))).collect();
    let exact = rows.saturating_mul(columns) <= CELLS;
    if exact {
        pairs.extend(
            middle(rows, columns, &|a, b| like(head + a, head + b))
                .into_iter()
                .map(|(a, b)| (a.map(|a| head + a), b.map(|b| head + b))),
        );
    } else {
        pairs.extend((0..rows.max(columns)).map(|n| {
            (
                (n < rows).then_some(head + n),
                (n < columns).then_some(head + n),
            )
        }));
    }
    pairs.extend(
        (0..tail)
            .rev()
            .map(|n| (Some(base - n - 1), Some(new - n - 1))),
    );
    (pairs, exact)
}

/// Computes the edit distance and its path. An insertion, a deletion and a replacement by a similar
/// element each cost 1.
fn middle(rows: usize, columns: usize, like: &dyn Fn(usize, usize) -> Likeness) -> Vec<Pair> {
    let width = columns + 1;
    // costs[r * width + c] is the distance between the elements from row r on and those from column
    // c on.
    let mut costs = vec![0u32; (rows + 1) * width];
    let mut likes = vec![Likeness::Different; rows * columns];
    let at = |costs: &[u32], r: usize, c: usize| {
        costs.get(r * width + c).copied().unwrap_or(u32::MAX / 2)
    };
    for r in (0..=rows).rev() {
        for c in (0..=columns).rev() {
            let cost = if r == rows && c == columns {
                0
            } else {
                let skip_base = if r < rows {
                    at(&costs, r + 1, c) + 1
                } else {
                    u32::MAX / 2
                };
                let skip_new = if c < columns {
                    at(&costs, r, c + 1) + 1
                } else {
                    u32::MAX / 2
                };
                let both = if r < rows && c < columns {
                    let likeness = like(r, c);
                    if let Some(cell) = likes.get_mut(r * columns + c) {
                        *cell = likeness;
                    }
                    at(&costs, r + 1, c + 1) + price(likeness)
                } else {
                    u32::MAX / 2
                };
                skip_base.min(skip_new).min(both)
            };
            if let Some(cell) = costs.get_mut(r * width + c) {
                *cell = cost;
            }
        }
    }
    let mut pairs = Vec::with_capacity(rows.max(columns));
    let (mut r, mut c) = (0, 0);
    while r < rows || c < columns {
        let here = at(&costs, r, c);
        let likeness = if r < rows && c < columns {
            likes.get(r * columns + c).copied()
        } else {
            None
        };
        // Among paths of equal cost, a match comes before a deletion, and that before an insertion.
        // So the result is deterministic.
        if let Some(likeness) = likeness
            && likeness != Likeness::Different
            && here == at(&costs, r + 1, c + 1) + price(likeness)
        {
            pairs.push((Some(r), Some(c)));
            (r, c) = (r + 1, c + 1);
        } else if r < rows && here == at(&costs, r + 1, c) + 1 {
            pairs.push((Some(r), None));
            r += 1;
        } else {
            pairs.push((None, Some(c)));
            c += 1;
        }
    }
    pairs
}

const fn price(likeness: Likeness) -> u32 {
    match likeness {
        Likeness::Same => 0,
        Likeness::Similar => 1,
        Likeness::Different => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn aligned(base: &[u8], new: &[u8]) -> (Vec<Pair>, bool) {
        align(base.len(), new.len(), &|a, b| match (base[a], new[b]) {
            (x, y) if x == y => Likeness::Same,
            (x, y) if x / 2 == y / 2 => Likeness::Similar,
            _ => Likeness::Different,
        })
    }

    #[test]
    fn what_is_new_is_found_and_not_taken_for_a_shift() {
        let (pairs, exact) = aligned(&[0, 2, 4, 6], &[0, 9, 2, 5, 6]);
        assert!(exact);
        assert_eq!(
            pairs,
            [
                (Some(0), Some(0)),
                (None, Some(1)),
                (Some(1), Some(2)),
                (Some(2), Some(3)),
                (Some(3), Some(4))
            ]
        );
    }

    #[test]
    fn long_middles_are_paired_by_position_and_that_is_said() {
        let (base, new) = (vec![0; 3_000], vec![9; 2_500]);
        let (pairs, exact) = aligned(&base, &new);
        assert!(!exact && pairs.len() == 3_000);
    }

    proptest! {
        #[test]
        fn every_element_stands_in_one_pair_and_in_order(base in proptest::collection::vec(0u8..6, 0..12), new in proptest::collection::vec(0u8..6, 0..12)) {
            let (pairs, _) = aligned(&base, &new);
            prop_assert!(pairs.iter().filter_map(|(a, _)| *a).eq(0..base.len()));
            prop_assert!(pairs.iter().filter_map(|(_, b)| *b).eq(0..new.len()));
        }

        #[test]
        fn no_cheaper_way_exists(base in proptest::collection::vec(0u8..4, 0..7), new in proptest::collection::vec(0u8..4, 0..7)) {
            fn least(a: &[u8], b: &[u8]) -> u32 {
                match (a, b) {
                    ([], rest) | (rest, []) => u32::try_from(rest.len()).unwrap(),
                    ([x, a2 @ ..], [y, b2 @ ..]) => {
                        let both = if x == y { 0 } else if x / 2 == y / 2 { 1 } else { 2 };
                        (least(a2, b2) + both).min(least(a2, b) + 1).min(least(a, b2) + 1)
                    }
                }
            }
            let (pairs, _) = aligned(&base, &new);
            let cost: u32 = pairs.iter().map(|p| match p {
                (Some(a), Some(b)) => u32::from(base[*a] != new[*b]),
                _ => 1,
            }).sum();
            prop_assert_eq!(cost, least(&base, &new));
        }
    }
}
