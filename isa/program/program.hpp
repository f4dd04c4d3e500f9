#pragma once
// The program: what the compiler emits and the simulator runs. One file, sections behind a directory, checksummed,
// memory-mapped: instruction records and weights are used where they lie.
//
// Layout of the file (layout.hpp): header (magic "PIMENTO\0", format version, section count, checksum of header and
// directory), directory (kind, offset, bytes, xxhash64 of each section), sections aligned to 64 bytes. Little-endian.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "isa/chip/chip.hpp"
#include "isa/instruction/instruction.hpp"

namespace pimento {
class Disk;
}
namespace pimento::isa {

/// Programs of one image have the first format; those of a stream the second, which readers of the first refuse.
inline constexpr std::uint32_t program_format_version = 1, stream_format_version = 2;
inline constexpr std::uint32_t format_version_of(std::int64_t images) {
  return images == 1 ? program_format_version : stream_format_version;
}

/// Bytes that live as long as somebody holds them: a vector of ours, or a piece of a mapped file.
template <class T>
struct Blob {
  std::shared_ptr<const void> owner;
  std::span<const T> data;
  std::size_t size() const { return data.size(); }
  static Blob own(std::vector<T> values) {
    auto held = std::make_shared<const std::vector<T>>(std::move(values));
    return {held, std::span<const T>(*held)};
  }
};

/// The contents of one array group: a block of a constant matrix, row-major [rows][cols].
struct Tile {
  std::int32_t rows = 0, cols = 0;                    ///< logical weights
  std::int32_t crossbar_rows = 1, crossbar_cols = 1;  ///< crossbars taken
  ElementType type = ElementType::i8;                 ///< i8 or i16 (quantised, exact), f32
  Blob<std::uint8_t> weights;                         ///< rows * cols * size_of(type) bytes
  Blob<float> real;                                   ///< exact numerics: the weights as real numbers; else empty
};

/// Array groups of one core, in group order: the tile each holds at the start (or no_tile). They lie one after another
/// round the core's crossbars: one that would end beyond the last crossbar begins at the first again. Groups that share
/// crossbars hold tiles by turns: writing one takes the crossbars from the others (groups_that_share).
inline constexpr std::uint32_t no_tile = 0xffffffffU;
struct Group {
  std::uint32_t tile = no_tile;
  std::int32_t crossbar_rows = 1, crossbar_cols = 1;
};

/// Bytes that stand in a core's local memory before cycle 0 (biases, scales, tables), and their real values.
struct Constant {
  std::int32_t address = 0;
  ElementType type = ElementType::i8;
  Blob<std::uint8_t> bytes;
  Blob<float> real;  ///< exact numerics: one per element; else empty
};

/// Instructions [begin, end) of a core stand for this ONNX node.
struct NodeRange {
  std::uint32_t begin = 0, end = 0, node = 0;
};

inline constexpr std::uint32_t no_node = 0xffffffffU;

struct CoreProgram {
  Blob<Instruction> instructions;
  std::vector<Group> groups;
  std::vector<Constant> constants;
  std::vector<NodeRange> nodes;  ///< sorted, disjoint
  Bytes local_memory_used = 0;   ///< high-water mark of the plan
};

/// One input or output of the network. In global memory it stands densely, dimensions in the order `layout` (a
/// permutation of the logical dimensions, outermost first), elements of `type`.
struct Port {
  std::string name;
  ElementType model_type = ElementType::f32;  ///< what the model's user gives and gets
  std::vector<std::int64_t> shape;            ///< logical (ONNX) order
  std::vector<std::int32_t> layout;           ///< physical order: layout[0] is the outermost logical dimension
  ElementType type = ElementType::i8;         ///< in global memory
  double scale = 1.0;                         ///< real = scale * (stored - zero_point); 1 for integers and f32
  std::int32_t zero_point = 0;
  std::int64_t address = 0;  ///< bytes, global memory
  Bytes bytes() const;
};

/// Bytes that stand in global memory before cycle 0 (spilled weights of later rounds, embedding tables).
struct GlobalConstant {
  std::int64_t address = 0;
  ElementType type = ElementType::i8;
  Blob<std::uint8_t> bytes;
  Blob<float> real;
};

struct Program {
  std::string producer;  ///< "pimento 0.1.0", or the peer's name
  std::string model;     ///< file name of the model
  std::string model_fingerprint;
  Numerics numerics = Numerics::quantised;
  std::string chip_name, chip_yaml;
  Fingerprints chip;
  std::vector<std::string> schedule_cost_keys;  ///< cost keys that the schedule read, "key=value"
  std::vector<CoreProgram> cores;
  std::vector<Tile> tiles;
  std::vector<std::vector<CoreId>> core_sets;  ///< multicast destinations, each sorted
  std::vector<std::string> nodes;              ///< ONNX node names (NodeRange::node)
  /// Of a stream of images: the ports of image 0, then those of image 1, ... Every image has the same ones.
  std::vector<Port> inputs, outputs;
  std::int64_t images = 1;
  std::vector<GlobalConstant> global_constants;
  Bytes global_memory_used = 0;
  std::string settings_json;  ///< effective compile options, seeds and versions
};

/// By group, in order: the others that share crossbars with it. Empty when no two share any.
std::vector<std::vector<std::uint32_t>> groups_that_share(const std::vector<Group>& groups, int crossbars);
/// Where each group begins.
std::vector<std::int64_t> first_crossbars(const std::vector<Group>& groups, int crossbars);
/// Crossbars of all groups together.
std::int64_t crossbars_of(const std::vector<Group>& groups);
/// Image to which port `index` of `ports` belongs.
inline std::size_t image_of(const std::vector<Port>& ports, std::size_t index, std::int64_t images) {
  return index / std::max<std::size_t>(1, ports.size() / static_cast<std::size_t>(std::max<std::int64_t>(1, images)));
}

/// The ONNX node that an instruction belongs to (index into Program::nodes); no_node outside of every range.
std::uint32_t node_of(const CoreProgram& core, std::uint32_t instruction);

/// How far a program reaches into the global memory: what its plan says, its ports and its constants.
Bytes global_memory_extent(const Program& program);

/// Writes to a temporary beside `path` and renames it: nothing half-written. Throws UserError ("a.pim: write failed at
/// byte n").
void write_program(const Program& program, const std::string& path);
void write_program(const Program& program, const std::string& path, Disk& disk);
/// Maps the file; instructions and weights are views into it. Throws UserError naming section and byte.
Program read_program(const std::string& path);
/// The same from bytes that `owner` keeps; `name` stands in messages. They must be aligned as 64-bit numbers are.
Program read_program(std::span<const std::byte> bytes, std::shared_ptr<const void> owner, const std::string& name);
/// Well-formed on this chip: fields, addresses, groups, cores, loop nesting and depth, instruction memory, ports.
/// Throws UserError "file: core 17, instruction 402 (byte 0x1e40): array group 9, core has 8".
void verify_program(const Program& program, const Chip& chip, const std::string& file = "");
/// Refuses a legality mismatch (UserError with the differing keys); returns the cost keys that differ.
std::vector<std::string> check_chip(const Program& program, const Chip& chip);

/// Text of the whole program (directives for groups, constants, ports, sets; instructions by `print`), and back.
std::string disassemble(const Program& program, bool with_data = false);
Program assemble(const std::string& text, const std::string& file = "");

/// Executed instructions of one core: loops counted out.
std::int64_t executed_instructions(const CoreProgram& core);
/// The same program without `loop`: same contacts in the same order, same MVM and vector counts. Address registers
/// stay only where a ring is crossed. Machines with loops: none run only this form.
Program unroll(const Program& program);

}  // namespace pimento::isa
