#include "simulator/core/executor.hpp"

#include <doctest/doctest.h>

#include <cstring>

#include "isa/support/error.hpp"
#include "simulator/chip/bench.hpp"
#include "simulator/core/elements.hpp"

using namespace pimento;
using namespace pimento::sim;
using namespace pimento::sim::bench;

namespace {

/// One core's memory: what stands there, one instruction, what it made of it.
class Bench {
 public:
  explicit Bench(Numerics numerics = Numerics::quantised)
      : exact_(numerics == Numerics::exact), program_(program({{}})) {
    program_.numerics = numerics;
    tiles_ = {pack(program_.tiles[0], exact_)};
  }
  template <class T>
  Bench& put(std::int32_t address, std::vector<T> values, ElementType type, std::vector<float> real = {}) {
    std::vector<std::uint8_t> bytes(values.size() * sizeof(T));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    program_.cores[0].constants.push_back(
        {address, type, isa::Blob<std::uint8_t>::own(std::move(bytes)), isa::Blob<float>::own(std::move(real))});
    return *this;
  }
  Bench& run(const char* line) {
    if (!executor_) executor_.emplace(program_, 0, tiles_, 4096, Carries{exact_, false});
    const isa::Instruction i = isa::parse(line);
    executor_->execute(i, 0, registers_.places(i));
    return *this;
  }
  template <class T>
  std::vector<T> at(std::int64_t address, std::size_t count) const {
    std::vector<T> values(count);
    std::memcpy(values.data(), executor_->memory().bytes(address), count * sizeof(T));
    return values;
  }
  std::vector<float> real(std::int64_t address, int count, int size) const {
    std::vector<float> values(static_cast<std::size_t>(count));
    load_shadows(executor_->memory().shadows(address), count, size, values.data());
    return values;
  }
  AddressRegisters& registers() { return registers_; }

 private:
  bool exact_;
  isa::Program program_;
  std::vector<PackedTile> tiles_;
  AddressRegisters registers_;
  std::optional<Executor> executor_;
};

using i8 = std::int8_t;
using u8 = std::uint8_t;
using i32 = std::int32_t;
using f32 = float;
template <class T>
using V = std::vector<T>;

}  // namespace

TEST_CASE("executor: does integer addition wrap?") {
  Bench b;
  b.put<i8>(0, {100, -100, 1}, ElementType::i8).put<i8>(16, {100, -100, 2}, ElementType::i8);
  CHECK(b.run("vadd [32]:i8, [0]:i8, [16]:i8, len 3").at<i8>(32, 3) == V<i8>{-56, 56, 3});
}

TEST_CASE("executor: does conversion round half to even, add the zero point and saturate?") {
  Bench b;
  b.put<i32>(0, {1, 3, 5, -1, 1000, -1000}, ElementType::i32);
  CHECK(b.run("vcvt [64]:i8, [0]:i32, len 6, scale 0.5, zero 1").at<i8>(64, 6) == V<i8>{1, 3, 3, 1, 127, -128});
  CHECK(b.run("vcvt [64]:u8, [0]:i32, len 6, scale 0.5, zero 1, relu").at<u8>(64, 6) == V<u8>{1, 3, 3, 1, 255, 1});
}

TEST_CASE("executor: does requantisation take a scale per element, or one for a segment?") {
  Bench b;
  b.put<i32>(0, {10, 10, 10, 10}, ElementType::i32).put<f32>(32, {0.5F, 1, 2, 0.25F}, ElementType::f32);
  CHECK(b.run("vrequant [64]:i8, [0]:i32, [32]:f32, len 4").at<i8>(64, 4) == V<i8>{5, 10, 20, 2});
  CHECK(b.run("vrequant [64]:i8, [0]:i32, [40]:f32, len 4, b_scalar").at<i8>(64, 4) == V<i8>{20, 20, 20, 20});
}

TEST_CASE("executor: do segments accumulate into a destination of stride 0?") {
  Bench b;
  b.put<i32>(0, {1, 2, 10, 20, 100, 200}, ElementType::i32).put<i32>(64, {0, 0}, ElementType::i32);
  CHECK(b.run("vadd [64]:i32, [64]:i32, [0]:i32 stride 8, x3 len 2").at<i32>(64, 2) == V<i32>{111, 222});
}

TEST_CASE("executor: does a window over a ring of rows wrap?") {
  Bench b;
  b.put<u8>(100, {1, 2, 3, 4, 5, 6, 7, 8}, ElementType::u8);
  b.registers().set(isa::parse("addr A1, base 104, strides 0 0 0 0, ring 100 8"));
  // rows of 2 at 104, 106, 108 = 100
  CHECK(b.run("vmov [200]:u8 stride 2, [A1]:u8 stride 2, x3 len 2").at<u8>(200, 6) == V<u8>{5, 6, 7, 8, 1, 2});
}

TEST_CASE("executor: is an MVM the product with the tile?") {
  Bench b;
  b.put<u8>(0, {1, 0, 2, 200}, ElementType::u8);
  // columns of 1 .. 16 in rows of 4: 1*1 + 2*9 + 200*13, ...
  CHECK(b.run("mvm [64]:i32, [0]:u8, len 4, group 2").at<i32>(64, 4) ==
        V<i32>{1 + 18 + 2600, 2 + 20 + 2800, 3 + 22 + 3000, 4 + 24 + 3200});
  CHECK_THROWS_WITH_AS(b.run("mvm [64]:i32, [0]:u8, len 3, group 0"),
                       "core 0, instruction 0 'mvm [64]:i32, [0]:u8, len 3, group 0': 3 inputs for a tile of 4 rows",
                       UserError);
}

TEST_CASE("executor: do shadows follow the real numbers?") {
  Bench b(Numerics::exact);
  b.put<u8>(0, {1, 2, 3, 4}, ElementType::u8, {0.1F, 0.2F, 0.3F, 0.4F});
  b.run("mvm [64]:i32, [0]:u8, len 4, group 0");
  // the tile's real weights are half of 1 .. 16
  CHECK(b.real(64, 1, 4)[0] == doctest::Approx(0.1 * 0.5 + 0.2 * 2.5 + 0.3 * 4.5 + 0.4 * 6.5));
  b.run("vcvt [128]:i8, [64]:i32, len 4, scale 0.1, real 0.25");
  CHECK(b.real(128, 1, 1)[0] == doctest::Approx(0.25 * (0.05 + 0.5 + 1.35 + 2.6)));
  CHECK(b.at<i8>(128, 1)[0] == 9);  // (1 + 10 + 27 + 52) * 0.1
  b.run("vmov [200]:i8, [128]:i8, len 4");
  CHECK(b.real(200, 4, 1) == b.real(128, 4, 1));
}

TEST_CASE("executor: do comparisons and extremes decide by the real values in exact numerics?") {
  Bench b(Numerics::exact);
  // equal bytes, different real values
  b.put<i8>(0, {5, 5}, ElementType::i8, {0.51F, 0.49F}).put<i8>(16, {5, 5}, ElementType::i8, {0.5F, 0.5F});
  b.put<i8>(32, {1, 2}, ElementType::i8, {1, 2}).put<i8>(48, {3, 4}, ElementType::i8, {3, 4});
  CHECK(b.run("vlt [64]:bool, [0]:i8, [16]:i8, len 2").at<u8>(64, 2) == V<u8>{0, 1});
  CHECK(b.run("vrargmin [80]:i32, [0]:i8, len 2").at<i32>(80, 1) == V<i32>{1});
  CHECK(b.run("vsel [48]:i8, [64]:bool, [32]:i8, len 2").at<i8>(48, 2) == V<i8>{3, 2});
  CHECK(b.real(48, 2, 1) == V<f32>{3, 2});
}

TEST_CASE("executor: is an index outside its bound, or a division by zero, told with the instruction?") {
  Bench b;
  b.put<i32>(0, {0, 3}, ElementType::i32).put<u8>(16, {1, 2, 3, 4}, ElementType::u8);
  CHECK_THROWS_WITH_AS(b.run("vgather [64]:u8 stride 1, [16]:u8 stride 1, [0]:i32, x2 len 1, bound 3"),
                       "core 0, instruction 0 'vgather [64]:u8 stride 1, [16]:u8 stride 1, [0]:i32, x2 len 1, bound "
                       "3': index 3 is outside 0 .. 2",
                       UserError);
  CHECK_THROWS_WITH_AS(b.run("vdiv [64]:i32, [4]:i32, [0]:i32, len 1"),
                       "core 0, instruction 0 'vdiv [64]:i32, [4]:i32, [0]:i32, len 1': element 0 is divided by zero",
                       UserError);
  CHECK_THROWS_AS(b.run("vmov [4095]:u8, [0]:u8, len 2"), UserError);
}

TEST_CASE("executor: do reductions, scans and functions compute what they say?") {
  Bench b;
  b.put<f32>(0, {1, -4, 2.5F, 3}, ElementType::f32).put<i8>(32, {3, -7, 9, 9}, ElementType::i8);
  CHECK(b.run("vrsum [64]:f32, [0]:f32, len 4").at<f32>(64, 1) == V<f32>{2.5F});
  CHECK(b.run("vrmax [64]:i8, [32]:i8 stride 2, x2 len 2").at<i8>(64, 2) == V<i8>{3, 9});
  CHECK(b.run("vrargmax [64]:i32, [32]:i8, len 4").at<i32>(64, 1) == V<i32>{2});  // the first of the largest
  CHECK(b.run("vscan [64]:i32, [32]:i8, len 4").at<i32>(64, 4) == V<i32>{3, -4, 5, 14});
  CHECK(b.run("vabs [64]:f32, [0]:f32, len 2").at<f32>(64, 2) == V<f32>{1, 4});
  CHECK(b.run("vround [64]:f32, [8]:f32, len 1").at<f32>(64, 1) == V<f32>{2});
  CHECK(b.run("vclip [64]:i8, [32]:i8, len 4, low -2.5, high 8.5").at<i8>(64, 4) == V<i8>{3, -2, 8, 8});
  CHECK(b.run("vfill [64]:i8, len 3, value -3").at<i8>(64, 3) == V<i8>{-3, -3, -3});
}
