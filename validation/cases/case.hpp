#pragma once
// A case in ONNX's test layout: a folder with model.onnx and test_data_set_N/{input,output}_i.pb. It is compiled,
// simulated and compared.
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/drivers/pim/numerics/plan.hpp"
#include "compiler/proof/record.hpp"
#include "isa/support/error.hpp"
#include "validation/cases/check.hpp"

namespace pimento::validation {

/// Which inputs of a data set are constants for the compiler: ONNX's suites pass weights, shapes and axes as inputs.
enum class ConstantInputs : std::uint8_t { none, integers, weights, all };  ///< weights: all but the first

struct CaseOptions {
  Numerics numerics = Numerics::quantised;
  pim::CalibrationMethod calibration;
  std::vector<ir::Tensor> calibration_inputs;  ///< empty: the first set's inputs
  double min_sqnr_db = default_min_sqnr_db;
  bool with_adc = false;  ///< also with the chip's own converters in place of ideal ones
  /// Also hold every output, bit for bit, to the integer reference (validation/reference/program.hpp).
  bool with_integers = false;
  std::uint64_t seed = 1;  ///< of inputs that no file gives
  std::map<std::string, std::int64_t> dimensions;
  ConstantInputs constants = ConstantInputs::none;
  /// Weights are drawn anew with this seed, and the outputs compared with the reference (see randomise.hpp).
  std::optional<std::uint64_t> randomise_weights;
  std::function<void(const std::string&)> note;
};
struct CaseResult {
  std::string name;  ///< the folder's name
  struct Set {
    std::string name;   ///< "test_data_set_0", or "seeded inputs"
    Cycles cycles = 0;  ///< core clock
    NumericalCheck check;
    std::optional<bool> is_integers = {};  ///< CaseOptions::with_integers: every output byte is the reference's
    /// CaseOptions::with_adc: least SQNR of an output by the converters' range, "full_scale" and "calibrated"; none
    /// where every output is exact.
    std::map<std::string, std::optional<double>> adc_sqnr_db = {};
    bool passed() const { return check.passed && is_integers.value_or(true); }
  };
  std::vector<Set> sets;
  std::string fault;             ///< why the case could not be carried out; empty otherwise
  Status status = Status::done;  ///< of the fault
  bool passed() const;
};
/// Never throws: `fault` says what went wrong, so that one case does not hide the others.
/// A case is a folder, or zoo:NAME. Several cases are one program: they run at the same time, and names begin with
/// "CASE/". Their data sets are taken together, the first with the first; either all or none have some.
CaseResult validate_cases(const std::vector<std::string>& folders, const isa::Chip& chip, const CaseOptions& options);
CaseResult validate_case(const std::string& folder, const isa::Chip& chip, const CaseOptions& options);

}  // namespace pimento::validation
