#pragma once
// The least chip that loads, for tests that change one line of it.
#include <functional>
#include <string>

#include "isa/chip/chip.hpp"
#include "isa/support/error.hpp"

namespace pimento::isa {

inline const std::string least_chip = R"(name: least
cores: 4
core:
  clock: 1 GHz
  instruction_memory: 64 KiB
  crossbars: 8
  vector: {lanes: 8, latency: 2 cycles, types: [i8, i32]}
  local_memory: {capacity: 16 KiB, width: 16 B}
  crossbar:
    rows: 128
    cols: 64
    cell_bits: 2
    read_latency: 30 ns
    adc: {bits: 8, latency: 10 cycles}
network:
  clock: 1 GHz
  topology: mesh
  width: 2
  height: 2
  flit: 8 B
global_memory:
  clock: 1 GHz
  capacity: 1 MiB
  width: 16 B
  attached_to: [0]
)";

/// least_chip with its first `from` made `to`.
inline std::string changed(const std::string& from, const std::string& to, std::string text = least_chip) {
  const std::size_t at = text.find(from);
  PIMENTO_CHECK(at != std::string::npos, "the test's chip has no '" + from + "'");
  return text.replace(at, from.size(), to);
}

/// What the loader says to a text; "" when it loads.
inline std::string complaint(const std::string& text) {
  try {
    parse_chip(text, "c.yaml");
    return "";
  } catch (const UserError& error) {
    return error.what();
  }
}

}  // namespace pimento::isa
