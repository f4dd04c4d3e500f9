#include "compiler/drivers/pim/spatial/windows.hpp"

#include <algorithm>
#include <tuple>

#include "compiler/ir/analysis.hpp"
#include "compiler/ops/registry.hpp"
#include "isa/support/error.hpp"

namespace pimento::pim {
namespace {

/// Change of a physical coordinate per step of each kernel axis, and at the origin.
struct Motion {
  std::vector<std::int64_t> row, position, channel;  ///< by kernel axis
  std::int64_t row0 = 0, position0 = 0, channel0 = 0;
};

std::optional<Motion> motion(const std::vector<ir::Expr>& indices, const ir::Shape& shape, const Layout& layout,
                             int axis_count) {
  Motion m;
  const auto n = static_cast<std::size_t>(axis_count);
  m.row.assign(n, 0);
  m.position.assign(n, 0);
  m.channel.assign(n, 0);
  const std::size_t rank = shape.size();
  std::int64_t row_unit = 1;
  for (std::size_t i = rank; i-- > 0;) {
    const auto d = static_cast<std::size_t>(layout.order[i]);
    const std::optional<ir::Affine> affine = ir::as_affine(indices[d], axis_count);
    if (!affine) return std::nullopt;
    std::vector<std::int64_t>* target = &m.row;
    std::int64_t* origin = &m.row0;
    std::int64_t unit = 1;
    if (i + 1 == rank) {
      target = &m.channel;
      origin = &m.channel0;
    } else if (i + 2 == rank) {
      target = &m.position;
      origin = &m.position0;
    } else {
      unit = row_unit;
      row_unit *= shape[d];
    }
    *origin += unit * affine->constant;
    for (std::size_t a = 0; a < n; ++a) (*target)[a] += unit * affine->coefficients[a];
  }
  return m;
}

/// The operand's content stands under another shape: its elements keep their row-major sequence.
struct Renamed {
  ir::Shape seen, stored;
  Layout layout;
  void place(const std::vector<std::int64_t>& index, Contracted::Matrix::Element& e) const {
    std::int64_t flat = 0;
    for (std::size_t d = 0; d < seen.size(); ++d) flat = flat * seen[d] + index[d];
    std::vector<std::pair<std::int64_t, std::int64_t>> box(stored.size());
    for (std::size_t d = stored.size(); d-- > 0;) {
      box[d] = {flat % stored[d], flat % stored[d] + 1};
      flat /= stored[d];
    }
    const PBox at = to_physical(layout, stored, box);
    e.row = at.r0;
    e.position = at.p0;
    e.channel = at.c0;
  }
};

/// How the stored content is walked: each parallel axis moves along one stored dimension, so its steps are the same
/// wherever the others stand. Nothing when that does not hold, or where an index leaves the value.
std::optional<Motion> motion(const std::vector<ir::Expr>& indices, const Renamed& renamed, const ir::Kernel& kernel) {
  const std::size_t axes = kernel.axes.size(), rank = renamed.stored.size();
  const ir::Shape seen_strides = ir::row_major_strides(renamed.seen), strides = ir::row_major_strides(renamed.stored);
  std::vector<std::int64_t> flat(axes, 0);
  std::int64_t last_element = 0;  // of the windows at the origin
  for (std::size_t d = 0; d < indices.size(); ++d) {
    const std::optional<ir::Affine> affine = ir::as_affine(indices[d], static_cast<int>(axes));
    if (!affine) return std::nullopt;
    std::int64_t lowest = affine->constant, highest = affine->constant;
    for (std::size_t a = 0; a < axes; ++a) {
      const std::int64_t reach = affine->coefficients[a] * (kernel.axes[a].extent - 1);
      (reach < 0 ? lowest : highest) += reach;
      flat[a] += seen_strides[d] * affine->coefficients[a];
    }
    last_element += seen_strides[d] * affine->constant;
    if (lowest < 0 || highest >= renamed.seen[d]) return std::nullopt;
  }
  // the stored dimension that each axis moves along, and how far all of them do
  std::vector<std::vector<std::int64_t>> steps(rank, std::vector<std::int64_t>(axes, 0));
  std::vector<std::int64_t> reach(rank, 0);
  for (std::size_t a = 0; a < axes; ++a) {
    const std::int64_t last = kernel.axes[a].extent - 1;
    if (kernel.axes[a].kind == ir::AxisKind::reduction) {
      if (flat[a] < 0) return std::nullopt;
      last_element += flat[a] * last;
      continue;
    }
    if (last == 0 || flat[a] == 0) continue;
    std::size_t d = 0;
    while (d < rank && (renamed.stored[d] == 1 || flat[a] < strides[d] || flat[a] % strides[d] != 0)) ++d;
    if (d == rank) return std::nullopt;
    steps[d][a] = flat[a] / strides[d];
    reach[d] += steps[d][a] * last;
  }
  for (std::size_t d = 0; d < rank; ++d) {
    if (reach[d] > 0 && last_element / strides[d] + reach[d] >= renamed.stored[d]) return std::nullopt;
  }
  Motion m;
  m.row.assign(axes, 0);
  m.position.assign(axes, 0);
  m.channel.assign(axes, 0);
  std::int64_t row_unit = 1;
  for (std::size_t i = rank; i-- > 0;) {
    const auto d = static_cast<std::size_t>(renamed.layout.order[i]);
    std::vector<std::int64_t>& target = i + 1 == rank ? m.channel : i + 2 == rank ? m.position : m.row;
    const std::int64_t unit = i + 2 < rank ? row_unit : 1;
    if (i + 2 < rank) row_unit *= renamed.stored[d];
    for (std::size_t a = 0; a < axes; ++a) target[a] += unit * steps[d][a];
  }
  return m;
}

int input_of(const ir::KernelCall& call, int operand) {
  const ir::Slot slot = call.slots[static_cast<std::size_t>(operand)];
  return slot.kind == ir::SlotKind::input ? slot.index : -1;
}

struct Axes {
  std::vector<std::int32_t> column,
      group;  ///< axes that make output channels; those that also move the input's channel
  std::vector<std::int32_t> reduction;
  std::int64_t extent(const ir::Kernel& k, const std::vector<std::int32_t>& axes) const {
    std::int64_t n = 1;
    for (const std::int32_t a : axes) n *= k.axes[static_cast<std::size_t>(a)].extent;
    return n;
  }
};

/// Walks the points of some axes, row-major, last axis fastest.
template <class F>
void for_points(const ir::Kernel& k, const std::vector<std::int32_t>& axes, F&& f) {
  std::vector<std::int64_t> at(axes.size(), 0);
  std::int64_t total = 1;
  for (const std::int32_t a : axes) total *= k.axes[static_cast<std::size_t>(a)].extent;
  for (std::int64_t i = 0; i < total; ++i) {
    f(static_cast<std::int32_t>(i), at);
    for (std::size_t j = axes.size(); j-- > 0;) {
      if (++at[j] < k.axes[static_cast<std::size_t>(axes[j])].extent) break;
      at[j] = 0;
    }
  }
}

std::int64_t along(const std::vector<std::int64_t>& coefficients, const std::vector<std::int32_t>& axes,
                   const std::vector<std::int64_t>& at) {
  std::int64_t sum = 0;
  for (std::size_t j = 0; j < axes.size(); ++j) sum += coefficients[static_cast<std::size_t>(axes[j])] * at[j];
  return sum;
}

}  // namespace

namespace {
bool is_plain_load(ir::Expr e) {
  while (const auto* cast = e.as<ir::Cast>()) e = cast->a;
  return e.as<ir::Load>() != nullptr;
}

/// The pace of the axes that move output rows (rows of an image, images, ...). False when there are more than images
/// and their rows in it.
bool set_rows(Pace& pace, const Motion& made, const Motion& read, std::vector<std::size_t> down) {
  std::sort(down.begin(), down.end(), [&](std::size_t a, std::size_t b) { return made.row[a] < made.row[b]; });
  for (const std::size_t a : down) {
    const std::int64_t out = made.row[a], in = read.row[a];
    if (out <= 0) return false;
    if (a == down.front()) {
      if (in % out != 0) return false;
      pace.row_stride = static_cast<std::int32_t>(in / out);
    } else if (pace.image_rows != 0) {
      if (out % pace.image_rows != 0 || in != out / pace.image_rows * pace.image_step) return false;
    } else if (in != out * pace.row_stride) {
      pace.image_rows = static_cast<std::int32_t>(out);
      pace.image_step = static_cast<std::int32_t>(in);
    }
  }
  return true;
}
}  // namespace

std::optional<Contracted> contracted(const ir::Graph& graph, const ir::Node& node, const std::vector<Layout>& layouts,
                                     const std::vector<Root>& roots) {
  if (node.op == "loop" || node.outputs.size() != 1) return std::nullopt;
  const ir::KernelSequence sequence = ops::kernels_of(graph, node);
  if (sequence.calls.empty()) return std::nullopt;
  const ir::KernelCall& call = sequence.calls.front();
  const auto* kernel = std::get_if<ir::Kernel>(&call.kernel);
  if (kernel == nullptr || kernel->outputs.size() != 1) return std::nullopt;
  const std::optional<ir::Contraction> c = ir::as_contraction(*kernel);
  if (!c) return std::nullopt;
  // a crossbar multiplies what stands there: no zero point is taken off on the way
  if (!is_plain_load(c->left) || !is_plain_load(c->right)) return std::nullopt;

  const auto* left = c->left_load.as<ir::Load>();
  const auto* right = c->right_load.as<ir::Load>();
  const int left_input = input_of(call, left->operand);
  const int right_input = input_of(call, right->operand);
  if (left_input < 0 || right_input < 0) return std::nullopt;
  const auto constant = [&](int i) { return graph.is_constant(node.inputs[static_cast<std::size_t>(i)]); };
  if (constant(left_input) == constant(right_input)) return std::nullopt;
  const bool right_is_weight = constant(right_input);
  const ir::Load& data = right_is_weight ? *left : *right;
  const ir::Load& weights = right_is_weight ? *right : *left;
  Contracted result;
  result.data_input = right_is_weight ? left_input : right_input;
  result.weight_input = right_is_weight ? right_input : left_input;
  if (data.rule == ir::OutOfRange::clamp || (data.rule == ir::OutOfRange::value && data.outside.as_double() != 0))
    return std::nullopt;

  const int axis_count = static_cast<int>(kernel->axes.size());
  const ir::ValueId out = node.outputs[0];
  const ir::Operand& out_operand = kernel->operands[static_cast<std::size_t>(kernel->outputs[0].operand)];
  if (out_operand.type.shape != graph.type(out).shape) return std::nullopt;
  const std::optional<Motion> made =
      motion(kernel->outputs[0].map, graph.type(out).shape, layouts[ir::to_index(out)], axis_count);
  const ir::ValueId in = node.inputs[static_cast<std::size_t>(result.data_input)];
  const ir::Shape& seen = kernel->operands[static_cast<std::size_t>(data.operand)].type.shape;
  if (!made || seen != graph.type(in).shape) return std::nullopt;
  const Root root = roots[ir::to_index(in)];
  const bool renamed = root.value != in;
  const Renamed renaming{seen, graph.type(root.value).shape, layouts[ir::to_index(root.value)]};
  const std::optional<Motion> read = renamed ? motion(data.indices, renaming, *kernel)
                                             : motion(data.indices, seen, layouts[ir::to_index(in)], axis_count);
  if (!read) return std::nullopt;

  Axes axes;
  std::vector<std::size_t> down;  // axes that move output rows
  for (std::int32_t a = 0; a < axis_count; ++a) {
    const auto i = static_cast<std::size_t>(a);
    const ir::KernelAxis& axis = kernel->axes[i];
    if (axis.kind == ir::AxisKind::reduction) {
      axes.reduction.push_back(a);
      continue;
    }
    if (axis.extent == 1) continue;
    const bool moves_input = read->row[i] != 0 || read->position[i] != 0 || read->channel[i] != 0;
    if (made->channel[i] != 0) {
      if (made->row[i] != 0 || made->position[i] != 0 || read->row[i] != 0 || read->position[i] != 0)
        return std::nullopt;
      if (renamed && moves_input) return std::nullopt;
      (moves_input ? axes.group : axes.column).push_back(a);
    } else if (made->row[i] != 0) {
      if (made->position[i] != 0 || read->position[i] != 0 || read->channel[i] != 0) return std::nullopt;
      down.push_back(i);
    } else {
      if (made->position[i] != 1 || read->channel[i] != 0) return std::nullopt;
      result.pace.position_stride = static_cast<std::int32_t>(read->position[i]);
      result.pace.rows_per_position = static_cast<std::int32_t>(read->row[i]);
    }
  }
  if (!set_rows(result.pace, *made, *read, std::move(down))) return std::nullopt;

  // flat offset of a weight as an affine form over the axes
  const ir::Shape weight_strides =
      ir::row_major_strides(kernel->operands[static_cast<std::size_t>(weights.operand)].type.shape);
  std::int64_t weight0 = 0;
  std::vector<std::int64_t> weight(static_cast<std::size_t>(axis_count), 0);
  for (std::size_t d = 0; d < weights.indices.size(); ++d) {
    const std::optional<ir::Affine> affine = ir::as_affine(weights.indices[d], axis_count);
    if (!affine) return std::nullopt;
    weight0 += weight_strides[d] * affine->constant;
    for (std::size_t a = 0; a < weight.size(); ++a) weight[a] += weight_strides[d] * affine->coefficients[a];
  }
  for (std::size_t a = 0; a < weight.size(); ++a) {
    // rows and positions share one matrix: weights of their own for each (a batch of matrices) are no crossbar's work
    const bool along_data = made->channel[a] == 0 && kernel->axes[a].kind != ir::AxisKind::reduction;
    if (along_data && kernel->axes[a].extent > 1 && weight[a] != 0) return std::nullopt;
  }
  for_points(*kernel, axes.column, [&](std::int32_t, const std::vector<std::int64_t>& at) {
    result.by_column.push_back(along(weight, axes.column, at));
  });
  for_points(*kernel, axes.reduction, [&](std::int32_t, const std::vector<std::int64_t>& at) {
    result.by_reduction.push_back(along(weight, axes.reduction, at));
  });

  const ir::Kernel& k = *kernel;
  for_points(k, axes.group, [&](std::int32_t, const std::vector<std::int64_t>& g) {
    Contracted::Matrix matrix;
    matrix.col0 = static_cast<std::int32_t>(made->channel0 + along(made->channel, axes.group, g));
    matrix.col1 = matrix.col0 + static_cast<std::int32_t>(axes.extent(k, axes.column));
    matrix.weight_base = weight0 + along(weight, axes.group, g);
    for_points(k, axes.reduction, [&](std::int32_t flat, const std::vector<std::int64_t>& r) {
      Contracted::Matrix::Element e;
      e.reduction = flat;
      if (renamed) {
        std::vector<std::int64_t> index;
        for (const ir::Expr& i : data.indices) {
          const std::optional<ir::Affine> affine = ir::as_affine(i, axis_count);
          index.push_back(affine->constant + along(affine->coefficients, axes.reduction, r));
        }
        renaming.place(index, e);
      } else {
        e.row = static_cast<std::int32_t>(read->row0 + along(read->row, axes.reduction, r));
        e.position = static_cast<std::int32_t>(read->position0 + along(read->position, axes.reduction, r));
        e.channel = static_cast<std::int32_t>(read->channel0 + along(read->channel, axes.group, g) +
                                              along(read->channel, axes.reduction, r));
      }
      matrix.elements.push_back(e);
    });
    std::sort(matrix.elements.begin(), matrix.elements.end(), [](const auto& a, const auto& b) {
      return std::tie(a.row, a.position, a.channel, a.reduction) < std::tie(b.row, b.position, b.channel, b.reduction);
    });
    result.matrices.push_back(std::move(matrix));
  });
  return result;
}

Widened widen(const Contracted::Matrix& matrix, const Pace& pace, std::int32_t windows) {
  using Element = Contracted::Matrix::Element;
  struct Read {
    Element element;
    std::int32_t again = 0;  ///< a window may read one place several times: each is a row of its own
    std::int32_t window = 0;
    auto place() const { return std::tie(element.row, element.position, element.channel, again); }
  };
  std::vector<Read> reads;
  for (std::int32_t w = 0; w < windows; ++w) {
    for (std::size_t i = 0; i < matrix.elements.size(); ++i) {
      Read read{matrix.elements[i], 0, w};
      read.element.row += w * pace.rows_per_position;
      read.element.position += w * pace.position_stride;
      if (i > 0) {
        const Element& before = reads.back().element;
        const bool same = before.row == read.element.row && before.position == read.element.position &&
                          before.channel == read.element.channel;
        if (same) read.again = reads.back().again + 1;
      }
      reads.push_back(read);
    }
  }
  std::stable_sort(reads.begin(), reads.end(), [](const Read& a, const Read& b) { return a.place() < b.place(); });
  Widened wide{{matrix.col0, matrix.col1, {}, matrix.weight_base}, {}};
  std::vector<std::size_t> row_of(reads.size());
  for (std::size_t i = 0; i < reads.size(); ++i) {
    if (i == 0 || reads[i - 1].place() != reads[i].place()) wide.matrix.elements.push_back(reads[i].element);
    row_of[i] = wide.matrix.elements.size() - 1;
  }
  const std::size_t rows = wide.matrix.elements.size();
  wide.reductions.assign(rows * static_cast<std::size_t>(windows), no_reduction);
  for (std::size_t i = 0; i < reads.size(); ++i)
    wide.reductions[static_cast<std::size_t>(reads[i].window) * rows + row_of[i]] = reads[i].element.reduction;
  return wide;
}

std::vector<Strip> cut_strips(const Contracted::Matrix& matrix, const Pace& pace, std::int32_t channels,
                              std::int32_t max_rows) {
  using Element = Contracted::Matrix::Element;
  const std::vector<Element>& all = matrix.elements;
  const auto size = static_cast<std::int32_t>(all.size());
  const auto at = [&](std::int32_t i) -> const Element& { return all[static_cast<std::size_t>(i)]; };
  const auto follows = [&](const Element& a, const Element& b) {  // next in memory, within one row
    return a.row == b.row && a.position * channels + a.channel + 1 == b.position * channels + b.channel;
  };
  // run_end[i]: one past the last element that is contiguous with element i
  std::vector<std::int32_t> run_end(all.size());
  for (std::int32_t i = size; i-- > 0;)
    run_end[static_cast<std::size_t>(i)] =
        i + 1 < size && follows(at(i), at(i + 1)) ? run_end[static_cast<std::size_t>(i + 1)] : i + 1;

  std::vector<Strip> strips;
  for (std::int32_t first = 0; first < size;) {
    const std::int32_t len = std::min(run_end[static_cast<std::size_t>(first)] - first, max_rows);
    Window w;
    w.pace = pace;
    w.row0 = at(first).row;
    w.position0 = at(first).position;
    w.channel0 = at(first).channel;
    w.len = len;
    // more segments of the same length, each as far from the last as the second is from the first
    std::int32_t next = first + len;
    while (next < size && next + len <= size && next + len - first <= max_rows &&
           run_end[static_cast<std::size_t>(next)] - next >= len &&
           next == run_end[static_cast<std::size_t>(next - 1)]) {
      const Element& a = at(next - len);
      const Element& b = at(next);
      if (w.count == 1) {
        w.row_step = b.row - a.row;
        w.position_step = b.position - a.position;
        w.channel_step = b.channel - a.channel;
      } else if (b.row - a.row != w.row_step || b.position - a.position != w.position_step ||
                 b.channel - a.channel != w.channel_step) {
        break;
      }
      ++w.count;
      next += len;
    }
    strips.push_back({first, next - first, w});
    first = next;
  }
  return strips;
}

PBox window_box(const Window& w, std::int32_t channels, std::int32_t r0, std::int32_t r1, std::int32_t p0,
                std::int32_t p1) {
  const std::int32_t last = w.count - 1;
  PBox box;
  box.r0 = w.pace.row(r0, p0) + w.row0 + std::min(0, last * w.row_step);
  box.r1 = w.pace.row(r1 - 1, p1 - 1) + w.row0 + std::max(0, last * w.row_step) + 1;
  const std::int32_t lowest = w.channel0 + std::min(0, last * w.channel_step);
  const std::int32_t highest = w.channel0 + std::max(0, last * w.channel_step) + w.len - 1;
  box.p0 = w.pace.position(p0) + w.position0 + std::min(0, last * w.position_step);
  box.p1 = w.pace.position(p1 - 1) + w.position0 + std::max(0, last * w.position_step) + highest / channels + 1;
  const bool within_one = highest < channels;
  box.c0 = within_one ? lowest : 0;
  box.c1 = within_one ? highest + 1 : channels;
  return box;
}

}  // namespace pimento::pim
