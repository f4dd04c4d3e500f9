#pragma once
// The record of one compile (schema version 1): every figure that a change of the compiler is judged by (DESIGN section
// 6).
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "isa/support/types.hpp"

namespace pimento::proof {

inline constexpr int record_schema_version = 1;

struct StageRecord {
  std::string name;
  double wall_s = 0;                           ///< wall time of the stage
  std::map<std::string, std::int64_t> counts;  ///< operations, values, computes, ... after the stage
};

struct Record {
  std::string model, model_fingerprint, chip, chip_fingerprint, numerics, version;
  std::string settings_json;  ///< the program's: effective options, source of the ranges, seeds, versions
  std::vector<StageRecord> stages;
  double wall_s = 0;                                       ///< whole compile
  Bytes peak_resident = 0;                                 ///< bytes, of the process
  std::map<std::string, std::int64_t> figures;             ///< name -> value; what each means: figures.hpp
  std::map<std::string, double> reals;                     ///< figures that are no integers
  std::map<std::string, std::vector<std::int64_t>> lists;  ///< for example lanes of each scheduled batch
  std::map<std::string, std::string> absent;               ///< figures that do not apply, and why

  /// A figure that is known now.
  void know(const std::string& name, std::int64_t value) { figures[name] = value, absent.erase(name); }
  void know_real(const std::string& name, double value) { reals[name] = value, absent.erase(name); }
};

std::string to_json(const Record& record);

}  // namespace pimento::proof
