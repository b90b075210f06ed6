#include "golden/golden_file.h"

#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace detops_golden {

void GoldenFile::Read(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    const std::string place = path + ":" + std::to_string(number);
    std::istringstream words(line);
    std::string first, word;
    if (line.empty() || line[0] == '#' || !(words >> first)) continue;
    if (first == "targets") {
      while (words >> word) targets_.push_back(word);
      for (const std::string& target : targets_) columns_[target];
      continue;
    }
    uint64_t before = 0;
    bool known = false;
    for (const std::string& target : targets_) {
      if (!(words >> word)) throw std::runtime_error(place + ": too few columns");
      if (word == "-") {
        known = false;
        continue;
      }
      if (word != "=") {
        size_t end = 0;
        before = std::stoull(word, &end, 16);
        if (end != 16 || word.size() != 16) throw std::runtime_error(place + ": not a hash: " + word);
      } else if (!known) {
        throw std::runtime_error(place + ": \"=\" with nothing before it");
      }
      known = true;
      if (!columns_[target].emplace(first, before).second) throw std::runtime_error(place + ": the case occurs twice");
    }
    if (words >> word) throw std::runtime_error(place + ": too many columns");
    names_.push_back(first);
  }
}

void GoldenFile::Write(const std::string& path, const std::vector<std::string>& names) const {
  std::ofstream file(path, std::ios::trunc);
  file << "# Hashes (FNV-1a, 64 bits) of all output bytes of every case, one column per target; = is the same as in "
          "the\n"
          "# column before. Written by a program: see \"Determinism\" in docs/reliability.md before changing it.\n"
          "targets";
  for (const std::string& target : targets_) file << ' ' << target;
  file << '\n';
  for (const std::string& name : names) {
    file << name;
    const uint64_t* before = nullptr;
    for (const std::string& target : targets_) {
      const Hashes& column = columns_.at(target);
      const auto found = column.find(name);
      if (found == column.end()) {
        file << " -";
        before = nullptr;
        continue;
      }
      char text[32];
      std::snprintf(text, sizeof text, " %016" PRIx64, found->second);
      file << (before != nullptr && *before == found->second ? " =" : text);
      before = &found->second;
    }
    file << '\n';
  }
  file.close();
  if (!file) throw std::runtime_error("cannot write " + path);
}

void GoldenFile::Set(const std::string& target, Hashes hashes) {
  if (!Has(target)) targets_.push_back(target);
  columns_[target] = std::move(hashes);
}

}  // namespace detops_golden
