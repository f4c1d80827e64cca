//! Reads tensors from a safetensors file: the length of the header in eight bytes, the header as
//! JSON, then the numbers.

use super::ModelError;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Maximum size of the header in bytes. A model has only a few tensors.
const HEADER: u64 = 1 << 20;

/// A tensor.
#[derive(Debug, PartialEq)]
pub(super) struct Tensor {
    /// The size of each axis.
    pub(super) shape: Vec<usize>,
    pub(super) values: Vec<f32>,
}

#[derive(Debug, Deserialize)]
struct Entry {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: [usize; 2],
}

/// Returns the tensors of a file by name.
pub(super) fn parse(bytes: &[u8]) -> Result<BTreeMap<String, Tensor>, ModelError> {
    let wrong = |what: &str| ModelError::Weights(what.to_owned());
    let (length, rest) = bytes
        .split_first_chunk::<8>()
        .ok_or_else(|| wrong("it ends before its header"))?;
    let length = u64::from_le_bytes(*length);
    if length > HEADER {
        return Err(wrong("its header is too long"));
    }
    let at = usize::try_from(length).map_err(|_| wrong("its header is too long"))?;
    let (header, data) = rest
        .split_at_checked(at)
        .ok_or_else(|| wrong("it ends within its header"))?;
    let mut header: BTreeMap<String, serde_json::Value> =
        serde_json::from_slice(header).map_err(|_| wrong("its header is not a JSON object"))?;
    header.remove("__metadata__");
    let mut all = BTreeMap::new();
    let mut left = data.len();
    for (name, entry) in header {
        let entry: Entry =
            serde_json::from_value(entry).map_err(|_| wrong("its header describes no tensor"))?;
        // If tensors could share bytes, a small file could expand to a large model.
        let taken = entry.data_offsets[1].checked_sub(entry.data_offsets[0]);
        left = taken
            .and_then(|taken| left.checked_sub(taken))
            .ok_or_else(|| wrong("its tensors overlap"))?;
        let Some(width) = width(&entry.dtype) else {
            return Err(ModelError::Weights(format!(
                "the tensor `{name}` has numbers of the type `{}`",
                entry.dtype
            )));
        };
        let Some(values) = read(&entry, width, data) else {
            return Err(ModelError::Weights(format!(
                "the tensor `{name}` isn't as it is described"
            )));
        };
        if values.iter().any(|v| !v.is_finite()) {
            return Err(ModelError::Weights(format!(
                "the tensor `{name}` contains a value that isn't a finite number"
            )));
        }
        all.insert(
            name,
            Tensor {
                shape: entry.shape,
                values,
            },
        );
    }
    Ok(all)
}

/// Returns the size of a number in bytes; `None` for an unknown type.
fn width(dtype: &str) -> Option<usize> {
    match dtype {
        "F64" => Some(8),
        "F32" => Some(4),
        "F16" => Some(2),
        "I8" => Some(1),
        _ => None,
    }
}

/// Returns the numbers of a tensor; `None` if bytes and shape don't match.
fn read(entry: &Entry, width: usize, data: &[u8]) -> Option<Vec<f32>> {
    let count = entry
        .shape
        .iter()
        .try_fold(1_usize, |product, n| product.checked_mul(*n))?;
    let [from, to] = entry.data_offsets;
    let bytes = data.get(from..to)?;
    if count.checked_mul(width)? != bytes.len() {
        return None;
    }
    #[expect(
        clippy::cast_possible_truncation,
        reason = "single precision is more than is kept in the end"
    )]
    Some(match width {
        8 => bytes
            .as_chunks()
            .0
            .iter()
            .map(|b| f64::from_le_bytes(*b) as f32)
            .collect(),
        4 => bytes
            .as_chunks()
            .0
            .iter()
            .map(|b| f32::from_le_bytes(*b))
            .collect(),
        2 => bytes
            .as_chunks()
            .0
            .iter()
            .map(|b| half(u16::from_le_bytes(*b)))
            .collect(),
        _ => bytes.iter().map(|b| f32::from(b.cast_signed())).collect(),
    })
}

/// Converts a half-precision number (IEEE 754 binary16).
fn half(bits: u16) -> f32 {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let (exponent, fraction) = (
        i32::from(bits >> 10 & 0x1f),
        f32::from(bits & 0x3ff) / 1024.0,
    );
    match exponent {
        0 => sign * fraction * 2.0_f32.powi(-14),
        31 if fraction == 0.0 => sign * f32::INFINITY,
        31 => f32::NAN,
        _ => sign * (1.0 + fraction) * 2.0_f32.powi(exponent - 15),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Builds a file of single-precision tensors.
    pub(in super::super) fn file(tensors: &[(&str, &[usize], &[f32])]) -> Vec<u8> {
        let (mut header, mut data) = (serde_json::Map::new(), Vec::new());
        for (name, shape, values) in tensors {
            let from = data.len();
            data.extend(values.iter().flat_map(|v| v.to_le_bytes()));
            let entry = serde_json::json!({"dtype": "F32", "shape": shape, "data_offsets": [from, data.len()]});
            header.insert((*name).to_owned(), entry);
        }
        raw(&serde_json::Value::Object(header).to_string(), &data)
    }

    fn raw(header: &str, data: &[u8]) -> Vec<u8> {
        let mut all = (header.len() as u64).to_le_bytes().to_vec();
        all.extend(header.as_bytes());
        all.extend(data);
        all
    }

    #[test]
    fn bytes_belong_to_one_tensor() {
        let entry = r#"{"dtype":"F32","shape":[1],"data_offsets":[0,4]}"#;
        let error = parse(&raw(&format!("{{\"a\":{entry},\"b\":{entry}}}"), &[0; 4])).unwrap_err();
        assert!(error.to_string().contains("overlap"), "{error}");
    }

    #[test]
    fn tensors_are_read_in_every_precision() {
        let bytes = file(&[("a", &[2, 2], &[1.0, -2.0, 0.5, 0.0]), ("b", &[1], &[3.0])]);
        let all = parse(&bytes).unwrap();
        assert_eq!(
            all["a"],
            Tensor {
                shape: vec![2, 2],
                values: vec![1.0, -2.0, 0.5, 0.0]
            }
        );
        assert_eq!(
            all["b"],
            Tensor {
                shape: vec![1],
                values: vec![3.0]
            }
        );
        let one = |dtype: &str, data: &[u8]| {
            let header = format!(
                r#"{{"__metadata__":{{"format":"pt"}},"x":{{"dtype":"{dtype}","shape":[1],"data_offsets":[0,{}]}}}}"#,
                data.len()
            );
            parse(&raw(&header, data)).map(|mut t| t.remove("x").unwrap().values[0].to_bits())
        };
        assert_eq!(
            one("F16", &0x3c00_u16.to_le_bytes()).unwrap(),
            1.0_f32.to_bits()
        );
        assert_eq!(
            one("F16", &0xc500_u16.to_le_bytes()).unwrap(),
            (-5.0_f32).to_bits()
        );
        assert_eq!(
            one("F16", &1_u16.to_le_bytes()).unwrap(),
            2.0_f32.powi(-24).to_bits()
        );
        assert_eq!(
            one("F64", &0.25_f64.to_le_bytes()).unwrap(),
            0.25_f32.to_bits()
        );
        assert_eq!(one("I8", &[0xff]).unwrap(), (-1.0_f32).to_bits());
        assert!(
            one("F16", &0x7c00_u16.to_le_bytes())
                .unwrap_err()
                .to_string()
                .contains("isn't a finite number")
        );
        assert!(
            one("BF16", &[0, 0])
                .unwrap_err()
                .to_string()
                .contains("`BF16`")
        );
        assert!(one("F32", &[0, 0]).is_err());
    }

    #[test]
    fn what_lies_about_its_size_is_refused() {
        let huge = usize::MAX;
        for header in [
            format!(r#"{{"x":{{"dtype":"F32","shape":[{huge},{huge}],"data_offsets":[0,4]}}}}"#),
            format!(r#"{{"x":{{"dtype":"F32","shape":[1],"data_offsets":[0,{huge}]}}}}"#),
            r#"{"x":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}}"#.to_owned(),
            r#"{"x":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}}"#.to_owned(),
            r#"{"x":1}"#.to_owned(),
            "[]".to_owned(),
        ] {
            assert!(parse(&raw(&header, &[0; 4])).is_err(), "{header}");
        }
        assert!(parse(&u64::MAX.to_le_bytes()).is_err());
        assert!(parse(&[1, 0, 0, 0, 0, 0, 0, 0]).is_err());
        assert!(parse(&[]).is_err());
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..64), header in "\\PC{0,40}") {
            let _ = parse(&bytes);
            let _ = parse(&raw(&header, &bytes));
        }
    }
}
