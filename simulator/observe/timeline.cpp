#include "simulator/observe/timeline.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "isa/support/error.hpp"

namespace pimento::sim {
namespace {

/// Text to the file, through gzip or not.
class Sink {
 public:
  Sink(Output& out, bool compressed) : out_(out), compressed_(compressed) {
    constexpr int gzip_window = 15 + 16;  // zlib: the largest window, with gzip's header
    if (compressed &&
        deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_window, 8, Z_DEFAULT_STRATEGY) != Z_OK)
      throw InternalError("zlib cannot begin a stream");
  }
  ~Sink() {
    if (compressed_) deflateEnd(&stream_);
  }
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;

  void write(std::string_view text) {
    if (!compressed_) return out_.write(text);
    // zlib reads through a pointer that is not const
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream_.avail_in = static_cast<uInt>(text.size());
    deflate_all(Z_NO_FLUSH);
  }
  void finish() {
    if (compressed_) deflate_all(Z_FINISH);
  }

 private:
  void deflate_all(int flush) {
    do {
      stream_.next_out = block_.data();
      stream_.avail_out = static_cast<uInt>(block_.size());
      const int status = deflate(&stream_, flush);
      PIMENTO_CHECK(status != Z_STREAM_ERROR, "zlib lost its state");
      out_.write(block_.data(), block_.size() - stream_.avail_out);
    } while (stream_.avail_out == 0);
  }

  Output& out_;
  bool compressed_;
  z_stream stream_{};
  std::array<Bytef, 1 << 16> block_{};
};

std::string json_text(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Microseconds, exact to the femtosecond: "12.000000001".
std::string microseconds(Femtoseconds fs) {
  constexpr Femtoseconds per_us = 1'000'000'000;
  std::string text = fmt::format("{}.{:09}", fs / per_us, fs % per_us);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

enum Track : int { control = 1, scalar = 2, vector = 3, transfer = 4, digital = 5, first_group = 10 };

int track_of(isa::Unit unit, int group) {
  switch (unit) {
    case isa::Unit::control:
      return Track::control;
    case isa::Unit::scalar:
      return Track::scalar;
    case isa::Unit::vector:
      return Track::vector;
    case isa::Unit::transfer:
      return Track::transfer;
    case isa::Unit::matrix:
      break;
  }
  return group < 0 ? Track::digital : Track::first_group + group;
}

std::string_view what_is_waited_for(isa::Opcode opcode) {
  switch (opcode) {
    case isa::Opcode::recv:
      return "wait for message";
    case isa::Opcode::send:
    case isa::Opcode::mcast:
      return "wait for receiver";
    case isa::Opcode::wait:
      return "wait for event";
    default:
      return "wait for global memory";
  }
}

}  // namespace

struct Timeline::State {
  Sink sink;
  const isa::Program& program;
  const isa::Chip& chip;
  Span span;
  Femtoseconds period;
  bool first = true;
  std::int64_t written = 0;
  std::vector<std::string> nodes;                                                       ///< names as JSON text
  std::map<std::pair<CoreId, CoreId>, std::pair<std::int64_t, std::int64_t>> messages;  ///< sent and received so far

  State(Output& out, const isa::Program& p, const isa::Chip& c, Span s, bool compressed)
      : sink(out, compressed), program(p), chip(c), span(s), period(c.core.clock.period_fs) {
    for (const std::string& name : p.nodes) nodes.push_back(json_text(name));
  }

  void event(const std::string& text) {
    sink.write(first ? "\n" : ",\n");
    first = false;
    sink.write(text);
    ++written;
  }
  bool wanted(Cycles from, Cycles to) const { return to > span.from && (span.to == 0 || from < span.to); }
  const isa::Instruction& instruction(CoreId core, std::uint32_t index) const {
    return program.cores[core].instructions.data[index];
  }
  std::string opcode_text(isa::Opcode opcode) const { return std::string(isa::row(opcode).name); }

  /// The ONNX node of an instruction, or else its name.
  std::string name_of(CoreId core, std::uint32_t index) const {
    const std::uint32_t node = isa::node_of(program.cores[core], index);
    if (node < nodes.size()) return nodes[node];
    return json_text(opcode_text(instruction(core, index).opcode));
  }
  void slice(CoreId core, int track, const std::string& name, std::string_view category, Cycles from, Cycles to,
             const std::string& arguments) {
    event(fmt::format(R"({{"ph":"X","pid":{},"tid":{},"ts":{},"dur":{},"name":{},"cat":"{}"{}}})", core, track,
                      microseconds(from * period), microseconds((to - from) * period), name, category, arguments));
  }
  void flow(char phase, CoreId core, CoreId source, CoreId destination, std::int64_t number, Cycles at) {
    event(fmt::format(R"({{"ph":"{}","pid":{},"tid":{},"ts":{},"name":"message","cat":"message","id":"{}-{}-{}"{}}})",
                      phase, core, static_cast<int>(Track::transfer), microseconds(at * period), source, destination,
                      number, phase == 'f' ? R"(,"bp":"e")" : ""));
  }
  void name_track(std::int64_t process, int track, const std::string& name) {
    event(fmt::format(R"({{"ph":"M","pid":{},"tid":{},"name":"thread_name","args":{{"name":{}}}}})", process, track,
                      json_text(name)));
  }
  void name_process(std::int64_t process, const std::string& name) {
    event(fmt::format(R"({{"ph":"M","pid":{},"name":"process_name","args":{{"name":{}}}}})", process, json_text(name)));
    event(fmt::format(R"({{"ph":"M","pid":{},"name":"process_sort_index","args":{{"sort_index":{}}}}})", process,
                      process));
  }

  void names() {
    for (std::size_t core = 0; core < program.cores.size(); ++core) {
      const auto id = static_cast<std::int64_t>(core);
      if (program.cores[core].instructions.data.empty()) continue;
      name_process(id, fmt::format("core {}", core));
      for (const auto& [track, name] : {std::pair{Track::control, "control"},
                                        {Track::scalar, "scalar"},
                                        {Track::vector, "vector"},
                                        {Track::transfer, "transfer"},
                                        {Track::digital, "digital matrix"}})
        name_track(id, track, name);
      for (std::size_t group = 0; group < program.cores[core].groups.size(); ++group)
        name_track(id, Track::first_group + static_cast<int>(group), fmt::format("array group {}", group));
    }
    name_process(chip.cores, "global memory");
    for (int channel = 0; channel < chip.global_memory.channels; ++channel)
      name_track(chip.cores, channel, fmt::format("channel {}", channel));
  }
};

Timeline::Timeline(Output& out, const isa::Program& program, const isa::Chip& chip, Span span, bool compressed)
    : state_(std::make_unique<State>(out, program, chip, span, compressed)) {
  state_->sink.write(R"({"traceEvents":[)");
  state_->names();
}
Timeline::~Timeline() = default;

void Timeline::executed(const Executed& e) {
  State& s = *state_;
  if (!s.wanted(e.issue, e.end)) return;
  const isa::Instruction& i = s.instruction(e.core, e.instruction);
  s.slice(e.core, track_of(e.unit, e.group), s.name_of(e.core, e.instruction), s.opcode_text(i.opcode), e.issue, e.end,
          fmt::format(R"(,"args":{{"instruction":{}}})", e.instruction));
}

void Timeline::transferred(const Transferred& e) {
  State& s = *state_;
  const isa::Instruction& i = s.instruction(e.core, e.instruction);
  const bool wanted = s.wanted(e.issue, e.end);
  if (wanted)
    s.slice(e.core, Track::transfer, s.name_of(e.core, e.instruction), s.opcode_text(i.opcode), e.issue, e.end,
            fmt::format(R"(,"args":{{"instruction":{},"bytes":{}}})", e.instruction, std::int64_t{i.count} * i.len));
  const Cycles from = std::clamp(e.waits_from, e.issue, e.end), until = std::clamp(e.waits_until, from, e.end);
  if (wanted && until > from)
    s.slice(e.core, Track::transfer, fmt::format("\"{}\"", what_is_waited_for(i.opcode)), "wait", from, until, "");
  const auto sent = [&](CoreId to) {
    const std::int64_t number = s.messages[{e.core, to}].first++;
    if (wanted) s.flow('s', e.core, e.core, to, number, until);
  };
  if (i.opcode == isa::Opcode::send) sent(i.target);
  if (i.opcode == isa::Opcode::mcast)
    for (const CoreId to : s.program.core_sets[i.target]) sent(to);
  if (i.opcode == isa::Opcode::recv) {
    const std::int64_t number = s.messages[{i.target, e.core}].second++;
    if (wanted) s.flow('f', e.core, i.target, e.core, number, e.end);
  }
}

void Timeline::served(const MemoryService& e) {
  State& s = *state_;
  const Femtoseconds memory = s.chip.global_memory.clock.period_fs;
  if (!s.wanted(e.start * memory / s.period, (e.end * memory + s.period - 1) / s.period)) return;
  const std::string rows = s.chip.global_memory.row_size == 0
                               ? ""
                               : fmt::format(R"(,"row_hits":{},"row_misses":{},"row_conflicts":{})", e.rows.hits,
                                             e.rows.misses, e.rows.conflicts);
  s.event(fmt::format(
      R"({{"ph":"X","pid":{},"tid":{},"ts":{},"dur":{},"name":{},"cat":"{}","args":{{"core":{},"instruction":{},"bytes":{}{}}}}})",
      s.chip.cores, e.channel, microseconds(e.start * memory), microseconds((e.end - e.start) * memory),
      s.name_of(e.core, e.instruction), e.store ? "store" : "load", e.core, e.instruction, e.bytes, rows));
}

void Timeline::finish(const std::string& ended) {
  State& s = *state_;
  s.sink.write(fmt::format(
      "\n],\"displayTimeUnit\":\"ns\",\"otherData\":{{\"model\":{},\"chip\":{},\"ended\":{},\"from_cycle\":{},"
      "\"to_cycle\":{},\"core_cycle_us\":{}}}}}\n",
      json_text(s.program.model), json_text(s.chip.name), json_text(ended), s.span.from,
      s.span.to == 0 ? "null" : std::to_string(s.span.to), microseconds(s.period)));
  s.sink.finish();
}

std::int64_t Timeline::events() const { return state_->written; }

}  // namespace pimento::sim
