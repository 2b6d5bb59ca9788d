// Licence.
#include <string>
#include <vector>
using namespace std;
using std::string;

#define CHECK(x) if (!(x)) fail(#x)

namespace limits {

/// How many.
constexpr int LIMIT = 100;
inline const std::string größe = "🎉";

template <typename T> class Forward;

/// A shape.
class Shape {
public:
    /// Makes one.
    explicit Shape(int sides) : sides_(sides) {}
    Shape() = default;
    Shape(const Shape&) = delete;
    virtual ~Shape();
    /// Its area.
    virtual double area() const = 0;
    bool operator==(const Shape& other) const { return sides_ == other.sides_; }
    operator bool() const { return sides_ > 0; }
    static Shape make(int n);
    friend std::ostream& operator<<(std::ostream& out, const Shape& s);
    int* data() { return nullptr; }
    const std::vector<int>& all() const noexcept override { return all_; }

    enum class Kind : char { Round, Flat };
    struct Nested { int a; };
    using Pointer = Shape*;

protected:
    int sides_ = 0;
    std::vector<int> all_, more_;
    static constexpr int MAX = 3;
};

/** Holds one. */
template <typename T, int N = 3>
requires std::integral<T>
class Box final : public Shape, private Base<T> {
    T value[N];
    template <class U> U as() const { return U(value[0]); }
    T& operator[](int i) { return value[i]; }
};

template <> class Box<int, 1> { };

template <typename T>
concept Addable = requires(T a) { a + a; };

/// Takes the largest.
template <typename T>
T largest(T a, T b) { return a > b ? a : b; }

auto twice = [](int a) { return a * 2; };

namespace detail { void hidden() {} }
namespace a::b { int deep(); }
namespace { int anonymous() { return 1; } }
inline namespace v1 { struct V {}; }

}  // namespace limits

limits::Shape::~Shape() {}

double limits::Shape::area() const { return 0; }

template <typename T>
std::vector<T> limits::Box<T>::items(int n) { return {}; }

bool operator<(const limits::Shape& a, const limits::Shape& b) { return false; }

auto trailing(int a) -> std::vector<int> { return {}; }

std::unique_ptr<int> pointer(std::string& s);

typedef std::vector<int> Numbers;
enum Old { ONE, TWO };
int counter = 0, *pointer_to;
union U { int i; float f; };
struct Plain { int x; Plain(int x) : x(x) {} };

extern "C" {
int c_function(int a);
void c_body(void) {}
}

TEST(ShapeTest, IsRound) { EXPECT_TRUE(true); }

TEST_CASE("shapes are round", "[shape]") {
    SECTION("and flat") { REQUIRE(true); }
}

int main(int argc, char** argv) {
    auto local = [&](int x) { return x + argc; };
    struct Local { void go() {} };
    return local(1);
}
