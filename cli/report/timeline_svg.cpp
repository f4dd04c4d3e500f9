#include "cli/report/timeline_svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "cli/report/svg.hpp"

namespace pimento::cli {
namespace {

constexpr int row_height = 10, left = 48;

}  // namespace

TimelinePicture::TimelinePicture(const isa::Program& program, const isa::Chip& chip, sim::Span span)
    : program_(program), chip_(chip), span_(span), cores_(program.cores.size()) {}

void TimelinePicture::Column::vote(std::uint32_t of, Cycles cycles) {
  busy += cycles;
  if (of == node) {
    lead += cycles;
  } else if (lead >= cycles) {
    lead -= cycles;
  } else {
    lead = cycles - lead;
    node = of;
  }
}

void TimelinePicture::join_columns() {
  width_ *= 2;
  for (auto& row : cores_) {
    for (std::size_t i = 0; i < columns / 2; ++i) {
      Column joined = row[2 * i];
      const Column& other = row[2 * i + 1];
      joined.vote(other.node, other.lead);
      joined.busy += other.busy - other.lead;
      joined.waiting += other.waiting;
      row[i] = joined;
    }
    std::fill(row.begin() + columns / 2, row.end(), Column{});
  }
}

template <class Add>
void TimelinePicture::spread(CoreId core, Cycles from, Cycles to, const Add& add) {
  from = std::max(from, span_.from) - span_.from;
  to = (span_.to > 0 ? std::min(to, span_.to) : to) - span_.from;
  if (to <= from) return;
  end_ = std::max(end_, to);
  while (to > width_ * static_cast<Cycles>(columns)) join_columns();
  for (Cycles at = from; at < to;) {
    const Cycles next = std::min(to, (at / width_ + 1) * width_);
    add(cores_[core][static_cast<std::size_t>(at / width_)], next - at);
    at = next;
  }
}

void TimelinePicture::executed(const sim::Executed& e) {
  if (e.unit != isa::Unit::matrix && e.unit != isa::Unit::vector) return;
  const std::uint32_t node = isa::node_of(program_.cores[e.core], e.instruction);
  spread(e.core, e.issue, e.end, [&](Column& column, Cycles cycles) { column.vote(node, cycles); });
}

void TimelinePicture::transferred(const sim::Transferred& e) {
  spread(e.core, e.waits_from, e.waits_until, [](Column& column, Cycles cycles) { column.waiting += cycles; });
}

std::string TimelinePicture::svg() const {
  const auto top = [](std::size_t core) { return svg::margin + svg::line + static_cast<int>(core) * row_height; };
  std::set<std::uint32_t> seen;
  std::map<std::string, std::string> shapes;  ///< one path per colour
  std::string body;
  for (std::size_t core = 0; core < cores_.size(); ++core) {
    body += fmt::format("  <text x=\"{}\" y=\"{}\" font-size=\"8\">{}</text>\n", svg::margin, top(core) + 8, core);
    // neighbouring columns of one look are one rectangle
    std::size_t begin = 0;
    std::string look;
    const auto flush = [&](std::size_t end) {
      if (!look.empty())
        shapes[look] += fmt::format("M{} {}h{}v{}h-{}z", left + static_cast<int>(begin), top(core), end - begin,
                                    row_height - 1, end - begin);
      begin = end;
    };
    for (std::size_t i = 0; i < columns; ++i) {
      const Column& column = cores_[core][i];
      std::string now;
      if (column.busy > 0 && column.busy >= column.waiting) {
        now = column.node == isa::no_node ? "#888" : svg::colour(column.node);
        seen.insert(column.node);
      } else if (column.waiting > 0) {
        now = "#ddd";
      }
      if (now == look) continue;
      flush(i);
      look = now;
    }
    flush(columns);
  }
  for (const auto& [look, path] : shapes) body += fmt::format("  <path fill=\"{}\" d=\"{}\"/>\n", look, path);
  int y = top(cores_.size()) + svg::line;
  for (const std::uint32_t node : seen) {
    const std::string name = node == isa::no_node ? "no node" : program_.nodes.at(node);
    body += fmt::format(
        "  <rect x=\"{}\" y=\"{}\" width=\"12\" height=\"12\" fill=\"{}\"/>\n  <text x=\"{}\" y=\"{}\">{}</text>\n",
        svg::margin, y - 10, node == isa::no_node ? "#888" : svg::colour(node), svg::margin + 20, y,
        svg::escaped(name));
    y += svg::line;
  }
  body += fmt::format(
      "  <rect x=\"{}\" y=\"{}\" width=\"12\" height=\"12\" fill=\"#ddd\"/>\n  <text x=\"{}\" "
      "y=\"{}\">waiting</text>\n",
      svg::margin, y - 10, svg::margin + 20, y);
  return svg::document(left + static_cast<int>(columns) + svg::margin, y + svg::margin,
                       fmt::format("{} on {}: what each core worked for, core cycles {} to {}, {} a column",
                                   program_.model, chip_.name, span_.from, span_.from + end_, width_),
                       body);
}

}  // namespace pimento::cli
