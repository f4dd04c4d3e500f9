// The contraction path: acc += left * right as a packed matrix product. The points of one factor's axes lie across
// vector lanes, those of the other's are rows, axes of both are a batch, the reduction is the depth and keeps its
// row-major order. What is read outside a tensor is packed as its outside value, so padding takes part in the sum
// exactly as the meaning says.
#include <algorithm>
#include <limits>

#include "compiler/ir/analysis.hpp"
#include "compiler/ir/kernel_run.hpp"
#include "compiler/ir/panel_product.hpp"

namespace pimento::ir {
namespace {

/// Depth of a packed block: a lane panel (16 KiB) and a row panel (6 KiB) fit the first-level cache together.
constexpr std::int64_t block_depth = 256;

/// The points of a list of axes, row-major.
struct Points {
  std::vector<int> axes;
  std::int64_t count = 1;
};
Points points_of(const Kernel& k, std::vector<int> axes) {
  Points p{std::move(axes), 1};
  for (const int a : p.axes) p.count *= k.axes[static_cast<std::size_t>(a)].extent;
  return p;
}

/// constant + coefficient * axis summed over the axes of `points`, for each point.
std::vector<std::int64_t> tabulate(const Kernel& k, const Points& points, const Affine& f, std::int64_t constant) {
  std::vector<std::int64_t> table{constant};
  table.reserve(static_cast<std::size_t>(points.count));
  for (const int a : points.axes) {
    const std::int64_t extent = k.axes[static_cast<std::size_t>(a)].extent,
                       c = f.coefficients[static_cast<std::size_t>(a)];
    std::vector<std::int64_t> next;
    next.reserve(table.size() * static_cast<std::size_t>(extent));
    for (const std::int64_t base : table) {
      for (std::int64_t i = 0; i < extent; ++i) next.push_back(base + c * i);
    }
    table = std::move(next);
  }
  return table;
}

/// One factor: where its element for (batch, point, depth) lies, as sums of three tables.
template <class T>
struct Factor {
  /// A dimension whose index may leave the tensor. Depths take few distinct shares (a kernel's rows), so which points
  /// are in range is found once per share and panel.
  struct Check {
    std::vector<std::int64_t> batch, point;
    std::vector<std::int64_t> shares;     ///< distinct values of the depth's part
    std::vector<std::uint32_t> share_of;  ///< per depth, index into shares
    std::int64_t extent;
  };
  Tensor tensor;
  T outside{};
  std::vector<std::int64_t> batch, point, depth;
  std::vector<Check> checks;

  void add_check(std::vector<std::int64_t> of_batch, std::vector<std::int64_t> of_point,
                 const std::vector<std::int64_t>& of_depth, std::int64_t extent) {
    Check c{std::move(of_batch), std::move(of_point), of_depth, {}, extent};
    std::sort(c.shares.begin(), c.shares.end());
    c.shares.erase(std::unique(c.shares.begin(), c.shares.end()), c.shares.end());
    for (const std::int64_t d : of_depth) {
      const auto at = std::lower_bound(c.shares.begin(), c.shares.end(), d);
      c.share_of.push_back(static_cast<std::uint32_t>(at - c.shares.begin()));
    }
    checks.push_back(std::move(c));
  }

  /// to[k * width + i] for depths [from, end) and points [first, first + n); the rest of the width is 0.
  void pack(T* to, int width, std::int64_t b, std::int64_t first, int n, std::int64_t from, std::int64_t end) {
    const T* data = tensor.data<T>() + batch[static_cast<std::size_t>(b)];
    const std::int64_t* at = point.data() + first;
    bool contiguous = true;
    for (int i = 1; i < n; ++i) contiguous = contiguous && at[i] == at[0] + i;
    find_inside(b, first, n);
    const std::uint32_t all = (std::uint32_t{1} << n) - 1;
    for (std::int64_t k = from; k < end; ++k, to += width) {
      const std::int64_t shift = depth[static_cast<std::size_t>(k)];
      std::uint32_t in = all;
      std::size_t base = 0;
      for (const Check& c : checks) {
        in &= inside_[base + c.share_of[static_cast<std::size_t>(k)]];
        base += c.shares.size();
      }
      if (in != all) {
        for (int i = 0; i < n; ++i) to[i] = (in >> i & 1) != 0 ? data[at[i] + shift] : outside;
      } else if (contiguous) {
        std::copy_n(data + at[0] + shift, n, to);
      } else {
        for (int i = 0; i < n; ++i) to[i] = data[at[i] + shift];
      }
      for (int i = n; i < width; ++i) to[i] = T{};
    }
  }

 private:
  /// Bit i of the entry of (check, share): whether point first + i is in range there.
  void find_inside(std::int64_t b, std::int64_t first, int n) {
    inside_.clear();
    for (const Check& c : checks) {
      const std::int64_t base = c.batch[static_cast<std::size_t>(b)];
      for (const std::int64_t share : c.shares) {
        std::uint32_t in = 0;
        for (int i = 0; i < n; ++i) {
          const std::int64_t index = base + share + c.point[static_cast<std::size_t>(first + i)];
          in |= static_cast<std::uint32_t>(index >= 0 && index < c.extent) << i;
        }
        inside_.push_back(in);
      }
    }
  }
  std::vector<std::uint32_t> inside_;
};

class ContractionRun {
 public:
  ContractionRun(KernelRun& run, Contraction c) : run_(run), k_(run.kernel), c_(std::move(c)) {
    auto& left = c_.left_only;
    auto& right = c_.right_only;
    left.insert(left.end(), c_.neither.begin(), c_.neither.end());
    std::sort(left.begin(), left.end());
    batch_ = points_of(k_, c_.batch);
    depth_ = points_of(k_, c_.reduction);
    lanes_ = points_of(k_, left);
    rows_ = points_of(k_, right);
    left_in_lanes_ = lanes_.count >= rows_.count;
    if (!left_in_lanes_) std::swap(lanes_, rows_);
  }

  /// Few lanes and no reuse are better served by lanes across the batch.
  bool worthwhile() const { return lanes_.count >= 8 && depth_.count > 0; }

  template <class T>
  void run() {
    Factor<T> left = factor<T>(c_.left, c_.left_load, left_in_lanes_ ? lanes_ : rows_);
    Factor<T> right = factor<T>(c_.right, c_.right_load, left_in_lanes_ ? rows_ : lanes_);
    const Accumulator& acc = k_.accumulators[0];
    // Rows are padded to whole panels of lanes, so that a tile never writes beside its row.
    stride_ = (lanes_.count + panel_lanes - 1) / panel_lanes * panel_lanes;
    Tensor sums = Tensor::filled({acc.type, {batch_.count * rows_.count * stride_}}, acc.initial);
    multiply(left_in_lanes_ ? left : right, left_in_lanes_ ? right : left, sums.mutable_data<T>());
    finish(std::move(sums));
  }

 private:
  static void product(const float* lanes, const float* rows, std::int64_t depth, int n, float* tile,
                      std::int64_t stride) {
    best_panel_variant().f32(lanes, rows, depth, n, tile, stride);
  }
  static void product(const std::uint32_t* lanes, const std::uint32_t* rows, std::int64_t depth, int n,
                      std::uint32_t* tile, std::int64_t stride) {
    best_panel_variant().i32(lanes, rows, depth, n, tile, stride);
  }

  template <class T>
  void multiply(Factor<T>& across, Factor<T>& down, T* sums) const {
    const std::int64_t depth = std::min(block_depth, depth_.count);
    const std::int64_t row_panels = (rows_.count + panel_rows - 1) / panel_rows;
    std::vector<T> lane_panel(static_cast<std::size_t>(depth * panel_lanes));
    std::vector<T> row_block(static_cast<std::size_t>(row_panels * depth * panel_rows));
    for (std::int64_t b = 0; b < batch_.count; ++b) {
      T* matrix = sums + b * rows_.count * stride_;
      for (std::int64_t from = 0; from < depth_.count; from += depth) {
        const std::int64_t end = std::min(from + depth, depth_.count);
        for (std::int64_t p = 0; p < row_panels; ++p) {
          const int n = static_cast<int>(std::min<std::int64_t>(panel_rows, rows_.count - p * panel_rows));
          down.pack(row_block.data() + p * depth * panel_rows, n, b, p * panel_rows, n, from, end);
        }
        for (std::int64_t l = 0; l < lanes_.count; l += panel_lanes) {
          const int n = static_cast<int>(std::min<std::int64_t>(panel_lanes, lanes_.count - l));
          across.pack(lane_panel.data(), panel_lanes, b, l, n, from, end);
          for (std::int64_t p = 0; p < row_panels; ++p) {
            const int row_count = static_cast<int>(std::min<std::int64_t>(panel_rows, rows_.count - p * panel_rows));
            product(lane_panel.data(), row_block.data() + p * depth * panel_rows, end - from, row_count,
                    matrix + p * panel_rows * stride_ + l, stride_);
          }
        }
      }
    }
  }

  template <class T>
  Factor<T> factor(const Expr& expr, const Expr& load_expr, const Points& points) const {
    const Load& load = *load_expr.as<Load>();
    const bool bare = load_expr.same_node(expr);
    Factor<T> f;
    f.tensor = run_.tensors[static_cast<std::size_t>(load.operand)];
    Scalar outside = load.outside;
    if (!bare) {
      f.tensor = transformed(expr, load_expr, f.tensor);
      if (load.rule == OutOfRange::value) {
        outside = transformed(expr, load_expr, Tensor::scalar(outside)).at(0);
      }
    }
    f.outside = is_float(outside.type) ? static_cast<T>(outside.real) : static_cast<T>(outside.integer);
    const int axes = static_cast<int>(k_.axes.size());
    Affine flat{0, std::vector<std::int64_t>(k_.axes.size(), 0)};
    const auto full = full_axes(k_);
    const Shape& shape = k_.operands[static_cast<std::size_t>(load.operand)].type.shape;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      const Affine index = *as_affine(load.indices[d], axes);
      const std::int64_t stride = run_.strides[static_cast<std::size_t>(load.operand)][d];
      flat.constant += stride * index.constant;
      for (std::size_t a = 0; a < k_.axes.size(); ++a) flat.coefficients[a] += stride * index.coefficients[a];
      const Range r = interval(load.indices[d], full);
      if (r.begin >= 0 && r.end <= shape[d]) continue;
      f.add_check(tabulate(k_, batch_, index, index.constant), tabulate(k_, points, index, 0),
                  tabulate(k_, depth_, index, 0), shape[d]);
    }
    f.batch = tabulate(k_, batch_, flat, flat.constant);
    f.point = tabulate(k_, points, flat, 0);
    f.depth = tabulate(k_, depth_, flat, 0);
    return f;
  }

  /// The factor's expression applied to every element of `content`, which stands for its moving load.
  Tensor transformed(const Expr& expr, const Expr& load_expr, const Tensor& content) const {
    const std::int64_t n = content.elements();
    Kernel k;
    k.name = k_.name;
    k.axes = {{"i", n, AxisKind::parallel}};
    k.operands = k_.operands;
    for (Operand& o : k.operands) o.role = OperandRole::input;
    const int in = static_cast<int>(k.operands.size());
    k.operands.push_back({"moving", {content.element_type(), {n}}, OperandRole::input});
    k.operands.push_back({"factor", {expr.type(), {n}}, OperandRole::output});
    const Expr read = Load::make(in, content.element_type(), {Axis::make(0)});
    const Expr value =
        rewrite(expr, [&](const Expr& e) { return e.as<Load>() != nullptr && equal(e, load_expr) ? read : e; });
    k.outputs = {{in + 1, {Axis::make(0)}, value, {}, WriteRule::assign, OutOfRange::error, -1}};
    KernelRun run{k, run_.tensors, run_.strides};
    run.tensors.push_back(content.reshaped({n}));
    run.tensors.push_back(Tensor::zeros(k.operands.back().type));
    run.strides.push_back({1});
    run.strides.push_back({1});
    run_blocked(run);
    return run.tensors.back();
  }

  /// Evaluates the outputs over the parallel axes, with the sums as one more operand.
  void finish(Tensor sums) {
    Affine at{0, std::vector<std::int64_t>(k_.axes.size(), 0)};
    const auto place = [&](const Points& p, std::int64_t step) {
      for (std::size_t i = p.axes.size(); i-- > 0;) {
        const auto a = static_cast<std::size_t>(p.axes[i]);
        at.coefficients[a] = step;
        step *= k_.axes[a].extent;
      }
    };
    place(lanes_, 1);
    place(rows_, stride_);
    place(batch_, stride_ * rows_.count);
    Expr index_of_sum = index(0);
    for (std::size_t a = 0; a < k_.axes.size(); ++a) {
      if (at.coefficients[a] == 0) continue;
      index_of_sum = index_of_sum + index(at.coefficients[a]) * Axis::make(static_cast<int>(a));
    }
    Kernel k = k_;
    const int operand = static_cast<int>(k.operands.size());
    k.operands.push_back({"sums", sums.type(), OperandRole::input});
    for (KernelAxis& a : k.axes) {
      if (a.kind != AxisKind::reduction) continue;
      a.kind = AxisKind::parallel;
      a.extent = 1;
    }
    const Expr sum = Load::make(operand, sums.element_type(), {index_of_sum});
    for (Output& o : k.outputs) {
      const auto with_sum = [&](const Expr& e) {
        return rewrite(e, [&](const Expr& n) { return n.as<Accumulated>() != nullptr ? sum : n; });
      };
      o.value = with_sum(o.value);
      o.guard = with_sum(o.guard);
      for (Expr& e : o.map) e = with_sum(e);
    }
    k.accumulators.clear();
    KernelRun run{k, std::move(run_.tensors), run_.strides};
    run.tensors.push_back(std::move(sums));
    run.strides.push_back({1});
    run_blocked(run);
    run.tensors.pop_back();
    run_.tensors = std::move(run.tensors);
  }

  KernelRun& run_;
  const Kernel& k_;
  Contraction c_;
  Points batch_, depth_, lanes_, rows_;
  std::int64_t stride_ = 0;
  bool left_in_lanes_ = true;
};

}  // namespace

bool run_contraction(KernelRun& run) {
  auto c = as_contraction(run.kernel);
  if (!c || points(run.kernel) == 0) return false;
  const ElementType type = run.kernel.accumulators[0].type;
  // A load that may leave its tensor under OutOfRange::error has its error reported by the other path.
  for (const Expr& e : {c->left_load, c->right_load}) {
    const Load& load = *e.as<Load>();
    const Shape& shape = run.kernel.operands[static_cast<std::size_t>(load.operand)].type.shape;
    for (std::size_t d = 0; d < shape.size() && load.rule == OutOfRange::error; ++d) {
      const Range r = interval(load.indices[d], full_axes(run.kernel));
      if (r.begin < 0 || r.end > shape[d]) return false;
    }
  }
  ContractionRun contraction(run, std::move(*c));
  if (!contraction.worthwhile()) return false;
  if (type == ElementType::f32) {
    contraction.run<float>();
  } else if (type == ElementType::i32 || type == ElementType::u32) {
    contraction.run<std::uint32_t>();
  } else {
    return false;
  }
  return true;
}

}  // namespace pimento::ir
