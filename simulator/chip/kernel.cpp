#include "simulator/chip/kernel.hpp"

#define SC_INCLUDE_DYNAMIC_PROCESSES
#include <systemc>

#include "isa/support/error.hpp"

namespace pimento::sim {
namespace {

sc_core::sc_time of(Femtoseconds time) {
  return sc_core::sc_time::from_value(static_cast<sc_core::sc_time::value_type>(time));
}

/// 1 fs, set once, before the first time value exists.
void set_resolution() {
  static const bool done = [] {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    return true;
  }();
  static_cast<void>(done);
}

}  // namespace

struct Process::Body {
  sc_core::sc_event event;
  sc_core::sc_process_handle handle;
};

Kernel::Kernel() {
  set_resolution();
  base_ = static_cast<Femtoseconds>(sc_core::sc_time_stamp().value());
}

Femtoseconds Kernel::now() const { return static_cast<Femtoseconds>(sc_core::sc_time_stamp().value()) - base_; }

void Kernel::run() { sc_core::sc_start(); }

Process::Process(const Kernel& kernel, const char* name, std::function<void()> body)
    : kernel_(&kernel), body_(std::make_unique<Body>()) {
  sc_core::sc_spawn_options options;
  options.spawn_method();
  options.dont_initialize();
  options.set_sensitivity(&body_->event);
  body_->handle = sc_core::sc_spawn(std::move(body), sc_core::sc_gen_unique_name(name), &options);
}

Process::~Process() {
  body_->event.cancel();
  body_->handle.kill();
}

void Process::wake() { body_->event.notify(); }
void Process::wake_after_others() { body_->event.notify(sc_core::SC_ZERO_TIME); }
void Process::wake_at(Femtoseconds time) {
  const Femtoseconds now = kernel_->now();
  PIMENTO_CHECK(time >= now, "a process is to be woken in the past");
  body_->event.notify(of(time - now));
}

}  // namespace pimento::sim
