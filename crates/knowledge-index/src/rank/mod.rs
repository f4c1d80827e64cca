//! Search and ranking: full text and vectors, merged, aged and diversified.
//!
//! | stage | what it does |
//! | --- | --- |
//! | candidates | BM25 of FTS5, the rarest words first, and the cosine of vectors |
//! | full text | BM25, coverage, head and phrase of each candidate's text |
//! | vectors | cosine in a latent semantic space (see [`lsa`]) or by a configured model (see [`crate::model2vec`]), exact over all observations |
//! | merge | weighted sum of both; full text alone where there are no vectors |
//! | prior | a factor for definitions, tests and lists of changes (see [`prior`]) |
//! | confidence | whether the best answer answers the question at all (see [`confidence`]) |
//! | decay | times `e^(-λ·days)`, half-life 30 days, at least 0.1; what has no time doesn't age |
//! | diversity | maximal marginal relevance, λ 0.7; what is over 0.8 like something chosen is left out as its duplicate |

mod agree;
mod confidence;
mod diverse;
pub mod eval;
mod evidence;
mod fulltext;
mod lsa;
mod prior;
mod question;
mod search;
mod space;
mod svd;
mod update;
mod variants;
mod weights;

pub use agree::{Difference, difference};
pub use evidence::Evidence;
pub use search::{Answers, Decay, Query, Ranker, Scores, SearchHit, Stages};
pub use update::{Vectors, update};
pub use weights::Weights;
