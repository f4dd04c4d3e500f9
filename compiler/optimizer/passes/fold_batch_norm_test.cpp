#include "compiler/optimizer/pass_for_tests.hpp"

using namespace pimento::optimizer;

namespace {

constexpr double rounding = 1e-5;  // each weight is rounded once more

/// A contraction, its normalisation over two channels, then `rest`.
std::string normalised(const std::string& input, const std::string& weight, const std::string& contraction,
                       const std::string& shape, const std::string& rest) {
  return "graph g (%x : " + input + ") {\n  @w : " + weight +
         R"(
  @scale : f32[2] = [2.0, 0.5]
  @shift : f32[2] = [1.0, -1.0]
  @mean : f32[2] = [0.25, 4.0]
  @var : f32[2] = [1.0, 3.0]
  %c = )" +
         contraction + " : " + shape +
         " from \"conv\"\n  %y = batch_norm %c, @scale, @shift, @mean, @var {epsilon = 0.00001} : " + shape +
         " from \"norm\"\n" + rest + "}";
}
const std::string eight = "[1.0, 2.0, 3.0, 4.0, -5.0, 6.0, 7.0, 8.0]";
const std::string window = "dilations = [1, 1], group = 1, pads = [0, 0, 0, 0], strides = [1, 1]";

}  // namespace

TEST_CASE("fold-batch-norm: does it move into a convolution?") {
  const std::string text = changes("fold-batch-norm",
                                   normalised("f32[1,1,3,3]", "f32[2,1,2,2] = " + eight, "conv %x, @w {" + window + "}",
                                              "f32[1,2,2,2]", "  return %y\n"),
                                   1, rounding);
  CHECK(text.find("batch_norm") == std::string::npos);
  CHECK(text.find("from \"conv+norm\"") != std::string::npos);
}
TEST_CASE("fold-batch-norm: and into one with a bias, a transposed one in groups, and matrix products both ways?") {
  changes("fold-batch-norm",
          normalised("f32[1,1,3,3]", "f32[2,1,2,2] = " + eight + "\n  @b : f32[2] = [3.0, -2.0]",
                     "conv %x, @w, @b {" + window + "}", "f32[1,2,2,2]", "  return %y\n"),
          1, rounding);
  changes(
      "fold-batch-norm",
      normalised("f32[1,2,2,2]", "f32[2,1,2,2] = " + eight,
                 "conv_transpose %x, @w {dilations = [1, 1], group = 2, output_padding = [0, 0], pads = [0, 0, 0, 0], "
                 "strides = [1, 1]}",
                 "f32[1,2,3,3]", "  return %y\n"),
      1, rounding);
  for (const std::string flag : {"0", "1"})
    changes(
        "fold-batch-norm",
        normalised("f32[3,4]", (flag == "0" ? "f32[4,2] = " : "f32[2,4] = ") + eight + "\n  @b : f32[2] = [3.0, -2.0]",
                   "gemm %x, @w, @b {alpha = 0.5, beta = 2.0, trans_a = 0, trans_b = " + flag + "}", "f32[3,2]",
                   "  return %y\n"),
        1, rounding);
}
TEST_CASE("fold-batch-norm: does a second reader of the convolution stop it?") {
  unchanged("fold-batch-norm",
            normalised("f32[1,1,3,3]", "f32[2,1,2,2] = " + eight, "conv %x, @w {" + window + "}", "f32[1,2,2,2]",
                       "  %z = relu %c : f32[1,2,2,2] from \"z\"\n  return %y, %z\n"));
}
TEST_CASE("fold-batch-norm: do weights that are computed stop it?") {
  unchanged("fold-batch-norm", normalised("f32[1,1,3,3], %v : f32[2,1,2,2]", "f32[1] = [0.0]",
                                          "conv %x, %v {" + window + "}", "f32[1,2,2,2]", "  return %y\n"));
}
TEST_CASE("fold-batch-norm: does a variance without a root stop it?") {
  std::string text = normalised("f32[1,1,3,3]", "f32[2,1,2,2] = " + eight, "conv %x, @w {" + window + "}",
                                "f32[1,2,2,2]", "  return %y\n");
  text.replace(text.find("[1.0, 3.0]"), 10, "[1.0, -9.0]");
  unchanged("fold-batch-norm", text);
}
