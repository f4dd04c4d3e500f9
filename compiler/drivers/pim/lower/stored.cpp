#include "compiler/drivers/pim/lower/stored.hpp"

#include <algorithm>

#include "isa/support/error.hpp"

namespace pimento::pim {

std::vector<Stride> layout_steps(const Layout& layout, const ir::Shape& shape) {
  std::vector<Stride> steps(shape.size());
  const std::size_t rank = layout.order.size();
  std::int64_t row = 1;
  for (std::size_t i = rank; i-- > 0;) {
    const auto d = static_cast<std::size_t>(layout.order[i]);
    if (i + 1 == rank) {
      steps[d].channel = 1;
    } else if (i + 2 == rank) {
      steps[d].position = 1;
    } else {
      steps[d].row = static_cast<std::int32_t>(row);
      row *= shape[d];
    }
  }
  return steps;
}

Stored stored_value(const SelectContext& context, SpatialValueId id, const ir::Shape& shape) {
  const SpatialValue& value = context.values[index_of(id)];
  Stored stored;
  stored.place = {
      OperandRef::Kind::value, static_cast<std::int32_t>(id), value.type, {}, layout_steps(value.layout, shape)};
  stored.shape = shape;
  stored.meaning.scale = value.scale;
  return stored;
}

Stored stored_by_axis(const View& over_dims, const std::vector<int>& dims, const Domain& domain, double scale) {
  Stored result;
  result.place = over_dims;
  result.place.steps.assign(domain.size(), {});
  for (std::size_t d = 0; d < dims.size(); ++d) {
    const auto axis = static_cast<std::size_t>(dims[d]);
    result.place.steps[axis] = over_dims.steps[d];
    result.place.origin = result.place.origin + over_dims.steps[d] * -domain[axis].begin;
  }
  result.meaning.scale = scale;
  return result;
}

View view_by_axis(const Stored& stored, const std::vector<int>& dims, const Domain& domain) {
  View view = stored.place;
  view.steps.clear();
  for (std::size_t a = 0; a < domain.size(); ++a) view.origin = view.origin + stored.place.steps[a] * domain[a].begin;
  for (const int axis : dims) view.steps.push_back(stored.place.steps[static_cast<std::size_t>(axis)]);
  return view;
}

std::vector<ir::Expr> indices_in(const std::vector<ir::Expr>& indices, const ir::Shape& own, const ir::Shape& shape) {
  if (own == shape) return indices;
  std::vector<ir::Expr> result(shape.size(), ir::index(0));
  std::size_t i = 0, j = 0;
  const auto skip_units = [](const ir::Shape& s, std::size_t& at) {
    while (at < s.size() && s[at] == 1) ++at;
  };
  // Groups of dimensions with equal products, smallest first: most are single dimensions or a flattening.
  for (skip_units(own, i), skip_units(shape, j); i < own.size() && j < shape.size();
       skip_units(own, i), skip_units(shape, j)) {
    ir::Expr flat = indices[i];
    std::int64_t left = own[i++], right = shape[j];
    const std::size_t first = j++;
    while (left != right) {
      if (left < right) {
        PIMENTO_CHECK(i < own.size(), "views of one tensor differ in elements");
        if (own[i] != 1) flat = flat * ir::index(own[i]) + indices[i];
        left *= own[i++];
      } else {
        PIMENTO_CHECK(j < shape.size(), "views of one tensor differ in elements");
        right *= shape[j++];
      }
    }
    std::int64_t inner = 1;
    for (std::size_t d = j; d-- > first;) {
      ir::Expr part = inner == 1 ? flat : ir::floor_div(flat, inner);
      if (d != first && shape[d] != 1) part = ir::floor_mod(part, shape[d]);
      if (shape[d] != 1) result[d] = part;
      inner *= shape[d];
    }
  }
  return result;
}

std::vector<ir::Box> mixed_radix_boxes(std::int64_t begin, std::int64_t end, const ir::Shape& extents) {
  std::vector<ir::Box> result;
  while (begin < end) {
    ir::Box part(extents.size(), {0, 1});
    std::int64_t block = 1;  // what the dimensions taken whole so far span
    std::size_t i = extents.size();
    while (i > 0 && begin % (block * extents[i - 1]) == 0 && begin + block * extents[i - 1] <= end) {
      part[i - 1] = {0, extents[i - 1]};
      block *= extents[--i];
    }
    std::int64_t taken = block;
    if (i > 0) {  // a range of the next dimension, the outer ones fixed
      const std::int64_t extent = extents[i - 1], at = begin / block % extent;
      const std::int64_t count = std::max<std::int64_t>(1, std::min(extent - at, (end - begin) / block));
      part[i - 1] = {at, at + count};
      taken = block * count;
      std::int64_t outer = begin / block / extent;
      for (std::size_t k = i - 1; k-- > 0;) {
        part[k] = {outer % extents[k], outer % extents[k] + 1};
        outer /= extents[k];
      }
    }
    result.push_back(std::move(part));
    begin += taken;
  }
  return result;
}

namespace {
/// Flat ranges of a box, in order.
void flat_ranges(const ir::Box& box, const ir::Shape& shape, std::vector<ir::Range>& out) {
  std::size_t inner = box.size();  // dimensions from here on are whole
  std::int64_t block = 1;
  while (inner > 0 && box[inner - 1] == ir::Range{0, shape[inner - 1]}) block *= shape[--inner];
  if (inner == 0) return out.push_back({0, block});
  ir::Shape index;
  for (std::size_t d = 0; d + 1 < inner; ++d) index.push_back(box[d].begin);
  while (true) {
    std::int64_t flat = 0;
    for (std::size_t d = 0; d + 1 < inner; ++d) flat = flat * shape[d] + index[d];
    flat *= shape[inner - 1];
    out.push_back({(flat + box[inner - 1].begin) * block, (flat + box[inner - 1].end) * block});
    std::size_t level = index.size();
    for (; level > 0; --level) {
      if (++index[level - 1] < box[level - 1].end) break;
      index[level - 1] = box[level - 1].begin;
    }
    if (level == 0) return;
  }
}
}  // namespace

std::vector<ir::Box> boxes_in(const ir::Box& box, const ir::Shape& from, const ir::Shape& to) {
  if (from == to) return {box};
  std::vector<ir::Box> result{ir::Box{}};
  std::size_t i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    ir::Box part;
    ir::Shape own, target;
    std::int64_t left = 1, right = 1;
    do {
      if (i < from.size() && (left <= right || j == to.size())) {
        own.push_back(from[i]), part.push_back(box[i]), left *= from[i++];
      } else {
        target.push_back(to[j]), right *= to[j++];
      }
    } while (left != right);
    std::vector<ir::Range> ranges;
    flat_ranges(part, own, ranges);
    std::vector<ir::Box> extended;
    for (const ir::Range& range : ranges) {
      for (const ir::Box& inner : mixed_radix_boxes(range.begin, range.end, target)) {
        for (ir::Box each : result) {
          each.insert(each.end(), inner.begin(), inner.end());
          extended.push_back(std::move(each));
        }
      }
    }
    result = std::move(extended);
  }
  return result;
}

std::vector<ir::Box> logical_boxes(const Layout& layout, const ir::Shape& shape, const PBox& box) {
  const std::size_t rank = shape.size();
  ir::Box all(rank);
  const auto dimension = [&](std::size_t from_end) { return static_cast<std::size_t>(layout.order[rank - from_end]); };
  if (rank >= 1) all[dimension(1)] = {box.c0, box.c1};
  if (rank >= 2) all[dimension(2)] = {box.p0, box.p1};
  if (rank < 3) return {all};
  ir::Shape extents;
  for (std::size_t i = 0; i + 2 < rank; ++i) extents.push_back(shape[static_cast<std::size_t>(layout.order[i])]);
  std::vector<ir::Box> result;
  for (const ir::Box& rows : mixed_radix_boxes(box.r0, box.r1, extents)) {
    result.push_back(all);
    for (std::size_t i = 0; i < rows.size(); ++i) result.back()[static_cast<std::size_t>(layout.order[i])] = rows[i];
  }
  return result;
}

}  // namespace pimento::pim
