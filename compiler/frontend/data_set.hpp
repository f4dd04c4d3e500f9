#pragma once
// A test data set in ONNX's layout: a folder with input_0.pb, input_1.pb, ..., output_0.pb, ...
#include <string>
#include <vector>

#include "compiler/frontend/tensor_file.hpp"

namespace pimento::frontend {

struct DataSet {
  std::vector<NamedTensor> inputs;
  std::vector<NamedTensor> outputs;
};

/// Reads as many inputs and outputs as are numbered without a gap; either may be none. UserError when the folder is
/// absent or a file in it is damaged.
DataSet read_data_set(const std::string& folder);
/// Makes the folder if needed.
void write_data_set(const std::string& folder, const DataSet& data);

}  // namespace pimento::frontend
