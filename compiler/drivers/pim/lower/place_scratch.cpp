#include <algorithm>
#include <vector>

#include "compiler/drivers/pim/lower/nest.hpp"

namespace pimento::pim {
namespace {
struct Life {
  int first = -1, last = -1;
  int reuses = -1;  ///< temporary whose place it takes over
  Bytes bytes = 0;
};

bool walked_alike(const OperandRef& a, const OperandRef& b) {
  return a.row == b.row && a.position == b.position && a.channel == b.channel && a.row_step == b.row_step &&
         a.position_step == b.position_step && a.channel_step == b.channel_step && a.loop_steps == b.loop_steps;
}
bool elementwise(const PimOp& op) {
  const isa::Form form = isa::row(op.form.opcode).form;
  return form == isa::Form::unary || form == isa::Form::binary || form == isa::Form::convert ||
         form == isa::Form::requant || form == isa::Form::clip;
}

std::vector<Life> lives(const Selected& selected) {
  std::vector<Life> result(selected.scratch.size());
  for (std::size_t s = 0; s < result.size(); ++s) {
    result[s].bytes = Bytes{selected.scratch[s].elements} * size_of(selected.scratch[s].type);
  }
  int at = 0;
  for (const PimOp& op : selected.ops) {
    for (const OperandRef* ref : {&op.dst, &op.a, &op.b}) {
      if (ref->kind != OperandRef::Kind::scratch) continue;
      Life& life = result[static_cast<std::size_t>(ref->id)];
      if (life.first < 0) life.first = at;
      life.last = at;
    }
    ++at;
  }
  return result;
}
}  // namespace

void place_scratch(Selected& selected, Bytes alignment) {
  std::vector<Life> all = lives(selected);
  std::vector<int> order;
  for (int s = 0; s < static_cast<int>(all.size()); ++s) {
    if (all[static_cast<std::size_t>(s)].first >= 0) order.push_back(s);
  }
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return all[static_cast<std::size_t>(a)].first < all[static_cast<std::size_t>(b)].first;
  });
  std::vector<std::pair<Bytes, Bytes>> taken;
  std::vector<int> placed;
  for (const int s : order) {
    Life& life = all[static_cast<std::size_t>(s)];
    const PimOp& birth = selected.ops[static_cast<std::size_t>(life.first)];
    for (const OperandRef* operand : {&birth.a, &birth.b}) {
      if (operand->kind != OperandRef::Kind::scratch || operand->id == s) continue;
      const Life& dying = all[static_cast<std::size_t>(operand->id)];
      const bool same_shape =
          dying.bytes == life.bytes && selected.scratch[static_cast<std::size_t>(s)].elements ==
                                           selected.scratch[static_cast<std::size_t>(operand->id)].elements;
      const auto clobbered = [&](const OperandRef& other) {
        return other.kind == OperandRef::Kind::scratch && other.id == operand->id && !walked_alike(birth.dst, other);
      };
      if (birth.dst.kind == OperandRef::Kind::scratch && birth.dst.id == s && dying.last == life.first && same_shape &&
          elementwise(birth) && !clobbered(birth.a) && !clobbered(birth.b)) {
        life.reuses = operand->id;
      }
    }
    Bytes offset = 0;
    if (life.reuses >= 0) {
      offset = selected.scratch[static_cast<std::size_t>(life.reuses)].offset;
    } else {
      taken.clear();
      for (const int other : placed) {
        const Life& theirs = all[static_cast<std::size_t>(other)];
        if (theirs.last < life.first) continue;
        const Bytes begin = selected.scratch[static_cast<std::size_t>(other)].offset;
        taken.emplace_back(begin, begin + theirs.bytes);
      }
      std::sort(taken.begin(), taken.end());
      for (const auto& [begin, end] : taken) {
        if (offset + life.bytes <= begin) break;
        offset = std::max(offset, (end + alignment - 1) / alignment * alignment);
      }
    }
    selected.scratch[static_cast<std::size_t>(s)].offset = offset;
    selected.scratch_bytes = std::max(selected.scratch_bytes, offset + life.bytes);
    placed.push_back(s);
  }
}

}  // namespace pimento::pim
