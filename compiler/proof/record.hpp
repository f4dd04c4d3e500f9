#pragma once
// The record of one compile (schema version 2): every figure that a change of the compiler is judged by (DESIGN section
// 6).
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "isa/support/types.hpp"

namespace pimento::isa {
struct Chip;
}

namespace pimento::proof {

/// Raised when a figure gets another meaning; a further figure raises nothing.
inline constexpr int record_schema_version = 2;

struct StageRecord {
  std::string name;
  double wall_s = 0, cpu_s = 0;                ///< wall time of the stage; processor time of the process meanwhile
  std::map<std::string, std::int64_t> counts;  ///< operations, values, computes, ... after the stage
};

struct Record {
  std::string model, model_fingerprint, chip, numerics, version;
  std::string chip_fingerprints;                 ///< legality, cost and physics, 16 digits each
  std::map<std::string, std::string> chip_keys;  ///< legality and cost keys that the chip uses; long values hashed
  std::string settings_json;  ///< the program's: effective options, source of the ranges, seeds, versions
  std::vector<StageRecord> stages;
  std::map<std::string, std::int64_t> figures;             ///< name -> value; what each means: figures.hpp
  std::map<std::string, double> reals;                     ///< figures that are no integers
  std::map<std::string, std::vector<std::int64_t>> lists;  ///< for example lanes of each scheduled batch
  std::map<std::string, std::string> absent;               ///< figures that do not apply, and why

  /// A figure that is known now.
  void know(const std::string& name, std::int64_t value) { figures[name] = value, absent.erase(name); }
  void know_real(const std::string& name, double value) { reals[name] = value, absent.erase(name); }
  /// A figure that is not known, for a reason.
  void miss(const std::string& name, const std::string& reason) {
    figures.erase(name), reals.erase(name), lists.erase(name), absent[name] = reason;
  }
  /// What the chip is to a record: name, fingerprints and keys.
  void identify(const isa::Chip& on);
};

std::string to_json(const Record& record);
/// Throws UserError naming `file` and the entry when the text is no record of this schema version.
Record parse_record(const std::string& json, const std::string& file);
Record read_record(const std::string& file);

/// Keys that say another thing in `after` than in `before`: "core.vector.lanes 32 -> 64". A key that one side does not
/// name is one that its compiler did not know: it differs when the other side gives it something else than its default.
std::vector<std::string> changed_keys(const Record& before, const Record& after);

}  // namespace pimento::proof
