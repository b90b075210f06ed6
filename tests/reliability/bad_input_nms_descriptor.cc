// Rows of NMS descriptors.
#include <string>

#include "descriptors/nms_arguments.h"
#include "reliability/bad_input_plain.h"

namespace detops_test {
namespace {

// A descriptor that is set.
struct Suppression {
  Suppression() {
    mluOpCreateNmsDescriptor(&desc);
    NmsArguments().Set(desc);
  }
  ~Suppression() { mluOpDestroyNmsDescriptor(desc); }
  Suppression(const Suppression&) = delete;
  Suppression& operator=(const Suppression&) = delete;

  // The threshold. What else a refused Set leaves, tests/descriptors looks at.
  std::string State(mluOpHandle_t handle) const {
    int kept = 0;
    SuppressTwo(handle, desc, &kept);
    return std::to_string(kept);
  }
  std::string Message(int /*status*/) const { return ThreadMessage(); }

  mluOpNmsDescriptor_t desc = nullptr;
};

using SuppressionRow = PlainRow<Suppression>;

BadClass ClassOf(const std::string& text) {
  if (text.find("NULL") != std::string::npos) return BadClass::kNull;
  if (text.find("nan") != std::string::npos || text.find("inf") != std::string::npos) return BadClass::kNotFinite;
  return text.find("a value of") != std::string::npos ? BadClass::kEnumerator : BadClass::kSizes;
}

}  // namespace

void AddNmsDescriptors(Table& table) {
  AddMaking<Suppression>(table, {"mluOpCreateNmsDescriptor", "mluOpDestroyNmsDescriptor", "desc"},
                         mluOpCreateNmsDescriptor, mluOpDestroyNmsDescriptor);
  const auto with = [](const NmsFault& fault) {
    return [fault](Suppression& s, mluOpHandle_t) -> int {
      NmsArguments arguments;
      fault.apply(arguments);
      return arguments.Set(s.desc);
    };
  };
  SuppressionRow row(table, "mluOpSetNmsDescriptor", DETOPS_CALL(NmsArguments().Set(w.desc)));
  for (const std::vector<NmsFault>& of_argument : NmsFaults()) {
    for (const NmsFault& fault : of_argument) {
      const std::string what = fault.text.substr(0, fault.text.find(','));
      row.BadParam(ClassOf(what + fault.text), what, what, with(fault));
    }
  }
  row.HasNothingElse(Row::Objects::kSome);
}

}  // namespace detops_test
