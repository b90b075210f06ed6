#include "harness/catalogue.h"

namespace detops_harness {

#define DETOPS_ROOM(name)           \
  namespace name {                  \
  void AddTo(Catalogue& catalogue); \
  }
#include "harness/rooms.inc"
#undef DETOPS_ROOM

const Function* Catalogue::Find(std::string_view name) const {
  for (const auto& function : functions_) {
    if (function->name() == name) return function.get();
  }
  return nullptr;
}

const Catalogue& WholeCatalogue() {
  static const Catalogue catalogue = [] {
    Catalogue made;
#define DETOPS_ROOM(name) \
  made.BeginRoom(#name);  \
  name::AddTo(made);
#include "harness/rooms.inc"
#undef DETOPS_ROOM
    return made;
  }();
  return catalogue;
}

}  // namespace detops_harness
