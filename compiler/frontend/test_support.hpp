#pragma once
// What the frontend's tests share: a folder of their own, and the message of an expected UserError.
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <string>

#include "isa/support/error.hpp"

namespace pimento::frontend {

/// A fresh folder, removed with all it holds.
struct TestFolder {
  std::filesystem::path path;
  explicit TestFolder(const std::string& name)
      : path(std::filesystem::temp_directory_path() / ("pimento_" + name + "_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path);
  }
  ~TestFolder() { std::filesystem::remove_all(path); }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;
  std::string operator/(const std::string& name) const { return (path / name).string(); }
};

inline std::string message_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const UserError& e) {
    return e.what();
  }
  return "no error";
}

}  // namespace pimento::frontend
