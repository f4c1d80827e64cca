#include <string>
#include "shape.hpp"

namespace geo::plane {

/// A shape.
class Shape : public Base<int>, private Named {
public:
    Shape(double w, double h) : width_(w), height_(h) {}
    virtual ~Shape() = default;

    /// Its area.
    virtual double area() const noexcept = 0;
    double width() const { return width_; }
    Shape &operator=(const Shape &other);
    operator bool() const { return true; }
    static Shape *make(const std::string &name);

private:
    double width_, height_;
};

enum class Colour : unsigned char { Red, Green };

using Shapes = std::vector<Shape>;

template <typename T, int N = 3>
struct Grid {
    T at(int x, int y) const;
};

// The larger one.
template <typename T>
T larger(const T &a, const T &b) { return a < b ? b : a; }

double Shape::area() const noexcept {
    return helper(width_) * std::max<double>(1, height_);
}

template <typename T, int N>
T Grid<T, N>::at(int x, int y) const { return T{}; }

Shape &Shape::operator=(const Shape &other) { return *this; }

std::string *names() { return nullptr; }

template <typename T>
concept Drawable = requires(T t) { t.draw(); };

const int kLimit = 3;

} // namespace geo::plane

namespace {
int hidden(geo::plane::Shape *shape) { return shape->scale<int>(2); }
}

int main() { return hidden(new geo::plane::Shape(1, 2)); }
