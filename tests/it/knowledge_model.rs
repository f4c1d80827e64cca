//! Vectors from a model in a directory.

use serde_json::{Map, Value, json};
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn run(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_yuangs-verify"));
    command
        .current_dir(folder)
        .arg("knowledge")
        .args(args)
        .output()
        .unwrap()
}

/// Returns exit code, standard output and standard error.
fn outcome(folder: &Path, args: &[&str]) -> (i32, String, String) {
    let output = run(folder, args);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (
        output.status.code().unwrap(),
        text(output.stdout),
        text(output.stderr),
    )
}

/// Two directions of meaning: dogs and compilers.
const PIECES: [(&str, [f32; 2]); 8] = [
    ("[UNK]", [0.5, 0.5]),
    ("dog", [1.0, 0.1]),
    ("puppy", [0.9, 0.2]),
    ("bark", [0.8, 0.0]),
    ("##s", [0.0, 0.0]),
    ("compiler", [0.1, 1.0]),
    ("crate", [0.0, 0.9]),
    ("link", [0.1, 0.8]),
];

fn model(folder: &Path, name: &str) {
    let at = folder.join(name);
    fs::create_dir_all(&at).unwrap();
    let vocab: Map<String, Value> = (0..)
        .zip(PIECES)
        .map(|(n, (piece, _))| (piece.to_owned(), json!(n)))
        .collect();
    let tokenizer = json!({
        "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null, "lowercase": true},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100, "vocab": vocab},
    });
    fs::write(at.join("tokenizer.json"), tokenizer.to_string()).unwrap();
    let header =
        json!({"embeddings": {"dtype": "F32", "shape": [PIECES.len(), 2], "data_offsets": [0, PIECES.len() * 8]}}).to_string();
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend(header.bytes());
    bytes.extend(
        PIECES
            .iter()
            .flat_map(|(_, row)| row)
            .flat_map(|x| x.to_le_bytes()),
    );
    fs::write(at.join("model.safetensors"), bytes).unwrap();
}

/// Creates a project with two documents. Only a model can tell that one is about dogs.
fn project(section: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("yuangs-verify.toml"),
        format!("[knowledge]\ndocuments = ['docs']\n{section}"),
    )
    .unwrap();
    fs::create_dir(folder.path().join("docs")).unwrap();
    fs::write(
        folder.path().join("docs/a.md"),
        "# Puppy\n\nThe puppies sleep, and a puppy barks.\n",
    )
    .unwrap();
    fs::write(
        folder.path().join("docs/b.md"),
        "# Crate\n\nThe compiler, and what it makes of a crate.\n",
    )
    .unwrap();
    model(folder.path(), "models/tiny");
    folder
}

#[test]
fn a_given_model_finds_by_meaning() {
    let folder = project("model = 'models/tiny'\n");
    let at = folder.path();
    let (code, said, _) = outcome(at, &["reindex"]);
    assert_eq!(code, 0);
    assert!(
        said.contains("another model than before, 2 computed"),
        "{said}"
    );
    let (code, found, _) = outcome(at, &["search", "--query", "dogs", "--explain"]);
    assert_eq!(code, 0);
    let first = found.find("docs/a.md").unwrap();
    assert!(
        found.find("docs/b.md").is_none_or(|other| first < other),
        "{found}"
    );
    // No word of the query is in the documents.
    assert_eq!(
        outcome(at, &["search", "--query", "dogs", "--no-vectors"]).0,
        3
    );
    assert!(outcome(at, &["reindex"]).1.contains("as before"));
    fs::write(
        at.join("docs/c.md"),
        "# Link\n\nThe linker links what the compiler left behind.\n",
    )
    .unwrap();
    assert!(outcome(at, &["reindex"]).1.contains("1 computed"));
    assert!(
        outcome(at, &["search", "--query", "compilers"])
            .1
            .contains("docs/c.md")
    );
}

#[test]
fn questions_are_embedded_by_the_model_of_the_index_or_not_at_all() {
    let folder = project("");
    let at = folder.path();
    assert_eq!(outcome(at, &["reindex", "--model", "models/tiny"]).0, 0);
    assert_eq!(
        outcome(at, &["search", "--query", "dog", "--model", "models/tiny"]).0,
        0
    );
    let (code, out, said) = outcome(at, &["search", "--query", "dog"]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(
        said.contains("made with another model") && said.contains("--model"),
        "{said}"
    );
    assert_eq!(
        outcome(at, &["search", "--query", "puppy", "--no-vectors"]).0,
        0
    );
    // A query with a model is never answered with vectors of another model.
    let folder = project("");
    for n in 0..9 {
        fs::write(
            folder.path().join(format!("docs/{n}.md")),
            format!("# Note {n}\n\nThe dog and the crate number {n} are here.\n"),
        )
        .unwrap();
    }
    assert!(outcome(folder.path(), &["reindex"]).1.contains("learnt"));
    assert_eq!(outcome(folder.path(), &["search", "--query", "dog"]).0, 0);
    assert_eq!(
        outcome(
            folder.path(),
            &["search", "--query", "dog", "--model", "models/tiny"]
        )
        .0,
        2
    );
    // Without the model, the vectors are learned again, or there are too few texts.
    let (code, said, _) = outcome(at, &["reindex"]);
    assert_eq!(code, 0);
    assert!(said.contains("too little to learn from"), "{said}");
    assert_eq!(outcome(at, &["search", "--query", "puppy"]).0, 0);
}

#[test]
fn a_model_that_cant_be_used_is_said_and_changes_nothing() {
    let folder = project("");
    let at = folder.path();
    assert_eq!(outcome(at, &["reindex", "--model", "models/tiny"]).0, 0);
    let before = outcome(at, &["search", "--query", "dog", "--model", "models/tiny"]).1;
    model(at, "models/short");
    fs::write(at.join("models/short/model.safetensors"), [0xff; 64]).unwrap();
    model(at, "models/other");
    let tokenizer = fs::read_to_string(at.join("models/other/tokenizer.json")).unwrap();
    fs::write(
        at.join("models/other/tokenizer.json"),
        tokenizer.replace("WordPiece", "Unigram"),
    )
    .unwrap();
    for (name, says) in [
        ("models/none", "tokenizer.json"),
        ("models/short", "header"),
        ("models/other", "Unigram"),
        ("docs/a.md", ""),
    ] {
        let (code, out, said) = outcome(at, &["reindex", "--model", name]);
        assert_eq!((code, out.as_str()), (2, ""), "{name} {said}");
        assert!(said.contains(says), "{name}: {said}");
    }
    assert_eq!(
        outcome(at, &["search", "--query", "dog", "--model", "models/tiny"]).1,
        before
    );
    fs::write(
        at.join("yuangs-verify.toml"),
        "[knowledge]\ndocuments = ['docs']\nmodel = '../elsewhere'\n",
    )
    .unwrap();
    let (code, _, said) = outcome(at, &["reindex"]);
    assert_eq!(code, 2);
    assert!(said.contains("leads out"), "{said}");
}
