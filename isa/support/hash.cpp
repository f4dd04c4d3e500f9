#include "isa/support/hash.hpp"

#include <fmt/core.h>
#include <xxhash.h>

#include "isa/support/error.hpp"

namespace pimento {
namespace {
std::string hex(const XXH128_hash_t& h) { return fmt::format("{:016x}{:016x}", h.high64, h.low64); }
}  // namespace

std::uint64_t hash64(const void* data, std::size_t size) { return XXH3_64bits(data, size); }
std::string hash128_hex(std::string_view bytes) { return hex(XXH3_128bits(bytes.data(), bytes.size())); }
std::string hex(std::uint64_t value) { return fmt::format("{:016x}", value); }

// The 64-bit and the 128-bit form share one streaming state in xxHash, but not its settings, so both are kept.
struct Hasher::State {
  XXH3_state_t* short_form = XXH3_createState();
  XXH3_state_t* long_form = XXH3_createState();
  State() {
    PIMENTO_CHECK(short_form && long_form, "out of memory for a hash state");
    XXH3_64bits_reset(short_form);
    XXH3_128bits_reset(long_form);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    XXH3_freeState(short_form);
    XXH3_freeState(long_form);
  }
};

Hasher::Hasher() : state_(std::make_unique<State>()) {}
Hasher::~Hasher() = default;
Hasher::Hasher(Hasher&&) noexcept = default;
Hasher& Hasher::operator=(Hasher&&) noexcept = default;

Hasher& Hasher::add(const void* data, std::size_t size) {
  XXH3_64bits_update(state_->short_form, data, size);
  XXH3_128bits_update(state_->long_form, data, size);
  return *this;
}
std::uint64_t Hasher::value() const { return XXH3_64bits_digest(state_->short_form); }
std::string Hasher::hex128() const { return hex(XXH3_128bits_digest(state_->long_form)); }

}  // namespace pimento
