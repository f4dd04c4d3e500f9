#pragma once
// What one instruction does to values, whenever it does it: the meaning column of the instruction table, on one core's
// memory. Run-ahead and lock-step call the same functions in program order.
//
// exact numerics: bytes are computed from bytes, shadows (real values) from shadows. A conversion multiplies the shadow
// by `real`, a requantisation too; a copy copies it; constants of vclip and vfill's `real` are real values. Where a
// result decides something (comparison, selection, arg max), the shadows decide and the bytes follow. Integer division,
// remainder, bit operations and all arithmetic of i64 are indices: there the shadow is the integer result.
#include <string>
#include <vector>

#include "isa/program/program.hpp"
#include "simulator/core/place.hpp"
#include "simulator/crossbar/mvm.hpp"
#include "simulator/memory/image.hpp"

namespace pimento::sim {

class Executor {
 public:
  Executor(const isa::Program& program, CoreId core, const std::vector<PackedTile>& tiles, Bytes memory_size,
           Carries carries);

  /// Vector, matrix and move instructions, and `program`; scalar and control instructions do nothing to memory.
  void execute(const isa::Instruction& instruction, std::uint32_t index, const Places& places);
  /// The bytes that a send, mcast, store or gstore takes from local memory.
  void read(const isa::Instruction& instruction, std::uint32_t index, const Places& places, Payload& out);
  /// Puts the bytes that a recv, load or gload brought into local memory.
  void write(const isa::Instruction& instruction, std::uint32_t index, const Places& places, const Payload& in);
  /// The indices of gload and gstore, checked against the bound.
  std::vector<std::int32_t> indices(const isa::Instruction& instruction, std::uint32_t index, const Places& places);

  const Image& memory() const { return memory_; }

 private:
  struct At;  ///< the instruction at work: its faults name it
  void elementwise(const At& at);
  void elementwise_segment(const At& at, std::int64_t d, std::int64_t a, std::int64_t b, int n);
  void convert(const At& at);
  void clip(const At& at);
  void fill(const At& at);
  void lookup(const At& at);
  void reduce(const At& at);
  void dot(const At& at);
  void fixed_point(const At& at);
  void fill_bytes(const At& at);
  void scan(const At& at);
  void gather(const At& at);
  void move(const At& at);
  void write_cells(const At& at);
  void mvm(const At& at);
  void dvm(const At& at);

  /// Checks [address, address + bytes) against the memory's size.
  std::int64_t in_bounds(const At& at, std::int64_t address, std::int64_t bytes) const;
  void wrote(const At& at, std::int64_t address, std::int64_t bytes);
  [[noreturn]] void fail(const At& at, const std::string& what) const;
  std::vector<std::int32_t> read_indices(const At& at) const;

  CoreId core_;
  bool shadows_;
  Image memory_;
  const isa::Program* program_;
  const std::vector<PackedTile>* tiles_;
  std::vector<std::uint32_t> group_tile_;
  std::vector<std::int16_t> x16_;
  std::vector<std::uint16_t> xu16_;
  std::vector<float> xf_, sums_f_;
  std::vector<std::int32_t> sums_, x32_;
  Payload scratch_;
};

}  // namespace pimento::sim
