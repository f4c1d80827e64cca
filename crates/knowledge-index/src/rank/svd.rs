//! Computes the leading right singular vectors of a sparse matrix by random projection (Halko,
//! Martinsson and Tropp, "Finding structure with randomness", SIAM Review 53, 2011, algorithms 4.4
//! and 5.1). The seed is fixed, so equal input gives equal output.

use util::random::SplitMix;

/// A sparse row: columns with their values.
pub(super) type Row = Vec<(u32, f32)>;

/// Oversampling: directions computed in addition to those requested.
const SURPLUS: usize = 12;
/// Power iterations, which sharpen the leading directions.
const PASSES: usize = 3;
/// Maximum number of Jacobi sweeps. Convergence is quadratic and takes about eight.
const SWEEPS: usize = 24;

/// Returns a uniform number in [-1, 1).
#[expect(clippy::cast_precision_loss, reason = "24 bits, as many as fit")]
fn unit(numbers: &mut SplitMix) -> f32 {
    (numbers.next() >> 40) as f32 / 8_388_608.0 - 1.0
}

/// A dense matrix in row-major order.
#[derive(Debug, Clone)]
pub(super) struct Dense {
    width: usize,
    values: Vec<f32>,
}

impl Dense {
    fn zero(height: usize, width: usize) -> Self {
        Self {
            width,
            values: vec![0.0; height * width],
        }
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = &[f32]> {
        self.values.chunks_exact(self.width.max(1))
    }

    fn row(&self, n: usize) -> &[f32] {
        self.values
            .get(n * self.width..(n + 1) * self.width)
            .unwrap_or_default()
    }

    fn row_mut(&mut self, n: usize) -> &mut [f32] {
        self.values
            .get_mut(n * self.width..(n + 1) * self.width)
            .unwrap_or_default()
    }
}

fn add(to: &mut [f32], from: &[f32], times: f32) {
    for (a, b) in to.iter_mut().zip(from) {
        *a += b * times;
    }
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// Returns `rows · dense`.
fn times(rows: &[Row], dense: &Dense) -> Dense {
    let mut out = Dense::zero(rows.len(), dense.width);
    for (n, row) in rows.iter().enumerate() {
        let to = out.row_mut(n);
        for (column, value) in row {
            add(to, dense.row(*column as usize), *value);
        }
    }
    out
}

/// Returns `rowsᵀ · dense`.
fn transposed_times(rows: &[Row], columns: usize, dense: &Dense) -> Dense {
    let mut out = Dense::zero(columns, dense.width);
    for (row, from) in rows.iter().zip(dense.rows()) {
        for (column, value) in row {
            add(out.row_mut(*column as usize), from, *value);
        }
    }
    out
}

/// Returns `aᵀ · a` in double precision, since the product squares the condition number.
fn gram(a: &Dense) -> Vec<Vec<f64>> {
    let mut out = vec![vec![0.0; a.width]; a.width];
    for row in a.rows() {
        for (to, x) in out.iter_mut().zip(row) {
            to.iter_mut()
                .zip(row)
                .for_each(|(sum, y)| *sum += f64::from(*x) * f64::from(*y));
        }
    }
    out
}

/// Returns `a · m`, where the columns of `m` are given.
fn times_columns(a: &Dense, columns: &[Vec<f32>]) -> Dense {
    let mut out = Dense::zero(a.rows().count(), columns.len());
    for (n, row) in a.rows().enumerate() {
        for (to, column) in out.row_mut(n).iter_mut().zip(columns) {
            *to = dot(row, column);
        }
    }
    out
}

/// Makes the columns orthonormal by Gram–Schmidt on the small matrix `aᵀa`. Linearly dependent
/// columns are dropped.
fn orthonormal(a: &Dense) -> Dense {
    let gram = gram(a);
    let product = |x: &[f64], y: &[f64]| -> f64 { x.iter().zip(y).map(|(x, y)| x * y).sum() };
    let mut columns: Vec<Vec<f64>> = Vec::new();
    for (n, own) in gram.iter().enumerate() {
        let mut column = vec![0.0; gram.len()];
        if let Some(x) = column.get_mut(n) {
            *x = 1.0;
        }
        for before in &columns {
            let share = product(before, own);
            column
                .iter_mut()
                .zip(before)
                .for_each(|(x, y)| *x -= share * y);
        }
        let image: Vec<f64> = gram.iter().map(|row| product(row, &column)).collect();
        let (left, whole) = (
            product(&column, &image),
            own.get(n).copied().unwrap_or_default(),
        );
        if left > whole * 1e-9 && left > 0.0 {
            for x in &mut column {
                *x /= left.sqrt();
            }
            columns.push(column);
        }
    }
    #[expect(
        clippy::cast_possible_truncation,
        reason = "computed in double precision, kept in single"
    )]
    let columns: Vec<Vec<f32>> = columns
        .into_iter()
        .map(|c| c.into_iter().map(|x| x as f32).collect())
        .collect();
    times_columns(a, &columns)
}

/// Restores the orthogonality that rounding lost in weak directions, with one Newton–Schulz step
/// `a·(3 - aᵀa)/2`. The order is kept.
fn reorthogonalised(a: &Dense) -> Dense {
    let mut step = gram(a);
    for (n, row) in step.iter_mut().enumerate() {
        for x in row.iter_mut() {
            *x *= -0.5;
        }
        if let Some(x) = row.get_mut(n) {
            *x += 1.5;
        }
    }
    #[expect(
        clippy::cast_possible_truncation,
        reason = "computed in double precision, kept in single"
    )]
    let step: Vec<Vec<f32>> = step
        .into_iter()
        .map(|row| row.into_iter().map(|x| x as f32).collect())
        .collect();
    times_columns(a, &step)
}

/// Returns `a·V·Λ^(-1/2)` for the eigenvectors `V` and eigenvalues `Λ` of `aᵀa`: orthonormal
/// columns, the strongest direction first.
fn whitened(a: &Dense) -> Dense {
    let (values, vectors) = eigen(gram(a));
    let largest = values.first().copied().unwrap_or_default();
    let columns: Vec<Vec<f32>> = values
        .into_iter()
        .zip(vectors)
        .filter(|(value, _)| *value > largest * 1e-6 && *value > 0.0)
        .map(|(value, vector)| vector.iter().map(|x| x / value.sqrt()).collect())
        .collect();
    times_columns(a, &columns)
}

/// Returns the eigenvalues of a symmetric matrix in descending order, with the eigenvectors, by
/// cyclic Jacobi rotations.
#[expect(
    clippy::cast_possible_truncation,
    reason = "computed in double precision, kept in single"
)]
fn eigen(mut matrix: Vec<Vec<f64>>) -> (Vec<f32>, Vec<Vec<f32>>) {
    let size = matrix.len();
    // Each row becomes an eigenvector.
    let mut vectors: Vec<Vec<f64>> = (0..size)
        .map(|i| (0..size).map(|j| f64::from(u8::from(i == j))).collect())
        .collect();
    let at = |matrix: &[Vec<f64>], i: usize, j: usize| {
        matrix
            .get(i)
            .and_then(|r| r.get(j))
            .copied()
            .unwrap_or_default()
    };
    for _ in 0..SWEEPS {
        let off: f64 = (0..size)
            .flat_map(|i| (0..i).map(move |j| (i, j)))
            .map(|(i, j)| at(&matrix, i, j).powi(2))
            .sum();
        let on: f64 = (0..size).map(|i| at(&matrix, i, i).powi(2)).sum();
        if off <= on * 1e-18 {
            break;
        }
        for low in 0..size {
            for high in low + 1..size {
                let pivot = at(&matrix, low, high);
                if pivot.abs() < f64::MIN_POSITIVE {
                    continue;
                }
                let theta = (at(&matrix, high, high) - at(&matrix, low, low)) / (2.0 * pivot);
                let tangent = theta.signum() / (theta.abs() + theta.hypot(1.0));
                let cosine = 1.0 / tangent.hypot(1.0);
                let turn = Rotation {
                    low,
                    high,
                    cosine,
                    sine: tangent * cosine,
                };
                for row in &mut matrix {
                    turn.columns(row);
                }
                turn.rows(&mut matrix);
                turn.rows(&mut vectors);
            }
        }
    }
    let mut order: Vec<(f64, Vec<f64>)> = vectors
        .into_iter()
        .enumerate()
        .map(|(i, v)| (at(&matrix, i, i), v))
        .collect();
    order.sort_by(|x, y| y.0.total_cmp(&x.0));
    order
        .into_iter()
        .map(|(value, v)| (value as f32, v.into_iter().map(|x| x as f32).collect()))
        .unzip()
}

/// A rotation in the plane of two axes.
struct Rotation {
    low: usize,
    high: usize,
    cosine: f64,
    sine: f64,
}

impl Rotation {
    fn of(&self, x: &mut f64, y: &mut f64) {
        (*x, *y) = (
            self.cosine * *x - self.sine * *y,
            self.sine * *x + self.cosine * *y,
        );
    }

    fn columns(&self, row: &mut [f64]) {
        if let Ok([x, y]) = row.get_disjoint_mut([self.low, self.high]) {
            self.of(x, y);
        }
    }

    fn rows(&self, rows: &mut [Vec<f64>]) {
        if let Ok([x, y]) = rows.get_disjoint_mut([self.low, self.high]) {
            x.iter_mut().zip(y).for_each(|(x, y)| self.of(x, y));
        }
    }
}

/// Returns the leading `rank` right singular vectors as columns of a dense matrix, which has a row
/// for each column of the input. There are fewer if the input has a lower rank.
pub(super) fn right_singular_vectors(rows: &[Row], columns: usize, rank: usize) -> Dense {
    let width = (rank + SURPLUS).min(rows.len()).min(columns);
    let mut random = SplitMix(0x5eed);
    let mut start = Dense::zero(columns, width);
    start.values.iter_mut().for_each(|x| *x = unit(&mut random));
    let mut left = orthonormal(&times(rows, &start));
    for _ in 0..PASSES {
        left = orthonormal(&times(rows, &transposed_times(rows, columns, &left)));
    }
    // In the projected space, the singular vectors are those of Aᵀ·Q.
    let mut all = reorthogonalised(&whitened(&transposed_times(rows, columns, &left)));
    let kept = rank.min(all.width);
    if kept < all.width {
        let narrow = all
            .rows()
            .flat_map(|r| r.iter().take(kept).copied())
            .collect();
        all = Dense {
            width: kept,
            values: narrow,
        };
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_diagonal_is_its_own_decomposition() {
        let rows: Vec<Row> = vec![vec![(0, 3.0)], vec![(1, 2.0)], vec![(2, 1.0)]];
        let v = right_singular_vectors(&rows, 3, 2);
        let size = |row: usize, column: usize| v.row(row)[column].abs();
        assert!(size(0, 0) > 0.999 && size(1, 1) > 0.999, "{v:?}");
        assert!(size(0, 1) < 1e-3 && size(2, 0) < 1e-3);
    }

    #[test]
    fn nothing_has_no_directions() {
        assert_eq!(right_singular_vectors(&[], 5, 3).width, 0);
        assert_eq!(right_singular_vectors(&[vec![]], 5, 3).width, 0);
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: 24,
            failure_persistence: None,
            ..ProptestConfig::default()
        })]
        /// The columns are orthonormal, and projecting on all of them loses nothing.
        #[test]
        fn directions_are_orthonormal_and_enough(
            values in proptest::collection::vec(proptest::collection::vec(-3i8..4, 6), 1..8),
        ) {
            let row = |values: &Vec<i8>| -> Row {
                let filled = (0u32..).zip(values).filter(|(_, value)| **value != 0);
                filled.map(|(column, value)| (column, f32::from(*value))).collect()
            };
            let rows: Vec<Row> = values.iter().map(row).collect();
            let v = right_singular_vectors(&rows, 6, 6);
            for i in 0..v.width {
                for j in 0..v.width {
                    let product: f32 = v.rows().map(|r| r[i] * r[j]).sum();
                    prop_assert!((product - f32::from(u8::from(i == j))).abs() < 2e-2, "{i} {j} {product}");
                }
            }
            for row in &rows {
                let whole: f32 = row.iter().map(|(_, x)| x * x).sum();
                let mut image = vec![0.0; v.width];
                for (c, x) in row { add(&mut image, v.row(*c as usize), *x); }
                let kept = dot(&image, &image);
                prop_assert!((kept - whole).abs() <= 0.05 * whole + 0.05, "{kept} {whole}");
            }
        }
    }
}
