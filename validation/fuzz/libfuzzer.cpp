// libFuzzer's entry points for the one target that is linked with this file.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "isa/support/error.hpp"
#include "validation/fuzz/target.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {
const pimento::fuzz::Target& only() {
  PIMENTO_CHECK(pimento::fuzz::targets().size() == 1, "a fuzzer links one target");
  return pimento::fuzz::targets().front();
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  only().feed({reinterpret_cast<const char*>(data), size});
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  if (only().mutate == nullptr) return LLVMFuzzerMutate(data, size, most);
  const auto blind = [most](const std::string& bytes) {
    std::string room(most, '\0');
    const std::size_t kept = std::min(bytes.size(), most);
    std::copy_n(bytes.begin(), kept, room.begin());
    room.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(room.data()), kept, most));
    return room;
  };
  const std::string made = only().mutate({reinterpret_cast<const char*>(data), size}, seed, blind);
  if (made.empty() || made.size() > most) return LLVMFuzzerMutate(data, size, most);
  std::memcpy(data, made.data(), made.size());
  return made.size();
}
