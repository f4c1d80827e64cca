//! The evaluation of maps on made histories: it gives the same figures again, and the ranking shows
//! more definitions that commits need, and no fewer files, than the order of a `tags` file or a
//! plain `PageRank`.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test may panic"
)]

#[path = "../examples/evaluate/made.rs"]
mod made;
#[path = "../examples/evaluate/score.rs"]
mod score;

use made::Made;
use score::{Method, Score};

fn rates(scores: &[(Method, Score)], method: Method) -> (f64, f64) {
    let found = scores.iter().find(|(m, _)| *m == method).unwrap();
    assert!(found.1.commits > 8, "{method:?}: {}", method.name());
    found.1.rates()
}

#[test]
fn the_ranking_beats_what_it_is_compared_with() {
    for made in Made::ALL {
        let scores = made::evaluate(made, 3, 12, 2_000);
        let map = rates(&scores, Method::Map);
        for method in [Method::Plain, Method::Tags] {
            let other = rates(&scores, method);
            assert!(
                map.0 >= other.0 && map.1 > other.1,
                "{}: {map:?} {method:?} {other:?}",
                made.name()
            );
        }
        let asked = rates(&scores, Method::Query);
        assert!(
            asked.0 > map.0 && asked.1 > map.1,
            "{}: {map:?} {asked:?}",
            made.name()
        );
    }
    let again = |seed| format!("{:?}", made::evaluate(Made::Python, seed, 2, 1_000));
    assert_eq!(again(5), again(5));
    assert_ne!(again(5), again(6));
}
