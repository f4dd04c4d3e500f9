#pragma once
// A grid of accuracies as a table, JSON, CSV and a picture.
#include <string>
#include <vector>

#include "validation/accuracy/accuracy.hpp"

namespace pimento::cli {

struct AccuracyReport {
  std::string model, chip, range;
  int inputs = 0;
  std::uint64_t seed = 0;
  std::vector<validation::AccuracyPoint> points;
};
std::string to_table(const AccuracyReport& report);
std::string to_json(const AccuracyReport& report);
std::string to_csv(const AccuracyReport& report);
/// SQNR over the first axis that varies (ADC bits, variation, rows active, cell bits), a line per value of the others.
std::string to_svg(const AccuracyReport& report);

}  // namespace pimento::cli
