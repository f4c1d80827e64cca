//! Generates legal traces of whole-turn records, 1.5 to 2.5 KB per line. The output is
//! deterministic.

use std::io::{self, Write};

const TURNS: u64 = 20;

/// Writes one execution. Returns the number of bytes.
pub fn execution(out: &mut impl Write, number: u64) -> io::Result<u64> {
    let mut written = 0;
    let mut time = 1_768_800_000_000 + number * 100_000;
    let mut line = |text: String| -> io::Result<()> {
        written += text.len() as u64 + 1;
        writeln!(out, "{text}")
    };
    line(format!(
        r#"{{"record":"execution_started","executionId":"exec_{number}","timestamp":{time},"schemaVersion":"1.0","rootIntent":"Fix issue {number}","fsmVersion":"1","maxTurns":50,"governor":{{"id":"governor"}},"policy":{{"digest":"sha256:{number:064x}"}}}}"#
    ))?;
    for turn in 1..=TURNS {
        let seed = number * 31 + turn * 17;
        let body = source(seed);
        let path = format!("src/module_{}/file_{}.ts", seed % 7, seed % 101);
        let payload = if turn % 3 == 0 {
            format!(
                r#""type":"code_diff","payload":{{"diff":"--- a/{path}\n+++ b/{path}\n@@ -1,2 +1,2 @@\n context\n-old {seed}\n+new {seed}\n"}}"#
            )
        } else {
            format!(
                r#""type":"tool_call","payload":{{"tool":"read_file","parameters":{{"path":"{path}"}}}}"#
            )
        };
        let (risk, decision) = if turn % 3 == 0 {
            ("medium", r#""by":"human","signer":"alice","#.to_owned())
        } else {
            ("low", r#""by":"policy","ruleId":"allow-read","#.to_owned())
        };
        let decided = time + 2_000;
        let end = time + 4_000;
        line(format!(
            r#"{{"record":"turn","executionId":"exec_{number}","turnId":{turn},"startTime":{time},"contextSnapshot":{{"inputHash":"{seed:064x}","systemPromptVersion":"v1.0.0","toolSetVersion":"v1.0.0","recentMessages":[{{"role":"user","content":"Fix issue {number}: \"unexpected token\" in {path}","timestamp":{time}}},{{"role":"tool","content":"{body}","timestamp":{time}}}]}},"thought":{{"reasoning":"The failing line is in {path}; look at it before changing anything.","done":false,"action":{{{payload}}}}},"proposedAction":{{"id":"a{number}-{turn}",{payload},"riskLevel":"{risk}","reasoning":"The failing line is in {path}."}},"governance":{{"status":"approved",{decision}"actionId":"a{number}-{turn}","timestamp":{decided}}},"executionResult":{{"success":true,"output":"{body}","artifacts":["{path}"],"durationMs":{ms}}},"observation":{{"summary":"Read {path}: {lines} lines, nothing unusual.","artifacts":["{path}"]}},"evaluation":{{"kind":"continue","reason":"incomplete"}},"endTime":{end}}}"#,
            ms = seed % 900,
            lines = seed % 300,
        ))?;
        time = end;
    }
    let turn = TURNS + 1;
    line(format!(
        r#"{{"record":"turn","executionId":"exec_{number}","turnId":{turn},"startTime":{time},"contextSnapshot":{{"inputHash":"{number:064x}","systemPromptVersion":"v1.0.0","toolSetVersion":"v1.0.0"}},"thought":{{"reasoning":"Done.","done":true}},"evaluation":{{"kind":"terminate","reason":"goal_satisfied"}},"endTime":{time}}}"#
    ))?;
    line(format!(
        r#"{{"record":"execution_ended","executionId":"exec_{number}","timestamp":{time},"outcome":"goal_satisfied"}}"#
    ))?;
    Ok(written)
}

/// Returns some lines of code as escaped JSON text, 250 to 650 bytes.
fn source(seed: u64) -> String {
    let mut text = String::new();
    for n in 0..(5 + seed % 8) {
        text.push_str(&format!(
            r#"  const value{n} = lookup(\"key-{seed}-{n}\", {{ strict: true }});\n"#
        ));
    }
    text
}
