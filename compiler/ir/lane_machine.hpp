#pragma once
// The blocked path, part 4: lane registers, the tensors of a run, and the instructions that move between them.
#include "compiler/ir/lane_program.hpp"

namespace pimento::ir {

class LaneMachine {
 public:
  explicit LaneMachine(KernelRun& run);
  LaneMachine(const LaneMachine&) = delete;  // the program points into the plan
  LaneMachine& operator=(const LaneMachine&) = delete;

  const LanePlan& plan() const { return plan_; }
  const LaneProgram& program() const { return p_; }
  /// Lanes that a register holds.
  int width() const { return width_; }
  /// Present position on each loop of the plan; on the lane loop that of lane 0.
  std::vector<std::int64_t>& at() { return at_; }

  float* real(Register r) { return reals_.data() + offset_[static_cast<std::size_t>(r)]; }
  std::int64_t* integer(Register r) { return integers_.data() + offset_[static_cast<std::size_t>(r)]; }
  ElementType type(Register r) const { return p_.registers[static_cast<std::size_t>(r)]; }
  void fill(Register r, const Scalar& v, int lanes);
  void copy(Register to, Register from, int lanes);

  /// Runs the instructions of one level on lanes 0 .. lanes-1.
  void execute(Level level, int lanes);
  /// Writes output `o` (index into Kernel::outputs), lane by lane in order.
  void write(std::size_t o, int lanes);

 private:
  struct Lanes {
    int begin, end;
  };
  std::int64_t value_of(const LoopAffine& f) const;
  std::int64_t lane_step(const LoopAffine& f) const;
  Lanes inside(const Access& a, int n) const;
  [[noreturn]] void outside_error(const Access& a, int lane) const;
  void locate(const Access& a, const std::vector<Register>& indices, const std::int64_t* where, int n);
  template <class T>
  void load(const Instruction& i, T* to, T outside, int n);
  template <class T>
  void store(std::size_t o, const T* from, int n);
  void execute(const Instruction& i, int n);
  void axis(const Instruction& i, int n);
  void lookup(const Instruction& i, int n);
  void cast_lanes(const Instruction& i, int n);

  KernelRun& run_;
  const Kernel& k_;
  LanePlan plan_;
  LaneProgram p_;
  std::vector<std::int64_t> at_;
  int width_ = 1;
  std::vector<std::size_t> offset_;  ///< of each register in reals_ or integers_
  std::vector<float> reals_;
  std::vector<std::int64_t> integers_;
  std::vector<std::int64_t> offsets_;  ///< of the lanes' elements, filled by `locate`
  std::vector<char> valid_;            ///< whether each lane's element is in range, likewise
};

}  // namespace pimento::ir
