#include "isa/program/random_pools.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "isa/support/error.hpp"
#include "isa/support/float16.hpp"

namespace pimento::isa {

Pool pool_of(ElementType type) {
  switch (type) {
    case ElementType::boolean:
      return Pool::bools;
    case ElementType::f32:
      return Pool::f32s;
    case ElementType::f16:
      return Pool::f16s;
    case ElementType::bf16:
      return Pool::bf16s;
    default:
      return Pool::ints;
  }
}

Pools::Pools(Bytes capacity) {
  constexpr std::array<std::int64_t, pool_count> shares{6, 1, 2, 1, 1, 1, 1, 1};  // of 16 parts
  const std::int64_t part = std::min<std::int64_t>(capacity, 16384) / 16 / 64 * 64;
  if (part < 64) throw UserError("a random program needs 1024 bytes of local memory");
  std::int64_t at = 0;
  for (std::size_t p = 0; p < pool_count; ++p) {
    regions_[p] = {at, at + shares[p] * part};
    at = regions_[p].end;
  }
}

namespace {
/// Small numbers with a fraction, exact in every float type.
float small_real(Random& random) { return static_cast<float>(random.between(-32, 32)) / 8.0F; }

template <class T>
void put(std::vector<std::uint8_t>& bytes, T value) {
  const auto raw = std::bit_cast<std::array<std::uint8_t, sizeof(T)>>(value);
  bytes.insert(bytes.end(), raw.begin(), raw.end());
}
}  // namespace

std::vector<Constant> Pools::contents(Random& random) const {
  std::vector<Constant> all;
  for (std::size_t p = 0; p < pool_count; ++p) {
    const auto pool = static_cast<Pool>(p);
    Constant constant{static_cast<std::int32_t>(regions_[p].begin), ElementType::u8, {}, {}};
    std::vector<std::uint8_t> bytes;
    while (static_cast<std::int64_t>(bytes.size()) < regions_[p].size()) switch (pool) {
        case Pool::ints:
          put(bytes, static_cast<std::uint8_t>(random.next()));
          break;
        case Pool::bools:
          put(bytes, static_cast<std::uint8_t>(random.between(0, 1)));
          break;
        case Pool::f32s:
        case Pool::f32_constants:
          put(bytes, small_real(random));
          break;
        case Pool::f16s:
          put(bytes, f32_to_f16(small_real(random)));
          break;
        case Pool::bf16s:
          put(bytes, f32_to_bf16(small_real(random)));
          break;
        // bytes 1 .. 127: no integer type reads 0 from them, and none reads -1
        case Pool::nonzero:
          put(bytes, static_cast<std::uint8_t>(random.between(1, 127)));
          break;
        case Pool::indices:
          put(bytes, static_cast<std::int32_t>(random.between(0, index_bound - 1)));
          break;
      }
    constexpr std::array<ElementType, pool_count> types{ElementType::u8,  ElementType::boolean, ElementType::f32,
                                                        ElementType::f16, ElementType::bf16,    ElementType::u8,
                                                        ElementType::i32, ElementType::f32};
    constant.type = types[p];
    constant.bytes = Blob<std::uint8_t>::own(std::move(bytes));
    all.push_back(std::move(constant));
  }
  return all;
}

namespace {
std::int64_t any_stride(const Wanted& w, Random& random) {
  const std::int64_t packed = (w.bytes + w.element - 1) / w.element * w.element;
  if (!w.strided || w.count == 1) return 0;
  if (!w.spread && random.one_in(6)) return 0;
  if (!w.spread && random.one_in(6)) return random.between(1, 3) * w.element;  // segments overlap
  const std::int64_t stride = packed + random.between(0, 3) * w.element;
  return random.one_in(6) ? -stride : stride;
}

Drawn draw_in_ring(const LiveRegister& live, const Wanted& w, Random& random) {
  if (w.bytes > ring_slot || (w.spread && w.count * ring_slot > live.setup.ring_size)) return {};
  Drawn d;
  d.reg = live.reg;
  d.address = ring_slot * random.between(-2, 4);
  d.stride = w.strided && w.count > 1 ? ring_slot * (w.spread ? 1 : random.between(-2, 2)) : 0;
  d.first = live.setup.ring_lo;
  d.last = d.first + live.setup.ring_size;
  d.ok = true;
  return d;
}
}  // namespace

Drawn draw(const Region& region, Pool pool, const Wanted& w, const std::vector<LiveRegister>& live, Random& random) {
  Drawn d;
  std::int64_t spread = 0, base = 0;
  if (!live.empty() && !random.one_in(3)) {
    const auto& chosen = live[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(live.size()) - 1))];
    if (chosen.pool == pool) {
      if (chosen.ring) return draw_in_ring(chosen, w, random);
      d.reg = chosen.reg;
      base = chosen.low;
      spread = chosen.high - chosen.low;
    }
  }
  d.stride = any_stride(w, random);
  const std::int64_t reach = (w.count - 1) * d.stride;
  const std::int64_t room = region.size() - spread - std::abs(reach) - w.bytes;
  if (room < 0) return {};
  d.first = region.begin + random.between(0, room / w.element) * w.element;
  d.last = d.first + std::abs(reach) + spread + w.bytes;
  d.address = d.first - std::min<std::int64_t>(reach, 0) - base;
  d.ok = true;
  return d;
}

}  // namespace pimento::isa
