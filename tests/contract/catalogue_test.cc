// No function is forgotten: whatever the public headers declare with a handle and a tensor is in the catalogue, and so
// gets every property and every test of its contract.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <regex>
#include <sstream>
#include <string>

#include "harness/catalogue.h"

namespace detops_test {
namespace {

TEST(Catalogue, HasEveryFunctionOfTheHeaders) {
  const std::regex comments("/\\*[^]*?\\*/");
  const std::regex declaration("mluOpStatus_t (?:MLUOP_WIN_API )?(\\w+)\\(([^)]*)\\);");
  int found = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(DETOPS_HEADERS)) {
    if (entry.path().extension() != ".h") continue;
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    const std::string code = std::regex_replace(text.str(), comments, "");
    for (std::sregex_iterator at(code.begin(), code.end(), declaration), end; at != end; ++at) {
      const std::string name = (*at)[1], parameters = (*at)[2];
      if (parameters.find("mluOpHandle_t") == std::string::npos) continue;
      if (parameters.find("mluOpTensorDescriptor_t") == std::string::npos) continue;
      ++found;
      EXPECT_NE(detops_harness::WholeCatalogue().Find(name), nullptr)
          << name << " is not in the catalogue: src/ops/<room>/contract/, docs/adding_an_operator.md";
    }
  }
  EXPECT_GE(found, 30);
}

}  // namespace
}  // namespace detops_test

// contract_test --catalogue ROOM lists the functions of a room, for scripts.
int main(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[1], "--catalogue") == 0) {
    for (const auto& function : detops_harness::WholeCatalogue().functions()) {
      if (function->room() == argv[2]) std::cout << function->name() << '\n';
    }
    return 0;
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
