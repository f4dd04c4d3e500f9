// Converters the whole way: what their resolution, range and encoding leave of a network's outputs, at no change in
// time.
#include <doctest/doctest.h>

#include <fmt/format.h>

#include "isa/chip/adc.hpp"
#include "models/zoo/zoo.hpp"
#include "validation/whole/whole.hpp"

using namespace pimento;
using namespace pimento::validation;

namespace {

/// One program under several converters: they are physics, and a program is compiled for all of them.
class Bench {
 public:
  explicit Bench(const std::map<std::string, std::string>& keys = {})
      : chip_(isa::with_values(isa::load_chip("pimcomp-144"), keys)),
        whole_(make_whole(zoo::build("lenet5").graph, chip_, Numerics::quantised)),
        ideal_(simulate(whole_, chip_)) {}

  sim::Result run(const std::string& bits, const std::string& range, bool lockstep = false) {
    const isa::Chip chip = isa::with_values(
        chip_,
        {{"core.crossbar.adc.ideal", "false"}, {"core.crossbar.adc.bits", bits}, {"core.crossbar.adc.range", range}});
    whole_.options.lockstep = lockstep;
    return simulate(whole_, chip);
  }
  double sqnr_db(const sim::Result& result) const { return check(whole_, result).outputs.at(0).sqnr_db.value(); }
  const sim::Result& ideal() const { return ideal_; }

 private:
  isa::Chip chip_;
  Whole whole_;
  sim::Result ideal_;
};

}  // namespace

TEST_CASE("adc: is a network bit for bit the ideal one when every sum has a code, whatever the encoding?") {
  for (const std::string encoding : {"offset", "differential", "flipped"}) {
    CAPTURE(encoding);
    Bench bench({{"core.crossbar.encoding", encoding}});
    const sim::Result result = bench.run(encoding == "flipped" ? "8" : "9", "full_scale");
    CHECK(result.outputs.at(0).bytes == bench.ideal().outputs.at(0).bytes);
    CHECK(result.cycles == bench.ideal().cycles);
  }
}
TEST_CASE("adc: do fewer bits leave less, and does a calibrated range leave more than the full scale?") {
  Bench bench;
  const double ideal = bench.sqnr_db(bench.ideal());
  const double narrow = bench.sqnr_db(bench.run("6", "full_scale"));
  const double narrower = bench.sqnr_db(bench.run("4", "full_scale"));
  const double suited = bench.sqnr_db(bench.run("6", "calibrated"));
  CAPTURE(fmt::format("ideal {}, 6 bits {}, 4 bits {}, 6 bits calibrated {}", ideal, narrow, narrower, suited));
  CHECK(narrower < narrow);
  CHECK(narrow < ideal - 3);
  CHECK(suited > narrow + 3);
}
TEST_CASE("adc: do run-ahead and lock-step give the same values?") {
  Bench bench;
  for (const std::string range : {"full_scale", "calibrated"})
    CHECK(bench.run("5", range).outputs.at(0).bytes == bench.run("5", range, true).outputs.at(0).bytes);
}
TEST_CASE("adc: is a converter too narrow for the full scale named, and no other?") {
  const auto warning = [](const std::string& ideal, const std::string& bits) {
    return isa::narrow_adc(isa::with_values(isa::load_chip("pimcomp-144"),
                                            {{"core.crossbar.adc.ideal", ideal}, {"core.crossbar.adc.bits", bits}}));
  };
  CHECK(warning("false", "8") ==
        "adc-narrow: chip 'pimcomp-144': 128 rows of 2-bit cells under 1-bit inputs sum up to 384, which takes 9 bits, "
        "and "
        "core.crossbar.adc.bits is 8: sums are rounded");
  CHECK_FALSE(warning("false", "9"));
  CHECK_FALSE(warning("true", "8"));
}
