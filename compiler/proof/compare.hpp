#pragma once
// Two records side by side, and the stop rule (DESIGN section 6): what may be given up for what, and what never.
#include <string>
#include <string_view>
#include <vector>

#include "compiler/proof/figures.hpp"
#include "compiler/proof/record.hpp"

namespace pimento::proof {

/// What a change wins, and so what it may not pay with.
enum class ChangeKind {
  cost,     ///< compile time or memory: no runtime proxy and no gate may get worse, however much is saved
  schedule  ///< run time or a feature: simulated cycles worse nowhere and better somewhere; worse proxies are listed
};
std::string_view to_string(ChangeKind kind);

struct Rule {
  ChangeKind kind = ChangeKind::cost;
  /// Times and resident memory within this part of their value before count as equal. Nothing else has a tolerance.
  double noise = 0.1;
};

enum class Verdict {
  same,
  better,
  worse,
  changed,      ///< neither way is better
  noise,        ///< differs by no more than the rule's tolerance
  not_compared  ///< one side does not have it
};
std::string_view to_string(Verdict verdict);

/// One figure of both records, as people read it.
struct Row {
  std::string name, before, after;
  FigureClass of = FigureClass::resource;
  Direction better = Direction::lower;
  std::string unit;
  Verdict verdict = Verdict::same;
};

/// Two records of one model on one chip.
struct Comparison {
  std::string subject;  ///< "lenet5 on pimsim-nn-64"
  std::vector<Row> rows;
  const Row* row(std::string_view name) const;
};

/// Throws UserError when the two are not of the same: model, chip (naming the keys), numerics, or another identity.
Comparison compare(const Record& before, const Record& after, const Rule& rule);

/// What the rule says of a change, from all that it was measured on.
struct Judgement {
  std::vector<Comparison> comparisons;
  Rule rule;
  std::vector<std::string> objections;  ///< why it is rejected: subject, figure, both values
  std::vector<std::string> to_explain;  ///< schedule: proxies that got worse, each of which needs a reason
  std::vector<std::string> won;
  bool rejected() const { return !objections.empty(); }
};
/// UserError when the rule needs simulated cycles and a comparison has none.
Judgement judge(std::vector<Comparison> comparisons, const Rule& rule);

/// `all`: also the rows that did not change.
std::string to_table(const Judgement& judgement, bool all);
std::string to_json(const Judgement& judgement);

}  // namespace pimento::proof
