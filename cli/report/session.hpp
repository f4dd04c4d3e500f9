#pragma once
// What the subcommands share: finding models, reading inputs, running the simulator with a progress line, writing
// results.
#include <string>
#include <vector>

#include "cli/commands/registry.hpp"
#include "cli/report/report.hpp"
#include "compiler/pipeline/compile.hpp"
#include "isa/peers/peers.hpp"
#include "simulator/observe/timeline.hpp"

namespace pimento::cli {

/// A path, or `zoo:NAME` (generated into the cache when it is not there yet).
struct Model {
  std::string path;
  std::string name;                 ///< of the network, or of the file
  std::vector<std::string> inputs;  ///< files that come with it (the zoo's calibration input)
};
Model find_model(const std::string& name);
/// Several, on one chip.
struct Models {
  std::vector<ModelFile> files;     ///< each with a name of its own
  std::string name;                 ///< all of them, joined by '+'; of one model Model::name
  std::vector<std::string> inputs;  ///< files that come with them, up to the first model that has none
};
Models find_models(const std::vector<std::string>& names);
/// The path of its file. Makes nothing.
std::string model_file(const std::string& name);
/// `--numerics NAME`.
Numerics numerics_of(const Arguments& a);
/// `--calibration METHOD` and `--percentile P`.
pim::CalibrationMethod calibration_of(const Arguments& a);
/// `--dim name=4`, repeated.
std::map<std::string, std::int64_t> dimensions_of(const Arguments& a);
/// `--max-cycles N`; 0: no limit.
std::int64_t max_cycles_of(const Arguments& a);
/// `--input FILE`, repeated; each .npy or .pb. UserError names the file and the element that is no finite number, where
/// the numerics need one.
std::vector<ir::Tensor> read_inputs(const std::vector<std::string>& files, Numerics numerics);
/// `--images N`; 1: no stream.
std::int64_t images_of(const Arguments& a);
/// Of a stream the first images, since each of them runs the model once.
std::int64_t calibration_samples_of(std::int64_t images);
/// `--optimise GOAL`: whether it is throughput.
bool is_throughput(const Arguments& a);
/// Inputs of a stream, image after image. Where there are not `images` files of each input but every file's first
/// dimension holds as many parts, each part is an image.
std::vector<ir::Tensor> split_images(const std::vector<ir::Tensor>& files, std::int64_t images);
/// `--plugin FILE`, repeated: operators from outside the tree.
void load_plugins(const Arguments& a);
/// UserError for an option of calibration without what it belongs to.
void refuse_calibration_in_vain(const Arguments& a);
/// Compiles a model with --numerics, --calibrate, --calibration, --dim and --seed; notes go to err.
CompileOptions compile_options(const Arguments& a, Streams io);

/// `--rounds auto|N`; 0: auto, which is the default.
int rounds_of(const Arguments& a);
/// Its lines of --help.
std::string help_of_rounds();
/// `--windows-per-mvm`: 0 for auto.
int windows_of(const Arguments& a);
std::string help_of_windows();
/// `--scheduler` and the parts to leave out, for the usage text, for --help, and what was given.
std::string usage_of_ablations();
std::string help_of_ablations();
void take_ablations(const Arguments& a, CompileOptions& options);
/// `--placement FILE` and `--dump-placement FILE`.
void take_placement(const Arguments& a, CompileOptions& options);
void write_placement(const Arguments& a, const CompileResult& compiled);

struct Run {
  sim::Result result;
  std::vector<ir::Tensor> inputs, outputs;  ///< empty when timing_only; no outputs of a part of a run
  bool finished() const { return result.stop == sim::StopReason::finished; }
};
/// Options --timing-only, --lockstep, --max-cycles, --seed, --timeline. A run that does not finish leaves what it has
/// counted.
Run run_program(const isa::Program& program, const isa::Chip& chip, std::vector<ir::Tensor> inputs, const Arguments& a,
                bool track_writers, Streams io, bool timing_only = false);
/// Throws Negative with the reason when the run did not finish: after its part has been reported.
void end_of(const Run& run);
/// `--from CYCLE` and `--to CYCLE`, checked with what they belong to.
sim::Span span_of(const Arguments& a);
/// "values and cycles", "timing only", "lockstep".
std::string mode_of(const Arguments& a);
/// `--chip`, or else the chip that the program carries.
isa::Chip chip_of(const isa::Program& program, const std::string& file, const Arguments& a, Streams io);
/// A shipped chip's name, a YAML file, or a chip file of pimsim-nn or PIMCOMP, of which `as_built` takes the rules of
/// pimsim-nn's code instead of its documents. Warnings go to err.
isa::Chip find_chip(const std::string& name, Streams io, bool as_built = false);
/// The file that it reads.
std::string chip_file(const std::string& name);
/// What only pimsim-nn's files heed: `--documented` of its chip file, `--strict` of its programs. UserError where the
/// command line has none.
void expect_peer_files(const Arguments& a, isa::peers::FileKind kind);
/// A program and the chip that it is for. `--chip`, `--strict`.
struct LoadedProgram {
  isa::Program program;
  isa::Chip chip;
  bool timing_only = false;  ///< pimsim-nn's: without weights and data
};
/// Ours or pimsim-nn's, of the kind that the file is; warnings go to err. With `sets`, the chip has the keys that
/// `--set KEY=VALUE` names.
LoadedProgram load_program(const std::string& file, isa::peers::FileKind kind, const Arguments& a, Streams io,
                           bool as_built = true, bool sets = false);
/// FORM: "program", "pimsim-nn" or "pimsim-nn-directory". `--strict`; warnings go to err.
void write_program_as(const std::string& form, const isa::Program& program, const isa::Chip& chip,
                      const std::string& path, const Arguments& a, Streams io);
/// Cost keys that differ; UserError under --strict-chip. A legality mismatch is a UserError in any case.
std::vector<std::string> accept_chip(const isa::Program& program, const isa::Chip& chip, const Arguments& a);
/// report.json and each output as .npy and .pb into the folder; each file whole or not at all. Outputs that
/// an earlier report in it had, and this one has not, go.
void write_results(const std::string& folder, const Report& report, const isa::Program& program,
                   const std::vector<ir::Tensor>& outputs);

}  // namespace pimento::cli
