#include <algorithm>
#include <cstring>

#include "compiler/drivers/pim/lower/select.hpp"
#include "compiler/ops/registry.hpp"
#include "isa/support/hash.hpp"

namespace pimento::pim {
namespace {
bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}
}  // namespace

std::int32_t ConstantPool::add(ConstantData data) {
  std::uint64_t hash = hash64(data.bytes.data(), data.bytes.size()) + static_cast<std::uint64_t>(data.type);
  if (!data.real.empty()) hash ^= hash64(data.real.data(), data.real.size() * sizeof(float)) * 31;
  const auto less = [](const auto& entry, std::uint64_t key) { return entry.first < key; };
  auto at = std::lower_bound(by_hash_.begin(), by_hash_.end(), hash, less);
  for (auto each = at; each != by_hash_.end() && each->first == hash; ++each) {
    const ConstantData& known = data_[static_cast<std::size_t>(each->second)];
    if (known.type == data.type && known.bytes == data.bytes && same_bits(known.real, data.real)) return each->second;
  }
  const auto index = static_cast<std::int32_t>(data_.size());
  by_hash_.insert(at, {hash, index});
  data_.push_back(std::move(data));
  return index;
}

std::int32_t ConstantPool::made(const std::vector<std::int64_t>& key) const {
  const auto found = made_.find(key);
  return found == made_.end() ? -1 : found->second.first;
}
void ConstantPool::keep(std::vector<std::int64_t> key, std::int32_t index, ir::Expr of) {
  made_.emplace(std::move(key), std::pair{index, std::move(of)});
}

const ir::KernelSequence& ConstantPool::kernels(const ir::Graph& graph, std::int32_t node) {
  auto& kept = kernels_[node];
  if (!kept) {
    kept =
        std::make_shared<const ir::KernelSequence>(ops::kernels_of(graph, graph.nodes[static_cast<std::size_t>(node)]));
  }
  return *kept;
}

}  // namespace pimento::pim
