#pragma once
// What the stages of one compile cost: each the sum of all its turns, those for plans that were not made in the end and
// those that ended in a refusal among them, its verifier included.
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "compiler/proof/record.hpp"
#include "isa/support/stopwatch.hpp"

namespace pimento {

class StageTimes {
 public:
  /// Adds what passes until it ends.
  class Span {
   public:
    explicit Span(std::pair<double, double>& sum) : sum_(sum) {}
    ~Span() { sum_.first += watch_.wall_s(), sum_.second += watch_.cpu_s(); }
    Span(const Span&) = delete;
    Span& operator=(const Span&) = delete;

   private:
    std::pair<double, double>& sum_;
    Stopwatch watch_;
  };
  Span measure(const std::string& stage) { return Span(sums_[stage]); }
  /// To the first stage of each name; stages that were measured elsewhere keep their times.
  void give(std::vector<proof::StageRecord>& stages) {
    for (proof::StageRecord& stage : stages)
      if (const auto at = sums_.find(stage.name); at != sums_.end())
        std::tie(stage.wall_s, stage.cpu_s) = std::exchange(at->second, {});
  }

 private:
  std::map<std::string, std::pair<double, double>> sums_;
};

}  // namespace pimento
