#include "compiler/pipeline/figures.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "compiler/drivers/pim/laws/shape.hpp"
#include "isa/cost/programming.hpp"
#include "isa/program/executions.hpp"

namespace pimento {
namespace {
using isa::Opcode;

struct Executed {
  std::int64_t instructions = 0, mvms = 0, vmms = 0, vector = 0;
  std::int64_t sends = 0, receives = 0, loads = 0, stores = 0, copies = 0;
  Bytes sent = 0, received = 0, loaded = 0, stored = 0, copied = 0;
};

void add(Executed& sum, const isa::Instruction& i, std::int64_t times) {
  const Bytes bytes = times * i.count * i.len;
  sum.instructions += times;
  switch (i.opcode) {
    case Opcode::mvm:
      sum.mvms += times;
      return;
    case Opcode::dvm:
      sum.vmms += times;
      return;
    case Opcode::send:
    case Opcode::mcast:
      sum.sends += times, sum.sent += bytes;
      return;
    case Opcode::recv:
      sum.receives += times, sum.received += bytes;
      return;
    case Opcode::load:
    case Opcode::gload:
      sum.loads += times, sum.loaded += bytes;
      return;
    case Opcode::store:
    case Opcode::gstore:
      sum.stores += times, sum.stored += bytes;
      return;
    case Opcode::move:
      sum.copies += times, sum.copied += bytes;
      return;
    default:
      if (i.opcode == Opcode::vmov) sum.copies += times, sum.copied += bytes * size_of(i.type_d);
      if (isa::row(i.opcode).unit == isa::Unit::vector) sum.vector += times;
      return;
  }
}

void count_core(const isa::CoreProgram& core, Executed& sum) {
  const std::vector<std::int64_t> times = isa::executions(core);
  for (std::size_t k = 0; k < times.size(); ++k) add(sum, core.instructions.data[k], times[k]);
}
}  // namespace

void count_program(const isa::Program& program, const isa::Chip& chip, proof::Record& record) {
  Executed all;
  std::int64_t largest = 0, largest_emitted = 0, emitted = 0;
  Bytes weights = 0, constants = 0;
  auto& memory = record.lists["physical_core_memory_bytes"];
  memory.clear();
  for (const isa::CoreProgram& core : program.cores) {
    const std::int64_t before = all.instructions;
    count_core(core, all);
    largest = std::max(largest, all.instructions - before);
    const auto records = static_cast<std::int64_t>(core.instructions.size());
    emitted += records;
    largest_emitted = std::max(largest_emitted, records);
    for (const isa::Constant& c : core.constants) constants += static_cast<Bytes>(c.bytes.size());
    for (const isa::Group& g : core.groups)
      if (g.tile != isa::no_tile) weights += static_cast<Bytes>(program.tiles[g.tile].weights.size());
    memory.push_back(core.local_memory_used);
  }
  record.know("mvms", all.mvms);
  record.know("vmms", all.vmms);
  record.know("vector_instructions", all.vector);
  record.know("sends", all.sends);
  record.know("send_bytes", all.sent);
  record.know("receives", all.receives);
  record.know("receive_bytes", all.received);
  record.know("loads", all.loads);
  record.know("load_bytes", all.loaded);
  record.know("stores", all.stores);
  record.know("store_bytes", all.stored);
  record.know("runtime_copies", all.copies);
  record.know("runtime_copy_bytes", all.copied);
  record.know("emitted_instructions", emitted);
  record.know("largest_core_emitted", largest_emitted);
  record.know("executed_instructions", all.instructions);
  record.know("largest_core_executed", largest);
  record.know("weight_bytes", weights);
  record.know("constant_bytes", constants);
  record.know("global_memory_bytes", program.global_memory_used);
  if (const isa::cost::Rewriting written = isa::cost::rewriting(chip, program); written.groups > 0) {
    record.know("rewritten_groups", written.groups);
    record.know("rewritten_cells", written.cells);
    record.know("rewritten_bytes", written.bytes);
    if (written.cycles)
      record.know("rewriting_cycles", *written.cycles);
    else
      record.miss("rewriting_cycles", "the chip does not say how long writing a row of cells takes");
  } else {
    for (const char* figure : {"rewritten_groups", "rewritten_cells", "rewritten_bytes", "rewriting_cycles"})
      record.miss(figure, "all weights stay where they are");
  }
  Bytes ports = 0;
  for (const auto* each : {&program.inputs, &program.outputs})
    for (const isa::Port& port : *each) ports += port.bytes();
  record.know("host_copies", static_cast<std::int64_t>(program.inputs.size() + program.outputs.size()));
  record.know("host_copy_bytes", ports);
}

void count_depths(const pim::Spatial& spatial, const pim::Producers& producers, proof::Record& record) {
  const std::vector<std::int64_t> depths = pim::depths(spatial, producers);
  record.know("critical_path_steps", depths.empty() ? 0 : *std::max_element(depths.begin(), depths.end()));
  record.know("schedulable_width", pim::schedulable_width(depths));
}

void count_steps(const pim::Steps& steps, proof::Record& record) {
  std::int64_t all = 0, largest = 0, used = 0;
  for (const auto& core : steps.cores) {
    const auto n = static_cast<std::int64_t>(core.size());
    all += n;
    largest = std::max(largest, n);
    used += std::any_of(core.begin(), core.end(), [](const pim::Step& s) { return s.kind == pim::Step::Kind::compute; })
                ? 1
                : 0;
  }
  record.know("steps", all);
  record.know("largest_core_steps", largest);
  record.know("cores_used", used);
  record.know("message_chain", pim::message_chain(steps));
}

void list_lanes(const pim::Spatial& spatial, const pim::Schedule& schedule, const pim::Materialised& materialised,
                proof::Record& record) {
  for (const pim::Batch& b : spatial.batches)
    record.lists["graph_lanes"].push_back(static_cast<std::int64_t>(b.lanes.size()));
  for (const pim::ScheduledBatch& b : materialised.batches)
    record.lists["scheduled_lanes"].push_back(static_cast<std::int64_t>(b.lanes.size()));
  for (const CoreId core : schedule.class_core) record.lists["class_core"].push_back(core);
}

void know_stream(std::int64_t images, const pim::Schedule& schedule, Cycles best_interval, const pim::Bounds& bounds,
                 proof::Record& record) {
  if (images == 1) {
    for (const char* name :
         {"images", "stages", "solver_interval_cycles", "interval_bound_cycles", "predicted_interval_cycles"})
      record.miss(name, one_image);
    return;
  }
  record.miss("predicted_cycles", "a stream of images is not played through");
  record.know("images", images);
  record.know("stages", schedule.stages());
  if (best_interval > 0)
    record.know("solver_interval_cycles", best_interval);
  else
    record.miss("solver_interval_cycles", "the mapping is the user's own");
  record.know("interval_bound_cycles", bounds.interval.cycles());
  if (schedule.interval > 0)
    record.know("predicted_interval_cycles", schedule.interval);
  else
    record.miss("predicted_interval_cycles", "'--optimise throughput' predicts it");
}

void know_memory(proof::Record& record) {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  record.know("peak_resident_bytes", usage.ru_maxrss * 1024);
  std::ifstream in("/proc/self/statm");
  Bytes all = 0, resident = 0;
  if (in >> all >> resident)
    record.know("final_resident_bytes", resident * sysconf(_SC_PAGESIZE));
  else
    record.miss("final_resident_bytes", "this system does not say");
}

void expect_run(proof::Record& record) {
  for (const char* name : {"simulated_cycles", "simulated_time_fs", "energy_known_pj", "energy_complete",
                           "timing_model", "interval_cycles"})
    record.absent[name] = "compiling simulates nothing; 'pimento run' does";
  for (const char* name : {"numerical_check_passed", "largest_relative_error"})
    record.absent[name] = "compiling computes no values; 'pimento run' does";
}

}  // namespace pimento
