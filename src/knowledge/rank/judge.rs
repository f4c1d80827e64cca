//! Judged answers.
