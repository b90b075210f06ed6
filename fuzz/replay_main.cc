// Runs inputs through a fuzz target without libFuzzer: TARGET FILE ... A file that ends with .hex has an input per
// line, in hexadecimal; any other is one input. TARGET --random COUNT makes so many, the same on every machine. What is
// wrong ends the process, as under the fuzzer; the name of the input is the last line then.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

// -1 if it is none.
int DigitOf(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool FromHexadecimal(const std::string& line, std::vector<uint8_t>& data) {
  for (size_t i = 0; i < line.size(); i += 2) {
    const int high = DigitOf(line[i]), low = i + 1 < line.size() ? DigitOf(line[i + 1]) : -1;
    if (high < 0 || low < 0) return false;
    data.push_back(static_cast<uint8_t>(high * 16 + low));
  }
  data.shrink_to_fit();  // a block of the exact size, so that sanitizers see a step beyond it
  return true;
}

// The number of inputs; 0 after saying why there are none.
int RunFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  int inputs = 0;
  if (file && path.ends_with(".hex")) {
    for (std::string line; std::getline(file, line); ++inputs) {
      std::printf("%s:%d\n", path.c_str(), inputs + 1);
      std::vector<uint8_t> data;
      if (!FromHexadecimal(line, data)) {
        std::fprintf(stderr, "%s:%d: not hexadecimal\n", path.c_str(), inputs + 1);
        return 0;
      }
      LLVMFuzzerTestOneInput(data.data(), data.size());
    }
  } else if (file) {
    std::printf("%s\n", path.c_str());
    const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    const std::vector<uint8_t> data(bytes.begin(), bytes.end());
    LLVMFuzzerTestOneInput(data.data(), data.size());
    inputs = 1;
  }
  if (inputs == 0) std::fprintf(stderr, "%s: no input could be read\n", path.c_str());
  return inputs;
}

int RunRandom(int count) {
  for (int seed = 0; seed < count; ++seed) {
    std::mt19937 random(static_cast<unsigned>(seed));
    std::vector<uint8_t> data(random() % 600);
    for (uint8_t& byte : data) byte = static_cast<uint8_t>(random() >> 8);
    std::printf("random:%d\n", seed);
    LLVMFuzzerTestOneInput(data.data(), data.size());
  }
  return count;
}

}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  int inputs = 0;
  if (argc == 3 && std::strcmp(argv[1], "--random") == 0) inputs = RunRandom(std::atoi(argv[2]));
  for (int i = argc == 3 && inputs > 0 ? argc : 1; i < argc; ++i) {
    const int run = RunFile(argv[i]);
    if (run == 0) return 1;
    inputs += run;
  }
  std::printf("%d inputs\n", inputs);
  return inputs > 0 ? 0 : 1;
}
