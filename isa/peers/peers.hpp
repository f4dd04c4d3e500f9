#pragma once
// Other compilers' programs: pimsim-nn's files become programs of ours, and back. README.md says what stands for what.
#include <string>
#include <vector>

#include "isa/chip/chip.hpp"
#include "isa/program/program.hpp"

namespace pimento::isa::peers {

enum class FileKind : std::uint8_t {
  unknown,
  program,         ///< ours
  peer_json,       ///< pimsim-nn's JSON, plain or gzip
  peer_directory,  ///< config.json and a core_<id>.pim for each core
  peer_core,       ///< one core_<id>.pim of a directory: no program by itself
  peer_chip,       ///< pimsim-nn's chip file
  chip             ///< ours
};
/// By content, never by name. Throws UserError when nothing can be read there.
FileKind file_kind(const std::string& path);

struct LoadOptions {
  bool strict = false;  ///< a width that is used before `setbw` is an error, not a warning
};

/// A peer's program for this chip. Registers are resolved: operands carry their addresses, scalar instructions stay
/// where they were. It has no inputs, no outputs and zero weights: only its time means something. Throws UserError with
/// core, instruction and byte.
Program load_peer_program(const std::string& path, const Chip& chip, std::vector<std::string>& warnings,
                          const LoadOptions& options = {});
/// Ours or a peer's. `timing_only` becomes true for a peer's.
Program load_any_program(const std::string& path, const Chip& chip, std::vector<std::string>& warnings,
                         bool& timing_only, const LoadOptions& options = {});

struct WriteOptions {
  /// pimsim-nn computes no values, and has neither scales nor floats. With `times_only`, what scales or computes with
  /// floats becomes an instruction of the same widths and time that does not; without it, that is an error.
  bool times_only = false;
};
struct WriteReport {
  std::int64_t times_only = 0;   ///< instructions of which only the time is kept
  std::string first_times_only;  ///< core, instruction, node
};
/// As pimsim-nn's JSON (gzip when the name ends in ".gz") or directory; loops are unrolled. Throws UserError naming
/// core, instruction and node when that instruction set has nothing for it.
WriteReport write_peer_json(const Program& program, const Chip& chip, const std::string& path,
                            const WriteOptions& options = {});
WriteReport write_peer_directory(const Program& program, const Chip& chip, const std::string& path,
                                 const WriteOptions& options = {});

enum class PeerRules : std::uint8_t {
  documented,  ///< what its documents say and what sense says
  as_built     ///< what its code does
};
/// pimsim-nn's chip file with the network table that it names, or PIMCOMP's, which has the same form and is shipped
/// without its table (then `layout` says a mesh), as a chip file of ours: every value says where it comes from.
std::string import_peer_chip(const std::string& path, PeerRules rules, std::vector<std::string>& warnings);
/// The chip itself.
Chip load_peer_chip(const std::string& path, PeerRules rules, std::vector<std::string>& warnings);

}  // namespace pimento::isa::peers
