#pragma once
// For tests: is a document one of Chrome's trace event format, as far as Perfetto and chrome://tracing ask?
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace pimento::sim {

/// Microseconds to femtoseconds: what the document says exactly, a double holds exactly enough here.
inline std::int64_t fs(const nlohmann::json& us) { return std::llround(us.get<double>() * 1e9); }

/// "" or the first broken rule of the trace event format: fields of each phase, slices of one track that are apart or
/// inside each other, flows that begin and end once, in that order, inside a slice.
inline std::string broken_rule(const std::string& text) {
  using Json = nlohmann::json;
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
    for (const auto& end : ends) {
      const auto& at = end.second;
      const std::vector<Slice>& slices = tracks[at.first];
      if (std::none_of(slices.begin(), slices.end(),
                       [&](const Slice& s) { return s.first <= at.second && at.second <= s.second; }))
        return "flow " + id + " is in no slice";
    }
    if (ends.size() == 2 && ends.at('s').second > ends.at('f').second) return "flow " + id + " ends before it begins";
  }
  return "";
}

}  // namespace pimento::sim
