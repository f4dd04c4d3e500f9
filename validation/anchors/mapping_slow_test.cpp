// ctest: slow
// How many crossbars does one copy of every weight take? Published for arrays of 256 x 256 with one cell for a weight
// by Pelke et al., DATE 2024 (CLSA-CIM, arXiv 2401.07671), for convolutions only; recalled, not read (confidence M).
#include <doctest/doctest.h>

#include "compiler/pipeline/compile.hpp"
#include "models/zoo/zoo.hpp"

using namespace pimento;

namespace {

std::int64_t crossbars_of_one_copy(const char* network) {
  const isa::Chip chip = isa::with_values(isa::load_chip("pimcomp-144"), {{"core.crossbar.rows", "256"},
                                                                          {"core.crossbar.cols", "256"},
                                                                          {"core.crossbar.rows_active", "256"},
                                                                          {"core.crossbar.cell_bits", "8"},
                                                                          {"core.crossbar.encoding", "offset"}});
  CompileOptions options;
  options.windows_per_mvm = 1;                           // as the paper maps
  options.calibration.kind = pim::Calibration::min_max;  // the quickest: no value is looked at
  const CompileResult compiled = compile_model(zoo::cached(network) + "/model.onnx", chip, options);
  std::int64_t crossbars = 0;
  for (const isa::Tile& tile : compiled.program.tiles)
    crossbars += std::int64_t{tile.crossbar_rows} * tile.crossbar_cols;
  return crossbars;
}

}  // namespace

TEST_CASE("anchors: does the mapping take the published number of crossbars?") {
  // Fully connected layers are mapped, too: 512 x 1000 weights take 2 * 4 crossbars, 2048 x 1000 8 * 4.
  CHECK(crossbars_of_one_copy("resnet18") == 193 + 8);
  CHECK(crossbars_of_one_copy("resnet50") == 390 + 32);
  // 25088 x 4096, 4096 x 4096 and 4096 x 1000
  CHECK(crossbars_of_one_copy("vgg16") == 233 + 98 * 16 + 16 * 16 + 16 * 4);
  CHECK(crossbars_of_one_copy("vgg19") == 314 + 98 * 16 + 16 * 16 + 16 * 4);
}
