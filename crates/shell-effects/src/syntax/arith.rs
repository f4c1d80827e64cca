//! Shell arithmetic on known numbers, without recursion beyond a fixed depth.

/// Evaluates an expression; `None` if its value isn't known or it is nested too deeply.
pub(crate) fn eval(text: &str, var: &dyn Fn(&str) -> Option<i64>) -> Option<i64> {
    let mut p = Arith {
        src: text.as_bytes(),
        text,
        pos: 0,
        var,
        depth: 0,
    };
    let v = p.expr(0)?;
    p.blank();
    (p.pos == p.src.len()).then_some(v)
}

struct Arith<'a> {
    src: &'a [u8],
    text: &'a str,
    pos: usize,
    var: &'a dyn Fn(&str) -> Option<i64>,
    depth: usize,
}

/// Binary operators, longest first, with their precedence.
const OPS: &[(&str, u8)] = &[
    ("**", 12),
    ("<<", 9),
    (">>", 9),
    ("<=", 8),
    (">=", 8),
    ("==", 7),
    ("!=", 7),
    ("&&", 3),
    ("||", 2),
    ("*", 11),
    ("/", 11),
    ("%", 11),
    ("+", 10),
    ("-", 10),
    ("<", 8),
    (">", 8),
    ("&", 6),
    ("^", 5),
    ("|", 4),
];

impl Arith<'_> {
    fn blank(&mut self) {
        while self.src.get(self.pos).is_some_and(u8::is_ascii_whitespace) {
            self.pos += 1;
        }
    }

    fn expr(&mut self, min: u8) -> Option<i64> {
        self.depth += 1;
        if self.depth > 32 {
            return None;
        }
        let mut left = self.unary()?;
        loop {
            self.blank();
            let rest = self.src.get(self.pos..)?;
            let Some(&(op, prec)) = OPS.iter().find(|(o, _)| rest.starts_with(o.as_bytes())) else {
                break;
            };
            if prec < min
                || rest.get(op.len()) == Some(&b'=') && !matches!(op, "==" | "!=" | "<=" | ">=")
            {
                break;
            }
            self.pos += op.len();
            let right = self.expr(if op == "**" { prec } else { prec + 1 })?;
            left = binary(op, left, right)?;
        }
        self.depth -= 1;
        Some(left)
    }

    fn unary(&mut self) -> Option<i64> {
        let mut signs = Vec::new();
        loop {
            self.blank();
            match self.src.get(self.pos) {
                Some(c @ (b'-' | b'+' | b'!' | b'~')) if signs.len() < 16 => {
                    signs.push(*c);
                    self.pos += 1;
                }
                _ => break,
            }
        }
        let mut v = match self.src.get(self.pos)? {
            b'(' => {
                self.pos += 1;
                let v = self.expr(0)?;
                self.blank();
                if self.src.get(self.pos) != Some(&b')') {
                    return None;
                }
                self.pos += 1;
                v
            }
            c if c.is_ascii_digit() => self.number()?,
            c if c.is_ascii_alphabetic() || *c == b'_' => {
                let from = self.pos;
                while self
                    .src
                    .get(self.pos)
                    .is_some_and(|c| c.is_ascii_alphanumeric() || *c == b'_')
                {
                    self.pos += 1;
                }
                (self.var)(self.text.get(from..self.pos)?)?
            }
            _ => return None,
        };
        for s in signs.into_iter().rev() {
            v = match s {
                b'-' => v.checked_neg()?,
                b'!' => i64::from(v == 0),
                b'~' => !v,
                _ => v,
            };
        }
        Some(v)
    }

    fn number(&mut self) -> Option<i64> {
        let from = self.pos;
        while self
            .src
            .get(self.pos)
            .is_some_and(|c| c.is_ascii_alphanumeric() || *c == b'#')
        {
            self.pos += 1;
        }
        let t = self.text.get(from..self.pos)?;
        if let Some(h) = t.strip_prefix("0x").or_else(|| t.strip_prefix("0X")) {
            return i64::from_str_radix(h, 16).ok();
        }
        if let Some((base, digits)) = t.split_once('#') {
            let base: u32 = base.parse().ok().filter(|b| (2..=36).contains(b))?;
            return i64::from_str_radix(digits, base).ok();
        }
        if t.len() > 1 && t.starts_with('0') {
            return i64::from_str_radix(t, 8).ok();
        }
        t.parse().ok()
    }
}

fn binary(op: &str, a: i64, b: i64) -> Option<i64> {
    Some(match op {
        "**" => a.checked_pow(u32::try_from(b).ok()?)?,
        "*" => a.checked_mul(b)?,
        "/" => a.checked_div(b)?,
        "%" => a.checked_rem(b)?,
        "+" => a.checked_add(b)?,
        "-" => a.checked_sub(b)?,
        "<<" => a.checked_shl(u32::try_from(b).ok()?)?,
        ">>" => a.checked_shr(u32::try_from(b).ok()?)?,
        "<" => i64::from(a < b),
        ">" => i64::from(a > b),
        "<=" => i64::from(a <= b),
        ">=" => i64::from(a >= b),
        "==" => i64::from(a == b),
        "!=" => i64::from(a != b),
        "&" => a & b,
        "^" => a ^ b,
        "|" => a | b,
        "&&" => i64::from(a != 0 && b != 0),
        "||" => i64::from(a != 0 || b != 0),
        _ => return None,
    })
}
