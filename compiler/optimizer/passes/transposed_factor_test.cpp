#include "compiler/optimizer/pass_for_tests.hpp"

using namespace pimento::optimizer;

namespace {
bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
const std::string pass = "transposed-factor";
}  // namespace

TEST_CASE("transposed-factor: does a product read rows of keys as they are?") {
  const std::string text = changes(pass,
                                   "graph g (%q : f32[2,1,4], %k : f32[2,5,4]) {\n"
                                   "  %t = transpose %k {perm = [0, 2, 1]} : f32[2,4,5] from \"t\"\n"
                                   "  %y = matmul %q, %t : f32[2,1,5] from \"y\"\n  return %y\n}",
                                   1, 1e-6);
  CHECK(holds(text, "%y = matmul_nt %q, %k : f32[2,1,5] from \"t+y\""));
  CHECK_FALSE(holds(text, "transpose"));
}
TEST_CASE("transposed-factor: what is left of a transposition that splits heads as well?") {
  CHECK(holds(changes(pass,
                      "graph g (%q : f32[1,2,1,4], %k : f32[1,5,8]) {\n"
                      "  %t = rearrange %k {perm = [0, 2, 3, 1], shape = [1, 2, 4, 5], split = [1, 5, 2, 4]} : "
                      "f32[1,2,4,5] from \"t\"\n"
                      "  %y = matmul %q, %t : f32[1,2,1,5] from \"y\"\n  return %y\n}",
                      1, 1e-6),
              "%t = rearrange %k {perm = [0, 2, 1, 3], shape = [1, 2, 5, 4], split = [1, 5, 2, 4]} : f32[1,2,5,4]"));
  CHECK(holds(changes(pass,
                      "graph g (%q : f32[2,1,4], %k : f32[5,2,4]) {\n"
                      "  %t = transpose %k {perm = [1, 2, 0]} : f32[2,4,5] from \"t\"\n"
                      "  %y = matmul %q, %t : f32[2,1,5] from \"y\"\n  return %y\n}",
                      1, 1e-6),
              "%t = transpose %k {perm = [1, 0, 2]} : f32[2,5,4]"));
}
TEST_CASE("transposed-factor: what stays as it is?") {
  const std::string head = "graph g (%q : f32[2,1,4], %k : f32[2,5,4]) {\n";
  const std::string turned = "  %t = transpose %k {perm = [0, 2, 1]} : f32[2,4,5] from \"t\"\n";
  const std::string product = "  %y = matmul %q, %t : f32[2,1,5] from \"y\"\n";
  unchanged(pass, head + turned + product + "  return %y, %t\n}");  // it has another reader
  unchanged(pass, "graph g (%q : f32[2,3,4], %k : f32[2,5,4]) {\n" + turned +
                      "  %y = matmul %q, %t : f32[2,3,5] from \"y\"\n  return %y\n}");  // many rows
  unchanged(pass,
            "graph g (%q : f32[2,1,4], %k : f32[4,2,5]) {\n  %t = transpose %k {perm = [1, 0, 2]} : f32[2,4,5] from "
            "\"t\"\n" +
                product + "  return %y\n}");  // its rows are rows already
  unchanged(pass,
            "graph g (%q : f32[2,1,4], %k : f32[10,4]) {\n  %t = rearrange %k {perm = [1, 0], shape = [2, 4, 5], split "
            "= [10, 4]} : f32[2,4,5] from \"t\"\n" +
                product + "  return %y\n}");  // split elsewhere
}
