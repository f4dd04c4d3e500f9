#include "compiler/proof/times.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pimento::proof {

std::string time_table(const Record& record) {
  const auto whole = [&](const char* name) {
    const auto at = record.reals.find(name);
    return at == record.reals.end() ? 0.0 : at->second;
  };
  const double cpu_s = whole("cpu_s"), wall_s = whole("wall_s");
  std::vector<StageRecord> rows;
  StageRecord rest{"between the stages", wall_s, cpu_s, {}};
  for (const StageRecord& stage : record.stages) {
    rest.wall_s -= stage.wall_s, rest.cpu_s -= stage.cpu_s;
    const auto at = std::find_if(rows.begin(), rows.end(), [&](const StageRecord& r) { return r.name == stage.name; });
    if (at == rows.end())
      rows.push_back({stage.name, stage.wall_s, stage.cpu_s, {}});
    else
      at->wall_s += stage.wall_s, at->cpu_s += stage.cpu_s;
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const StageRecord& a, const StageRecord& b) { return a.cpu_s > b.cpu_s; });
  rest.wall_s = std::max(rest.wall_s, 0.0), rest.cpu_s = std::max(rest.cpu_s, 0.0);
  rows.push_back(rest);
  rows.push_back({"compile", wall_s, cpu_s, {}});
  std::string text = fmt::format("{:<24} {:>9} {:>7} {:>9}\n", "stage or pass", "CPU s", "share", "wall s");
  for (const StageRecord& row : rows) {
    const double share = cpu_s > 0 ? 100 * row.cpu_s / cpu_s : 0;
    text += fmt::format("{:<24} {:>9.4f} {:>5.1f} % {:>9.4f}\n", row.name, row.cpu_s, share, row.wall_s);
  }
  return text;
}

}  // namespace pimento::proof
