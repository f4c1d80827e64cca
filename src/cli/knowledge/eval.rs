//! `knowledge measure`: measures the quality of answers.

use super::failure;
use crate::cli::output::{Color, Failure, print};
use crate::cli::{EXIT_CLEAN, EXIT_NOTHING_VERIFIED};
use crate::knowledge::rank::eval::{Corpus, evaluate};
use crate::report::line_start;
use clap::Args;
use std::path::PathBuf;

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
        let documents = crate::cli::file::text(&self.documents)?;
        let questions = crate::cli::file::text(&self.questions)?;
        let corpus = Corpus::parse(&documents, &questions).map_err(|why| {
            Failure::unable(why, "docs/knowledge.md describes the form of such a corpus")
        })?;
        let groups = evaluate(&corpus, self.model.as_deref()).map_err(|e| failure(&e))?;
        print(Color::Auto, |out| {
            writeln!(
                out,
                "{:<12} {:>9}  {:^17}  {:^17}  {:^17}",
                "", "", "full text", "vectors", "both"
            )?;
            write!(out, "{:<12} {:>9}", "group", "questions")?;
            for _ in 0..3 {
                write!(out, "  {:>8} {:>8}", "nDCG@10", "rec@10")?;
            }
            writeln!(out)?;
            for group in &groups {
                write!(
                    out,
                    "{:<12} {:>9}",
                    line_start(&group.group),
                    group.questions
                )?;
                for figures in group.figures {
                    write!(out, "  {:>8.3} {:>8.3}", figures.ndcg, figures.recall)?;
                }
                writeln!(out)?;
            }
            Ok(())
        })?;
        Ok(if groups.iter().all(|g| g.questions == 0) {
            EXIT_NOTHING_VERIFIED
        } else {
            EXIT_CLEAN
        })
    }
}
