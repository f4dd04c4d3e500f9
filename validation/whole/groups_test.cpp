// Grouped convolutions on crossbars: does a cell hold a weight, or does it hold one of a dense matrix's zeros?
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "compiler/frontend/import.hpp"
#include "validation/whole/whole.hpp"

using namespace pimento;
using namespace pimento::validation;

TEST_CASE("groups: do tiles hold the weights of a grouped or depthwise convolution once each, and nothing else?") {
  int on_crossbars = 0;
  for (const int groups : {1, 2, 4, 8, 256}) {
    const std::int64_t weights = 256 * (256 / groups) * 9;
    // no weight is 0: zeros in a tile would be the matrix's own
    const std::string text = fmt::format(
        "g (float[1,256,5,5] x) => (float[1,256,5,5] y) {{ v = Constant <value_float = 0.25> () "
        "s = Constant <value_ints = [256,{},3,3]> () w = Expand (v, s) y = Conv <group = {}, pads = [1,1,1,1]> (x, w) "
        "}}",
        256 / groups, groups);
    CAPTURE(text);
    CompileOptions options;
    options.windows_per_mvm = 1;  // several are zeros where one of them does not reach
    const Whole whole = make_whole(frontend::import_text(text), isa::load_chip("pimcomp-144"), options);
    std::int64_t cells = 0;
    for (const isa::Tile& tile : whole.compiled.program.tiles) {
      cells += std::int64_t{tile.rows} * tile.cols;
      for (std::size_t i = 0; i < tile.weights.size(); ++i) REQUIRE(tile.weights.data[i] != 0);
    }
    // where vector instructions are sooner done, no crossbar is taken at all
    CHECK((cells == 0 || cells == weights));
    on_crossbars += cells > 0 ? 1 : 0;
  }
  CHECK(on_crossbars >= 2);  // one group and two of them
}
