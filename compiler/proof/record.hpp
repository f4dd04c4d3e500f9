#pragma once
// The record of one compile (schema version 1): every figure that a change of the compiler is judged by (DESIGN section
// 6).
#include <cstdint>
#include <map>
#include <optional>
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
  std::vector<StageRecord> stages;
  double wall_s = 0;                            ///< whole compile
  Bytes peak_resident = 0;                      ///< bytes, of the process
  std::map<std::string, std::int64_t> figures;  ///< name -> value; units in the names ("sends", "send_bytes", ...)
  std::map<std::string, std::vector<std::int64_t>> lists;  ///< for example lanes of each scheduled batch
};

std::string to_json(const Record& record);

}  // namespace pimento::proof
