#include <fmt/format.h>

#include <algorithm>

#include "isa/cost/cost.hpp"
#include "isa/support/error.hpp"
#include "simulator/lockstep/lockstep.hpp"
#include "simulator/network/mailbox.hpp"
#include "simulator/observe/account.hpp"

namespace pimento::sim::lockstep {

using isa::Opcode;

Chip::Chip(const isa::Program& p, const isa::Chip& c, const Options& o)
    : program(p),
      chip(c),
      options(o),
      clocks{c.core.clock.period_fs, c.network.clock.period_fs, c.global_memory.clock.period_fs},
      carries{!o.timing_only && p.numerics == Numerics::exact, !o.timing_only && o.track_writers},
      code(decode(p, c, false)),
      boxes(code.pairs.size()),
      net_(c, [this](const MessagePtr& m, Endpoint to, Cycles time) { arrived(m, to, time); }),
      channels_(static_cast<std::size_t>(std::max(c.global_memory.channels, 1))),
      images_(p),
      sequence_(static_cast<std::size_t>(c.cores) + channels_.size(), 0),
      left_(static_cast<std::size_t>(c.cores), 0) {
  if (!options.timing_only) {
    for (const isa::Tile& tile : program.tiles) tiles.push_back(pack(tile, carries.shadows, chip, tiles.size()));
    global_ = GlobalImage(program, chip, carries, options.inputs);
  }
  for (Box& box : boxes)
    for (int n = 0; n < chip.network.receive_buffer_messages; ++n) box.tickets.push_back(0);
  for (CoreId id = 0; id < program.cores.size(); ++id) cores.push_back(std::make_unique<LockCore>(*this, id));
}

std::size_t Chip::mailbox(CoreId source, CoreId destination) const {
  const auto at = std::find(code.pairs.begin(), code.pairs.end(), PairKey{source, destination});
  PIMENTO_CHECK(at != code.pairs.end(), "a message between cores that do not communicate");
  return static_cast<std::size_t>(at - code.pairs.begin());
}

Result Chip::run() {
  Femtoseconds now = 0;
  // What happens at the next edge of another clock is expected a little later than it is said to be.
  const Femtoseconds rounding = 4 * (clocks.core + clocks.network + clocks.memory);
  const auto queued = [&] {
    return !net_.idle() || std::any_of(channels_.begin(), channels_.end(),
                                       [](const MemoryChannel& channel) { return !channel.waiting.empty(); });
  };
  const auto next = [&](Femtoseconds period) { return (now / period + 1) * period; };
  for (;;) {
    bool all_finished = true;
    Cycles last = 0;
    if (now % clocks.core == 0)
      for (const auto& core : cores) core->cycle(now / clocks.core);
    for (const auto& core : cores) {
      all_finished = all_finished && core->finished();
      last = std::max(last, core->time());
    }
    if (all_finished && !queued())
      return result(unreceived().empty() ? StopReason::finished : StopReason::unreceived, last);
    if (!all_finished && options.max_cycles > 0 && now >= options.max_cycles * clocks.core)
      return result(StopReason::max_cycles, last);
    if (options.stop != nullptr && options.stop->load()) return result(StopReason::interrupted, last);
    if (now % clocks.network == 0) network_cycle(now / clocks.network);
    if (now % clocks.memory == 0) memory_cycle(now / clocks.memory);
    if (!all_finished && !queued() && now > expected_ * clocks.core + rounding)
      return result(StopReason::deadlock, last);
    now = std::min({next(clocks.core), next(clocks.network), next(clocks.memory)});
  }
}

void Chip::network_cycle(Cycles now) {
  for (CoreId id = 0; id < cores.size(); ++id) try_send(*cores[id], id, now);
  net_.cycle(now);
}

bool Chip::may_send(Flying& x, CoreId id, const std::vector<Endpoint>& destinations, Cycles now) {
  for (const Endpoint to : destinations) {
    Box& box = boxes[mailbox(id, to)];
    const bool there = !box.tickets.empty() && box.tickets.front() <= now;
    if (!chip.rules.request_and_grant) {
      if (!there) return false;
      continue;
    }
    const auto one_flit = [&](CoreId a, CoreId b) {
      return isa::cost::message_network_cycles(chip, a, b, 1) - chip.network.handshake_cycles;
    };
    if (!x.asked) {
      x.asked = left_[id] = turn(id, x.ready) + one_flit(id, to);
      expect(clocks.network_to_core(*x.asked));
    }
    if (!x.granted) {
      if (!there || *x.asked > now) return false;
      x.granted = left_[to] = turn(to, now) + one_flit(to, id);
    }
    const Cycles read = clocks.core_to_network(clocks.network_to_core(*x.granted) + x.cost->read);
    expect(clocks.network_to_core(read));
    if (read > now) return false;
  }
  for (const Endpoint to : destinations) boxes[mailbox(id, to)].tickets.pop_front();
  return true;
}

void Chip::try_send(LockCore& core, CoreId id, Cycles now) {
  Flying* x = core.transfer();
  if (x == nullptr || x->launched || x->ready > now) return;
  const isa::Instruction& i = program.cores[id].instructions.data[x->instruction];
  auto m = std::make_shared<Message>();
  m->source = id;
  m->instruction = x->instruction;
  m->payload = x->payload;
  switch (x->cost->kind) {
    case Kind::send:
    case Kind::multicast: {
      m->tag = i.tag;
      m->bytes = x->cost->bytes;
      m->multicast = x->cost->kind == Kind::multicast;
      m->destinations = x->cost->kind == Kind::send ? std::vector<Endpoint>{i.target} : program.core_sets[i.target];
      if (!may_send(*x, id, m->destinations, now)) return;
      x->moving = clocks.network_to_core(now);
      break;
    }
    case Kind::load:
    case Kind::store:
      m->cargo = Message::Cargo::request;
      m->request = x->request;
      m->bytes = x->request_bytes;
      m->destinations = {static_cast<Endpoint>(chip.cores + x->request.channel)};
      break;
    case Kind::sync:
      m->cargo = Message::Cargo::event;
      m->tag = i.tag;
      m->value = i.imm;
      m->bytes = 1;
      m->destinations = {i.target};
      break;
    default:
      return;
  }
  m->flits = isa::cost::flits(chip, m->bytes);
  m->sequence = sequence_[id]++;
  x->launched = true;
  const Cycles left = left_[id] = net_.launch(m, turn(id, now) + chip.network.handshake_cycles);
  const Cycles free = clocks.network_to_core(left);
  expect(free);
  const bool message = x->cost->kind == Kind::send || x->cost->kind == Kind::multicast;
  std::optional<Cycles> known;
  if (x->cost->kind == Kind::sync)
    known = chip.rules.sends_end_early ? clocks.network_to_core(now) + 1 : free;
  else if (message && chip.rules.sends_end_early)
    known = x->moving;
  else if (message && (!rendezvous() || m->destinations.empty()))
    known = free;
  if (known) core.end_transfer(*x, std::max(*known + x->cost->retire, x->issue + 1));
}

void Chip::request_memory(CoreId core, Flying& x, const std::vector<std::int32_t>& indices) {
  const isa::Instruction& i = program.cores[core].instructions.data[x.instruction];
  const bool store = x.cost->kind == Kind::store;
  const GlobalView view = global_view(i, x.places);
  MemoryRequest& r = x.request;
  r.core = core;
  r.instruction = x.instruction;
  r.is_store = store;
  r.channel = isa::cost::global_channel(chip, view.place.start(0, 0));
  r.bytes = x.cost->bytes;
  r.accesses = isa::cost::global_accesses(chip, i);
  r.segment = i.len;
  r.view = view;
  r.payload = x.payload;
  if (!options.timing_only)
    for (std::int64_t k = 0; k < view.count; ++k)
      r.starts.push_back(view.place.start(view.indexed ? indices[static_cast<std::size_t>(k)] : k, view.stride));
  x.request_bytes = store ? r.bytes + (view.indexed ? Bytes{4} * i.count : 0) : isa::cost::request_bytes(i);
}

void Chip::receive_ended(CoreId source, CoreId destination, Cycles end) {
  if (rendezvous()) return;
  const Cycles credit = clocks.core_to_network(end) + isa::cost::credit_network_cycles(chip, source, destination);
  boxes[mailbox(source, destination)].tickets.push_back(credit);
  expect(clocks.network_to_core(credit));
}

void Chip::arrived(const MessagePtr& m, Endpoint to, Cycles time) {
  m->latest = std::max(m->latest, time);
  --m->left;
  const Cycles core_time = clocks.network_to_core(time);
  expect(core_time);
  switch (m->cargo) {
    case Message::Cargo::data:
      boxes[mailbox(m->source, to)].arrived.push_back({core_time, m->instruction, m->tag, m->bytes, m->payload});
      if (rendezvous() && m->left == 0 && !chip.rules.sends_end_early) {
        Flying* x = cores[m->source]->transfer();
        cores[m->source]->end_transfer(*x, std::max(clocks.network_to_core(m->latest) + x->cost->retire, x->issue + 1));
      }
      return;
    case Message::Cargo::request:
      channels_[static_cast<std::size_t>(m->request.channel)].waiting.push_back(
          {clocks.network_to_memory(time), m->sequence, m->request});
      return;
    case Message::Cargo::answer: {
      Flying* x = cores[to]->transfer();
      x->arrival = core_time;
      x->payload = m->payload;
      return;
    }
    case Message::Cargo::event:
      cores[to]->count_event(m->tag, m->value, core_time);
      return;
  }
}

isa::cost::RowAccesses Chip::find_rows(MemoryChannel& channel, const MemoryRequest& r) const {
  isa::cost::RowAccesses found;
  if (chip.global_memory.row_size == 0) return found;
  if (r.view.indexed) {
    for (int bank = 0; bank < std::max(chip.global_memory.banks, 1); ++bank) channel.open[bank] = std::nullopt;
    return {0, 0, r.accesses};
  }
  const Bytes width = std::max<Bytes>(chip.global_memory.width, 1), segment = r.view.bytes;
  const std::int64_t each = (segment + width - 1) / width;  // accesses of a segment that stands alone
  for (std::int64_t n = 0; n < r.accesses; ++n) {
    const bool joined = r.view.is_joined();
    const std::int64_t k = joined ? n * width / segment : n / each;
    const std::int64_t byte = joined ? n * width % segment : n % each * width;
    const isa::cost::MemoryRow row = isa::cost::memory_row(chip, r.view.place.start(k, r.view.stride) + byte);
    const auto bank = channel.open.find(row.bank);
    if (bank == channel.open.end())
      ++found.misses;
    else
      ++(bank->second == row.row ? found.hits : found.conflicts);
    channel.open[row.bank] = row.row;
  }
  return found;
}

void Chip::memory_cycle(Cycles now) {
  for (std::size_t c = 0; c < channels_.size(); ++c) {
    MemoryChannel& channel = channels_[c];
    if (channel.free > now) continue;
    auto first = channel.waiting.end();
    for (auto at = channel.waiting.begin(); at != channel.waiting.end(); ++at) {
      if (at->arrival > now) continue;
      const auto key = [](const Waiting& w) { return std::tuple(w.arrival, w.request.core, w.sequence); };
      if (first == channel.waiting.end() || key(*at) < key(*first)) first = at;
    }
    if (first == channel.waiting.end()) continue;
    MemoryRequest request = std::move(first->request);
    channel.waiting.erase(first);
    request.rows = find_rows(channel, request);
    const Cycles end = now + service_cycles(chip, request);
    channel.free = end;
    ++channel.result.requests;
    channel.result.add(request.rows);
    channel.result.busy += end - now;
    (request.is_store ? channel.result.written : channel.result.read) += request.bytes;
    (request.is_store ? writes_ : reads_) += request.accesses;
    if (!options.timing_only) global_.serve(request);
    expect(clocks.memory_to_core(end));
    LockCore& core = *cores[request.core];
    Flying* x = core.transfer();
    if (request.is_store) {
      images_.stored(request.view.place.start(0, 0), clocks.memory_to_core(end));
      core.end_transfer(*x, std::max(clocks.memory_to_core(end) + x->cost->retire, x->issue + 1));
      continue;
    }
    if (chip.rules.load_data_free) {
      x->arrival = clocks.memory_to_core(end);
      x->payload = request.payload;
      continue;
    }
    auto m = std::make_shared<Message>();
    m->cargo = Message::Cargo::answer;
    m->source = static_cast<Endpoint>(static_cast<std::size_t>(chip.cores) + c);
    m->destinations = {request.core};
    m->bytes = request.bytes;
    m->flits = isa::cost::flits(chip, m->bytes);
    m->payload = request.payload;
    m->sequence = sequence_[m->source]++;
    net_.launch(m, clocks.memory_to_network(end) + chip.network.handshake_cycles);
  }
}

std::vector<Unreceived> Chip::unreceived() const {
  std::vector<Unreceived> all;
  for (std::size_t n = 0; n < boxes.size(); ++n) {
    if (boxes[n].arrived.empty()) continue;
    const Delivery& first = boxes[n].arrived.front();
    all.push_back({code.pairs[n].source, code.pairs[n].destination, boxes[n].arrived.size(), first.instruction,
                   first.tag, first.bytes, first.arrival});
  }
  return all;
}

std::string Chip::explanation(StopReason stop, Cycles cycles) const {
  if (stop == StopReason::finished) return "";
  if (stop == StopReason::max_cycles) return limit_text(options.max_cycles);
  if (stop == StopReason::interrupted) return interrupted_text(cycles);
  if (stop == StopReason::unreceived) return unreceived_text(program, unreceived());
  Standing standing{program, rendezvous(), cycles, {}, {}};
  for (const auto& core : cores) {
    standing.finished.push_back(core->finished());
    if (!core->finished()) standing.waits.push_back(core->standing());
  }
  return wait_for_graph(standing);
}

Result Chip::result(StopReason stop, Cycles cycles) {
  Result r;
  r.stop = stop;
  r.cycles = cycles;
  r.time_fs = cycles * clocks.core;
  r.clocks = {{"core", clocks.core, cycles},
              {"network", clocks.network, convert(cycles, clocks.core, clocks.network)},
              {"memory", clocks.memory, convert(cycles, clocks.core, clocks.memory)}};
  for (const std::string& name : program.nodes) r.nodes.emplace_back().name = name;
  isa::cost::Events events;
  for (const auto& core : cores) core->fill(r, events, cycles);
  r.explanation = explanation(stop, cycles);
  r.image_ends = images_.ends();
  r.links = net_.links();
  for (const MemoryChannel& channel : channels_) r.channels.push_back(channel.result);
  r.energy = energy_account(at_mean_output(chip, tiles), events, r.cycles, net_.flit_hops(), reads_, writes_);
  if (!options.timing_only)
    for (const isa::Port& port : program.outputs) r.outputs.push_back(global_.output(port, carries.shadows));
  return r;
}

}  // namespace pimento::sim::lockstep
