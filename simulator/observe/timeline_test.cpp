#include "simulator/observe/timeline.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <zlib.h>

#include <unistd.h>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "isa/program/random.hpp"
#include "simulator/chip/bench.hpp"
#include "simulator/observe/trace_rules_for_tests.hpp"

using namespace pimento;
using namespace pimento::sim;
using namespace pimento::sim::bench;

namespace {

using Json = nlohmann::json;

struct Observed {
  Result result;
  std::string text;
};

Observed observe(const isa::Program& program, const isa::Chip& chip, Options options, Span span = {},
                 bool compressed = false) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / fmt::format("timeline_test_{}.json", getpid());
  Observed observed;
  write_atomically(file.string(), [&](Output& out) {
    Timeline timeline(out, program, chip, span, compressed);
    options.observer = &timeline;
    observed.result = simulate(program, chip, options);
    timeline.finish(std::string(to_string(observed.result.stop)));
  });
  observed.text = read_file(file.string());
  std::filesystem::remove(file);
  return observed;
}

Options with_values(const isa::Program& program, std::uint64_t seed) {
  Options options;
  options.inputs = inputs_for(program, seed);
  return options;
}

}  // namespace

TEST_CASE("timeline: does it keep the format's rules, without changing the run, for random programs on all chips?") {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const isa::Chip chip = family_chip(seed);
    const isa::Program program = isa::random_program(chip, seed);
    CAPTURE(seed);
    Options options;
    options.timing_only = true;
    const Observed seen = observe(program, chip, options);
    CHECK(broken_rule(seen.text) == "");
    const Result r = simulate(program, chip, options);
    CHECK(r.cycles == seen.result.cycles);
    CHECK(r.instructions == seen.result.instructions);
  }
}

TEST_CASE("timeline: is every instruction there once, with the message's flow from send to receive?") {
  const isa::Program p = program({{"vrelu [0]:i8, [64]:i8, len 16", "send [0], len 16, core 1, tag 1"},
                                  {"recv [0], len 16, core 0, tag 1", "store [0], [0], len 16"}});
  const Observed seen = observe(p, plain_chip(), {});
  const Json events = Json::parse(seen.text)["traceEvents"];
  std::map<std::string, int> slices, phases;
  for (const Json& e : events) {
    ++phases[e["ph"]];
    if (e["ph"] == "X") ++slices[e["cat"]];
  }
  CHECK(slices["vrelu"] == 1);
  CHECK(slices["send"] == 1);
  CHECK(slices["recv"] == 1);
  CHECK(slices["store"] == 2);  // on the core, and on the channel
  CHECK(slices["wait"] >= 1);
  CHECK(phases["s"] == 1);
  CHECK(phases["f"] == 1);
}

TEST_CASE("timeline: does a request of a memory with rows say what its accesses found?") {
  isa::Chip chip = plain_chip();
  chip.global_memory.row_size = 64;
  chip.global_memory.activate_cycles = 3;
  chip.global_memory.precharge_cycles = 5;
  const Observed seen = observe(program({{"load [0], [0], len 96"}}), chip, {});
  const Json events = Json::parse(seen.text)["traceEvents"];
  int requests = 0;
  for (const Json& e : events) {
    if (e["ph"] != "X" || e["pid"] != chip.cores) continue;
    ++requests;
    CHECK(e["args"]["row_hits"] == 4);
    CHECK(e["args"]["row_misses"] == 1);
    CHECK(e["args"]["row_conflicts"] == 1);
  }
  CHECK(requests == 1);
}

TEST_CASE("timeline: does a span hold what touches it, and nothing else?") {
  const isa::Chip chip = family_chip(3);
  const isa::Program program = isa::random_program(chip, 3);
  const Options options = with_values(program, 3);
  const Cycles end = simulate(program, chip, options).cycles;
  const Span span{end / 4, end / 2};
  const Json all = Json::parse(observe(program, chip, options).text)["traceEvents"];
  const Json some = Json::parse(observe(program, chip, options, span).text)["traceEvents"];
  const std::int64_t period = chip.core.clock.period_fs;
  std::size_t expected = 0, found = 0;
  const auto is_slice = [&](const Json& e) {
    return e["ph"] == "X" && e["pid"].get<int>() < chip.cores && e["cat"] != "wait";
  };
  for (const Json& e : all)
    if (is_slice(e) && fs(e["ts"]) < span.to * period && fs(e["ts"]) + fs(e["dur"]) > span.from * period) ++expected;
  for (const Json& e : some) {
    if (!is_slice(e)) continue;
    ++found;
    CHECK(fs(e["ts"]) < span.to * period);
    CHECK(fs(e["ts"]) + fs(e["dur"]) > span.from * period);
  }
  CHECK(expected > 0);
  CHECK(found == expected);
}

TEST_CASE("timeline: is the compressed one the same text?") {
  const isa::Chip chip = family_chip(5);
  const isa::Program program = isa::random_program(chip, 5);
  const Options options = with_values(program, 5);
  const std::string plain = observe(program, chip, options).text;
  const std::string packed = observe(program, chip, options, {}, true).text;
  CHECK(packed.size() < plain.size());
  z_stream stream{};
  REQUIRE(inflateInit2(&stream, 15 + 16) == Z_OK);
  std::string unpacked(plain.size() + 1, '\0');
  std::string input = packed;
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(unpacked.data());
  stream.avail_out = static_cast<uInt>(unpacked.size());
  CHECK(inflate(&stream, Z_FINISH) == Z_STREAM_END);
  inflateEnd(&stream);
  unpacked.resize(plain.size());
  CHECK(unpacked == plain);
}

TEST_CASE("idle cycles: do the reasons and the active cycles add up to the run's, whatever the window and the mode?") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const isa::Chip chip = family_chip(seed);
    const isa::Program program = isa::random_program(chip, seed);
    Options options = with_values(program, seed);
    options.timing_only = seed % 2 == 0;
    const Result r = simulate(program, chip, options);
    CAPTURE(seed);
    for (const CoreResult& c : r.cores) {
      REQUIRE(c.idle);
      const Cycles active = r.cycles - c.idle->sum();
      const UnitCycles* const units[] = {&c.control, &c.scalar, &c.vector, &c.matrix, &c.transfer};
      Cycles busy = 0, most = 0;
      for (const UnitCycles* u : units) busy += u->busy, most = std::max(most, u->busy);
      CHECK(active >= most);
      if (chip.core.window <= 1) CHECK(active == busy);
      for (const Cycles part : {c.idle->receive, c.idle->send, c.idle->memory, c.idle->event, c.idle->latency})
        CHECK(part >= 0);
      if (c.finished) CHECK(c.idle->finished == r.cycles - c.end);
    }
  }
}

TEST_CASE("idle cycles: is a core that waits for a message idle for that reason, cycle by cycle?") {
  // core 1 waits until core 0 has computed and sent
  const isa::Program p = program(
      {{"vrelu [0]:i8, [64]:i8, len 64", "send [0], len 16, core 1, tag 1"}, {"recv [0], len 16, core 0, tag 1"}});
  Options options;
  options.record_contacts = true;
  for (const bool timing_only : {true, false}) {
    options.timing_only = timing_only;
    const Result r = simulate(p, plain_chip(), options);
    const CoreResult& waits = r.cores[1];
    CHECK(waits.idle->receive == r.contacts[1][0].end - waits.transfer.busy);
    CHECK(waits.idle->sum() - waits.idle->finished == waits.idle->receive);
  }
}
