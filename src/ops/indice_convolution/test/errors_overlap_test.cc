// Buffers of a convolution that share memory, pointers that are NULL and workspaces of every kind. The result and the
// workspace may share no byte with anything else, with value checks on and off; what is only read may.
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "ops/indice_convolution/test/errors_rules.h"

namespace detops_test {
namespace {

class IndiceConvolutionOverlap : public ConvolutionRefusals {
 protected:
  static std::string Name(Role role) { return NameOf(GetParam(), role); }

  // A buffer of a call, and how to let it lie somewhere else.
  struct Buffer {
    std::string name;
    size_t bytes;
    bool written;  // the result, or the workspace that the library may write to
    std::function<void(BadCall& call, unsigned char* at)> place;
  };

  static std::vector<Buffer> BuffersOf(Entry entry) {
    const BadCall good(GetParam());
    std::vector<Buffer> buffers;
    for (int number = 0; number < kRoles; ++number) {
      const auto role = static_cast<Role>(number);
      const bool pairs = role == kPairs, extra = role == kBias || role == kResidual;
      if ((pairs && entry == Entry::kRulebook) || (extra && entry == Entry::kCall) || Name(role).empty()) continue;
      buffers.push_back({Name(role), good.memory[role]->bytes(), role == TargetOf(GetParam()),
                         [role](BadCall& call, unsigned char* at) {
                           std::memcpy(at, call.memory[role]->data(), call.memory[role]->bytes());
                           call.tensors[role].data = at;
                         }});
    }
    if (entry != Entry::kRulebook) {
      buffers.push_back({"indice_num", good.numbers.size(), false, [](BadCall& call, unsigned char* at) {
                           std::memcpy(at, call.num(), call.numbers.size());
                           call.other_num = reinterpret_cast<const int64_t*>(at);
                         }});
    }
    if (entry == Entry::kCall) {
      buffers.push_back({"workspace", good.workspace_memory.size(), true,
                         [](BadCall& call, unsigned char* at) { call.workspace = at; }});
    }
    return buffers;
  }

  // The second buffer lies `distance` bytes behind the start of the first, or before it.
  void ExpectAnswer(Entry entry, const Buffer& first, const Buffer& second, int64_t distance, bool apart) {
    for (const bool value_checks : {true, false}) {
      SCOPED_TRACE(testing::Message() << NameOf(GetParam(), entry) << ", " << first.name << ", " << second.name
                                      << ", distance " << distance << ", checks " << value_checks);
      // Numbers of 64 bits must be aligned; guarded memory of a multiple of 8 bytes is.
      const size_t padding = (second.bytes + 7) / 8 * 8;
      const GuardedBuffer arena((first.bytes + 2 * padding + 7) / 8 * 8);
      auto* const start = static_cast<unsigned char*>(arena.data());
      std::memset(start, 0x5A, arena.size());
      BadCall call(GetParam());
      call.profile = entry == Entry::kCall ? DETOPS_PROFILE_CONTRACT : DETOPS_PROFILE_FULL;
      call.value_checks = value_checks;
      // What is read comes last: it must be whole.
      const Buffer& early = first.written ? first : second;
      const Buffer& late = first.written ? second : first;
      unsigned char *const at_first = start + padding, *const at_second = at_first + distance;
      early.place(call, &early == &first ? at_first : at_second);
      late.place(call, &late == &first ? at_first : at_second);
      if (!apart) {
        const std::vector<unsigned char> before(start, start + arena.size());
        Refuse(call, entry, kBad,
               first.name + " overlaps " + second.name + "|" + second.name + " overlaps " + first.name);
        EXPECT_EQ(std::memcmp(before.data(), start, before.size()), 0) << "a refused call changed memory";
      } else {
        const Answer answer = call.Run(handle_, entry);
        EXPECT_EQ(answer.status, MLUOP_STATUS_SUCCESS) << answer.text;
        BadCall elsewhere(GetParam());
        elsewhere.profile = call.profile;
        EXPECT_EQ(elsewhere.Run(handle_, entry).status, MLUOP_STATUS_SUCCESS);
        EXPECT_EQ(
            std::memcmp(call.tensors[TargetOf(GetParam())].data, elsewhere.target().data(), elsewhere.target().bytes()),
            0);
      }
      EXPECT_TRUE(arena.SlackIntact() && call.SurroundingsIntact());
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Ways, IndiceConvolutionOverlap, testing::ValuesIn(kWays), WayName);

TEST_P(IndiceConvolutionOverlap, EveryPairOfBuffers) {
  for (const Entry entry : EntriesOf(GetParam())) {
    if (entry == Entry::kSize) continue;
    const std::vector<Buffer> buffers = BuffersOf(entry);
    for (const Buffer& first : buffers) {
      for (const Buffer& second : buffers) {
        if (&first == &second || !(first.written || second.written)) continue;
        const bool num = first.name == "indice_num" || second.name == "indice_num";
        const int64_t step = num ? 8 : 1;
        const int64_t behind = static_cast<int64_t>(first.bytes) / step * step;
        const int64_t before = -static_cast<int64_t>(second.bytes) / step * step;
        for (const int64_t distance : {int64_t{0}, step, behind - step, before + step}) {
          ExpectAnswer(entry, first, second, distance, false);
        }
        const int64_t just_behind = (static_cast<int64_t>(first.bytes) + step - 1) / step * step;
        const int64_t just_before = -(static_cast<int64_t>(second.bytes) + step - 1) / step * step;
        ExpectAnswer(entry, first, second, just_behind, true);
        ExpectAnswer(entry, first, second, just_before, true);
      }
    }
  }
}

// Two tensors that are only read may be one.
TEST_P(IndiceConvolutionOverlap, InputsMayShareMemory) {
  for (const Function& function : FunctionsOf(GetParam())) {
    if (function.entry == Entry::kSize) continue;
    BadCall call(GetParam());
    call.profile = function.profile;
    Role readers[2] = {kIn, kFilters};
    if (GetParam() == Way::kBackwardData) readers[0] = kOut;
    if (GetParam() == Way::kBackwardFilter) readers[1] = kOut;
    const bool first_is_larger = call.memory[readers[0]]->bytes() > call.memory[readers[1]]->bytes();
    const Role large = readers[first_is_larger ? 0 : 1], small = readers[first_is_larger ? 1 : 0];
    call.tensors[small].data = call.tensors[large].data;
    Accept(call, function.entry);
  }
}

// ---- the workspace ----

// The workspace is what the caller says it is, though nothing of it is needed.
TEST_P(IndiceConvolutionOverlap, AllOfAWorkspaceCounts) {
  BadCall call(GetParam());
  const size_t bytes = call.target().bytes();
  const GuardedBuffer arena(64 + bytes);
  std::memset(arena.data(), 0xFF, arena.size());
  call.workspace = arena.data();
  call.tensors[TargetOf(GetParam())].data = static_cast<unsigned char*>(arena.data()) + 64;
  const std::string said = "overlaps workspace|workspace overlaps";
  for (const size_t size : {size_t{65}, 64 + bytes, size_t{1} << 62, static_cast<size_t>(INT64_MAX), SIZE_MAX / 2 + 2,
                            SIZE_MAX - 1, SIZE_MAX}) {
    call.workspace_size = size;
    Refuse(call, Entry::kCall, kBad, said);
  }
  for (const size_t size : {size_t{64}, size_t{1}, size_t{0}}) {
    call.workspace_size = size;
    const Answer answer = call.Run(handle_, Entry::kCall);
    EXPECT_EQ(answer.status, MLUOP_STATUS_SUCCESS) << answer.text;
  }
}

// Without a byte it may lie anywhere.
TEST_P(IndiceConvolutionOverlap, EmptyWorkspace) {
  for (const bool inside : {true, false}) {
    BadCall call(GetParam());
    call.workspace = inside ? call.target().data() : nullptr;
    call.workspace_size = 0;
    Accept(call, Entry::kCall);
  }
}

TEST_P(IndiceConvolutionOverlap, NullWorkspace) {
  for (const size_t size : {size_t{1}, size_t{8}, size_t{1} << 40, SIZE_MAX}) {
    for (const bool value_checks : {true, false}) {
      BadCall call(GetParam());
      call.value_checks = value_checks;
      call.workspace = nullptr;
      call.workspace_size = size;
      Refuse(call, Entry::kCall, kBad, "workspace is NULL");
    }
  }
}

// ---- pointers ----

// Before everything else: nothing else may be looked at for a caller who cannot be answered.
TEST_P(IndiceConvolutionOverlap, NullResult) {
  BadCall call(GetParam());
  call.with_result = false;
  Refuse(call, Entry::kSize, kBad, "workspace_size is NULL");
  call.with_num = false;
  for (TensorArgument& tensor : call.tensors) tensor.described = false;
  Refuse(call, Entry::kSize, kBad, "workspace_size is NULL");
  call.with_handle = false;
  Refuse(call, Entry::kSize, kBad, "workspace_size is NULL");
}

TEST_P(IndiceConvolutionOverlap, NullData) {
  for (const Function& function : FunctionsOf(GetParam())) {
    if (function.entry == Entry::kSize) continue;
    for (const Role role : kInEveryWay) {
      if (role == kPairs && function.entry == Entry::kRulebook) continue;
      for (const bool value_checks : {true, false}) {
        BadCall call(GetParam());
        call.profile = function.profile;
        call.value_checks = value_checks;
        call.tensors[role].data = nullptr;
        Refuse(call, function.entry, kBad, "the data pointer of " + Name(role) + " is NULL");
      }
    }
  }
}

}  // namespace
}  // namespace detops_test
