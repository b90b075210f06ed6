// Fuzzes the core of the C API: the bytes are a sequence of calls on a few handles, descriptors, queues and notifiers,
// with good and bad arguments.
//
// A model of every object foretells the statuses and what the getters give; it is compared after each call, so a Set
// that fails half-way, or a call that changes another object, is noticed at once. Arrays are heap blocks of exactly the
// length that the call announces.
#include <algorithm>
#include <climits>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "detops.h"
#include "fuzz/fuzz_support.h"

namespace detops_fuzz {
namespace {

constexpr int kSlots = 3;

// ---- the model ----

struct DescriptorModel {
  mluOpTensorDescriptor_t desc = nullptr;  // nullptr: the slot is empty
  int layout = MLUOP_LAYOUT_ARRAY;
  int type = MLUOP_DTYPE_FLOAT;
  int onchip_type = MLUOP_DTYPE_INVALID;
  int pointer_mode = MLUOP_POINTER_MODE_DEVICE;
  int position = 0;
  float scale = 1;
  int offset = 0;
  std::vector<int64_t> extents = {};
  std::vector<int64_t> strides = {};
  bool is_set = false;  // a new descriptor has no elements, a scalar has one; both have rank 0

  uint64_t Elements() const {
    if (!is_set) return 0;
    int64_t product = 1;
    for (int64_t extent : extents) {
      if (extent == 0) return 0;
    }
    for (int64_t extent : extents) {
      if (__builtin_mul_overflow(product, extent, &product)) return INT64_MAX;
    }
    return static_cast<uint64_t>(product);
  }
};

struct HandleModel {
  mluOpHandle_t handle = nullptr;
  cnrtQueue_t queue = nullptr;
  int round_mode = MLUOP_ROUND_HALF_TO_EVEN;
  int atomics_mode = MLUOP_ATOMICS_NOT_ALLOWED;
  int profile = DETOPS_PROFILE_CONTRACT;
  int value_checks = 1;
  int threads = 0;
};

struct NotifierModel {
  cnrtNotifier_t notifier = nullptr;
  bool placed = false;
};

class World {
 public:
  explicit World(FuzzedDataProvider& bytes) : bytes_(bytes) {
    cnrtGetLastError();  // forgets that of the input before
  }
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  void Step();

 private:
  // Most arguments are good, or nearly nothing would get past the first check.
  bool Rarely() { return OneIn(bytes_, 12); }
  template <class T>
  T* OrNull(T* pointer) {
    return Rarely() ? nullptr : pointer;
  }

  void Expect(mluOpStatus_t status, bool good, const char* function, mluOpHandle_t handle = nullptr);
  void ExpectCnrt(cnrtRet_t status, cnrtRet_t expected, const char* function);

  DescriptorModel& AnyDescriptor() { return descriptors_[Number(bytes_, 0, kSlots - 1)]; }
  void CreateOrDestroy();
  void SetShape();
  template <class Integer>
  void SetShapeAs(DescriptorModel& model, int variant);
  template <class Integer>
  std::unique_ptr<Integer[]> Integers(int count, bool negative);
  void SetField();
  void ReadWithNulls();
  template <class Integer>
  void ReadAs(const DescriptorModel& model, bool with_strides);
  void Group();
  template <class Integer>
  mluOpStatus_t SetGroupAs(bool* good, int count);
  void CallHandle();
  void CreateOrDestroyHandle();
  void CallOperator();
  void CallNames();
  void CallQueues();
  void CallMemory();

  void Compare(const DescriptorModel& model);
  void Compare(const HandleModel& model);

  FuzzedDataProvider& bytes_;
  DescriptorModel descriptors_[kSlots];
  HandleModel handles_[2];
  cnrtQueue_t queues_[2] = {};
  NotifierModel notifiers_[2];
  int default_threads_ = 0;
  cnrtRet_t last_cnrt_error_ = cnrtSuccess;
};

// ---- what every call must do ----

// Success empties the text; a failure leaves "function: sentence." there, for the handle as for the thread.
void World::Expect(mluOpStatus_t status, bool good, const char* function, mluOpHandle_t handle) {
  const mluOpStatus_t expected = good ? MLUOP_STATUS_SUCCESS : MLUOP_STATUS_BAD_PARAM;
  const std::string text = detopsGetLastError(nullptr);
  if (status != expected) {
    Broken("%s gave %s, expected %s; text: \"%s\"", function, mluOpGetErrorString(status),
           mluOpGetErrorString(expected), text.c_str());
  }
  if (good && !text.empty()) Broken("%s succeeded with the text \"%s\"", function, text.c_str());
  if (!good && (text.rfind(std::string(function) + ": ", 0) != 0 || text.back() != '.')) {
    Broken("%s failed with the text \"%s\"", function, text.c_str());
  }
  if (handle != nullptr && text != detopsGetLastError(handle)) {
    Broken("%s: the handle's text is \"%s\", the thread's \"%s\"", function, detopsGetLastError(handle), text.c_str());
  }
}

void World::ExpectCnrt(cnrtRet_t status, cnrtRet_t expected, const char* function) {
  if (status != expected) {
    Broken("%s gave %s, expected %s", function, cnrtGetErrorStr(status), cnrtGetErrorStr(expected));
  }
  if (expected != cnrtSuccess) last_cnrt_error_ = expected;
  if (cnrtPeekAtLastError() != last_cnrt_error_) Broken("%s: last error is not kept", function);
}

// ---- descriptors: create, destroy, set ----

void World::CreateOrDestroy() {
  DescriptorModel& model = AnyDescriptor();
  if (Rarely()) {
    Expect(mluOpCreateTensorDescriptor(nullptr), false, "mluOpCreateTensorDescriptor");
    Expect(mluOpDestroyTensorDescriptor(nullptr), false, "mluOpDestroyTensorDescriptor");
  } else if (model.desc == nullptr) {
    model = {};
    Expect(mluOpCreateTensorDescriptor(&model.desc), true, "mluOpCreateTensorDescriptor");
  } else if (OneIn(bytes_, 3)) {
    Expect(mluOpDestroyTensorDescriptor(model.desc), true, "mluOpDestroyTensorDescriptor");
    model.desc = nullptr;
  } else {
    const mluOpTensorDescriptor_t desc = model.desc;
    Expect(mluOpResetTensorDescriptor(desc), true, "mluOpResetTensorDescriptor");
    model = {};
    model.desc = desc;
  }
}

// nullptr for a count below 1 would be refused for another reason than the count: give a block of no elements.
template <class Integer>
std::unique_ptr<Integer[]> World::Integers(int count, bool negative) {
  std::unique_ptr<Integer[]> numbers(new Integer[static_cast<size_t>(std::max(count, 0))]);
  for (int i = 0; i < count; ++i) {
    const int64_t number = OneIn(bytes_, 4) ? ExtremeNumber(bytes_) : Number(bytes_, negative ? -2 : 0, 9);
    numbers[static_cast<size_t>(i)] =
        static_cast<Integer>(std::min<int64_t>(number, std::numeric_limits<Integer>::max()));
  }
  return numbers;
}

template <class Integer>
void Assign(DescriptorModel& model, int rank, const Integer* extents, const Integer* strides) {
  model.is_set = true;
  model.extents.assign(extents, extents + rank);
  model.strides.resize(static_cast<size_t>(rank));
  int64_t dense = 1;
  for (size_t axis = static_cast<size_t>(rank); axis-- > 0;) {
    model.strides[axis] = strides != nullptr ? strides[axis] : dense;
    if (__builtin_mul_overflow(dense, model.extents[axis], &dense)) dense = INT64_MAX;
  }
}

bool RankIsGood(const DescriptorModel& model, int rank) {
  return rank > 0 || (rank == 0 && model.pointer_mode == MLUOP_POINTER_MODE_HOST);
}

template <class Integer>
bool NoneNegative(int count, const Integer* numbers) {
  return std::all_of(numbers, numbers + std::max(count, 0), [](Integer number) { return number >= 0; });
}

// Variant 0: Set, 1: SetEx, 2: SetDim.
template <class Integer>
void World::SetShapeAs(DescriptorModel& model, int variant) {
  constexpr bool kLong = sizeof(Integer) == 8;
  const int rank = Number(bytes_, Rarely() ? -2 : 0, 10);
  const bool negative = Rarely();
  const std::unique_ptr<Integer[]> extents = Integers<Integer>(rank, negative), strides = Integers<Integer>(rank, true);
  const Integer* const extents_given = OrNull(extents.get());
  const Integer* const strides_given = variant == 1 ? OrNull(strides.get()) : nullptr;
  const int layout = Number(bytes_, Rarely() ? -3 : 0, 20), type = Number(bytes_, Rarely() ? -3 : 0, 20);
  const auto layout_given = static_cast<mluOpTensorLayout_t>(layout);
  const auto type_given = static_cast<mluOpDataType_t>(type);
  const mluOpTensorDescriptor_t desc = OrNull(model.desc);
  bool good = desc != nullptr && RankIsGood(model, rank);
  if (variant != 2) good = good && layout >= 0 && type >= 0;
  if (rank > 0 || variant == 1) good = good && extents_given != nullptr;
  if (variant == 1) good = good && strides_given != nullptr;
  if (extents_given != nullptr) good = good && NoneNegative(rank, extents_given);

  if constexpr (kLong) {
    if (variant == 0) {
      Expect(mluOpSetTensorDescriptor_v2(desc, layout_given, type_given, rank, extents_given), good,
             "mluOpSetTensorDescriptor_v2");
    } else if (variant == 1) {
      Expect(mluOpSetTensorDescriptorEx_v2(desc, layout_given, type_given, rank, extents_given, strides_given), good,
             "mluOpSetTensorDescriptorEx_v2");
    } else {
      Expect(mluOpSetTensorDescriptorDim_v2(desc, rank, extents_given), good, "mluOpSetTensorDescriptorDim_v2");
    }
  } else {
    if (variant == 0) {
      Expect(mluOpSetTensorDescriptor(desc, layout_given, type_given, rank, extents_given), good,
             "mluOpSetTensorDescriptor");
    } else if (variant == 1) {
      Expect(mluOpSetTensorDescriptorEx(desc, layout_given, type_given, rank, extents_given, strides_given), good,
             "mluOpSetTensorDescriptorEx");
    } else {
      Expect(mluOpSetTensorDescriptorDim(desc, rank, extents_given), good, "mluOpSetTensorDescriptorDim");
    }
  }
  if (!good) return;
  Assign(model, rank, extents_given, strides_given);
  if (variant == 2) return;
  model.layout = layout;
  model.type = type;
}

void World::SetShape() {
  DescriptorModel& model = AnyDescriptor();
  const int variant = Number(bytes_, 0, 2);
  if (bytes_.ConsumeBool()) {
    SetShapeAs<int64_t>(model, variant);
  } else {
    SetShapeAs<int>(model, variant);
  }
}

void World::SetField() {
  DescriptorModel& model = AnyDescriptor();
  const mluOpTensorDescriptor_t desc = OrNull(model.desc);
  const bool there = desc != nullptr;
  const int number = Number(bytes_, -3, 20);
  const float scale = bytes_.ConsumeFloatingPoint<float>();
  const int position = bytes_.ConsumeIntegral<int>(), offset = bytes_.ConsumeIntegral<int>();
  const int function = Number(bytes_, 0, 4);
  if (function == 0) {
    const int mode = OneIn(bytes_, 3) ? number : Number(bytes_, 0, 1);
    const bool good = there && (mode == 0 || mode == 1);
    Expect(mluOpSetTensorDescriptorPointerMode(desc, static_cast<mluOpPointerMode_t>(mode)), good,
           "mluOpSetTensorDescriptorPointerMode");
    if (good) model.pointer_mode = mode;
  } else if (function == 1) {
    const bool good = there && number >= 0;
    Expect(mluOpSetTensorDescriptorOnchipDataType(desc, static_cast<mluOpDataType_t>(number)), good,
           "mluOpSetTensorDescriptorOnchipDataType");
    if (good) model.onchip_type = number;
  } else if (function == 2) {
    Expect(mluOpSetTensorDescriptorPosition(desc, position), there, "mluOpSetTensorDescriptorPosition");
  } else if (function == 3) {
    Expect(mluOpSetTensorDescriptorPositionAndScale(desc, position, scale), there,
           "mluOpSetTensorDescriptorPositionAndScale");
  } else {
    Expect(mluOpSetTensorDescriptorPositionScaleAndOffset(desc, position, scale, offset), there,
           "mluOpSetTensorDescriptorPositionScaleAndOffset");
  }
  if (!there) return;
  if (function >= 2) model.position = position;
  if (function >= 3) model.scale = scale;
  if (function >= 4) model.offset = offset;
}

// ---- descriptors: get ----

template <class Integer>
bool Fits(const std::vector<int64_t>& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](int64_t number) {
    return number >= std::numeric_limits<Integer>::min() && number <= std::numeric_limits<Integer>::max();
  });
}

// Any of the places may be NULL; what a failed call must not write keeps its mark.
template <class Integer>
void World::ReadAs(const DescriptorModel& model, bool with_strides) {
  constexpr int kMark = -77;
  constexpr bool kLong = sizeof(Integer) == 8;
  const size_t rank = model.extents.size();
  std::vector<Integer> extents(rank, kMark), strides(rank, kMark);
  auto layout = static_cast<mluOpTensorLayout_t>(kMark);
  auto type = static_cast<mluOpDataType_t>(kMark);
  int read_rank = kMark;
  // A vector without elements has no address, but NULL would be another case.
  Integer none = kMark;
  const mluOpTensorDescriptor_t desc = OrNull(model.desc);
  mluOpTensorLayout_t* const to_layout = OrNull(&layout);
  mluOpDataType_t* const to_type = OrNull(&type);
  int* const to_rank = OrNull(&read_rank);
  Integer* const to_extents = OrNull(rank > 0 ? extents.data() : &none);
  Integer* const to_strides = OrNull(rank > 0 ? strides.data() : &none);
  bool good = desc != nullptr && (to_extents == nullptr || Fits<Integer>(model.extents));
  if (with_strides) {
    good = good && to_layout != nullptr && to_type != nullptr && to_rank != nullptr && to_extents != nullptr &&
           to_strides != nullptr && Fits<Integer>(model.strides);
  }
  if constexpr (kLong) {
    if (with_strides) {
      Expect(mluOpGetTensorDescriptorEx_v2(desc, to_layout, to_type, to_rank, to_extents, to_strides), good,
             "mluOpGetTensorDescriptorEx_v2");
    } else {
      Expect(mluOpGetTensorDescriptor_v2(desc, to_layout, to_type, to_rank, to_extents), good,
             "mluOpGetTensorDescriptor_v2");
    }
  } else {
    if (with_strides) {
      Expect(mluOpGetTensorDescriptorEx(desc, to_layout, to_type, to_rank, to_extents, to_strides), good,
             "mluOpGetTensorDescriptorEx");
    } else {
      Expect(mluOpGetTensorDescriptor(desc, to_layout, to_type, to_rank, to_extents), good, "mluOpGetTensorDescriptor");
    }
  }
  const auto holds = [&](bool written, int64_t actual, int64_t expected) {
    return actual == (good && written ? expected : kMark);
  };
  bool right = holds(to_layout != nullptr, static_cast<int>(layout), model.layout) &&
               holds(to_type != nullptr, static_cast<int>(type), model.type) &&
               holds(to_rank != nullptr, read_rank, static_cast<int64_t>(rank)) && none == kMark;
  for (size_t i = 0; i < rank; ++i) {
    right = right && holds(to_extents != nullptr, extents[i], model.extents[i]) &&
            holds(with_strides && to_strides != nullptr, strides[i], model.strides[i]);
  }
  if (!right) Broken("a getter of %d bits gave something else than was set", kLong ? 64 : 32);
}

void World::ReadWithNulls() {
  const DescriptorModel& model = AnyDescriptor();
  const bool with_strides = bytes_.ConsumeBool();
  if (bytes_.ConsumeBool()) {
    ReadAs<int64_t>(model, with_strides);
  } else {
    ReadAs<int>(model, with_strides);
  }
}

void World::Compare(const DescriptorModel& model) {
  if (model.desc == nullptr) return;
  mluOpTensorLayout_t layout;
  mluOpDataType_t type, onchip_type;
  mluOpPointerMode_t mode;
  int rank = 0, position = 0, offset = 0;
  float scale = 0;
  if (mluOpGetTensorDescriptor_v2(model.desc, &layout, &type, &rank, nullptr) != MLUOP_STATUS_SUCCESS) {
    Broken("cannot read a descriptor");
  }
  if (rank != static_cast<int>(model.extents.size())) Broken("rank is %d, expected %zu", rank, model.extents.size());
  std::vector<int64_t> extents(model.extents.size() + 1), strides(model.extents.size() + 1);
  if (mluOpGetTensorDescriptorEx_v2(model.desc, &layout, &type, &rank, extents.data(), strides.data()) !=
          MLUOP_STATUS_SUCCESS ||
      mluOpGetTensorDescriptorOnchipDataType(model.desc, &onchip_type) != MLUOP_STATUS_SUCCESS ||
      mluOpGetTensorDescriptorPointerMode(model.desc, &mode) != MLUOP_STATUS_SUCCESS ||
      mluOpGetTensorDescriptorPositionScaleAndOffset(model.desc, &position, &scale, &offset) != MLUOP_STATUS_SUCCESS) {
    Broken("cannot read a descriptor");
  }
  extents.pop_back();
  strides.pop_back();
  if (static_cast<int>(layout) != model.layout || static_cast<int>(type) != model.type)
    Broken("layout or type changed");
  if (extents != model.extents) Broken("extents are not those that were set");
  if (strides != model.strides) Broken("strides are not those that were set");
  if (static_cast<int>(onchip_type) != model.onchip_type || static_cast<int>(mode) != model.pointer_mode) {
    Broken("on-chip type or pointer mode changed");
  }
  const bool same_scale = std::memcmp(&scale, &model.scale, sizeof(scale)) == 0;  // NaN too
  if (position != model.position || !same_scale || offset != model.offset) Broken("position, scale or offset changed");
  if (mluOpGetTensorElementNum(model.desc) != model.Elements()) {
    Broken("%zu elements, expected %llu", mluOpGetTensorElementNum(model.desc),
           static_cast<unsigned long long>(model.Elements()));
  }
}

// ---- groups ----

// Sets the first `count` slots; *good tells whether it should have worked.
template <class Integer>
mluOpStatus_t World::SetGroupAs(bool* good, int count) {
  const auto size = static_cast<size_t>(std::max(count, 0));
  std::vector<mluOpTensorDescriptor_t> descs(size);
  std::vector<mluOpTensorDescriptor_t*> group(size);
  std::vector<mluOpTensorLayout_t> layouts(size);
  std::vector<mluOpDataType_t> types(size);
  std::vector<int> ranks(size);
  int total = 0;
  *good = count > 0;
  for (size_t i = 0; i < size; ++i) {
    descs[i] = descriptors_[i].desc;
    group[i] = OrNull(&descs[i]);
    layouts[i] = static_cast<mluOpTensorLayout_t>(Number(bytes_, Rarely() ? -2 : 0, 12));
    types[i] = static_cast<mluOpDataType_t>(Number(bytes_, Rarely() ? -2 : 0, 18));
    ranks[i] = Number(bytes_, Rarely() ? -1 : 0, 9);
    *good = *good && group[i] != nullptr && descs[i] != nullptr && static_cast<int>(layouts[i]) >= 0 &&
            static_cast<int>(types[i]) >= 0 && RankIsGood(descriptors_[i], ranks[i]);
    total += std::max(ranks[i], 0);
  }
  const std::unique_ptr<Integer[]> extents = Integers<Integer>(total, Rarely());
  *good = *good && NoneNegative(total, extents.get());
  mluOpTensorDescriptor_t** const group_given = OrNull(group.data());
  const mluOpTensorLayout_t* const layouts_given = OrNull(layouts.data());
  const mluOpDataType_t* const types_given = OrNull(types.data());
  const int* const ranks_given = OrNull(ranks.data());
  const Integer* const extents_given = OrNull(extents.get());
  *good = *good && group_given != nullptr && layouts_given != nullptr && types_given != nullptr &&
          ranks_given != nullptr && extents_given != nullptr;
  mluOpStatus_t status;
  if constexpr (sizeof(Integer) == 8) {
    status =
        mluOpSetGroupTensorDescriptors_v2(group_given, layouts_given, types_given, ranks_given, extents_given, count);
  } else {
    status = mluOpSetGroupTensorDescriptors(group_given, layouts_given, types_given, ranks_given, extents_given, count);
  }
  if (!*good) return status;
  const Integer* next = extents.get();
  for (size_t i = 0; i < size; ++i) {
    Assign<Integer>(descriptors_[i], ranks[i], next, nullptr);
    descriptors_[i].layout = static_cast<int>(layouts[i]);
    descriptors_[i].type = static_cast<int>(types[i]);
    next += ranks[i];
  }
  return status;
}

void World::Group() {
  const int count = Number(bytes_, Rarely() ? -1 : 1, kSlots);
  const int function = Number(bytes_, 0, 3);
  bool good = count > 0;
  if (function == 0) {
    const mluOpStatus_t status = SetGroupAs<int>(&good, count);
    Expect(status, good, "mluOpSetGroupTensorDescriptors");
    return;
  }
  if (function == 1) {
    const mluOpStatus_t status = SetGroupAs<int64_t>(&good, count);
    Expect(status, good, "mluOpSetGroupTensorDescriptors_v2");
    return;
  }
  const auto size = static_cast<size_t>(std::max(count, 0));
  std::vector<mluOpTensorDescriptor_t> descs(size);
  std::vector<mluOpTensorDescriptor_t*> group(size);
  for (size_t i = 0; i < size; ++i) {
    descs[i] = descriptors_[i].desc;
    group[i] = OrNull(&descs[i]);
    good = good && group[i] != nullptr;
  }
  mluOpTensorDescriptor_t** const given = OrNull(group.data());
  good = good && given != nullptr;
  if (function == 2) {  // creates; what stood in the slots would be lost, so they are freed first
    for (size_t i = 0; i < size; ++i) {
      if (descs[i] != nullptr && mluOpDestroyTensorDescriptor(descs[i]) != MLUOP_STATUS_SUCCESS) Broken("cannot free");
      descs[i] = nullptr;
      descriptors_[i] = {};
    }
    Expect(mluOpCreateGroupTensorDescriptors(given, count), good, "mluOpCreateGroupTensorDescriptors");
    for (size_t i = 0; i < size; ++i) {
      if ((descs[i] != nullptr) != good) Broken("a group was created in part");
      descriptors_[i].desc = descs[i];
    }
    return;
  }
  for (size_t i = 0; i < size; ++i) good = good && descs[i] != nullptr;
  Expect(mluOpDestroyGroupTensorDescriptors(given, count), good, "mluOpDestroyGroupTensorDescriptors");
  if (!good) return;
  for (size_t i = 0; i < size; ++i) descriptors_[i] = {};
}

// ---- handles ----

void World::CreateOrDestroyHandle() {
  HandleModel& model = handles_[Number(bytes_, 0, 1)];
  if (Rarely()) {
    Expect(mluOpCreate(nullptr), false, "mluOpCreate");
    Expect(mluOpDestroy(nullptr), false, "mluOpDestroy");
  } else if (model.handle == nullptr) {
    model = {};
    Expect(mluOpCreate(&model.handle), true, "mluOpCreate", model.handle);
  } else if (OneIn(bytes_, 3)) {
    Expect(mluOpDestroy(model.handle), true, "mluOpDestroy");
    model = {};
  } else {
    Expect(mluOpUpdateContextInformation(model.handle), true, "mluOpUpdateContextInformation", model.handle);
  }
}

int NeverCalled(void* /*opaque*/, detopsTask_t /*task*/, void* /*context*/, int /*count*/) {
  Broken("the runner was called, though no operator ran");
}

void World::CallHandle() {
  HandleModel& model = handles_[Number(bytes_, 0, 1)];
  const mluOpHandle_t handle = OrNull(model.handle);
  const bool there = handle != nullptr;
  const int number = Number(bytes_, -2, 4);
  // Sets the field of the model when the call was good.
  const auto expect = [&](mluOpStatus_t status, bool argument_good, const char* function, int* field) {
    Expect(status, there && argument_good, function, handle);
    if (there && argument_good && field != nullptr) *field = number;
  };
  switch (Number(bytes_, 0, 7)) {
    case 0: {
      const cnrtQueue_t queue = OrNull(queues_[0]);
      expect(mluOpSetQueue(handle, queue), true, "mluOpSetQueue", nullptr);
      if (there) model.queue = queue;
      break;
    }
    case 1:
      expect(mluOpSetQuantizeRoundMode(handle, static_cast<mluOpQuantizeRoundMode_t>(number)),
             number >= 0 && number <= 2, "mluOpSetQuantizeRoundMode", &model.round_mode);
      break;
    case 2:
      expect(mluOpSetAtomicsMode(handle, static_cast<mluOpAtomicsMode_t>(number)), number == 1 || number == 2,
             "mluOpSetAtomicsMode", &model.atomics_mode);
      break;
    case 3:
      expect(detopsSetProfile(handle, static_cast<detopsProfile_t>(number)), number == 0 || number == 1,
             "detopsSetProfile", &model.profile);
      break;
    case 4:
      expect(detopsSetValueChecks(handle, number), true, "detopsSetValueChecks", &model.value_checks);
      if (there) model.value_checks = number != 0 ? 1 : 0;
      break;
    case 5:
      expect(detopsSetNumThreads(handle, number), number >= 0, "detopsSetNumThreads", &model.threads);
      break;
    case 6:
      expect(detopsSetParallelRunner(handle, bytes_.ConsumeBool() ? &NeverCalled : nullptr, &model), true,
             "detopsSetParallelRunner", nullptr);
      break;
    default: {
      CNdev device = 7;
      int architecture = 7;
      CNdev* const to_device = OrNull(&device);
      int* const to_architecture = OrNull(&architecture);
      expect(mluOpGetDevice(handle, to_device), to_device != nullptr, "mluOpGetDevice", nullptr);
      expect(detopsGetArchitecture(handle, to_architecture), to_architecture != nullptr, "detopsGetArchitecture",
             nullptr);
      if (device != (there && to_device != nullptr ? 0 : 7)) Broken("device is %d", device);
      if (architecture != (there && to_architecture != nullptr ? 592 : 7)) Broken("architecture is %d", architecture);
      break;
    }
  }
}

void World::Compare(const HandleModel& model) {
  if (model.handle == nullptr) return;
  cnrtQueue_t queue = nullptr;
  mluOpQuantizeRoundMode_t round_mode;
  mluOpAtomicsMode_t atomics_mode;
  detopsProfile_t profile;
  int value_checks = -1, threads = -1;
  if (mluOpGetQueue(model.handle, &queue) != MLUOP_STATUS_SUCCESS ||
      mluOpGetQuantizeRoundMode(model.handle, &round_mode) != MLUOP_STATUS_SUCCESS ||
      mluOpGetAtomicsMode(model.handle, &atomics_mode) != MLUOP_STATUS_SUCCESS ||
      detopsGetProfile(model.handle, &profile) != MLUOP_STATUS_SUCCESS ||
      detopsGetValueChecks(model.handle, &value_checks) != MLUOP_STATUS_SUCCESS ||
      detopsGetNumThreads(model.handle, &threads) != MLUOP_STATUS_SUCCESS) {
    Broken("cannot read a handle");
  }
  if (queue != model.queue) Broken("the queue is not the one that was set");
  if (static_cast<int>(round_mode) != model.round_mode) Broken("round mode is %d", static_cast<int>(round_mode));
  if (static_cast<int>(atomics_mode) != model.atomics_mode) Broken("atomics mode %d", static_cast<int>(atomics_mode));
  if (static_cast<int>(profile) != model.profile) Broken("profile is %d", static_cast<int>(profile));
  if (value_checks != model.value_checks) Broken("value checks are %d", value_checks);
  if (model.threads == 0 && default_threads_ == 0) default_threads_ = threads;
  const int expected = model.threads == 0 ? default_threads_ : model.threads;
  if (threads != expected || threads < 1) Broken("%d threads, expected %d", threads, expected);
}

// Any descriptors, but no data: whatever they say, the operator has to find a reason, and a status of its contract.
void World::CallOperator() {
  const mluOpHandle_t handle = OrNull(handles_[0].handle);
  const bool forward = bytes_.ConsumeBool();
  const auto align = forward ? mluOpRotatedFeatureAlignForward : mluOpRotatedFeatureAlignBackward;
  const char* const name = forward ? "mluOpRotatedFeatureAlignForward: " : "mluOpRotatedFeatureAlignBackward: ";
  const mluOpStatus_t status =
      align(handle, AnyDescriptor().desc, nullptr, AnyDescriptor().desc, nullptr, bytes_.ConsumeFloatingPoint<float>(),
            Number(bytes_, -1, 6), AnyDescriptor().desc, nullptr);
  if (status != MLUOP_STATUS_BAD_PARAM && status != MLUOP_STATUS_NOT_SUPPORTED) {
    Broken("%sgave %s without data", name, mluOpGetErrorString(status));
  }
  const std::string text = detopsGetLastError(nullptr);
  if (text.rfind(name, 0) != 0 || text.back() != '.') Broken("%sfailed with the text \"%s\"", name, text.c_str());
  if (handle != nullptr && text != detopsGetLastError(handle)) Broken("texts of handle and thread differ");
}

// ---- names, targets and the runtime ----

void World::CallNames() {
  const int number = OneIn(bytes_, 2) ? Number(bytes_, -2, 30) : bytes_.ConsumeIntegral<int>();
  const auto type = static_cast<mluOpDataType_t>(number);
  for (const char* name : {mluOpGetErrorString(static_cast<mluOpStatus_t>(number)), mluOpGetNameOfDataType(type),
                           mluOpGetNameOfTensorLayout(static_cast<mluOpTensorLayout_t>(number)),
                           cnrtGetErrorStr(static_cast<cnrtRet_t>(number)), detopsGetVersion(), detopsGetTarget()}) {
    if (name == nullptr || *name == '\0') Broken("a name of %d is missing", number);
  }
  size_t size = 77;
  size_t* const to_size = OrNull(&size);
  const bool good = number > 0 && to_size != nullptr;
  Expect(mluOpGetSizeOfDataType(type, to_size), good, "mluOpGetSizeOfDataType");
  const bool sensible = size == 0 || size == 1 || size == 2 || size == 4 || size == 8;
  if (good ? !sensible : size != 77) Broken("size of type %d is %zu", number, size);

  const std::string before = detopsGetTarget();
  const std::string wish = OneIn(bytes_, 2) ? "scalar" : bytes_.ConsumeRandomLengthString(50);
  if (detopsSetTarget(wish.c_str()) != MLUOP_STATUS_SUCCESS) {
    if (before != detopsGetTarget()) Broken("a refused target changed the one in use");
    if (detopsGetLastError(nullptr)[0] == '\0') Broken("detopsSetTarget failed without a text");
  }
  Expect(detopsSetTarget(nullptr), true, "detopsSetTarget");
}

void World::CallQueues() {
  cnrtQueue_t& queue = queues_[Number(bytes_, 0, 1)];
  NotifierModel& first = notifiers_[0];
  NotifierModel& second = notifiers_[Number(bytes_, 0, 1)];
  constexpr cnrtRet_t kBad = cnrtErrorArgsInvalid;
  const auto if_there = [](const void* object) { return object != nullptr ? cnrtSuccess : kBad; };
  switch (Number(bytes_, 0, 4)) {
    case 0:
      if (queue == nullptr) {
        ExpectCnrt(cnrtQueueCreate(&queue), cnrtSuccess, "cnrtQueueCreate");
        ExpectCnrt(cnrtQueueCreate(nullptr), kBad, "cnrtQueueCreate");
      } else {
        for (HandleModel& model : handles_) {  // a handle must not keep a queue that is gone
          if (model.handle != nullptr && mluOpSetQueue(model.handle, nullptr) != MLUOP_STATUS_SUCCESS) Broken("queue");
          model.queue = nullptr;
        }
        ExpectCnrt(cnrtQueueDestroy(queue), cnrtSuccess, "cnrtQueueDestroy");
        queue = nullptr;
      }
      break;
    case 1:
      ExpectCnrt(cnrtQueueSync(queue), cnrtSuccess, "cnrtQueueSync");
      ExpectCnrt(cnrtQueueQuery(queue), cnrtSuccess, "cnrtQueueQuery");
      ExpectCnrt(cnrtSyncDevice(), cnrtSuccess, "cnrtSyncDevice");
      if (queue == nullptr) ExpectCnrt(cnrtQueueDestroy(queue), kBad, "cnrtQueueDestroy");
      break;
    case 2:
      if (second.notifier == nullptr) {
        ExpectCnrt(cnrtNotifierDestroy(nullptr), kBad, "cnrtNotifierDestroy");
        ExpectCnrt(cnrtNotifierCreate(&second.notifier), cnrtSuccess, "cnrtNotifierCreate");
      } else {
        ExpectCnrt(cnrtNotifierDestroy(second.notifier), cnrtSuccess, "cnrtNotifierDestroy");
        second = {};
      }
      break;
    case 3:
      ExpectCnrt(cnrtPlaceNotifier(second.notifier, queue), if_there(second.notifier), "cnrtPlaceNotifier");
      second.placed = second.notifier != nullptr;
      ExpectCnrt(cnrtWaitNotifier(second.notifier), if_there(second.notifier), "cnrtWaitNotifier");
      ExpectCnrt(cnrtQueueWaitNotifier(second.notifier, queue, 0), if_there(second.notifier), "cnrtQueueWaitNotifier");
      break;
    default: {
      float us = -1, ms = -1;
      float* const to_us = OrNull(&us);
      const bool good = first.placed && second.placed;
      const cnrtRet_t expected = good ? cnrtSuccess : kBad;
      ExpectCnrt(cnrtNotifierDuration(first.notifier, second.notifier, to_us), to_us != nullptr ? expected : kBad,
                 "cnrtNotifierDuration");
      ExpectCnrt(cnrtNotifierElapsedTime(first.notifier, second.notifier, &ms), expected, "cnrtNotifierElapsedTime");
      break;
    }
  }
}

void World::CallMemory() {
  constexpr cnrtRet_t kBad = cnrtErrorArgsInvalid;
  const auto size = static_cast<size_t>(bytes_.ConsumeIntegralInRange<int>(0, 5000));
  const int value = bytes_.ConsumeIntegral<int16_t>(), direction = Number(bytes_, -1, 6);
  void* from = nullptr;
  void* to = nullptr;
  ExpectCnrt(cnrtMalloc(nullptr, size), kBad, "cnrtMalloc");
  ExpectCnrt(cnrtMalloc(&to, SIZE_MAX), cnrtErrorNoMem, "cnrtMalloc");
  if (to != nullptr) Broken("a failed cnrtMalloc changed the pointer");
  ExpectCnrt(cnrtMalloc(&from, size), cnrtSuccess, "cnrtMalloc");
  ExpectCnrt(cnrtHostMalloc(&to, size), cnrtSuccess, "cnrtHostMalloc");
  if (from == nullptr || reinterpret_cast<uintptr_t>(from) % 64 != 0) Broken("cnrtMalloc gave %p", from);
  ExpectCnrt(cnrtMemset(from, value, size), cnrtSuccess, "cnrtMemset");
  ExpectCnrt(cnrtMemsetAsync(to, value + 1, size, queues_[0]), cnrtSuccess, "cnrtMemsetAsync");
  void* const copy_to = OrNull(to);
  const bool known = direction >= 0 && direction <= 5;
  const bool good = known && (size == 0 || copy_to != nullptr);
  ExpectCnrt(cnrtMemcpy(copy_to, from, size, static_cast<cnrtMemTransDir_t>(direction)), good ? cnrtSuccess : kBad,
             "cnrtMemcpy");
  const auto* bytes = static_cast<const unsigned char*>(to);
  const auto expected = static_cast<unsigned char>(good && copy_to != nullptr ? value : value + 1);
  if (!std::all_of(bytes, bytes + size, [=](unsigned char byte) { return byte == expected; })) Broken("wrong copy");
  ExpectCnrt(cnrtFree(from), cnrtSuccess, "cnrtFree");
  ExpectCnrt(cnrtFreeHost(to), cnrtSuccess, "cnrtFreeHost");
  ExpectCnrt(cnrtSetDevice(direction), direction == 0 ? cnrtSuccess : cnrtErrorDeviceInvalid, "cnrtSetDevice");
  if (cnrtGetLastError() != last_cnrt_error_) Broken("cnrtGetLastError forgot");
  last_cnrt_error_ = cnrtSuccess;
  if (cnrtPeekAtLastError() != cnrtSuccess) Broken("cnrtGetLastError left the error");
}

// ---- one input ----

void World::Step() {
  constexpr void (World::* kCalls[])() = {
      &World::CreateOrDestroy, &World::CreateOrDestroy, &World::SetShape,   &World::SetShape,
      &World::SetShape,        &World::SetField,        &World::SetField,   &World::ReadWithNulls,
      &World::Group,           &World::Group,           &World::CallHandle, &World::CreateOrDestroyHandle,
      &World::CallOperator,    &World::CallNames,       &World::CallQueues, &World::CallMemory};
  (this->*kCalls[Number(bytes_, 0, static_cast<int>(std::size(kCalls)) - 1)])();
  for (const DescriptorModel& model : descriptors_) Compare(model);
  for (const HandleModel& model : handles_) Compare(model);
}

World::~World() {
  for (const DescriptorModel& model : descriptors_) {
    if (model.desc != nullptr) mluOpDestroyTensorDescriptor(model.desc);
  }
  for (const HandleModel& model : handles_) {
    if (model.handle != nullptr) mluOpDestroy(model.handle);
  }
  for (const cnrtQueue_t queue : queues_) {
    if (queue != nullptr) cnrtQueueDestroy(queue);
  }
  for (const NotifierModel& model : notifiers_) {
    if (model.notifier != nullptr) cnrtNotifierDestroy(model.notifier);
  }
}

}  // namespace
}  // namespace detops_fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  FuzzedDataProvider bytes(data, size);
  detops_fuzz::World world(bytes);
  for (int steps = 0; steps < 100 && bytes.remaining_bytes() > 0; ++steps) world.Step();
  return 0;
}
