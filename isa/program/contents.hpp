#pragma once
// The contents section, described once: an archive A either writes every field or reads it back, so the two cannot
// disagree. Pieces of bulk data stand in other sections; the archive keeps their place.
#include "isa/program/layout.hpp"

namespace pimento::isa {

template <class A, class P>
void describe_port(A& a, P& port) {
  a.text("port name", port.name);
  a.choice("model type", port.model_type, element_type_count);
  a.list("shape", port.shape, [&](auto& extent) { a.number("extent", extent); });
  a.list("layout", port.layout, [&](auto& dimension) { a.number("dimension", dimension); });
  a.choice("type", port.type, element_type_count);
  a.number("scale", port.scale);
  a.number("zero point", port.zero_point);
  a.number("address", port.address);
}

template <class A, class T>
void describe_tile(A& a, T& tile) {
  a.number("tile rows", tile.rows);
  a.number("tile columns", tile.cols);
  a.number("crossbar rows", tile.crossbar_rows);
  a.number("crossbar columns", tile.crossbar_cols);
  a.choice("tile type", tile.type, element_type_count);
  a.piece("weights", tile.weights, Section::data);
  a.piece("real weights", tile.real, Section::shadows);
}

/// Constant and GlobalConstant.
template <class A, class C>
void describe_constant(A& a, C& constant) {
  a.number("address", constant.address);
  a.choice("type", constant.type, element_type_count);
  a.piece("constant", constant.bytes, Section::data);
  a.piece("real constant", constant.real, Section::shadows);
}

template <class A, class C>
void describe_core(A& a, C& core) {
  a.piece("instructions", core.instructions, Section::instructions);
  a.list("groups", core.groups, [&](auto& group) {
    a.number("tile", group.tile);
    a.number("crossbar rows", group.crossbar_rows);
    a.number("crossbar columns", group.crossbar_cols);
  });
  a.list("constants", core.constants, [&](auto& constant) { describe_constant(a, constant); });
  a.list("node ranges", core.nodes, [&](auto& range) {
    a.number("begin", range.begin);
    a.number("end", range.end);
    a.number("node", range.node);
  });
  a.number("local memory used", core.local_memory_used);
}

template <class A, class P>
void describe(A& a, P& program) {
  a.text("producer", program.producer);
  a.text("model", program.model);
  a.text("model fingerprint", program.model_fingerprint);
  a.choice("numerics", program.numerics, 3);
  a.text("chip name", program.chip_name);
  a.text("chip description", program.chip_yaml);
  a.number("legality fingerprint", program.chip.legality);
  a.number("cost fingerprint", program.chip.cost);
  a.number("physics fingerprint", program.chip.physics);
  a.list("cost keys", program.schedule_cost_keys, [&](auto& key) { a.text("cost key", key); });
  a.list("cores", program.cores, [&](auto& core) { describe_core(a, core); });
  a.list("tiles", program.tiles, [&](auto& tile) { describe_tile(a, tile); });
  a.list("core sets", program.core_sets,
         [&](auto& set) { a.list("core set", set, [&](auto& core) { a.number("core", core); }); });
  a.list("nodes", program.nodes, [&](auto& node) { a.text("node name", node); });
  a.list("inputs", program.inputs, [&](auto& port) { describe_port(a, port); });
  a.list("outputs", program.outputs, [&](auto& port) { describe_port(a, port); });
  a.list("global constants", program.global_constants, [&](auto& constant) { describe_constant(a, constant); });
  a.number("global memory used", program.global_memory_used);
  a.text("settings", program.settings_json);
}

}  // namespace pimento::isa
