#pragma once
// What the benches are told: words that they do not take are refused in one line, with status 2; --help says which they
// take.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "isa/support/error.hpp"
#include "isa/support/types.hpp"

namespace pimento::bench {

/// A bench and the words that it takes.
struct Usage {
  std::string program, words;
  UserError refuses(std::string_view got) const {
    return UserError(fmt::format("{}: expected {}, got {}", program, words.empty() ? "no arguments" : words,
                                 got.empty() ? "none" : fmt::format("'{}'", got)));
  }
};

/// A whole number from 1 on.
inline int count_of(const Usage& usage, const std::string& word) {
  int count = 0;
  const char* const end = word.data() + word.size();
  const auto [rest, error] = std::from_chars(word.data(), end, count);
  if (error != std::errc() || rest != end || count < 1) throw usage.refuses(word);
  return count;
}

/// [--chip CHIP]... [MODEL-OF-THE-ZOO...], and what is taken when none is given.
inline constexpr std::string_view chips_and_models_words = "[--chip CHIP]... [MODEL-OF-THE-ZOO...]";
struct ChipsAndModels {
  std::vector<std::string> chips, models;
};
inline ChipsAndModels chips_and_models(const Usage& usage, const std::vector<std::string>& words,
                                       ChipsAndModels otherwise) {
  ChipsAndModels given;
  for (std::size_t i = 0; i < words.size(); ++i)
    if (words[i].rfind('-', 0) != 0)
      given.models.push_back(words[i]);
    else if (words[i] == "--chip" && i + 1 < words.size())
      given.chips.push_back(words[++i]);
    else
      throw usage.refuses(words[i]);
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

/// work(words), and the status that its errors ask for.
template <class Work>
int run_bench(const Usage& usage, int argc, char** argv, Work&& work) {
  try {
    const std::vector<std::string> words(argv + 1, argv + argc);
    if (std::find(words.begin(), words.end(), "--help") != words.end())
      std::cout << fmt::format("usage: {}{}{}\n", usage.program, usage.words.empty() ? "" : " ", usage.words);
    else
      work(words);
    return 0;
  } catch (const Error& e) {
    std::cerr << e.what() << "\n";
    return static_cast<int>(e.status());
  } catch (const std::exception& e) {
    std::cerr << usage.program << ": " << e.what() << "\n";
    return static_cast<int>(Status::our_fault);
  }
}

}  // namespace pimento::bench
