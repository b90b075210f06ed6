// All functions that take tensors. A room adds its own, in src/ops/<room>/contract/:
//   namespace detops_harness::<room> { void AddTo(Catalogue& catalogue); }
// and the build finds it by the room's folder.
#ifndef DETOPS_HARNESS_CATALOGUE_H_
#define DETOPS_HARNESS_CATALOGUE_H_

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/function.h"

namespace detops_harness {

class Catalogue {
 public:
  void Add(std::unique_ptr<Function> function) {
    function->set_room(room_);
    functions_.push_back(std::move(function));
  }
  // The functions that are added next belong to this room.
  void BeginRoom(const char* room) { room_ = room; }
  const std::vector<std::unique_ptr<const Function>>& functions() const { return functions_; }
  // nullptr if there is none of that name.
  const Function* Find(std::string_view name) const;

 private:
  const char* room_ = "";
  std::vector<std::unique_ptr<const Function>> functions_;
};

// Rooms in the order of their names.
const Catalogue& WholeCatalogue();

}  // namespace detops_harness

#endif  // DETOPS_HARNESS_CATALOGUE_H_
