// Program files: read, print, verify, and run what verifies for a bounded number of cycles, with values and without.
// Mutations are sealed: their checksums are made right, since a wrong one ends everything at the first byte.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>

#include "isa/program/layout.hpp"
#include "isa/support/error.hpp"
#include "isa/support/hash.hpp"
#include "simulator/chip/simulate.hpp"
#include "validation/fuzz/target.hpp"

namespace pimento::fuzz {
namespace {
using isa::Program;

constexpr Cycles most_cycles = 2000;

std::string sealed(std::string bytes) {
  if (bytes.size() < isa::first_section) return bytes;
  isa::FileHeader header;
  isa::Directory directory;
  std::memcpy(static_cast<void*>(&header), bytes.data(), sizeof header);
  std::memcpy(directory.data(), bytes.data() + sizeof header, sizeof directory);
  header.file_bytes = bytes.size();
  for (isa::DirectoryEntry& entry : directory)
    if (entry.offset <= bytes.size() && entry.bytes <= bytes.size() - entry.offset)
      entry.hash = hash64(bytes.data() + entry.offset, entry.bytes);
  header.checksum = isa::directory_checksum(header, directory);
  std::memcpy(bytes.data(), &header, sizeof header);
  std::memcpy(bytes.data() + sizeof header, directory.data(), sizeof directory);
  return bytes;
}

/// Three of four times behind header and directory; one of two times keeping the size, so that offsets stay right.
std::string mutate(const std::string& bytes, std::uint32_t seed, const Blind& blind) {
  if (bytes.size() <= isa::first_section || seed % 4 == 0) return sealed(blind(bytes));
  std::string tail = blind(bytes.substr(isa::first_section));
  if (seed % 8 < 4) tail.resize(bytes.size() - isa::first_section, '\0');
  return sealed(bytes.substr(0, isa::first_section) + tail);
}

void simulate(const Program& program, bool timing_only) {
  sim::Options options;
  options.timing_only = timing_only;
  options.max_cycles = most_cycles;
  if (!timing_only)
    for (const isa::Port& port : program.inputs)
      options.inputs.push_back({std::vector<std::uint8_t>(static_cast<std::size_t>(port.bytes()), 1), {}});
  Cycles cycles = 0;
  answered([&] { cycles = sim::simulate(program, small_chip(), options).cycles; });
  promise(cycles >= 0, "cycles are counted from 0");
}

bool feed(std::string_view bytes) {
  const auto owner = std::make_shared<std::vector<std::max_align_t>>(bytes.size() / sizeof(std::max_align_t) + 1);
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(owner->data()));
  const std::span<const std::byte> aligned(reinterpret_cast<const std::byte*>(owner->data()), bytes.size());
  Program program;
  if (!answered([&] { program = isa::read_program(aligned, owner, "a.pim"); })) return false;
  isa::disassemble(program, true);
  if (!answered([&] { isa::verify_program(program, small_chip(), "a.pim"); })) return true;
  const std::string text = isa::disassemble(program, true);
  promise(isa::disassemble(isa::assemble(text, "a.txt"), true) == text, "a verified program survives its text");
  simulate(program, true);
  simulate(program, false);
  return true;
}

FUZZ_TARGET("program", feed, mutate);

}  // namespace
}  // namespace pimento::fuzz
