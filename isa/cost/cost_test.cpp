#include "isa/cost/cost.hpp"
#include "isa/cost/service.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace pimento;
using namespace pimento::isa;

namespace {

/// The figures of the published simulator's shipped chip, by hand: 128 x 128 arrays, 1-bit DACs, 2 ADCs of 10 cycles.
Chip documented_chip() {
  Chip c;
  c.name = "documented";
  c.cores = 64;
  c.core.clock = {"core", 1'000'000};
  c.core.vector = {.lanes = 16, .latency_cycles = 4, .function_latency_cycles = 8, .types = {}, .energy_pj = {}};
  c.core.local_memory.width = 64;
  auto& x = c.core.crossbar;
  x.rows = x.cols = x.rows_active = 128;
  x.cell_bits = 8;
  x.read_latency_fs = 30'000'000;
  x.dac_latency_cycles = x.sample_hold_cycles = x.shift_add_cycles = x.output_cycles = 1;
  x.adc.per_crossbar = 2;
  x.adc.latency_cycles = 10;
  c.network.topology = "mesh";
  c.network.width = c.network.height = 8;
  c.network.flit = 8;
  c.network.clock = {"network", 1'000'000};
  c.global_memory.width = 16;
  c.global_memory.clock = {"memory", 2'000'000};
  c.global_memory.attached_to = {0};
  return c;
}

Instruction vector_op(Opcode op, std::int32_t len, std::int32_t count = 1, std::int32_t stride = 0) {
  Instruction i;
  i.opcode = op;
  i.len = len;
  i.count = count;
  i.stride_d = i.stride_a = i.stride_b = stride;
  return i;
}

}  // namespace

TEST_CASE("cost: what does an 8-bit MVM take on the published chip?") {
  // front = 1 + 30 + 1 = 32; back = 10 + 1 + 1 + (128 / 2 - 1) * max(10, 2) = 642; 8 steps: 32 + 642 + 7 * 642 = 5168
  const Chip c = documented_chip();
  const cost::TileShape tile{128, 128, 1, 1};
  CHECK(cost::mvm_compute(c, tile, ElementType::u8) == 5168);
  Instruction i = vector_op(Opcode::mvm, 128);
  i.type_d = ElementType::i32;
  const auto d = cost::mvm(c, tile, i);
  CHECK(d.read == 2);   // 128 bytes in accesses of 64
  CHECK(d.write == 8);  // 512 bytes of i32
  CHECK(d.total() == 5178);
}

TEST_CASE("cost: does a narrow tile take as long as a full one, since every column is converted?") {
  CHECK(cost::mvm_compute(documented_chip(), {128, 16, 1, 1}, ElementType::u8) == 5168);
}

TEST_CASE("cost: do rows driven in turns and wide inputs multiply the steps?") {
  Chip c = documented_chip();
  c.core.crossbar.rows_active = 64;  // 2 turns x 8 slices: 32 + 16 * 642
  CHECK(cost::mvm_compute(c, {128, 128, 1, 1}, ElementType::u8) == 32 + 16 * 642);
  CHECK(cost::mvm_compute(c, {128, 128, 1, 1}, ElementType::i16) == 32 + 32 * 642);
  c.core.crossbar.pipelined = false;
  CHECK(cost::mvm_compute(c, {64, 128, 1, 1}, ElementType::u8) == 8 * (32 + 642));
  c.core.array_group.row_add_cycles = 3;
  CHECK(cost::mvm_compute(c, {256, 128, 2, 1}, ElementType::u8) == 16 * (32 + 642) + 3);
}

TEST_CASE("cost: what does a vector addition take?") {
  // two reads of 128 bytes (2 + 2), 8 passes of 4 cycles, one write of 2: the published 38 (micro program vvadd_128)
  CHECK(cost::local(documented_chip(), vector_op(Opcode::vadd, 128)).total() == 38);
  CHECK(cost::local(documented_chip(), vector_op(Opcode::vrelu, 1000)).total() == 16 + 63 * 4 + 16);
}

TEST_CASE("cost: are segments apart dearer than adjacent ones?") {
  const Chip c = documented_chip();
  CHECK(cost::memory_accesses(c.core.local_memory, 4, 16, 16) == 1);
  CHECK(cost::memory_accesses(c.core.local_memory, 4, 16, 100) == 4);
  CHECK(cost::local(c, vector_op(Opcode::vmov, 16, 4, 16)).total() == 1 + 4 * 4 + 1);
  CHECK(cost::local(c, vector_op(Opcode::vmov, 8, 4, 8)).total() == 1 + 2 * 4 + 1);    // 32 elements, 2 passes
  CHECK(cost::local(c, vector_op(Opcode::vmov, 8, 4, 100)).total() == 4 + 4 * 4 + 4);  // a pass for each segment
}

TEST_CASE("cost: is a scalar operand that stays read once?") {
  Instruction i = vector_op(Opcode::vmul, 16, 4, 16);
  i.flags = flag::b_scalar;
  i.stride_b = 0;
  CHECK(cost::local(documented_chip(), i).read == 1 + 1);
  i.stride_b = 100;
  CHECK(cost::local(documented_chip(), i).read == 1 + 4);
}

TEST_CASE("cost: do banks overlap consecutive accesses and not indexed ones?") {
  Chip c = documented_chip();
  c.core.local_memory.banks = 4;
  c.core.local_memory.read_latency_cycles = 20;
  CHECK(cost::local(c, vector_op(Opcode::vmov, 256)).read == 20 + 3 * 5);
  Instruction g = vector_op(Opcode::vgather, 64, 4);
  g.imm = 10;
  CHECK(cost::local(c, g).read == 20 + 4 * 20);  // the indices once, then each row in full
}

TEST_CASE("cost: what does a message take over an idle mesh?") {
  Chip c = documented_chip();
  // core 0 to core 9: 2 hops, 3 routers, 2 links, 640 / 8 = 80 flits
  CHECK(cost::hops(c, 0, 9) == 2);
  CHECK(cost::message_network_cycles(c, 0, 9, 640) == 3 + 2 + 80);
  c.network.handshake_cycles = 4;
  CHECK(cost::message_network_cycles(c, 0, 9, 640) == 4 + 3 + 2 + 80);
  CHECK(cost::credit_network_cycles(c, 0, 9) == 3 + 2 + 1);
}

TEST_CASE("cost: how far apart are cores on each topology?") {
  Chip c = documented_chip();  // 64 cores, 8 x 8
  const auto far = [&](CoreId a, CoreId b) {
    CHECK(cost::hops(c, a, b) == cost::hops(c, b, a));
    return cost::hops(c, a, b);
  };
  CHECK(far(0, 63) == 14);
  CHECK(far(9, 9) == 0);
  c.network.topology = "torus";
  CHECK(far(0, 63) == 2);
  CHECK(far(0, 36) == 4 + 4);
  c.network.width = 4, c.network.height = 4, c.network.cores_per_router = 4;
  CHECK(far(0, 3) == 0);
  CHECK(far(3, 4) == 1);
  CHECK(far(0, 63) == 2);
  c.network.topology = "ring";
  CHECK(far(0, 63) == 1);
  CHECK(far(0, 33) == 8);
  c.network.cores_per_router = 1;
  CHECK(far(0, 32) == 32);
  c.network.topology = "crossbar";
  CHECK(far(0, 63) == 1);
  c.network.topology = "tree";
  c.network.tree_arity = 4;
  CHECK(far(0, 3) == 0);
  CHECK(far(3, 4) == 2);
  CHECK(far(15, 16) == 4);
  c.network.tree_arity = 2;
  CHECK(far(31, 32) == 10);
}

TEST_CASE("cost: what do flits wait when a virtual channel holds fewer than a credit's round trip takes?") {
  Chip c = documented_chip();
  c.network.level = NetworkLevel::flit;
  c.network.virtual_channel_buffer = 3;  // router, link, credit: one cycle each
  CHECK(cost::message_network_cycles(c, 0, 9, 640) == 3 + 2 + 80);
  c.network.virtual_channel_buffer = 2;  // one wait before every second flit
  CHECK(cost::message_network_cycles(c, 0, 9, 640) == 3 + 2 + 80 + 39);
  c.network.virtual_channel_buffer = 1;  // two before every flit
  CHECK(cost::message_network_cycles(c, 0, 9, 640) == 3 + 2 + 80 + 2 * 79);
  c.network.link_cycles = 4;
  CHECK(cost::message_network_cycles(c, 0, 9, 640) == 3 + 8 + 80 + 8 * 79);
}

TEST_CASE("cost: what does a store take on the published chip?") {
  Chip c = documented_chip();
  c.network.topology = "table";
  c.network.table = std::make_shared<std::vector<std::vector<Cycles>>>(65, std::vector<Cycles>(65, 15));
  c.global_memory.clock.period_fs = 1'000'000;
  // 6400 bytes: 100 reads, 800 flits of 15, 400 accesses: 12500 (micro program st_6400 gives 12513 with 13 of issue)
  CHECK(cost::global_access_cycles(c, 0, 6400, true, {}) == 100 + 12000 + 400);
  // a load of 640: request 15, 40 accesses, 80 flits of 15, 10 writes
  CHECK(cost::global_access_cycles(c, 0, 640, false, {}) == 15 + 40 + 1200 + 10);
  // and of two rows whose banks hold others
  c.global_memory.activate_cycles = 14;
  c.global_memory.precharge_cycles = 15;
  CHECK(cost::global_access_cycles(c, 0, 640, false, {38, 0, 2}) == 15 + 40 + 2 * (15 + 14) + 1200 + 10);
  // what of it the memory serves, in its own cycles and, with rows of 512 bytes, in time
  CHECK(cost::service_cycles(c, 40, false, {38, 0, 2}) == 40 + 2 * (15 + 14));
  c.global_memory.row_size = 512;
  CHECK(cost::expected_service(c, 640, false) == (40 + 2 * (15 + 14)) * 1'000'000);
}

TEST_CASE("cost: is an energy with one unknown part unknown?") {
  Chip c = documented_chip();
  const Instruction i = vector_op(Opcode::vadd, 128);
  c.core.vector.energy_pj = 0.5;
  CHECK_FALSE(cost::instruction_energy(c, i, nullptr).has_value());
  c.core.local_memory.read_energy_pj = 2;
  c.core.local_memory.write_energy_pj = 3;
  CHECK(cost::instruction_energy(c, i, nullptr) == doctest::Approx(128 * 0.5 + 4 * 2 + 2 * 3));
}

TEST_CASE("cost: how many crossbars does a block of weights take?") {
  Chip c = documented_chip();
  c.core.crossbar.cell_bits = 2;  // 4 columns a weight, 32 weights a crossbar row
  const auto t = cost::tile_shape(c, 300, 70);
  CHECK(t.crossbar_rows == 3);
  CHECK(t.crossbar_cols == 3);
}

TEST_CASE("cost: is every schedule key a cost key of the chip?") {
  for (const std::string& key : cost::schedule_keys()) {
    CAPTURE(key);
    const auto& all = chip_keys();
    const auto at = std::find_if(all.begin(), all.end(), [&](const KeyInfo& k) { return k.path == key; });
    REQUIRE(at != all.end());
    CHECK(at->key_class == KeyClass::cost);
  }
}

TEST_CASE("cost: does the shipped pimsim-nn chip give the published figure?") {
  CHECK(cost::mvm_compute(load_chip("pimsim-nn-64"), {128, 128, 1, 1}, ElementType::u8) == 5168);
}
