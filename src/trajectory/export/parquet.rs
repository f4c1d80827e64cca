//! Writes a table as an Apache Parquet file.
//!
//! Rows are kept by column until they fill a row group. Memory therefore holds one row group, and
//! the place of each finished one.

use super::table::{Cell, Column, ColumnType};
use parquet::basic::{Compression, LogicalType, Repetition, Type as PhysicalType, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;
use std::fmt;
use std::io::{self, Write};
use std::sync::Arc;

/// Maximum number of rows in a row group.
const GROUP_ROWS: usize = 1 << 16;
/// Bytes of text that end a row group.
const GROUP_BYTES: usize = 16 << 20;

/// Writes rows to a Parquet file. Only [`Self::finish`] makes the file readable.
pub struct ParquetWriter<'o> {
    file: SerializedFileWriter<&'o mut (dyn Write + Send)>,
    /// The rows of the next row group: the table's name, then its columns.
    columns: Vec<PendingColumn>,
    /// Name of the table.
    table: Cell,
    rows: usize,
    /// Bytes of text in the rows.
    bytes: usize,
}

impl fmt::Debug for ParquetWriter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ParquetWriter")
            .field("table", &self.table)
            .field("rows", &self.rows)
            .finish_non_exhaustive()
    }
}

impl<'o> ParquetWriter<'o> {
    /// Starts a file with the columns of a table.
    ///
    /// # Errors
    /// When writing fails.
    pub fn new(
        out: &'o mut (dyn Write + Send),
        table: &str,
        columns: &[Column],
    ) -> io::Result<Self> {
        let columns: Vec<PendingColumn> = std::iter::once(&Column::TABLE)
            .chain(columns)
            .map(|column| PendingColumn::new(*column))
            .collect();
        Ok(Self {
            file: start(out, &columns).map_err(io_error)?,
            columns,
            table: Cell::Text(table.to_owned()),
            rows: 0,
            bytes: 0,
        })
    }

    /// Adds a row with one cell per column of the table.
    ///
    /// # Errors
    /// When writing fails, or the row doesn't fit the columns.
    pub fn write(&mut self, row: &[Cell]) -> io::Result<()> {
        if row.len() + 1 != self.columns.len() {
            return Err(io::Error::other("a row has another number of columns"));
        }
        for (column, cell) in self
            .columns
            .iter_mut()
            .zip(std::iter::once(&self.table).chain(row))
        {
            self.bytes += column.push(cell)?;
        }
        self.rows += 1;
        if self.rows >= GROUP_ROWS || self.bytes >= GROUP_BYTES {
            self.end_group().map_err(io_error)?;
        }
        Ok(())
    }

    /// Writes the remaining rows and the footer.
    ///
    /// # Errors
    /// When writing fails.
    pub fn finish(mut self) -> io::Result<()> {
        if self.rows > 0 {
            self.end_group().map_err(io_error)?;
        }
        self.file.finish().map(drop).map_err(io_error)
    }

    /// Writes the rows as a row group.
    fn end_group(&mut self) -> Result<(), ParquetError> {
        let mut group = self.file.next_row_group()?;
        for column in &mut self.columns {
            let Some(mut writer) = group.next_column()? else {
                return Err(ParquetError::General("a column is missing".to_owned()));
            };
            column.write(&mut writer)?;
            writer.close()?;
        }
        group.close()?;
        self.rows = 0;
        self.bytes = 0;
        Ok(())
    }
}

fn start<'o>(
    out: &'o mut (dyn Write + Send),
    columns: &[PendingColumn],
) -> Result<SerializedFileWriter<&'o mut (dyn Write + Send)>, ParquetError> {
    let fields = columns
        .iter()
        .map(|pending| pending.column.field().map(Arc::new))
        .collect::<Result<_, _>>()?;
    let schema = Type::group_type_builder("schema")
        .with_fields(fields)
        .build()?;
    // Statistics and offsets of pages would stay in memory until the end of the file.
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_offset_index_disabled(true)
        .build();
    SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties))
}

impl Column {
    fn field(self) -> Result<Type, ParquetError> {
        let (physical, logical) = match self.value_type {
            ColumnType::Text => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String)),
            ColumnType::Whole => (PhysicalType::INT64, None),
            ColumnType::Number => (PhysicalType::DOUBLE, None),
        };
        Type::primitive_type_builder(self.name, physical)
            .with_logical_type(logical)
            .with_repetition(if self.is_optional {
                Repetition::OPTIONAL
            } else {
                Repetition::REQUIRED
            })
            .build()
    }
}

/// Values of a column that aren't written yet.
struct PendingColumn {
    column: Column,
    values: Values,
    /// For each row 1 if it has a value, otherwise 0. Unused unless the column is optional.
    levels: Vec<i16>,
}

enum Values {
    /// Texts without gaps, and where each ends.
    Text {
        bytes: Vec<u8>,
        ends: Vec<usize>,
    },
    Whole(Vec<i64>),
    Number(Vec<f64>),
}

impl PendingColumn {
    const fn new(column: Column) -> Self {
        Self {
            column,
            values: match column.value_type {
                ColumnType::Text => Values::Text {
                    bytes: Vec::new(),
                    ends: Vec::new(),
                },
                ColumnType::Whole => Values::Whole(Vec::new()),
                ColumnType::Number => Values::Number(Vec::new()),
            },
            levels: Vec::new(),
        }
    }

    /// Adds a cell. Returns the bytes of its text.
    fn push(&mut self, cell: &Cell) -> io::Result<usize> {
        let mut size = 0;
        let mut has_value = true;
        match (&mut self.values, cell) {
            (Values::Text { bytes, ends }, Cell::Text(text)) => {
                size = text.len();
                bytes.extend_from_slice(text.as_bytes());
                ends.push(bytes.len());
            }
            (Values::Whole(values), Cell::Whole(n)) => values.push(*n),
            (Values::Number(values), Cell::Number(n)) if n.is_finite() => values.push(*n),
            // As in JSON, a number that isn't finite is no value.
            (Values::Number(_), Cell::Number(_)) | (_, Cell::Empty) if self.column.is_optional => {
                has_value = false;
            }
            (Values::Text { .. } | Values::Whole(_) | Values::Number(_), _) => {
                let name = self.column.name;
                return Err(io::Error::other(format!(
                    "a cell doesn't fit the column `{name}`"
                )));
            }
        }
        if self.column.is_optional {
            self.levels.push(i16::from(has_value));
        }
        Ok(size)
    }

    /// Writes the values and removes them.
    fn write(&mut self, out: &mut SerializedColumnWriter<'_>) -> Result<(), ParquetError> {
        let levels = self.column.is_optional.then_some(&*self.levels);
        match &mut self.values {
            Values::Text { bytes, ends } => {
                let texts = ByteArray::from(std::mem::take(bytes));
                let mut start = 0;
                let mut values = Vec::with_capacity(ends.len());
                for end in ends.drain(..) {
                    values.push(texts.slice(start, end - start));
                    start = end;
                }
                out.typed::<ByteArrayType>()
                    .write_batch(&values, levels, None)?;
            }
            Values::Whole(values) => {
                out.typed::<Int64Type>().write_batch(values, levels, None)?;
                values.clear();
            }
            Values::Number(values) => {
                out.typed::<DoubleType>()
                    .write_batch(values, levels, None)?;
                values.clear();
            }
        }
        self.levels.clear();
        Ok(())
    }
}

/// Recovers the error of the output, whose kind says whether a pipe was closed.
fn io_error(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(error) => match error.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(error) => io::Error::other(error),
        },
        error => io::Error::other(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::file::reader::{FileReader as _, SerializedFileReader};
    use parquet::record::Field;

    const fn column(name: &'static str, value_type: ColumnType, is_optional: bool) -> Column {
        Column {
            name,
            value_type,
            is_optional,
        }
    }

    /// Columns of each type, with and without empty cells.
    const COLUMNS: [Column; 6] = [
        column("text", ColumnType::Text, false),
        column("optional_text", ColumnType::Text, true),
        column("whole", ColumnType::Whole, false),
        column("optional_whole", ColumnType::Whole, true),
        column("number", ColumnType::Number, false),
        column("optional_number", ColumnType::Number, true),
    ];

    fn row(n: usize, text: &str) -> Vec<Cell> {
        let whole = i64::try_from(n).unwrap();
        let number = f64::from(u32::try_from(n).unwrap()) / 4.0;
        let optional = |cell| {
            if n.is_multiple_of(3) {
                Cell::Empty
            } else {
                cell
            }
        };
        vec![
            Cell::Text(format!("{text}{n}")),
            optional(Cell::Text(n.to_string())),
            Cell::Whole(whole),
            optional(Cell::Whole(-whole)),
            Cell::Number(number),
            optional(Cell::Number(-number)),
        ]
    }

    /// Writes rows. Returns the bytes of the file.
    fn file(rows: impl Iterator<Item = Vec<Cell>>) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut writer = ParquetWriter::new(&mut bytes, "t", &COLUMNS).unwrap();
        rows.for_each(|row| writer.write(&row).unwrap());
        writer.finish().unwrap();
        bytes
    }

    fn reader(bytes: Vec<u8>) -> (tempfile::NamedTempFile, SerializedFileReader<std::fs::File>) {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), bytes).unwrap();
        let reader = SerializedFileReader::new(file.reopen().unwrap()).unwrap();
        (file, reader)
    }

    /// Reads the rows, and the number of rows in each row group.
    fn read(bytes: Vec<u8>) -> (Vec<Vec<Cell>>, Vec<i64>) {
        let (_file, reader) = reader(bytes);
        let groups = reader.metadata().row_groups().iter();
        let groups = groups.map(|group| group.num_rows()).collect();
        let rows = reader.get_row_iter(None).unwrap();
        let rows = rows.map(|row| {
            let cells = row.unwrap().into_columns().into_iter();
            let cells = cells.map(|(_, field)| match field {
                Field::Null => Cell::Empty,
                Field::Str(text) => Cell::Text(text),
                Field::Long(n) => Cell::Whole(n),
                Field::Double(n) => Cell::Number(n),
                other => panic!("{other:?}"),
            });
            cells.skip(1).collect()
        });
        (rows.collect(), groups)
    }

    #[test]
    fn rows_of_all_groups_are_read_back() {
        let rows = || (0..2 * GROUP_ROWS + 7).map(|n| row(n, ""));
        let (read, groups) = read(file(rows()));
        let full = i64::try_from(GROUP_ROWS).unwrap();
        assert_eq!(groups, [full, full, 7]);
        assert_eq!(read.len(), 2 * GROUP_ROWS + 7);
        for (read, row) in read.iter().zip(rows()) {
            assert_eq!(read, &row);
        }
    }

    #[test]
    fn long_texts_end_a_group() {
        let long = "x".repeat(GROUP_BYTES / 4);
        let (read, groups) = read(file((0..9).map(|n| row(n, &long))));
        assert_eq!(groups, [4, 4, 1]);
        assert!(read.into_iter().eq((0..9).map(|n| row(n, &long))));
    }

    #[test]
    fn a_file_without_rows_has_columns() {
        let bytes = file(std::iter::empty());
        let (_file, reader) = reader(bytes);
        let schema = reader.metadata().file_metadata().schema();
        let names: Vec<&str> = schema.get_fields().iter().map(|f| f.name()).collect();
        let all = std::iter::once(&Column::TABLE).chain(&COLUMNS);
        assert_eq!(names, all.map(|c| c.name).collect::<Vec<_>>());
        assert_eq!(reader.metadata().num_row_groups(), 0);
    }

    #[test]
    fn a_number_that_is_not_finite_is_empty() {
        let mut with = row(1, "");
        with[5] = Cell::Number(f64::INFINITY);
        let (read, _) = read(file(std::iter::once(with)));
        assert_eq!(read[0][5], Cell::Empty);
    }

    #[test]
    fn cells_that_do_not_fit_are_refused() {
        let mut missing = row(1, "");
        missing[0] = Cell::Empty;
        let mut other = row(1, "");
        other[3] = Cell::Text("1".into());
        let short = row(1, "")[..5].to_vec();
        for unfit in [missing, other, short] {
            let mut bytes = Vec::new();
            let mut writer = ParquetWriter::new(&mut bytes, "t", &COLUMNS).unwrap();
            assert!(writer.write(&unfit).is_err(), "{unfit:?}");
        }
    }

    /// An output that fails as a closed pipe does.
    struct ClosedPipe;

    impl Write for ClosedPipe {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
    }

    #[test]
    fn the_error_of_the_output_keeps_its_kind() {
        let (mut pipe, mut other_pipe) = (ClosedPipe, ClosedPipe);
        let mut writer = ParquetWriter::new(&mut pipe, "t", &COLUMNS).unwrap();
        let written = (0..2 * GROUP_ROWS).try_for_each(|n| writer.write(&row(n, "")));
        assert_eq!(written.unwrap_err().kind(), io::ErrorKind::BrokenPipe);
        let writer = ParquetWriter::new(&mut other_pipe, "t", &COLUMNS).unwrap();
        let finished = writer.finish();
        assert_eq!(finished.unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    }
}
