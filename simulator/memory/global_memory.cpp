#include "simulator/memory/global_memory.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "isa/cost/service.hpp"
#include "isa/support/error.hpp"

namespace pimento::sim {
namespace {

/// Programs without a plan of the global memory may use this much of it.
constexpr Bytes hand_written = Bytes{64} << 20;

}  // namespace

GlobalImage::GlobalImage(const isa::Program& program, const isa::Chip& chip, Carries carries,
                         const std::vector<PortData>& inputs)
    : image_(std::max(isa::global_memory_extent(program), std::min(chip.global_memory.capacity, hand_written)),
             carries) {
  for (const isa::GlobalConstant& c : program.global_constants)
    image_.place(c.address, c.type, c.bytes.data, c.real.data);
  if (inputs.size() != program.inputs.size())
    throw UserError(fmt::format("the program has {} inputs, {} were given", program.inputs.size(), inputs.size()));
  for (std::size_t n = 0; n < inputs.size(); ++n) {
    const isa::Port& port = program.inputs[n];
    const auto expected = static_cast<std::size_t>(port.bytes());
    if (inputs[n].bytes.size() != expected)
      throw UserError(
          fmt::format("input '{}': expected {} bytes, got {}", port.name, expected, inputs[n].bytes.size()));
    const auto elements = expected / static_cast<std::size_t>(size_of(port.type));
    std::vector<float> real = inputs[n].real;
    if (!real.empty() && real.size() != elements)
      throw UserError(fmt::format("input '{}': expected {} real values, got {}", port.name, elements, real.size()));
    if (real.empty() && carries.shadows)
      for (std::size_t k = 0; k < elements; ++k) {
        const auto* bytes = inputs[n].bytes.data() + k * static_cast<std::size_t>(size_of(port.type));
        real.push_back(static_cast<float>(port.scale * (stored_number(port.type, bytes) - port.zero_point)));
      }
    image_.place(port.address, port.type, inputs[n].bytes, real);
  }
}

void GlobalImage::check(const MemoryRequest& request, std::int64_t start) const {
  if (start >= 0 && start + request.segment <= image_.size()) return;
  throw UserError(fmt::format("core {}, instruction {}: bytes {} .. {} leave global memory of {} bytes", request.core,
                              request.instruction, start, start + request.segment - 1, image_.size()));
}

void GlobalImage::serve(MemoryRequest& request) {
  if (request.starts.empty()) return;
  if (!request.is_store) request.payload = std::make_shared<Payload>();
  std::size_t offset = 0;
  for (const std::int64_t start : request.starts) {
    check(request, start);
    if (request.is_store)
      image_.write(start, request.segment, *request.payload, offset);
    else
      image_.read(start, request.segment, *request.payload);
    offset += static_cast<std::size_t>(request.segment);
  }
}

OutputData GlobalImage::output(const isa::Port& port, bool with_real) const {
  Payload all;
  image_.read(port.address, port.bytes(), all);
  OutputData out;
  if (with_real)
    for (std::size_t k = 0; k < all.shadows.size(); k += static_cast<std::size_t>(size_of(port.type)))
      out.real.push_back(all.shadows[k]);
  for (const WriterId id : all.writers)
    out.writers.push_back(id == 0 ? Writer{}
                                  : Writer{static_cast<CoreId>((id >> 32) - 1), static_cast<std::uint32_t>(id)});
  out.bytes = std::move(all.bytes);
  return out;
}

ImageEnds::ImageEnds(const isa::Program& program) : ends_(static_cast<std::size_t>(program.images), 0) {
  for (std::size_t i = 0; i < program.outputs.size(); ++i) {
    const isa::Port& port = program.outputs[i];
    places_.push_back({port.address, port.address + port.bytes(), isa::image_of(program.outputs, i, program.images)});
  }
  std::sort(places_.begin(), places_.end(), [](const Place& a, const Place& b) { return a.begin < b.begin; });
}

void ImageEnds::stored(std::int64_t address, Cycles end) {
  const auto after = std::upper_bound(places_.begin(), places_.end(), address,
                                      [](std::int64_t at, const Place& place) { return at < place.begin; });
  if (after == places_.begin() || address >= std::prev(after)->end) return;
  Cycles& last = ends_[std::prev(after)->image];
  last = std::max(last, end);
}

Cycles service_cycles(const isa::Chip& chip, const MemoryRequest& request) {
  return isa::cost::service_cycles(chip, request.accesses, request.is_store, request.rows);
}

Channel::Channel(const isa::Chip& chip, Kernel& kernel, Served served,
                 std::function<void(const std::function<void()>&)> guard)
    : chip_(chip),
      kernel_(kernel),
      served_(std::move(served)),
      period_(chip.global_memory.clock.period_fs),
      rows_(chip),
      process_(kernel, "channel", [this, guard = std::move(guard)] { guard([this] { serve(); }); }) {}

void Channel::request(MemoryRequest request, Cycles arrival, std::uint32_t sequence) {
  if (free_slots_.empty()) {
    free_slots_.push_back(requests_.size());
    requests_.emplace_back();
  }
  const std::size_t slot = free_slots_.back();
  free_slots_.pop_back();
  waiting_.push({arrival, request.core, sequence, slot});
  requests_[slot] = std::move(request);
  wake_for_next();
}

void Channel::wake_for_next() {
  if (!waiting_.empty()) process_.wake_at(std::max(kernel_.now(), std::max(free_, waiting_.top().arrival) * period_));
}

void Channel::serve() {
  const Cycles now = kernel_.now() / period_;
  if (free_ <= now && !waiting_.empty() && waiting_.top().arrival <= now) {
    const std::size_t slot = waiting_.top().slot;
    MemoryRequest request = std::move(requests_[slot]);
    free_slots_.push_back(slot);
    waiting_.pop();
    request.rows = rows_.serve(request.view, request.accesses);
    free_ = now + service_cycles(chip_, request);
    ++result_.requests;
    result_.add(request.rows);
    result_.busy += free_ - now;
    (request.is_store ? result_.written : result_.read) += request.bytes;
    (request.is_store ? writes_ : reads_) += request.accesses;
    served_(std::move(request), now, free_);
  }
  wake_for_next();
}

}  // namespace pimento::sim
