//! Storage and comparison of text vectors from any model.

/// A stored vector of unit length: each component times 127, as a signed byte.
pub(crate) type Vector = Vec<u8>;

/// Returns at most this many bytes of a text.
pub(crate) fn beginning(text: &str, bytes: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes)).unwrap_or(text)
}

/// Normalises a vector and quantises it for storage; `None` for a zero vector.
pub(crate) fn quantised(vector: &[f32]) -> Option<Vector> {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    #[expect(clippy::cast_possible_truncation, reason = "at most 127")]
    let whole = |x: &f32| ((x / length * 127.0).round() as i8).cast_unsigned();
    (length > 1e-6).then(|| vector.iter().map(whole).collect())
}

/// Widens a vector to 16 bits for comparison with many others.
pub(crate) fn widened(vector: &[u8]) -> Vec<i16> {
    vector.iter().map(|x| i16::from(x.cast_signed())).collect()
}

/// Returns the dot product of two vectors or parts of them, the first one [`widened`]. Fixed chunks
/// let the compiler use instructions that multiply and add pairs of 16 bits.
pub(crate) fn product(a: &[i16], b: &[u8]) -> i32 {
    let one = |(x, y): (&i16, &u8)| i32::from(*x) * i32::from(i16::from(y.cast_signed()));
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<16>(), b.as_chunks::<16>());
    let whole: i32 = a
        .iter()
        .zip(b)
        .map(|(a, b)| a.iter().zip(b).map(one).sum::<i32>())
        .sum();
    whole + a_rest.iter().zip(b_rest).map(one).sum::<i32>()
}

/// Returns the length of a vector or a part of one, rounded up.
pub(crate) fn length(vector: &[u8]) -> u16 {
    let squares: u32 = vector
        .iter()
        .map(|x| u32::from(x.cast_signed().unsigned_abs()))
        .map(|x| x * x)
        .sum();
    let root = squares.isqrt();
    u16::try_from(root + u32::from(root * root < squares)).unwrap_or(u16::MAX)
}

/// The dot product of a vector with itself, ignoring quantisation errors.
const ALIKE: i32 = 127 * 127;

/// Returns the cosine that corresponds to a [`product`].
#[expect(clippy::cast_precision_loss, reason = "at most 127²")]
pub(crate) fn cosine_of(product: i32) -> f32 {
    product.clamp(-ALIKE, ALIKE) as f32 / ALIKE as f32
}

/// Returns the cosine of two vectors.
pub(crate) fn cosine(a: &[u8], b: &[u8]) -> f32 {
    cosine_of(product(&widened(a), b))
}
