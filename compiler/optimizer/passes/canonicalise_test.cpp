#include "compiler/optimizer/pass_for_tests.hpp"

using namespace pimento::optimizer;

namespace {
bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
}  // namespace

TEST_CASE("canonicalise: does a constant stand second, and a difference become a sum?") {
  const std::string text = changes("canonicalise", R"(graph g (%x : f32[3]) {
  @k : f32[3] = [1.5, -0.0, 3.0]
  %a = mul @k, %x : f32[3] from "a"
  %y = sub %a, @k : f32[3] from "y"
  return %y
})",
                                   2);
  CHECK(holds(text, "= mul %x, @k"));
  CHECK(holds(text, "[-1.5, 0.0, -3.0]"));
}
TEST_CASE("canonicalise: does an integer difference stay?") {
  unchanged("canonicalise", R"(graph g (%x : i32[2]) {
  @k : i32[2] = [1, 2]
  %y = sub %x, @k : i32[2] from "y"
  return %y
})");
}
TEST_CASE("canonicalise: which clips are a relu?") {
  CHECK(holds(changes("canonicalise", R"(graph g (%x : f32[2]) {
  %y = clip %x {min = 0.0} : f32[2] from "y"
  return %y
})",
                      1),
              "%y = relu %x"));
  unchanged("canonicalise", R"(graph g (%x : f32[2]) {
  %y = clip %x {max = 6.0, min = 0.0} : f32[2] from "y"
  return %y
})");
  unchanged("canonicalise", R"(graph g (%x : f32[2]) {
  %y = clip %x {min = 1.0} : f32[2] from "y"
  return %y
})");
}

namespace {
std::string convolution(const std::string& shape, const std::string& values, const std::string& rest) {
  return "graph g (%x : f32[1,1,3,3]) {\n  @w : f32[2,1,2,2] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]\n  @k : " +
         shape + " = " + values +
         "\n  %c = conv %x, @w {dilations = [1, 1], group = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : f32[1,2,2,2] "
         "from \"c\"\n" +
         "  %y = add %c, @k : f32[1,2,2,2] from \"a\"\n" + rest + "}";
}
}  // namespace

TEST_CASE("canonicalise: is a constant per channel the convolution's bias?") {
  const std::string text = changes("canonicalise", convolution("f32[2,1,1]", "[0.5, 0.25]", "  return %y\n"), 1);
  CHECK(holds(text, "%y = conv %x, @w, @k"));
  CHECK(holds(text, "from \"c+a\""));
  CHECK(holds(text, ": f32[2] = [0.5, 0.25]"));
}
TEST_CASE("canonicalise: what keeps a constant out of the bias?") {
  unchanged("canonicalise",
            convolution("f32[1,2]", "[0.5, 0.25]", "  return %y\n"));  // varies along the last dimension
  unchanged("canonicalise",
            convolution("f32[2,1,1]", "[0.5, 0.25]", "  return %y, %c\n"));  // the sum has a second reader
}
TEST_CASE("canonicalise: is a matrix product plus a constant a gemm?") {
  const std::string text = changes("canonicalise", R"(graph g (%x : f32[2,2]) {
  @w : f32[2,3] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
  @k : f32[3] = [0.5, 0.25, 8.0]
  %p = matmul %x, @w : f32[2,3] from "p"
  %y = add @k, %p : f32[2,3] from "y"
  return %y
})",
                                   2);  // the constant moves first
  CHECK(holds(text, "%y = gemm %x, @w, @k {alpha = 1.0, beta = 1.0, trans_a = 0, trans_b = 0}"));
}
TEST_CASE("canonicalise: does a batched product stay?") {
  unchanged("canonicalise", R"(graph g (%x : f32[1,2,2]) {
  @w : f32[2,3] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
  @k : f32[3] = [0.5, 0.25, 8.0]
  %p = matmul %x, @w : f32[1,2,3] from "p"
  %y = add %p, @k : f32[1,2,3] from "y"
  return %y
})");
}

TEST_CASE("canonicalise: is a reshape of a reshape one?") {
  const std::string text = changes("canonicalise", R"(graph g (%x : f32[2,3]) {
  %a = reshape %x {shape = [6]} : f32[6] from "a"
  %b = reshape %a {shape = [3, 2]} : f32[3,2] from "b"
  %y = relu %b : f32[3,2] from "y"
  return %y
})",
                                   1);
  CHECK(holds(text, "%b = reshape %x {shape = [3, 2]}"));
}

namespace {
std::string padded(const std::string& pads, const std::string& mode, const std::string& shape) {
  return "graph g (%x : f32[1,1,3,3]) {\n  @w : f32[1,1,2,2] = [1.0, 2.0, 3.0, 4.0]\n  %p = pad %x {mode = \"" + mode +
         "\", pads = " + pads + ", value = 0.0} : " + shape +
         " from \"p\"\n  %y = conv %p, @w {dilations = [1, 1], group = 1, pads = [0, 0, 0, 0], strides = [2, 1]} : "
         "f32[1,1,2,3] "
         "from \"c\"\n  return %y\n}";
}
}  // namespace

TEST_CASE("canonicalise: are zeros padded before a convolution its own padding?") {
  const std::string text = changes("canonicalise", padded("[0, 0, 1, 0, 0, 0, 1, 1]", "constant", "f32[1,1,5,4]"), 1);
  CHECK(holds(text, "pads = [1, 0, 1, 1]"));
  CHECK(holds(text, "from \"p+c\""));
  unchanged("canonicalise", padded("[0, 0, 1, 0, 0, 0, 1, 1]", "edge", "f32[1,1,5,4]"));
  unchanged("canonicalise", padded("[0, 0, 2, 1, 0, 0, -1, 0]", "constant", "f32[1,1,4,4]"));
}
TEST_CASE("canonicalise: is a transposition that only moves extents of 1 a reshape?") {
  const auto graph = [](const std::string& from, const std::string& perm, const std::string& to) {
    return "graph g (%x : f32[" + from + "]) {\n  %y = transpose %x {perm = [" + perm + "]} : f32[" + to +
           "] from \"t\"\n  return %y\n}";
  };
  CHECK(changes("canonicalise", graph("1,1,4,8", "0, 2, 1, 3", "1,4,1,8"), 1)
            .find("%y = reshape %x {shape = [1, 4, 1, 8]} : f32[1,4,1,8] from \"t\"") != std::string::npos);
  unchanged("canonicalise", graph("1,2,4,8", "0, 2, 1, 3", "1,4,2,8"));
  unchanged("canonicalise", graph("1,4,1,8", "3, 2, 1, 0", "8,1,4,1"));
}
