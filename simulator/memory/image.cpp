#include "simulator/memory/image.hpp"

#include <sys/mman.h>

#include <cstring>
#include <new>

#include "isa/support/float16.hpp"

namespace pimento::sim {
namespace {

template <class T>
double number(const std::uint8_t* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return static_cast<double>(value);
}

}  // namespace

double stored_number(ElementType type, const std::uint8_t* bytes) {
  switch (type) {
    case ElementType::u8:
    case ElementType::boolean:
      return number<std::uint8_t>(bytes);
    case ElementType::i8:
      return number<std::int8_t>(bytes);
    case ElementType::u16:
      return number<std::uint16_t>(bytes);
    case ElementType::i16:
      return number<std::int16_t>(bytes);
    case ElementType::u32:
      return number<std::uint32_t>(bytes);
    case ElementType::i32:
      return number<std::int32_t>(bytes);
    case ElementType::i64:
      return number<std::int64_t>(bytes);
    case ElementType::f32:
      return number<float>(bytes);
    case ElementType::f16:
    case ElementType::bf16: {
      std::uint16_t bits = 0;
      std::memcpy(&bits, bytes, sizeof bits);
      return type == ElementType::f16 ? f16_to_f32(bits) : bf16_to_f32(bits);
    }
  }
  return 0;
}

void Unmap::operator()(void* p) const { ::munmap(p, mapped); }

/// From the system itself: an allocator may write zeros into every page.
template <class T>
Image::Zeros<T> Image::zeros(Bytes count) {
  const std::size_t bytes = static_cast<std::size_t>(count > 0 ? count : 1) * sizeof(T);
  void* const at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) throw std::bad_alloc();
  return {static_cast<T*>(at), Unmap{bytes}};
}

Image::Image(Bytes size, Carries carries) : size_(size), carries_(carries), bytes_(zeros<std::uint8_t>(size)) {
  if (carries.shadows) shadows_ = zeros<float>(size);
  if (carries.writers) writers_ = zeros<WriterId>(size);
}

void Image::read(std::int64_t address, Bytes count, Payload& out) const {
  out.bytes.insert(out.bytes.end(), bytes(address), bytes(address) + count);
  if (carries_.shadows) out.shadows.insert(out.shadows.end(), shadows(address), shadows(address) + count);
  if (carries_.writers)
    out.writers.insert(out.writers.end(), writers_.get() + address, writers_.get() + address + count);
}

void Image::write(std::int64_t address, Bytes count, const Payload& payload, std::size_t offset) {
  const auto n = static_cast<std::size_t>(count);
  std::memcpy(bytes(address), payload.bytes.data() + offset, n);
  if (carries_.shadows) std::memcpy(shadows(address), payload.shadows.data() + offset, n * sizeof(float));
  if (carries_.writers) std::memcpy(writers(address), payload.writers.data() + offset, n * sizeof(WriterId));
}

void Image::place(std::int64_t address, ElementType type, std::span<const std::uint8_t> data,
                  std::span<const float> real) {
  if (data.empty()) return;
  std::memcpy(bytes(address), data.data(), data.size());
  if (!carries_.shadows) return;
  const auto step = static_cast<std::size_t>(size_of(type));
  for (std::size_t k = 0; k * step < data.size(); ++k)
    shadows(address)[k * step] =
        real.empty() ? static_cast<float>(stored_number(type, data.data() + k * step)) : real[k];
}

}  // namespace pimento::sim
