#pragma once
// xxHash, the one hash of the tool: fingerprints, cache keys, file checks. Equal bytes give equal values on every
// machine.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace pimento {

std::uint64_t hash64(const void* data, std::size_t size);
inline std::uint64_t hash64(std::string_view bytes) { return hash64(bytes.data(), bytes.size()); }
/// 128 bits as 32 lower-case hexadecimal digits.
std::string hash128_hex(std::string_view bytes);
/// 16 lower-case hexadecimal digits.
std::string hex(std::uint64_t value);

/// hash64 over bytes that arrive in pieces; how they are cut does not matter.
class Hasher {
 public:
  Hasher();
  ~Hasher();
  Hasher(Hasher&&) noexcept;
  Hasher& operator=(Hasher&&) noexcept;
  Hasher& add(const void* data, std::size_t size);
  Hasher& add(std::string_view bytes) { return add(bytes.data(), bytes.size()); }
  std::uint64_t value() const;
  std::string hex128() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pimento
