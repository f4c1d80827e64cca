//! `knowledge measure`: measures the quality of answers.

use super::failure;
use crate::cli::output::{Color, Failure, print};
use crate::cli::{EXIT_CLEAN, EXIT_NOTHING_VERIFIED};
use crate::report::line_start;
use clap::Args;
use knowledge_index::rank::Weights;
use knowledge_index::rank::eval::{Corpus, evaluate};
use std::path::PathBuf;

/// The kinds of search that are measured.
const SEARCHES: [&str; 3] = ["full text", "vectors", "both"];

/// Arguments of `knowledge measure`.
#[derive(Debug, Args)]
pub struct EvalArgs {
    /// Documents, one per line: `{"id": …, "text": …}`.
    #[arg(value_name = "DOCUMENTS")]
    documents: PathBuf,
    /// Questions, one per line: `{"group": …, "question": …, "answers": {ID: GRADE}}`.
    #[arg(value_name = "QUESTIONS")]
    questions: PathBuf,
    /// Use the vectors of the model2vec model in this folder. The default is to learn them from the
    /// documents.
    #[arg(long, value_name = "FOLDER")]
    model: Option<PathBuf>,
}

impl EvalArgs {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let documents = crate::cli::file::regular_text(&self.documents)?;
        let questions = crate::cli::file::regular_text(&self.questions)?;
        let corpus = Corpus::parse(&documents, &questions).map_err(|why| {
            Failure::unable(why, "docs/knowledge.md describes the form of such a corpus")
        })?;
        let groups = evaluate(&corpus, self.model.as_deref(), Weights::default())
            .map_err(|e| failure(&e.into()))?;
        print(Color::Auto, |out| {
            writeln!(
                out,
                "{:<12} {:>9}  {:<9} {:>7} {:>6} {:>6} {:>6} {:>6} {:>7}  {:>12} {:>8}",
                "group",
                "questions",
                "search",
                "nDCG@10",
                "rec@10",
                "hit@1",
                "hit@5",
                "MRR",
                "refused",
                "unanswerable",
                "answered"
            )?;
            for group in &groups {
                for (search, figures) in SEARCHES.iter().zip(&group.figures) {
                    write!(
                        out,
                        "{:<12} {:>9}  {search:<9}",
                        line_start(&group.group),
                        group.questions
                    )?;
                    let quality = [
                        (figures.ndcg, 7),
                        (figures.recall, 6),
                        (figures.hit_at_1, 6),
                        (figures.hit_at_5, 6),
                        (figures.mrr, 6),
                        (figures.refused, 7),
                    ];
                    for (figure, width) in quality {
                        if group.questions == 0 {
                            write!(out, " {:>width$}", "-")?;
                        } else {
                            write!(out, " {figure:>width$.3}")?;
                        }
                    }
                    write!(out, "  {:>12}", group.unanswerable)?;
                    if group.unanswerable == 0 {
                        writeln!(out, " {:>8}", "-")?;
                    } else {
                        writeln!(out, " {:>8.3}", figures.answered)?;
                    }
                }
            }
            Ok(())
        })?;
        Ok(
            if groups.iter().all(|g| g.questions + g.unanswerable == 0) {
                EXIT_NOTHING_VERIFIED
            } else {
                EXIT_CLEAN
            },
        )
    }
}
