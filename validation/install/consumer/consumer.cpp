// A stranger's program: includes installed headers and links an installed library.
#include <iostream>

#include "isa/support/error.hpp"

int main() {
  const std::string near = pimento::nearest("crosbar", {"core", "crossbar"});
  std::cout << near << "\n";
  return near == "crossbar" ? 0 : 1;
}
