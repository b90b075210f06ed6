#define DETOPS_ALSO_AVX512  // see core/simd_target.h

#include "core/simd_target.h"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "core/platform.h"

namespace detops {
namespace {

constexpr int kMaxTargets = 16;
constexpr size_t kNameSize = 16;

struct Target {
  int64_t bit;
  char name[kNameSize];
};

bool EqualIgnoringCase(const char* a, const char* b) {
  for (; *a != '\0' && *b != '\0'; ++a, ++b) {
    if (std::tolower(static_cast<unsigned char>(*a)) != std::tolower(static_cast<unsigned char>(*b))) return false;
  }
  return *a == *b;
}

// What the machine can run of what was compiled, best first (Highway gives better targets lower bits), and which
// of it is in use.
class Registry {
 public:
  Registry() {
    char* end = names_;
    supported_ = hwy::SupportedTargets() & HWY_TARGETS;
    for (int64_t rest = supported_; rest != 0 && count_ < kMaxTargets; rest &= rest - 1) {
      Target& target = targets_[count_++];
      target.bit = rest & -rest;
      const char* name = hwy::TargetName(target.bit);
      const size_t length = std::min(std::strlen(name), kNameSize - 1);
      for (size_t i = 0; i < length; ++i) {
        target.name[i] = static_cast<char>(std::tolower(static_cast<unsigned char>(name[i])));
      }
      if (end != names_) *end++ = ',';
      std::memcpy(end, target.name, length + 1);
      end += length;
    }
    Force(nullptr);
  }

  // nullptr chooses automatically; an unsupported name changes nothing.
  bool Force(const char* name) {
    if (name == nullptr) {
      const char* wish = EnvironmentText("DETOPS_TARGET");
      if (wish == nullptr || !Force(wish)) Use(targets_[0]);
      return true;
    }
    for (int i = 0; i < count_; ++i) {
      if (EqualIgnoringCase(targets_[i].name, name)) {
        Use(targets_[i]);
        return true;
      }
    }
    return false;
  }

  const hwy::ChosenTarget& chosen() const { return chosen_; }
  const hwy::ChosenTarget& up_to_avx2() const { return up_to_avx2_; }
  const char* name() const { return current_.load(std::memory_order_acquire)->name; }
  const char* names() const { return names_; }

 private:
  // A kernel that was not compiled for the target takes the next best one.
  void Use(const Target& target) {
    const int64_t usable = supported_ & ~(target.bit - 1);
    chosen_.Update(usable);
#if HWY_ARCH_X86
    up_to_avx2_.Update(usable & ~(int64_t{HWY_AVX2} - 1));
#else
    up_to_avx2_.Update(usable);
#endif
    current_.store(&target, std::memory_order_release);
  }

  Target targets_[kMaxTargets] = {};
  int count_ = 0;
  char names_[kMaxTargets * kNameSize] = {};
  int64_t supported_ = 0;
  hwy::ChosenTarget chosen_;
  hwy::ChosenTarget up_to_avx2_;
  std::atomic<const Target*> current_{nullptr};
};

Registry& Targets() {
  static Registry registry;
  return registry;
}

}  // namespace

const hwy::ChosenTarget& CurrentTarget() { return Targets().chosen(); }
const hwy::ChosenTarget& CurrentTargetUpToAvx2() { return Targets().up_to_avx2(); }
const char* TargetName() { return Targets().name(); }
const char* SupportedTargetNames() { return Targets().names(); }
bool ForceTarget(const char* name) { return Targets().Force(name); }

}  // namespace detops
