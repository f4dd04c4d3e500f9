#include <fmt/format.h>

#include "compiler/optimizer/pass_for_tests.hpp"

using namespace pimento::optimizer;

namespace {
std::string three(const std::string& whole, const std::string& split, const std::string& perm,
                  const std::string& permuted, const std::string& rest = "  return %y\n") {
  return fmt::format(
      "graph g (%x : f32[{0}]) {{\n  %s = reshape %x {{shape = [{1}]}} : f32[{1}] from \"s\"\n"
      "  %t = transpose %s {{perm = [{2}]}} : f32[{3}] from \"t\"\n"
      "  %y = reshape %t {{shape = [{0}]}} : f32[{0}] from \"y\"\n{4}}}",
      whole, split, perm, permuted, rest);
}
bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
}  // namespace

TEST_CASE("join-shuffles: is a channel shuffle one gather, from every second channel?") {
  const std::string text = changes("join-shuffles", three("1,6,2,2", "1,2,3,2,2", "0, 2, 1, 3, 4", "1,3,2,2,2"), 1);
  // channel c of the result is factor c / 2 of half c % 2
  CHECK(holds(text, ": i64[6] = [0, 3, 1, 4, 2, 5]"));
  CHECK(holds(text, "%y = gather %x, @y_from {axis = 1} : f32[1,6,2,2] from \"s+t+y\""));
}
TEST_CASE("join-shuffles: which other splits move along one dimension?") {
  CHECK(holds(changes("join-shuffles", three("2,2,12", "2,2,2,3,2", "0, 1, 4, 3, 2", "2,2,2,3,2"), 1), "axis = 2"));
  CHECK(holds(changes("join-shuffles", three("4,3", "2,2,3,1", "1, 0, 3, 2", "2,2,1,3"), 1), "axis = 0"));
  CHECK(holds(changes("join-shuffles", three("4,1,6", "4,1,1,2,3", "0, 2, 4, 1, 3", "4,1,3,1,2"), 1), "axis = 2"));
}
TEST_CASE("join-shuffles: what stays as it is?") {
  unchanged("join-shuffles", three("1,4,2", "1,2,2,2", "0, 2, 3, 1", "1,2,2,2"));  // channels mix with pixels
  unchanged("join-shuffles", three("4,4", "2,2,2,2", "1, 0, 3, 2", "2,2,2,2"));    // two dimensions move
  unchanged("join-shuffles", three("4,6", "2,2,2,3", "0, 1, 2, 3", "2,2,2,3"));    // none moves
  unchanged("join-shuffles", three("4,6", "3,8", "1, 0", "8,3"));                  // no split of 4 and 6
  unchanged("join-shuffles", three("1,6", "1,2,3", "0, 2, 1", "1,3,2", "  return %y, %t\n"));  // %t has another reader
}
