#pragma once
// The whole compiler as one call: model file -> program. The stages are functions of their own rooms; here they only
// meet.
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/drivers/pim/bounds/bounds.hpp"
#include "compiler/drivers/pim/numerics/plan.hpp"
#include "compiler/ir/graph.hpp"
#include "compiler/pipeline/ablations.hpp"
#include "compiler/proof/record.hpp"
#include "isa/chip/chip.hpp"
#include "isa/program/program.hpp"

namespace pimento {

struct CompileOptions {
  Numerics numerics = Numerics::quantised;
  std::map<std::string, std::int64_t> dimensions;     ///< --dim name=4
  std::map<std::string, ir::Tensor> constant_inputs;  ///< inputs whose content is known (see frontend::ImportOptions)
  /// How often the crossbars hold other weights (spatial/rounds.hpp). 1: the model must fit; more: exactly so many;
  /// 0: 1 for a model that fits, else what is predicted to end first.
  int rounds = 1;
  /// Neighbouring output positions that one MVM makes (spatial/windows.hpp): as many up to this as fit and save MVMs;
  /// 0: as many as pay.
  int windows_per_mvm = 0;
  Ablations ablations;                         ///< what is left out to see what it is worth
  std::vector<std::string> models;             ///< names of several models on one chip; set by compile_models
  bool throughput = false;                     ///< made for the interval of a stream, not for one image's latency
  std::int64_t images = 1;                     ///< of a stream: the program takes them one after another
  bool unroll = false;                         ///< no loops in the program; always so on a chip without loops
  std::uint64_t seed = 1;                      ///< of generated calibration inputs
  pim::CalibrationMethod calibration;          ///< how scales follow from what calibration sees
  std::vector<ir::Tensor> calibration_inputs;  ///< samples of all inputs; empty: model metadata, else seeded normal
  /// Made-up ones complete the given ones to so many samples: those that a stream's images are made up as.
  std::int64_t calibration_samples = 1;
  std::string calibration_source = "given inputs";  ///< what calibration_inputs are, for record and report
  /// Values of the optimised graph that the program also stores, as outputs after the model's own: by name, or all.
  std::vector<std::string> observed;
  bool observe_all = false;
  /// The user's own mapping: a placement file's text, and its name for messages; none: the compiler's. Its rounds are
  /// the file's, which `rounds` may ask for (0: whatever they are).
  std::optional<std::string> placement;
  std::string placement_file;
  /// Also tells the bound of a mapping with one position per MVM, which takes its making.
  bool one_window_bound = false;
  /// Holds every stage to the first law (compiler/drivers/pim/laws); Negative names the trade.
  bool verify = true;
  std::optional<std::string> dump_after;  ///< stage name; see stage_names()
  std::function<void(const std::string& stage, const std::string& text)> dump;
  std::function<void(const std::string&)> note;  ///< what was assumed, for stderr
};

struct CompileResult {
  isa::Program program;
  ir::Graph graph;        ///< as imported (what the reference executes)
  proof::Record record;   ///< figures of this compile
  std::string placement;  ///< the mapping as a placement file
  pim::Bounds bounds;     ///< no run of this program on its chip takes fewer cycles
};

/// Names accepted by --dump-after, in order: frontend, optimizer passes, PIM stages.
std::vector<std::string> stage_names();
/// Throws UserError with the nearest name where no stage has this one.
void expect_stage(const std::string& name);
CompileResult compile_model(const std::string& model_path, const isa::Chip& chip, const CompileOptions& options);
/// One of several models, and the name that its inputs, outputs and nodes get in the program.
struct ModelFile {
  std::string path;
  std::string name;
};
/// Names for models that have one each: as they are, except that of equal ones the second becomes "NAME.2", and so on.
std::vector<std::string> distinct_names(std::vector<std::string> names);
/// Several models as one program: they share cores and crossbars and run at the same time. Names of values and nodes
/// begin with "MODEL/", and so do those of `options` (dimensions, constant inputs, observed values); inputs and
/// calibration inputs are those of the first, then of the second, ... One model alone is compile_model's.
CompileResult compile_models(const std::vector<ModelFile>& models, const isa::Chip& chip,
                             const CompileOptions& options);
/// What compile_models makes of the files: the graphs as one; of one model its graph as it is.
ir::Graph import_models(const std::vector<ModelFile>& models, const CompileOptions& options);
/// The same from a graph in hand (as imported).
CompileResult compile_graph(ir::Graph graph, const isa::Chip& chip, const CompileOptions& options);

}  // namespace pimento
