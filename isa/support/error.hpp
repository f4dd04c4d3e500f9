#pragma once
// One family of exceptions for everything that can go wrong, and the record that one function prints.
// A user's fault (status 2) carries its place; our own fault (status 3) is never shown as the user's.
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace pimento {

/// Exit statuses of the executable.
enum class Status : int { done = 0, no = 1, bad_input = 2, our_fault = 3 };

/// Where a fault stands. Empty parts are not printed: "chip.yaml:12:3", "model.onnx: node 'conv1'", "a.pim: core 3,
/// ...".
struct Place {
  std::string file{};
  int line = 0;        ///< 1-based; 0 means that lines do not apply
  int column = 0;      ///< 1-based; 0 means that columns do not apply
  std::string node{};  ///< "node 'conv1'", "core 17, instruction 402": printed after the file
};
std::string to_string(const Place& place);

class Error : public std::runtime_error {
 public:
  Error(Status status, Place place, const std::string& message);
  Status status() const { return status_; }
  const Place& place() const { return place_; }

 private:
  Status status_;
  Place place_;
};

/// The user's input is wrong: what() is "place: what, expected, got; nearest", lower case, no full stop. Status 2.
class UserError : public Error {
 public:
  UserError(Place place, const std::string& message) : Error(Status::bad_input, std::move(place), message) {}
  explicit UserError(const std::string& message) : Error(Status::bad_input, {}, message) {}
};
/// The question was right and the answer is no: deadlock, limit reached, wrong values, change rejected. Status 1.
class Negative : public Error {
 public:
  explicit Negative(const std::string& message) : Error(Status::no, {}, message) {}
};
/// An invariant of ours does not hold. Status 3.
class InternalError : public Error {
 public:
  explicit InternalError(const std::string& message) : Error(Status::our_fault, {}, message) {}
};

/// The candidate near `name`, by nearest.hpp ("" when there is none; ties fall to the earlier candidate).
std::string nearest(std::string_view name, const std::vector<std::string>& candidates);
/// "; nearest: 'crossbar'", or "; known: a, b, c" when none is near.
std::string suggestion(std::string_view name, const std::vector<std::string>& candidates);

/// Checks an invariant of ours in every build type.
#define PIMENTO_CHECK(condition, message)                      \
  do {                                                         \
    if (!(condition)) throw ::pimento::InternalError(message); \
  } while (false)

}  // namespace pimento
