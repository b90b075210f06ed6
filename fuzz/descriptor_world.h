// Tensor descriptors under fuzzing: a few of them, each with a model that predicts the statuses of all calls and what
// the getters give.
#ifndef DETOPS_FUZZ_DESCRIPTOR_WORLD_H_
#define DETOPS_FUZZ_DESCRIPTOR_WORLD_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "detops.h"
#include "fuzz/fuzz_support.h"

namespace detops_fuzz {

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

// The functions for extents of a type.
template <class Integer>
struct Api;
#define DETOPS_API(Integer, version)                                               \
  template <>                                                                      \
  struct Api<Integer> {                                                            \
    static constexpr auto Set = mluOpSetTensorDescriptor##version;                 \
    static constexpr auto SetEx = mluOpSetTensorDescriptorEx##version;             \
    static constexpr auto SetDim = mluOpSetTensorDescriptorDim##version;           \
    static constexpr auto Get = mluOpGetTensorDescriptor##version;                 \
    static constexpr auto GetEx = mluOpGetTensorDescriptorEx##version;             \
    static constexpr auto SetGroup = mluOpSetGroupTensorDescriptors##version;      \
    static std::string Name(std::string function) { return function += #version; } \
  }
DETOPS_API(int, );
DETOPS_API(int64_t, _v2);

class DescriptorWorld {
 public:
  explicit DescriptorWorld(FuzzedBytes& bytes) : bytes_(bytes) {}
  ~DescriptorWorld() {
    for (const DescriptorModel& model : descriptors_) {
      if (model.desc != nullptr) mluOpDestroyTensorDescriptor(model.desc);
    }
  }
  DescriptorWorld(const DescriptorWorld&) = delete;
  DescriptorWorld& operator=(const DescriptorWorld&) = delete;

  // One call that the bytes choose.
  void CreateOrDestroy();
  void SetShape();
  void SetField();
  void ReadWithNulls();
  void Group();

  // Compares everything that can be read with the model.
  void Compare() const {
    for (const DescriptorModel& model : descriptors_) Compare(model);
  }

  // Any of them; may be NULL.
  mluOpTensorDescriptor_t Any() { return AnyDescriptor().desc; }

 private:
  static constexpr int kSlots = 3;

  DescriptorModel& AnyDescriptor() { return descriptors_[Number(bytes_, 0, kSlots - 1)]; }
  template <class Integer>
  void SetShapeAs(DescriptorModel& model, int variant);
  template <class Integer>
  std::unique_ptr<Integer[]> Integers(int count, bool negative);
  template <class Integer>
  void ReadAs(const DescriptorModel& model, bool with_strides);
  template <class Integer>
  mluOpStatus_t SetGroupAs(bool* good, int count);
  static void Compare(const DescriptorModel& model);

  FuzzedBytes& bytes_;
  DescriptorModel descriptors_[kSlots];
};

// ---- create, destroy, set ----

inline void DescriptorWorld::CreateOrDestroy() {
  DescriptorModel& model = AnyDescriptor();
  if (Rarely(bytes_)) {
    ExpectStatus(mluOpCreateTensorDescriptor(nullptr), false, "mluOpCreateTensorDescriptor");
    ExpectStatus(mluOpDestroyTensorDescriptor(nullptr), false, "mluOpDestroyTensorDescriptor");
  } else if (model.desc == nullptr) {
    model = {};
    ExpectStatus(mluOpCreateTensorDescriptor(&model.desc), true, "mluOpCreateTensorDescriptor");
  } else if (OneIn(bytes_, 3)) {
    ExpectStatus(mluOpDestroyTensorDescriptor(model.desc), true, "mluOpDestroyTensorDescriptor");
    model.desc = nullptr;
  } else {
    const mluOpTensorDescriptor_t desc = model.desc;
    ExpectStatus(mluOpResetTensorDescriptor(desc), true, "mluOpResetTensorDescriptor");
    model = {};
    model.desc = desc;
  }
}

// nullptr for a count below 1 would be refused for another reason than the count: give a block of no elements.
template <class Integer>
std::unique_ptr<Integer[]> DescriptorWorld::Integers(int count, bool negative) {
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

inline bool RankIsGood(const DescriptorModel& model, int rank) {
  return rank > 0 || (rank == 0 && model.pointer_mode == MLUOP_POINTER_MODE_HOST);
}

template <class Integer>
bool NoneNegative(int count, const Integer* numbers) {
  return std::all_of(numbers, numbers + std::max(count, 0), [](Integer number) { return number >= 0; });
}

// Variant 0: Set, 1: SetEx, 2: SetDim.
template <class Integer>
void DescriptorWorld::SetShapeAs(DescriptorModel& model, int variant) {
  constexpr bool kLong = sizeof(Integer) == 8;
  const int rank = Number(bytes_, Rarely(bytes_) ? -2 : 0, 10);
  const bool negative = Rarely(bytes_);
  const std::unique_ptr<Integer[]> extents = Integers<Integer>(rank, negative), strides = Integers<Integer>(rank, true);
  const Integer* const extents_given = OrNull(bytes_, extents.get());
  const Integer* const strides_given = variant == 1 ? OrNull(bytes_, strides.get()) : nullptr;
  const int layout = Number(bytes_, Rarely(bytes_) ? -3 : 0, 20), type = Number(bytes_, Rarely(bytes_) ? -3 : 0, 20);
  const auto layout_given = static_cast<mluOpTensorLayout_t>(layout);
  const auto type_given = static_cast<mluOpDataType_t>(type);
  const mluOpTensorDescriptor_t desc = OrNull(bytes_, model.desc);
  bool good = desc != nullptr && RankIsGood(model, rank) && (rank > 0 || variant != 1 || kLong);
  if (variant != 2) good = good && layout >= 0 && type >= 0;
  if (rank > 0 || variant == 1) good = good && extents_given != nullptr;
  if (variant == 1) good = good && strides_given != nullptr;
  if (extents_given != nullptr) good = good && NoneNegative(rank, extents_given);

  using A = Api<Integer>;
  const mluOpStatus_t status = variant == 0 ? A::Set(desc, layout_given, type_given, rank, extents_given)
                               : variant == 1
                                   ? A::SetEx(desc, layout_given, type_given, rank, extents_given, strides_given)
                                   : A::SetDim(desc, rank, extents_given);
  constexpr const char* kNames[] = {"mluOpSetTensorDescriptor", "mluOpSetTensorDescriptorEx",
                                    "mluOpSetTensorDescriptorDim"};
  ExpectStatus(status, good, A::Name(kNames[variant]).c_str());
  if (!good) return;
  Assign(model, rank, extents_given, strides_given);
  if (variant == 2) return;
  model.layout = layout;
  model.type = type;
}

inline void DescriptorWorld::SetShape() {
  DescriptorModel& model = AnyDescriptor();
  const int variant = Number(bytes_, 0, 2);
  if (bytes_.Bool()) {
    SetShapeAs<int64_t>(model, variant);
  } else {
    SetShapeAs<int>(model, variant);
  }
}

inline void DescriptorWorld::SetField() {
  DescriptorModel& model = AnyDescriptor();
  const mluOpTensorDescriptor_t desc = OrNull(bytes_, model.desc);
  const bool there = desc != nullptr;
  const int number = Number(bytes_, -3, 20);
  const float scale = bytes_.AnyFloat();
  const int position = bytes_.Any<int>(), offset = bytes_.Any<int>();
  const int function = Number(bytes_, 0, 4);
  if (function == 0) {
    const int mode = OneIn(bytes_, 3) ? number : Number(bytes_, 0, 1);
    const bool good = there && (mode == 0 || mode == 1);
    ExpectStatus(mluOpSetTensorDescriptorPointerMode(desc, static_cast<mluOpPointerMode_t>(mode)), good,
                 "mluOpSetTensorDescriptorPointerMode");
    if (good) model.pointer_mode = mode;
  } else if (function == 1) {
    const bool good = there && number >= 0;
    ExpectStatus(mluOpSetTensorDescriptorOnchipDataType(desc, static_cast<mluOpDataType_t>(number)), good,
                 "mluOpSetTensorDescriptorOnchipDataType");
    if (good) model.onchip_type = number;
  } else if (function == 2) {
    ExpectStatus(mluOpSetTensorDescriptorPosition(desc, position), there, "mluOpSetTensorDescriptorPosition");
  } else if (function == 3) {
    ExpectStatus(mluOpSetTensorDescriptorPositionAndScale(desc, position, scale), there,
                 "mluOpSetTensorDescriptorPositionAndScale");
  } else {
    ExpectStatus(mluOpSetTensorDescriptorPositionScaleAndOffset(desc, position, scale, offset), there,
                 "mluOpSetTensorDescriptorPositionScaleAndOffset");
  }
  if (!there) return;
  if (function >= 2) model.position = position;
  if (function >= 3) model.scale = scale;
  if (function >= 4) model.offset = offset;
}

// ---- get ----

template <class Integer>
bool Fits(const std::vector<int64_t>& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](int64_t number) {
    return number >= std::numeric_limits<Integer>::min() && number <= std::numeric_limits<Integer>::max();
  });
}

// Any of the places may be NULL; what a failed call must not write keeps its mark.
template <class Integer>
void DescriptorWorld::ReadAs(const DescriptorModel& model, bool with_strides) {
  constexpr int kMark = -77;
  constexpr bool kLong = sizeof(Integer) == 8;
  const size_t rank = model.extents.size();
  std::vector<Integer> extents(rank, kMark), strides(rank, kMark);
  auto layout = static_cast<mluOpTensorLayout_t>(kMark);
  auto type = static_cast<mluOpDataType_t>(kMark);
  int read_rank = kMark;
  // A vector without elements has no address, but NULL would be another case.
  Integer none = kMark;
  const mluOpTensorDescriptor_t desc = OrNull(bytes_, model.desc);
  mluOpTensorLayout_t* const to_layout = OrNull(bytes_, &layout);
  mluOpDataType_t* const to_type = OrNull(bytes_, &type);
  int* const to_rank = OrNull(bytes_, &read_rank);
  Integer* const to_extents = OrNull(bytes_, rank > 0 ? extents.data() : &none);
  Integer* const to_strides = OrNull(bytes_, rank > 0 ? strides.data() : &none);
  bool good = desc != nullptr && (to_extents == nullptr || Fits<Integer>(model.extents));
  if (with_strides) {
    good = good && to_layout != nullptr && to_type != nullptr && to_rank != nullptr && to_extents != nullptr &&
           to_strides != nullptr && Fits<Integer>(model.strides);
  }
  using A = Api<Integer>;
  const mluOpStatus_t status = with_strides ? A::GetEx(desc, to_layout, to_type, to_rank, to_extents, to_strides)
                                            : A::Get(desc, to_layout, to_type, to_rank, to_extents);
  ExpectStatus(status, good, A::Name(with_strides ? "mluOpGetTensorDescriptorEx" : "mluOpGetTensorDescriptor").c_str());
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

inline void DescriptorWorld::ReadWithNulls() {
  const DescriptorModel& model = AnyDescriptor();
  const bool with_strides = bytes_.Bool();
  if (bytes_.Bool()) {
    ReadAs<int64_t>(model, with_strides);
  } else {
    ReadAs<int>(model, with_strides);
  }
}

inline void DescriptorWorld::Compare(const DescriptorModel& model) {
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
  int position_alone = 0, position_of_two = 0;
  float scale_of_two = 0;
  if (mluOpGetTensorDescriptorPosition(model.desc, &position_alone) != MLUOP_STATUS_SUCCESS ||
      mluOpGetTensorDescriptorPositionAndScale(model.desc, &position_of_two, &scale_of_two) != MLUOP_STATUS_SUCCESS) {
    Broken("cannot read a position");
  }
  if (position_alone != position || position_of_two != position ||
      std::memcmp(&scale_of_two, &scale, sizeof(scale)) != 0) {
    Broken("the getters of the position differ");
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
mluOpStatus_t DescriptorWorld::SetGroupAs(bool* good, int count) {
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
    group[i] = OrNull(bytes_, &descs[i]);
    layouts[i] = static_cast<mluOpTensorLayout_t>(Number(bytes_, Rarely(bytes_) ? -2 : 0, 12));
    types[i] = static_cast<mluOpDataType_t>(Number(bytes_, Rarely(bytes_) ? -2 : 0, 18));
    ranks[i] = Number(bytes_, Rarely(bytes_) ? -1 : 0, 9);
    *good = *good && group[i] != nullptr && descs[i] != nullptr && static_cast<int>(layouts[i]) >= 0 &&
            static_cast<int>(types[i]) >= 0 && RankIsGood(descriptors_[i], ranks[i]);
    total += std::max(ranks[i], 0);
  }
  const std::unique_ptr<Integer[]> extents = Integers<Integer>(total, Rarely(bytes_));
  *good = *good && NoneNegative(total, extents.get());
  mluOpTensorDescriptor_t** const group_given = OrNull(bytes_, group.data());
  const mluOpTensorLayout_t* const layouts_given = OrNull(bytes_, layouts.data());
  const mluOpDataType_t* const types_given = OrNull(bytes_, types.data());
  const int* const ranks_given = OrNull(bytes_, ranks.data());
  const Integer* const extents_given = OrNull(bytes_, extents.get());
  *good = *good && group_given != nullptr && layouts_given != nullptr && types_given != nullptr &&
          ranks_given != nullptr && extents_given != nullptr;
  const mluOpStatus_t status =
      Api<Integer>::SetGroup(group_given, layouts_given, types_given, ranks_given, extents_given, count);
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

inline void DescriptorWorld::Group() {
  const int count = Number(bytes_, Rarely(bytes_) ? -1 : 1, kSlots);
  const int function = Number(bytes_, 0, 3);
  bool good = count > 0;
  if (function < 2) {
    const mluOpStatus_t status = function == 0 ? SetGroupAs<int>(&good, count) : SetGroupAs<int64_t>(&good, count);
    ExpectStatus(status, good, function == 0 ? "mluOpSetGroupTensorDescriptors" : "mluOpSetGroupTensorDescriptors_v2");
    return;
  }
  const auto size = static_cast<size_t>(std::max(count, 0));
  std::vector<mluOpTensorDescriptor_t> descs(size);
  std::vector<mluOpTensorDescriptor_t*> group(size);
  for (size_t i = 0; i < size; ++i) {
    descs[i] = descriptors_[i].desc;
    group[i] = OrNull(bytes_, &descs[i]);
    good = good && group[i] != nullptr;
  }
  mluOpTensorDescriptor_t** const given = OrNull(bytes_, group.data());
  good = good && given != nullptr;
  if (function == 2) {  // creates; what stood in the slots would be lost, so they are freed first
    for (size_t i = 0; i < size; ++i) {
      if (descs[i] != nullptr && mluOpDestroyTensorDescriptor(descs[i]) != MLUOP_STATUS_SUCCESS) Broken("cannot free");
      descs[i] = nullptr;
      descriptors_[i] = {};
    }
    ExpectStatus(mluOpCreateGroupTensorDescriptors(given, count), good, "mluOpCreateGroupTensorDescriptors");
    for (size_t i = 0; i < size; ++i) {
      if ((descs[i] != nullptr) != good) Broken("a group was created in part");
      descriptors_[i].desc = descs[i];
    }
    return;
  }
  for (size_t i = 0; i < size; ++i) good = good && descs[i] != nullptr;
  ExpectStatus(mluOpDestroyGroupTensorDescriptors(given, count), good, "mluOpDestroyGroupTensorDescriptors");
  if (!good) return;
  for (size_t i = 0; i < size; ++i) descriptors_[i] = {};
}

}  // namespace detops_fuzz

#endif  // DETOPS_FUZZ_DESCRIPTOR_WORLD_H_
