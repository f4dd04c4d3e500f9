#pragma once
// [--chip CHIP]... [MODEL-OF-THE-ZOO...], and what is taken when none is given.
#include <iostream>
#include <string>
#include <vector>

#include "isa/support/error.hpp"
#include "isa/support/types.hpp"

namespace pimento::bench {

struct ChipsAndModels {
  std::vector<std::string> chips, models;
};
inline ChipsAndModels chips_and_models(int argc, char** argv, const std::string& program, ChipsAndModels otherwise) {
  ChipsAndModels given;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word != "--chip")
      given.models.push_back(word);
    else if (++i < argc)
      given.chips.emplace_back(argv[i]);
    else
      throw UserError(program + ": expected [--chip CHIP]... [MODEL-OF-THE-ZOO...]");
  }
  if (given.chips.empty()) given.chips = std::move(otherwise.chips);
  if (given.models.empty()) given.models = std::move(otherwise.models);
  return given;
}

/// "18,903,679".
inline std::string grouped(Cycles cycles) {
  std::string text = std::to_string(cycles);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, 1, ',');
  return text;
}

/// `work`, and the status that its errors ask for.
template <class Work>
int run_bench(Work&& work) {
  try {
    work();
    return 0;
  } catch (const Error& e) {
    std::cerr << e.what() << "\n";
    return static_cast<int>(e.status());
  }
}

}  // namespace pimento::bench
