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

/// Microseconds to femtoseconds: what the document says exactly, a double holds exactly enough here.
std::int64_t fs(const Json& us) { return std::llround(us.get<double>() * 1e9); }

/// "" or the first broken rule of the trace event format: fields of each phase, slices of one track that are apart or
/// inside each other, flows that begin and end once, in that order, inside a slice.
std::string broken_rule(const std::string& text) {
  const Json document = Json::parse(text, nullptr, false);
  if (document.is_discarded() || !document.contains("traceEvents")) return "not a document of trace events";
  using Slice = std::pair<std::int64_t, std::int64_t>;
  std::map<std::pair<int, int>, std::vector<Slice>> tracks;
  std::map<std::string, std::map<char, std::pair<std::pair<int, int>, std::int64_t>>> flows;
  for (const Json& e : document["traceEvents"]) {
    const std::string phase = e.at("ph");
    if (!e.at("pid").is_number_integer() || !e.at("name").is_string()) return "event without process or name";
    if (phase == "M") continue;
    if (!e.at("tid").is_number_integer() || !e.at("ts").is_number()) return "event without thread or time";
    const std::pair track{e["pid"].get<int>(), e["tid"].get<int>()};
    const std::int64_t start = fs(e["ts"]);
    if (phase == "X") {
      if (fs(e.at("dur")) < 0) return "negative duration";
      tracks[track].push_back({start, start + fs(e["dur"])});
    } else if (phase == "s" || phase == "f") {
      if (!flows[e.at("id")].try_emplace(phase[0], track, start).second) return "flow " + e["id"].dump() + " twice";
    } else {
      return "unknown phase " + phase;
    }
  }
  for (auto& [track, slices] : tracks) {
    std::sort(slices.begin(), slices.end(), [](const Slice& a, const Slice& b) {
      return std::pair{a.first, -a.second} < std::pair{b.first, -b.second};
    });
    std::vector<Slice> open;
    for (const Slice& s : slices) {
      while (!open.empty() && open.back().second <= s.first) open.pop_back();
      if (!open.empty() && s.second > open.back().second)
        return fmt::format("process {}, thread {}: {}..{} crosses {}..{}", track.first, track.second, s.first, s.second,
                           open.back().first, open.back().second);
      open.push_back(s);
    }
  }
  for (const auto& [id, ends] : flows) {
    for (const auto& [phase, at] : ends) {
      const std::vector<Slice>& slices = tracks[at.first];
      if (std::none_of(slices.begin(), slices.end(),
                       [&](const Slice& s) { return s.first <= at.second && at.second <= s.second; }))
        return "flow " + id + " is in no slice";
    }
    if (ends.size() == 2 && ends.at('s').second > ends.at('f').second) return "flow " + id + " ends before it begins";
  }
  return "";
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
