#include "isa/support/folder.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <vector>

#include "isa/support/error.hpp"
#include "isa/support/unfinished.hpp"

namespace pimento {
namespace fs = std::filesystem;
namespace {

std::string draft_of(const fs::path& folder) {
  static std::atomic<unsigned> counter{0};
  return folder.string() + ".part-" + std::to_string(::getpid()) + "-" + std::to_string(counter++);
}

/// Takes back what it was told of, newest first, unless all went well.
struct Undo {
  std::vector<fs::path> made;
  bool done = false;
  ~Undo() {
    if (done) return;
    std::error_code ignored;
    for (auto path = made.rbegin(); path != made.rend(); ++path) fs::remove(*path, ignored);
  }
};

void move_into(const fs::path& folder, const fs::path& draft) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::recursive_directory_iterator(draft)) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());  // a folder stands before what is in it
  Undo undo;
  undo.made.reserve(paths.size());
  for (const fs::path& from : paths) {
    const fs::path to = folder / from.lexically_relative(draft);
    const bool is_new = !fs::exists(to);
    if (fs::is_directory(from))
      fs::create_directory(to);
    else
      fs::rename(from, to);
    if (is_new) undo.made.push_back(to);
  }
  undo.done = true;
}

}  // namespace

void write_folder(const std::string& folder, const std::function<void(const std::string& draft)>& writer) {
  fs::path place = fs::path(folder).lexically_normal();
  if (!place.has_filename()) place = place.parent_path();  // "results/"
  try {
    Unfinished draft(draft_of(place));
    fs::create_directories(draft.path());
    writer(draft.path());
    if (fs::exists(place)) return move_into(place, draft.path());
    fs::rename(draft.path(), place);
    draft.finish();
  } catch (const fs::filesystem_error& error) {
    throw UserError(Place{.file = folder}, "cannot be written: " + error.code().message());
  }
}

}  // namespace pimento
