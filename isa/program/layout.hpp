#pragma once
// Where things stand in a program file; shared by its writer, its reader and the messages that name a byte.
//
//   0    header: magic, version, section count, checksum over header and directory, bytes of the file
//   64   directory: kind, offset, bytes, xxHash of each section, in this order
//   192  instructions: the records of core 0, core 1, ...
//        data: weights and constants, each piece at a multiple of 64
//        shadows: real values (f32), likewise
//        contents: everything else, as contents.hpp describes it; says which piece belongs to whom
//
// Sections begin at multiples of 64; the gaps hold zeros.
#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

#include "isa/program/program.hpp"

namespace pimento::isa {

static_assert(std::endian::native == std::endian::little, "the file is used where it lies, and it is little-endian");

enum class Section : std::uint32_t { instructions, data, shadows, contents };
inline constexpr std::size_t section_count = 4;
constexpr std::string_view to_string(Section section) {
  constexpr std::array<std::string_view, section_count> names{"instructions", "data", "shadows", "contents"};
  return names[static_cast<std::size_t>(section)];
}

struct FileHeader {
  std::array<char, 8> magic{'P', 'I', 'M', 'E', 'N', 'T', 'O', '\0'};
  std::uint32_t version = program_format_version;
  std::uint32_t sections = section_count;
  std::uint64_t checksum = 0;  ///< of header (with 0 here) and directory
  std::uint64_t file_bytes = 0;
  std::uint64_t images = 0;  ///< of a stream; 0: one image
  std::array<std::uint64_t, 3> reserved{};
};
struct DirectoryEntry {
  std::uint32_t kind = 0, reserved = 0;
  std::uint64_t offset = 0, bytes = 0, hash = 0;
};
using Directory = std::array<DirectoryEntry, section_count>;
static_assert(sizeof(FileHeader) == 64 && sizeof(Directory) == 128);

inline constexpr std::uint64_t section_alignment = 64;
inline constexpr std::uint64_t first_section = sizeof(FileHeader) + sizeof(Directory);
constexpr std::uint64_t aligned(std::uint64_t offset) {
  return (offset + section_alignment - 1) / section_alignment * section_alignment;
}

/// The checksum that a header with this directory carries.
std::uint64_t directory_checksum(FileHeader header, const Directory& directory);

/// Where the file keeps instruction `index` of a core.
inline std::uint64_t instruction_byte(const Program& program, std::size_t core, std::size_t index) {
  std::uint64_t before = index;
  for (std::size_t c = 0; c < core; ++c) before += program.cores[c].instructions.size();
  return first_section + before * sizeof(Instruction);
}

}  // namespace pimento::isa
