#include "compiler/proof/figures.hpp"

#include <algorithm>

namespace pimento::proof {
namespace {
constexpr auto proxy = FigureClass::runtime_proxy;
constexpr auto resource = FigureClass::resource;
constexpr auto identity = FigureClass::identity;
constexpr auto gate = FigureClass::gate;
constexpr auto lower = Direction::lower;
constexpr auto higher = Direction::higher;
constexpr auto equal = Direction::equal;
constexpr auto number = Reading::number;
constexpr auto text = Reading::text;
constexpr auto sizes = Reading::sizes;
constexpr auto owners = Reading::owners;
constexpr auto local = Repeats::on_this_machine;
}  // namespace

std::string_view to_string(FigureClass c) {
  switch (c) {
    case FigureClass::runtime_proxy:
      return "runtime proxy";
    case FigureClass::resource:
      return "resource";
    case FigureClass::identity:
      return "identity";
    case FigureClass::gate:
      return "gate";
  }
  return "";
}
std::string_view to_string(Direction d) {
  return d == Direction::lower ? "lower" : d == Direction::higher ? "higher" : "equal";
}

const std::vector<Figure>& figures() {
  static const std::vector<Figure> rows{
      {"model_fingerprint", identity, equal, "", "the imported graph, names aside", text},
      {"chip_keys", identity, equal, "", "value of every legality and cost key that the chip uses", text},
      {"numerics", identity, equal, "", "quantised, exact or f32", text},
      {"images", identity, equal, "", "of a stream; 1: one image"},
      {"stages", resource, equal, "", "turns through which one image of a stream goes: above 1 images overlap"},
      {"unrolled", identity, equal, "", "1: no loops, by --unroll or because the chip has none"},
      {"timing_model", identity, equal, "", "version of the rules of time that gave the simulated cycles"},
      {"wall_s", resource, lower, "s", "the compile, and each stage", number, local},
      {"cpu_s", resource, lower, "s", "the same as processor time of the process", number, local},
      {"peak_resident_bytes", resource, lower, "B", "host memory: largest resident set of the process so far", number,
       local},
      {"final_resident_bytes", resource, lower, "B", "host memory: resident set as the compile ends", number, local},
      {"graph_nodes", resource, lower, "", "nodes after the last pass of layer 1"},
      {"graph_values", resource, lower, "", "values after the last pass of layer 1"},
      {"mapping_attempt", resource, lower, "", "which mapping fitted, from 1: the fastest, to more frugal ones"},
      {"logical_computes", proxy, higher, "", "pieces of work made by graph-to-spatial: fewer are coarser"},
      {"computes", proxy, higher, "", "pieces of work after merge"},
      {"moves_merged", proxy, higher, "", "computes that only moved data, gone without loss"},
      {"graph_batches", proxy, lower, "", "batches of computes with one body"},
      {"graph_lanes", proxy, higher, "", "list: lanes of each graph batch", sizes},
      {"schedulable_width", proxy, higher, "", "computes at one depth of the dependences, where there are most"},
      {"scheduled_batches", proxy, lower, "", "batches by core"},
      {"scheduled_lanes", proxy, higher, "", "list: lanes of each scheduled batch", sizes},
      {"classes", proxy, higher, "", "copies of weight tiles"},
      {"class_core", proxy, lower, "", "list: the core of each class; fewer cores, or more on one, are worse", owners},
      {"cores_used", proxy, higher, "", "cores with at least one compute"},
      {"crossbars_used", resource, lower, "", "crossbars that hold weights"},
      {"rounds", proxy, lower, "",
       "how often the crossbars hold other weights, where a model needs more than the chip has"},
      {"rewritten_groups", proxy, lower, "", "array groups written while the program runs"},
      {"rewritten_cells", proxy, lower, "", "their cells"},
      {"rewritten_bytes", proxy, lower, "B", "their weights, loaded from global memory"},
      {"rewriting_cycles", proxy, lower, "core cycles",
       "of the core that writes cells longest, loads and waiting apart"},
      {"critical_path_cycles", proxy, lower, "core cycles", "longest chain of computes, durations alone"},
      {"critical_path_steps", proxy, lower, "", "computes on the longest chain"},
      {"predicted_cycles", proxy, lower, "core cycles", "end of the steps played through"},
      {"predicted_interval_cycles", proxy, lower, "core cycles", "of a stream that was made for throughput"},
      {"planned_cycles", resource, equal, "core cycles", "list: ends of the schedules that this one was chosen from",
       sizes},
      {"steps", proxy, lower, "", "computes and contacts in the order of all cores"},
      {"largest_core_steps", proxy, lower, "", "steps of the core with most"},
      {"message_chain", proxy, lower, "", "messages on the longest chain that the cores' orders make"},
      {"mvms", proxy, lower, "", "matrix-vector products on crossbars, executed"},
      {"vmms", proxy, lower, "", "digital vector-matrix products, executed"},
      {"vector_instructions", proxy, lower, "", "executed by vector units"},
      {"sends", proxy, lower, "", "messages: sends and multicasts, executed"},
      {"send_bytes", proxy, lower, "B", "their bytes, each message once"},
      {"receives", proxy, lower, "", "receives, executed"},
      {"receive_bytes", proxy, lower, "B", "their bytes"},
      {"loads", proxy, lower, "", "reads of global memory, executed"},
      {"load_bytes", proxy, lower, "B", "their bytes"},
      {"stores", proxy, lower, "", "writes of global memory, executed"},
      {"store_bytes", proxy, lower, "B", "their bytes"},
      {"spills", proxy, lower, "", "stores and loads of what local memory has no room for; among those above"},
      {"spill_bytes", proxy, lower, "B", "their bytes"},
      {"emitted_instructions", proxy, lower, "", "records in all cores' programs"},
      {"largest_core_emitted", proxy, lower, "", "records of the core with most"},
      {"executed_instructions", proxy, lower, "", "loops counted out"},
      {"largest_core_executed", proxy, lower, "", "executed by the core with most"},
      {"runtime_copies", proxy, lower, "", "device to device: copies within a core's memory, executed"},
      {"runtime_copy_bytes", proxy, lower, "B", "their bytes"},
      {"host_copies", proxy, lower, "", "host and device: inputs written before cycle 0, outputs read at the end"},
      {"host_copy_bytes", proxy, lower, "B", "their bytes"},
      {"operations", proxy, lower, "", "selected operations before loops and addresses"},
      {"buffers", resource, lower, "", "pieces of local memory given to values"},
      {"in_place", resource, higher, "", "buffers that take the place of an input that dies"},
      {"weight_bytes", resource, lower, "B", "contents of all array groups"},
      {"constant_bytes", resource, lower, "B", "biases, scales and tables in local memories"},
      {"global_memory_bytes", resource, lower, "B", "inputs, outputs, what is spilled and the weights of later rounds"},
      {"logical_core_memory_bytes", resource, lower, "B", "list: local memory of each core that computes", sizes},
      {"physical_core_memory_bytes", resource, lower, "B", "list: local memory of each core of the chip", sizes},
      {"largest_core_memory_bytes", resource, lower, "B", "local memory of the core with most"},
      {"solver_interval_cycles", resource, lower, "core cycles",
       "of a stream: the best that any copies of the weights within the budget of crossbars allow"},
      {"interval_bound_cycles", resource, lower, "core cycles", "of a stream: no pace of these computes is faster"},
      {"interval_cycles", gate, lower, "core cycles", "of a stream: from image to image in the steady state"},
      {"simulated_cycles", gate, lower, "core cycles", "of a run on this chip"},
      {"simulated_time_fs", gate, lower, "fs", "the same as time"},
      {"energy_known_pj", resource, lower, "pJ", "of that run, as far as the chip gives energies"},
      {"energy_complete", resource, higher, "", "1: the chip gives every energy that occurred"},
      {"numerical_check_passed", gate, higher, "", "1: every output agrees with the reference"},
      {"largest_relative_error", resource, lower, "",
       "over all outputs; numerical_check_passed says whether it may be"},
  };
  return rows;
}

const Figure* find_figure(std::string_view name) {
  const auto& rows = figures();
  const auto at = std::find_if(rows.begin(), rows.end(), [&](const Figure& f) { return f.name == name; });
  return at == rows.end() ? nullptr : &*at;
}

}  // namespace pimento::proof
