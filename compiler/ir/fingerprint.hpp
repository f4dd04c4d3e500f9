#pragma once
// Canonical bytes and their 128-bit hash. Names do not enter: fingerprint(renamed(g)) == fingerprint(g). Value ids are
// renumbered in order of first mention (inputs, states, then nodes), so dropped values do not matter either; the order
// of nodes does. Metadata and `source` are labels and stay out; constants enter by the fingerprint of their bytes.
#include <cstdint>
#include <string>
#include <vector>

#include "compiler/ir/graph.hpp"

namespace pimento::ir {

struct Fingerprint {
  std::uint64_t high = 0, low = 0;
  auto operator<=>(const Fingerprint&) const = default;  // NOLINT(modernize-use-nullptr): the 0 is the compiler's
};
/// 32 hexadecimal digits.
std::string to_string(const Fingerprint& f);

std::vector<std::byte> canonical_bytes(const Expr& e);
std::vector<std::byte> canonical_bytes(const Kernel& k);
std::vector<std::byte> canonical_bytes(const LibraryKernel& k);
std::vector<std::byte> canonical_bytes(const Graph& g);
Fingerprint fingerprint(std::span<const std::byte> bytes);
Fingerprint fingerprint(const Tensor& t);  ///< type, shape and bytes
Fingerprint fingerprint(const Expr& e);
Fingerprint fingerprint(const Kernel& k);
Fingerprint fingerprint(const LibraryKernel& k);
Fingerprint fingerprint(const Graph& g);

}  // namespace pimento::ir
