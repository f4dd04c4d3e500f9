#include "compiler/drivers/pim/lower/movement.hpp"

#include "isa/support/error.hpp"

namespace pimento::pim {
namespace {
using Runs = std::vector<Stride>;

struct Run {
  std::int32_t begin = 0, outer = 1, inner = 1;  ///< points [begin, begin + outer * inner)
  Stride outer_step, inner_step;
};
Stride difference(Stride a, Stride b) { return a + b * -1; }

/// Maximal pieces of one dimension, each affine in quotient and remainder by its inner extent.
std::vector<Run> runs_of(const Runs& f) {
  std::vector<Run> result;
  const auto n = static_cast<std::int32_t>(f.size());
  const auto at = [&](std::int32_t i) { return f[static_cast<std::size_t>(i)]; };
  for (std::int32_t begin = 0; begin < n;) {
    Run run{begin, 1, 1, {}, {}};
    if (begin + 1 < n) run.inner_step = difference(at(begin + 1), at(begin));
    while (begin + run.inner < n && at(begin + run.inner) == at(begin) + run.inner_step * run.inner) ++run.inner;
    if (begin + run.inner < n) {
      run.outer_step = difference(at(begin + run.inner), at(begin));
      const auto expected = [&](std::int32_t i) {
        return at(begin) + run.outer_step * (i / run.inner) + run.inner_step * (i % run.inner);
      };
      std::int32_t length = run.inner;
      while (begin + length < n && at(begin + length) == expected(length)) ++length;
      run.outer = length / run.inner;
    }
    begin += run.outer * run.inner;
    result.push_back(run);
  }
  return result;
}

class Cutter {
 public:
  Cutter(const Constants& constants, const std::vector<ir::Expr>& indices, const Stored& from,
         const std::vector<int>& dims)
      : constants_(constants), indices_(indices), from_(from), dims_(dims) {
    for (const auto& index : indices_) {
      used_.emplace_back(constants_.kernel().axes.size());
      constants_.mark_axes(index, used_.back());
    }
  }
  void cut(const View& to, const Domain& domain, std::vector<CopyPiece>& out) const {
    if (const auto mixed = mixing_dimension(domain)) {
      const auto axis = static_cast<std::size_t>(dims_[*mixed]);
      for (std::int64_t i = domain[axis].begin; i < domain[axis].end; ++i) {
        Domain part = domain;
        part[axis] = {i, i + 1};
        View there = to;
        there.origin = there.origin + to.steps[*mixed] * (i - domain[axis].begin);
        cut(there, part, out);
      }
      return;
    }
    separable(to, domain, out);
  }

 private:
  /// The outermost dimension that meets another one in some index: it must be fixed first.
  std::optional<std::size_t> mixing_dimension(const Domain& domain) const {
    for (std::size_t d = 0; d < dims_.size(); ++d) {
      const auto axis = static_cast<std::size_t>(dims_[d]);
      if (domain[axis].size() <= 1) continue;
      for (std::size_t i = 0; i < indices_.size(); ++i) {
        if (!used_[i][axis] || ir::as_affine(indices_[i], static_cast<int>(domain.size()))) continue;
        for (std::size_t e = d + 1; e < dims_.size(); ++e) {
          const auto other = static_cast<std::size_t>(dims_[e]);
          if (used_[i][other] && domain[other].size() > 1) return d;
        }
      }
    }
    return {};
  }
  Stride coordinates(const Point& point) const {
    Stride step = from_.place.origin;
    for (std::size_t d = 0; d < indices_.size(); ++d) {
      step = step + from_.place.steps[d] * constants_.at(indices_[d], point).integer;
    }
    return step;
  }
  void separable(const View& to, const Domain& domain, std::vector<CopyPiece>& out) const {
    Point first(domain.size());
    for (std::size_t a = 0; a < domain.size(); ++a) first[a] = domain[a].begin;
    const Stride origin = coordinates(first);
    CopyPiece start;
    start.from = from_.place, start.to = to;
    start.from.origin = origin;
    start.from.steps.clear(), start.to.steps.clear();
    std::vector<CopyPiece> pieces{start};
    for (std::size_t d = 0; d < dims_.size(); ++d) {
      const auto axis = static_cast<std::size_t>(dims_[d]);
      Runs f;
      Point point = first;
      for (point[axis] = domain[axis].begin; point[axis] < domain[axis].end; ++point[axis]) {
        f.push_back(difference(coordinates(point), origin));
      }
      std::vector<CopyPiece> refined;
      for (const Run& run : runs_of(f)) {
        for (CopyPiece piece : pieces) {
          piece.from.origin = piece.from.origin + f[static_cast<std::size_t>(run.begin)];
          piece.to.origin = piece.to.origin + to.steps[d] * run.begin;
          if (run.outer > 1) {
            piece.extents.push_back(run.outer);
            piece.from.steps.push_back(run.outer_step);
            piece.to.steps.push_back(to.steps[d] * run.inner);
          }
          piece.extents.push_back(run.inner);
          piece.from.steps.push_back(run.inner_step);
          piece.to.steps.push_back(to.steps[d]);
          refined.push_back(std::move(piece));
        }
      }
      pieces = std::move(refined);
    }
    out.insert(out.end(), pieces.begin(), pieces.end());
  }
  const Constants& constants_;
  const std::vector<ir::Expr>& indices_;
  const Stored& from_;
  const std::vector<int>& dims_;
  std::vector<std::vector<bool>> used_;
};
}  // namespace

std::vector<CopyPiece> copy_pieces(const Constants& constants, const std::vector<ir::Expr>& indices, const Stored& from,
                                   const View& to, const std::vector<int>& dims, const Domain& domain) {
  std::vector<CopyPiece> pieces;
  Cutter(constants, indices, from, dims).cut(to, domain, pieces);
  return pieces;
}

std::optional<View> affine_view(const std::vector<ir::Expr>& indices, const Stored& from, const std::vector<int>& dims,
                                const Domain& domain) {
  View view = from.place;
  view.steps.assign(dims.size(), {});
  for (std::size_t d = 0; d < indices.size(); ++d) {
    const ir::AffineForm* const affine = ir::affine_form(indices[d], domain.size());
    if (affine == nullptr) return {};
    const Stride step = from.place.steps[d];
    std::int64_t first = affine->constant;
    for (const auto& [axis, coefficient] : affine->terms) {
      first += coefficient * domain[static_cast<std::size_t>(axis)].begin;
      for (std::size_t n = 0; n < dims.size(); ++n)
        if (dims[n] == axis) view.steps[n] = view.steps[n] + step * coefficient;
    }
    view.origin = view.origin + step * first;
  }
  return view;
}

}  // namespace pimento::pim
