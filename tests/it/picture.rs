//! The picture of a red gate in the README is what the program prints today.
//! `UPDATE_PICTURE=1 cargo test --test it picture` writes it.

use super::markdown_pages::root;
use std::fmt::Write as _;
use std::num::NonZero;
use std::process::Command;

const COLUMNS: u16 = 108;
/// Size of a cell in pixels.
const WIDTH: f64 = 8.4;
const HEIGHT: f64 = 19.0;
const MARGIN: f64 = 16.0;
const FONTS: &str = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace";

fn color(color: vt100::Color) -> &'static str {
    match color {
        vt100::Color::Idx(1 | 9) => "#ff7b72",
        vt100::Color::Idx(2 | 10) => "#7ee787",
        vt100::Color::Idx(3 | 11) => "#f2cc60",
        vt100::Color::Idx(4 | 12) => "#79c0ff",
        vt100::Color::Idx(5 | 13) => "#d2a8ff",
        vt100::Color::Idx(6 | 14) => "#76e3ea",
        _ => "#e6edf3",
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// Renders the screen of a terminal as SVG: one text element for each run of the same style.
fn svg(command: &str, printed: &[u8]) -> String {
    let mut terminal = vt100::Parser::new(
        NonZero::new(200).unwrap(),
        NonZero::new(COLUMNS).unwrap(),
        0,
    );
    terminal.process(format!("\x1b[1m$ {command}\x1b[m\r\n").as_bytes());
    terminal.process(
        String::from_utf8_lossy(printed)
            .replace('\n', "\r\n")
            .as_bytes(),
    );
    let screen = terminal.screen();
    let rows = screen.rows(0, COLUMNS).collect::<Vec<_>>();
    let used = rows.iter().rposition(|row| !row.trim().is_empty()).unwrap();
    let used = u16::try_from(used + 1).unwrap();
    let (width, height) = (
        f64::from(COLUMNS) * WIDTH + 2.0 * MARGIN,
        f64::from(used) * HEIGHT + 2.0 * MARGIN,
    );
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\" font-family=\"{FONTS}\" font-size=\"14\">\n<title>{}</title>\n<rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#0d1117\"/>\n",
        escaped(command)
    );
    for row in 0..used {
        let mut column = 0;
        while column < COLUMNS {
            let style = |c: u16| screen.cell(row, c).map(|x| (x.fgcolor(), x.bold()));
            let from = column;
            let mut text = String::new();
            while column < COLUMNS && style(column) == style(from) {
                let cell = screen.cell(row, column).unwrap();
                text.push_str(if cell.has_contents() {
                    cell.contents()
                } else {
                    " "
                });
                column += 1;
            }
            let blank = u16::try_from(text.chars().take_while(|c| *c == ' ').count()).unwrap();
            let text = text.trim();
            if text.is_empty() {
                continue;
            }
            let (fg, bold) = style(from).unwrap();
            writeln!(
                out,
                "<text x=\"{:.1}\" y=\"{:.1}\" textLength=\"{:.1}\" fill=\"{}\"{} xml:space=\"preserve\">{}</text>",
                MARGIN + f64::from(from + blank) * WIDTH,
                MARGIN + f64::from(row) * HEIGHT + 14.0,
                f64::from(u16::try_from(text.chars().count()).unwrap()) * WIDTH,
                color(fg),
                if bold { " font-weight=\"bold\"" } else { "" },
                escaped(text)
            )
            .unwrap();
        }
    }
    out + "</svg>\n"
}

#[test]
fn the_picture_in_the_readme_is_current() {
    let output = Command::new(env!("CARGO_BIN_EXE_yuangs-verify"))
        .current_dir(root().join("corpora/gate-demo/red"))
        .args(["gate", "--color", "always"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let now = svg("yuangs-verify gate", &output.stdout);
    let file = root().join("docs/images/red.svg");
    if std::env::var_os("UPDATE_PICTURE").is_some() {
        std::fs::write(&file, &now).unwrap();
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        kept == now,
        "docs/images/red.svg is not what the gate prints; run `UPDATE_PICTURE=1 cargo test --test it picture`"
    );
    assert!(roxmltree::Document::parse(&now).is_ok());
}
