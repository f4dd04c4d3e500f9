#pragma once
// A folder of files that belong together: all of them come into being, or none.
#include <functional>
#include <string>

namespace pimento {

/// Runs `writer` on an empty draft folder beside `folder` and moves into place what it made: by one rename when
/// `folder` is not there, else file by file, each replacing one of its name. On any failure the draft is removed, and
/// nothing stands in `folder` that was not there before. Throws UserError ("results: cannot be written: No space left
/// on device") besides what `writer` throws.
void write_folder(const std::string& folder, const std::function<void(const std::string& draft)>& writer);

}  // namespace pimento
