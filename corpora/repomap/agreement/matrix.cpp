#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace algebra {

enum class Order { Rows, Columns };

struct Size {
    std::size_t rows;
    std::size_t columns;

    bool is_square() const { return rows == columns; }
};

class Matrix {
public:
    Matrix(std::size_t rows, std::size_t columns);
    ~Matrix();

    double at(std::size_t row, std::size_t column) const;
    void set(std::size_t row, std::size_t column, double value);

    Size size() const {
        return Size{rows_, columns_};
    }

private:
    std::size_t index(std::size_t row, std::size_t column) const;

    std::size_t rows_;
    std::size_t columns_;
    std::vector<double> values_;
};

Matrix::Matrix(std::size_t rows, std::size_t columns) : rows_(rows), columns_(columns), values_(rows * columns) {}

Matrix::~Matrix() {}

double Matrix::at(std::size_t row, std::size_t column) const {
    return values_[index(row, column)];
}

void Matrix::set(std::size_t row, std::size_t column, double value) {
    values_[index(row, column)] = value;
}

std::size_t Matrix::index(std::size_t row, std::size_t column) const {
    if (row >= rows_ || column >= columns_) {
        throw std::out_of_range("no such cell");
    }
    return row * columns_ + column;
}

template <typename T>
T clamp(T value, T low, T high) {
    return value < low ? low : value > high ? high : value;
}

class Printer {
public:
    virtual ~Printer() {}
    virtual std::string print(const Matrix &matrix) const = 0;
};

class CsvPrinter : public Printer {
public:
    std::string print(const Matrix &matrix) const override {
        std::string out;
        for (std::size_t row = 0; row < matrix.size().rows; ++row) {
            out += line(matrix, row);
        }
        return out;
    }

private:
    static std::string line(const Matrix &matrix, std::size_t row) {
        return std::to_string(matrix.at(row, 0)) + "\n";
    }
};

Matrix identity(std::size_t size) {
    Matrix out(size, size);
    for (std::size_t n = 0; n < size; ++n) {
        out.set(n, n, 1.0);
    }
    return out;
}

static double trace(const Matrix &matrix) {
    double sum = 0;
    for (std::size_t n = 0; n < matrix.size().rows; ++n) {
        sum += matrix.at(n, n);
    }
    return sum;
}

}  // namespace algebra

int main() {
    return algebra::trace(algebra::identity(3)) == 3 ? 0 : 1;
}
