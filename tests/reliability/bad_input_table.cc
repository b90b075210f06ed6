#include "reliability/bad_input_table.h"

#include <algorithm>
#include <iomanip>
#include <memory>
#include <string>
#include <vector>

namespace detops_test {
namespace {

constexpr struct {
  const char* name;
  const char* meaning;
  const char* absence;  // why a function without such arguments cannot meet the class
} kClassTexts[kClasses] = {
    {"null", "a pointer, handle or descriptor is NULL", "it takes no pointer"},
    {"form", "wrong rank, type, layout or stride of a tensor", "it takes no tensor"},
    {"shapes", "shapes of tensors that do not fit each other or the arguments", "it takes no two tensors"},
    {"empty", "zero size: refused, or a documented result", "it takes no size that could be zero"},
    {"sizes", "negative or zero kernel, stride, dilation, pool size, limit or count",
     "it takes no kernel, stride, dilation, pool size, limit or count"},
    {"overflow", "a product of sizes that overflows or exceeds a declared limit", "it multiplies no sizes"},
    {"workspace", "workspace too small, misaligned or NULL", "it takes no workspace"},
    {"overlap", "an output in the memory of another argument", "it has no two buffers that could overlap"},
    {"coordinates", "a coordinate or batch id outside the space", "it reads no coordinates"},
    {"duplicates", "the same coordinates twice: refused, or a documented result", "it reads no coordinates"},
    {"not finite", "NaN, Inf, and finite numbers whose arithmetic overflows", "it takes no floating numbers"},
    {"RoI batch id", "the batch id of a RoI is not whole, negative, too large or NaN", "it reads no RoIs"},
    {"indices", "an index tensor that is given back has values out of range, or its counts are too large",
     "no index tensor is given back to it"},
    {"enumerator", "a value that no enumerator has", "it takes no enumerator"},
    {"destroyed", "a handle or descriptor that has been destroyed", "it takes no handle and no descriptor"},
};

const auto& TextsOf(BadClass bad_class) { return kClassTexts[static_cast<size_t>(bad_class) - 1]; }

std::vector<BadClass> AllClasses() {
  std::vector<BadClass> classes;
  for (int number = 1; number <= kClasses; ++number) classes.push_back(static_cast<BadClass>(number));
  return classes;
}

// "a" to "z", then "aa", "ab", ...
std::string Letters(size_t number) {
  const char last = static_cast<char>('a' + number % 26);
  return number < 26 ? std::string(1, last) : Letters(number / 26 - 1) + last;
}

}  // namespace

const char* NameOf(BadClass bad_class) { return TextsOf(bad_class).name; }

Row& Row::CannotOccur(std::initializer_list<BadClass> classes, const std::string& reason) {
  for (const BadClass bad_class : classes) reasons_[static_cast<size_t>(bad_class) - 1] = reason;
  return *this;
}

Row& Row::HasNone(std::initializer_list<BadClass> classes) {
  for (const BadClass bad_class : classes) CannotOccur({bad_class}, TextsOf(bad_class).absence);
  return *this;
}

Row& Row::HasNothingElse(Objects objects) {
  for (const BadClass bad_class : AllClasses()) {
    if (Count(bad_class) > 0 || !Reason(bad_class).empty()) continue;
    const bool alive = bad_class == BadClass::kDestroyed && objects == Objects::kSome;
    CannotOccur({bad_class}, alive ? kCallerGuarantees : TextsOf(bad_class).absence);
  }
  return *this;
}

Row& Row::TakesNoArgument() {
  for (const BadClass bad_class : AllClasses()) CannotOccur({bad_class}, "it takes no argument");
  return *this;
}

int Row::Count(BadClass bad_class) const {
  return static_cast<int>(
      std::count_if(cases_.begin(), cases_.end(), [bad_class](const Case& bad) { return bad.bad_class == bad_class; }));
}

void Table::Sort() {
  std::sort(rows_.begin(), rows_.end(), [](const auto& a, const auto& b) { return a->function() < b->function(); });
}

int Table::Total(BadClass bad_class) const {
  int total = 0;
  for (const auto& row : rows_) total += row->Count(bad_class);
  return total;
}

void Table::PrintMatrix(std::ostream& out) const {
  constexpr int kNameWidth = 54, kCellWidth = 5;
  const auto line = [&](const std::string& name, const auto& cell) {
    out << std::left << std::setw(kNameWidth) << name << std::right;
    for (const BadClass bad_class : AllClasses()) out << std::setw(kCellWidth) << cell(bad_class);
    out << '\n';
  };
  out << "Bad input: cases per function and class; - where the class cannot occur (docs/reliability_table.md).\n";
  line("", [](BadClass bad_class) { return std::to_string(static_cast<int>(bad_class)); });
  for (const auto& row : rows_) {
    line(row->function(), [&](BadClass bad_class) {
      const int count = row->Count(bad_class);
      return count > 0 ? std::to_string(count) : std::string("-");
    });
  }
  int all = 0;
  line("total", [&](BadClass bad_class) {
    all += Total(bad_class);
    return std::to_string(Total(bad_class));
  });
  for (const BadClass bad_class : AllClasses()) {
    out << std::setw(4) << static_cast<int>(bad_class) << "  " << TextsOf(bad_class).meaning << '\n';
  }
  out << rows_.size() << " functions, " << all << " cases\n";
}

void Table::PrintMarkdown(std::ostream& out) const {
  int all = 0;
  for (const BadClass bad_class : AllClasses()) all += Total(bad_class);
  out << "# Bad input: every function, every class\n\n"
         "Written by `bad_input_test --markdown`; a test compares it. A number is how many cases of the class a\n"
         "function is tested with: a valid call in which one thing is broken. Each case asserts the documented "
         "status,\n"
         "a message that names the argument or the value, that no byte of any buffer, nor any beside it, nor a\n"
         "setting has changed, that nothing leaks, and that the same handle then serves the valid call with the same\n"
         "result as a new one. Zero sizes and duplicates have a documented result in places; there the result is\n"
         "asserted. A letter means that the class cannot occur; the reasons stand below.\n\n"
      << rows_.size() << " functions, " << all << " cases.\n\n";
  for (const BadClass bad_class : AllClasses()) {
    out << static_cast<int>(bad_class) << ". " << TextsOf(bad_class).meaning << '\n';
  }
  out << "\n| function |";
  for (const BadClass bad_class : AllClasses()) out << ' ' << static_cast<int>(bad_class) << " |";
  out << "\n|---|";
  for (int i = 0; i < kClasses; ++i) out << "--:|";
  out << '\n';
  std::vector<std::string> reasons;  // in the order in which they are first met
  for (const auto& row : rows_) {
    out << "| " << row->function() << " |";
    for (const BadClass bad_class : AllClasses()) {
      const int count = row->Count(bad_class);
      if (count > 0) {
        out << ' ' << count << " |";
        continue;
      }
      const auto at = std::find(reasons.begin(), reasons.end(), row->Reason(bad_class));
      out << ' ' << Letters(static_cast<size_t>(at - reasons.begin())) << " |";
      if (at == reasons.end()) reasons.push_back(row->Reason(bad_class));
    }
    out << '\n';
  }
  out << "| total |";
  for (const BadClass bad_class : AllClasses()) out << ' ' << Total(bad_class) << " |";
  out << "\n\nWhy a class cannot occur:\n\n";
  for (size_t i = 0; i < reasons.size(); ++i) out << "- **" << Letters(i) << "** " << reasons[i] << '\n';
}

namespace {

// What depends on the machine, or on where its memory lies: the targets, and which of several buffers a large one
// overlaps first.
std::string WithoutTheMachine(std::string text) {
  const std::string targets = detopsGetSupportedTargets(), overlaps = " overlaps ";
  size_t place = text.find(targets);
  if (place != std::string::npos) text.replace(place, targets.size(), "(the targets of the machine)");
  place = text.find(overlaps);
  const size_t end = text.find(" in memory");
  if (place == std::string::npos || end == std::string::npos) return text;
  place += overlaps.size();
  return text.replace(place, end - place, "(another)");
}

}  // namespace

void Table::PrintRefusals(std::ostream& out) const {
  for (const auto& row : rows_) {
    const bool runtime = row->function().rfind("cnrt", 0) == 0;
    for (const Case& bad : row->cases()) {
      if (bad.status == 0) continue;
      Handle handle(DETOPS_PROFILE_CONTRACT, 2);
      const std::unique_ptr<Trial> trial = bad.make();
      const auto status = static_cast<mluOpStatus_t>(trial->Run(handle));
      out << row->function() << " | " << NameOf(bad.bad_class) << ": " << bad.fault << " | "
          << (runtime ? "" : std::string(mluOpGetErrorString(status)) + " | ") << WithoutTheMachine(trial->Text())
          << '\n';
    }
  }
}

const Table& WholeTable() {
  static const Table table = [] {
    Table made;
    for (const auto add :
         {AddRuntime, AddHandle, AddExtensions, AddNamesAndCases, AddTensorDescriptors, AddTensorFields,
          AddSparseConvolutionDescriptors, AddNmsDescriptors, AddRulebooks, AddCatalogue}) {
      add(made);
    }
    made.Sort();
    return made;
  }();
  return table;
}

}  // namespace detops_test
