#pragma once
// The local memory of a random program, cut into pools by what may be read from it, and views drawn from them.
#include <array>
#include <bitset>
#include <vector>

#include "isa/instruction/form.hpp"
#include "isa/instruction/samples.hpp"
#include "isa/program/program.hpp"

namespace pimento::isa {

/// Pools that are not constant are written by their own types only, so that a bool is 0 or 1 and a float is no stray
/// pattern; integers of all widths share one pool.
enum class Pool : std::uint8_t { ints, bools, f32s, f16s, bf16s, nonzero, indices, f32_constants };
inline constexpr std::size_t pool_count = 8;
inline constexpr std::int32_t index_bound = 16;
Pool pool_of(ElementType type);

struct Region {
  std::int64_t begin = 0, end = 0;
  std::int64_t size() const { return end - begin; }
};

class Pools {
 public:
  explicit Pools(Bytes capacity);
  const Region& operator[](Pool pool) const { return regions_[static_cast<std::size_t>(pool)]; }
  /// What stands there before cycle 0.
  std::vector<Constant> contents(Random& random) const;
  Bytes used() const { return regions_.back().end; }

 private:
  std::array<Region, pool_count> regions_{};
};

/// An address register that holds a place in one pool, whatever the counters are.
struct LiveRegister {
  std::uint8_t reg = 0;
  Pool pool = Pool::ints;
  std::int64_t low = 0, high = 0;  ///< its values, without ring
  bool ring = false;
  AddressSetup setup;
};
inline constexpr std::int64_t ring_slot = 32;  ///< bytes; rings are cut into these, so no segment straddles the end

/// A view and the bytes that it touches over all rounds of the loops round it.
struct Drawn {
  std::int64_t address = 0, stride = 0, first = 0, last = 0;
  std::uint8_t reg = no_register;
  bool ok = false;
};
struct Wanted {
  std::int64_t element = 1, count = 1, bytes = 1;
  bool strided = true;
  bool spread = false;  ///< no two segments may overlap
};
Drawn draw(const Region& region, Pool pool, const Wanted& wanted, const std::vector<LiveRegister>& live,
           Random& random);

}  // namespace pimento::isa
