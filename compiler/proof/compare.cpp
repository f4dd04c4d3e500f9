#include "compiler/proof/compare.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <optional>

#include "isa/support/error.hpp"

namespace pimento::proof {
namespace {
using List = std::vector<std::int64_t>;

Verdict by_direction(bool less, Direction better) {
  if (better == Direction::equal) return Verdict::changed;
  return less == (better == Direction::lower) ? Verdict::better : Verdict::worse;
}
template <class Number>
Verdict of_numbers(Number before, Number after, Direction better) {
  return before == after ? Verdict::same : by_direction(after < before, better);
}
/// Two opinions on one figure: what is worse in one respect is worse.
Verdict both(Verdict a, Verdict b) {
  if (a == Verdict::worse || b == Verdict::worse) return Verdict::worse;
  return a == Verdict::same ? b : a;
}

/// For every n the sum of the n largest.
List sums_of_largest(List list) {
  std::sort(list.begin(), list.end(), std::greater<>());
  std::partial_sum(list.begin(), list.end(), list.begin());
  return list;
}
Verdict of_sizes(const List& before, const List& after, Direction better) {
  if (better == Direction::equal) return before == after ? Verdict::same : Verdict::changed;
  List a = sums_of_largest(before), b = sums_of_largest(after);
  const std::size_t n = std::max(a.size(), b.size());
  a.resize(n, a.empty() ? 0 : a.back());
  b.resize(n, b.empty() ? 0 : b.back());
  Verdict verdict = Verdict::same;
  for (std::size_t i = 0; i < n; ++i) verdict = both(verdict, of_numbers(a[i], b[i], better));
  return verdict;
}

struct Owners {
  std::int64_t owners = 0, most = 0;
};
Owners owners_of(const List& list) {
  std::map<std::int64_t, std::int64_t> has;
  for (const std::int64_t owner : list) ++has[owner];
  Owners o{static_cast<std::int64_t>(has.size()), 0};
  for (const auto& [owner, count] : has) o.most = std::max(o.most, count);
  return o;
}
Verdict of_owners(const List& before, const List& after) {
  const Owners a = owners_of(before), b = owners_of(after);
  return both(of_numbers(a.owners, b.owners, Direction::higher), of_numbers(a.most, b.most, Direction::lower));
}

std::string text_of(const List& list, Reading reading) {
  if (reading == Reading::owners) {
    const Owners o = owners_of(list);
    return fmt::format("{} on {}, most {}", list.size(), o.owners, o.most);
  }
  return fmt::format("{} of {}, largest {}", list.size(), std::accumulate(list.begin(), list.end(), std::int64_t{0}),
                     list.empty() ? 0 : *std::max_element(list.begin(), list.end()));
}

/// One side's value of a figure, in the form that it has there.
struct Value {
  std::optional<std::int64_t> whole;
  std::optional<double> real;
  const List* list = nullptr;
  std::string absent;  ///< why there is none

  bool known() const { return whole || real || list != nullptr; }
  double number() const { return whole ? static_cast<double>(*whole) : *real; }
  std::string text(Reading reading) const {
    if (whole) return fmt::format("{}", *whole);
    if (real) return fmt::format("{:.6g}", *real);
    return list != nullptr ? text_of(*list, reading) : "-";
  }
};
Value value_of(const Record& record, const std::string& name) {
  Value v;
  if (const auto at = record.figures.find(name); at != record.figures.end()) v.whole = at->second;
  if (const auto at = record.reals.find(name); at != record.reals.end()) v.real = at->second;
  if (const auto at = record.lists.find(name); at != record.lists.end()) v.list = &at->second;
  if (const auto at = record.absent.find(name); at != record.absent.end()) v.absent = at->second;
  return v;
}

bool is_judged(const Figure& f) { return f.of == FigureClass::runtime_proxy || f.of == FigureClass::gate; }

/// What was known and is no longer would hide a loss.
Verdict of_missing(const Figure& f, const Value& before) {
  return before.known() && is_judged(f) ? Verdict::worse : Verdict::not_compared;
}
Verdict of_values(const Figure& f, const Value& before, const Value& after, const Rule& rule) {
  if (!before.known() || !after.known()) return of_missing(f, before);
  if (before.list != nullptr || after.list != nullptr) {
    if (before.list == nullptr || after.list == nullptr) return of_missing(f, before);
    return f.reading == Reading::owners ? of_owners(*before.list, *after.list)
                                        : of_sizes(*before.list, *after.list, f.better);
  }
  if (f.repeats == Repeats::on_this_machine &&
      std::abs(after.number() - before.number()) <= rule.noise * std::abs(before.number()))
    return before.number() == after.number() ? Verdict::same : Verdict::noise;
  if (before.whole && after.whole) return of_numbers(*before.whole, *after.whole, f.better);
  return of_numbers(before.number(), after.number(), f.better);
}

Row row_of(const Figure& f, const Record& before, const Record& after, const Rule& rule) {
  const std::string name(f.name);
  const Value a = value_of(before, name), b = value_of(after, name);
  return {name, a.text(f.reading), b.text(f.reading), f.of, f.better, std::string(f.unit), of_values(f, a, b, rule)};
}

/// Time by stage, and what each stage left.
void add_stages(const Record& before, const Record& after, const Rule& rule, std::vector<Row>& rows) {
  for (const StageRecord& a : before.stages) {
    const auto b =
        std::find_if(after.stages.begin(), after.stages.end(), [&](const StageRecord& s) { return s.name == a.name; });
    if (b == after.stages.end()) {
      rows.push_back(
          {"stage " + a.name, "there", "gone", FigureClass::resource, Direction::equal, "", Verdict::changed});
      continue;
    }
    for (const auto& [unit, x, y] :
         {std::tuple{"wall_s", a.wall_s, b->wall_s}, std::tuple{"cpu_s", a.cpu_s, b->cpu_s}}) {
      if (x == 0 && y == 0) continue;
      const bool alike = std::abs(y - x) <= rule.noise * x;
      rows.push_back({fmt::format("stage {} {}", a.name, unit), fmt::format("{:.6f}", x), fmt::format("{:.6f}", y),
                      FigureClass::resource, Direction::lower, "s",
                      x == y  ? Verdict::same
                      : alike ? Verdict::noise
                              : by_direction(y < x, Direction::lower)});
    }
    for (const auto& [count, x] : a.counts) {
      const auto at = b->counts.find(count);
      if (at == b->counts.end()) continue;
      if (count != "operations" && find_figure(count) != nullptr) continue;  // has a row of its own
      rows.push_back({fmt::format("stage {} {}", a.name, count), fmt::format("{}", x), fmt::format("{}", at->second),
                      FigureClass::resource, Direction::equal, "", x == at->second ? Verdict::same : Verdict::changed});
    }
  }
  for (const StageRecord& b : after.stages)
    if (std::none_of(before.stages.begin(), before.stages.end(),
                     [&](const StageRecord& s) { return s.name == b.name; }))
      rows.push_back(
          {"stage " + b.name, "new", "there", FigureClass::resource, Direction::equal, "", Verdict::changed});
}

std::string subject_of(const Record& r) { return fmt::format("{} on {}", r.model, r.chip); }

constexpr std::size_t named_keys = 5;  // a refusal is one line

/// Identities: what makes two records answers to one question.
void demand_one_question(const Record& before, const Record& after) {
  const std::string subject = subject_of(before);
  const auto refuse = [&](const std::string& what, const std::string& a, const std::string& b) {
    throw UserError(fmt::format("{}: records of different {}: {} before, {} after", subject, what, a, b));
  };
  if (before.model_fingerprint != after.model_fingerprint)
    refuse("models", fmt::format("'{}' {}", before.model, before.model_fingerprint),
           fmt::format("'{}' {}", after.model, after.model_fingerprint));
  if (std::vector<std::string> keys = changed_keys(before, after); !keys.empty()) {
    const std::size_t more = keys.size() > named_keys ? keys.size() - named_keys : 0;
    keys.resize(keys.size() - more);
    throw UserError(fmt::format("{}: records of different chips, changed hardware parameters: {}{}", subject,
                                fmt::join(keys, ", "), more > 0 ? fmt::format(" and {} more", more) : ""));
  }
  if (before.numerics != after.numerics) refuse("numerics", before.numerics, after.numerics);
  for (const Figure& f : figures()) {
    if (f.of != FigureClass::identity || f.reading != Reading::number) continue;
    const Value a = value_of(before, std::string(f.name)), b = value_of(after, std::string(f.name));
    if (a.known() && b.known() && a.number() != b.number())
      refuse(fmt::format("{} ({})", f.name, f.meaning), a.text(f.reading), b.text(f.reading));
  }
}

}  // namespace

std::string_view to_string(ChangeKind kind) { return kind == ChangeKind::cost ? "cost" : "schedule"; }
std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::same:
      return "same";
    case Verdict::better:
      return "better";
    case Verdict::worse:
      return "worse";
    case Verdict::changed:
      return "changed";
    case Verdict::noise:
      return "within noise";
    case Verdict::not_compared:
      return "not compared";
  }
  return "";
}

const Row* Comparison::row(std::string_view name) const {
  const auto at = std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r.name == name; });
  return at == rows.end() ? nullptr : &*at;
}

Comparison compare(const Record& before, const Record& after, const Rule& rule) {
  demand_one_question(before, after);
  Comparison c;
  c.subject = subject_of(after);
  for (const Figure& f : figures())
    if (f.of != FigureClass::identity) c.rows.push_back(row_of(f, before, after, rule));
  add_stages(before, after, rule, c.rows);
  return c;
}

}  // namespace pimento::proof
