// Rows of tensor descriptors: making them, shapes and strides, single and in groups.
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "descriptors/descriptor_snapshot.h"
#include "reliability/bad_input_plain.h"

namespace detops_test {
namespace {

// Two descriptors, which differ, and places for answers.
struct Descriptors {
  Descriptors() {
    const int64_t first[] = {2, 3, 4}, second[] = {5, 6}, wide_extents[] = {int64_t{1} << 40, 2};
    for (mluOpTensorDescriptor_t* desc : {&a, &b, &wide}) mluOpCreateTensorDescriptor(desc);
    mluOpSetTensorDescriptor_v2(a, MLUOP_LAYOUT_NHWC, MLUOP_DTYPE_HALF, 3, first);
    mluOpSetTensorDescriptor_v2(b, MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, 2, second);
    mluOpSetTensorDescriptor_v2(wide, MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, 2, wide_extents);
  }
  ~Descriptors() {
    for (mluOpTensorDescriptor_t desc : {a, b, wide}) mluOpDestroyTensorDescriptor(desc);
  }
  Descriptors(const Descriptors&) = delete;
  Descriptors& operator=(const Descriptors&) = delete;

  std::string State(mluOpHandle_t /*handle*/) const {
    std::ostringstream text;
    for (const mluOpTensorDescriptor_t desc : {a, b, wide}) PrintTo(Snapshot(desc), &text);
    text << (made[0] == nullptr) << (made[1] == nullptr) << layout << type << rank;
    for (int axis = 0; axis < 3; ++axis) {
      text << ' ' << extents32[axis] << ' ' << strides32[axis] << ' ' << extents64[axis] << ' ' << strides64[axis];
    }
    return text.str();
  }
  std::string Message(int /*status*/) const { return ThreadMessage(); }

  // By the integer type of the function.
  int* Extents(int) { return extents32; }
  int64_t* Extents(int64_t) { return extents64; }
  int* Strides(int) { return strides32; }
  int64_t* Strides(int64_t) { return strides64; }

  mluOpTensorDescriptor_t a = nullptr, b = nullptr, wide = nullptr;
  mluOpTensorDescriptor_t made[2] = {};
  mluOpTensorLayout_t layout = MLUOP_LAYOUT_TNC;
  mluOpDataType_t type = MLUOP_DTYPE_BOOL;
  int rank = -7;
  int extents32[3] = {-7, -7, -7}, strides32[3] = {-7, -7, -7};
  int64_t extents64[3] = {-7, -7, -7}, strides64[3] = {-7, -7, -7};
};

using DescRow = PlainRow<Descriptors>;

// The arguments of any function that sets one descriptor. `extents` and `strides` have as many numbers as the rank.
template <class Integer>
struct SetArguments {
  mluOpTensorDescriptor_t desc;
  int layout = MLUOP_LAYOUT_NCHW, type = MLUOP_DTYPE_FLOAT, rank = 3;
  std::vector<Integer> extents = {7, 8, 9}, strides = {100, 10, 1};
  bool with_extents = true, with_strides = true;

  const Integer* extent_data() const { return with_extents ? extents.data() : nullptr; }
  const Integer* stride_data() const { return with_strides ? strides.data() : nullptr; }
  mluOpTensorLayout_t layout_value() const { return static_cast<mluOpTensorLayout_t>(layout); }
  mluOpDataType_t type_value() const { return static_cast<mluOpDataType_t>(type); }
};

enum class Takes { kAll, kShapeAndForm, kShape };

template <class Integer>
void AddSet(Table& table, const std::string& name, Takes takes,
            mluOpStatus_t (*set)(const SetArguments<Integer>& arguments)) {
  using Arguments = SetArguments<Integer>;
  const auto with = [set](std::function<void(Arguments&)> spoil) {
    return [set, spoil](Descriptors& d, mluOpHandle_t) -> int {
      Arguments arguments{d.a};
      spoil(arguments);
      return set(arguments);
    };
  };
  DescRow row(table, name, with([](Arguments&) {}));
  row.Null("desc", with([](Arguments& s) { s.desc = nullptr; }));
  row.Null("dimSize", with([](Arguments& s) { s.with_extents = false; }));
  if (takes == Takes::kAll) {
    row.Null("dimStride", with([](Arguments& s) { s.with_strides = false; }));
  }
  row.BadParam(BadClass::kForm, "rank -1", "dimNb is -1", with([](Arguments& s) { s.rank = -1; }));
  row.BadParam(BadClass::kEmpty, "rank 0 outside HOST mode", "dimNb is 0", with([](Arguments& s) { s.rank = 0; }));
  row.BadParam(BadClass::kSizes, "a negative extent", "dimSize[1] is -4",
               with([](Arguments& s) { s.extents[1] = -4; }));
  if (takes != Takes::kShape) {
    row.BadParam(BadClass::kEnumerator, "layout", "layout is -1", with([](Arguments& s) { s.layout = -1; }));
    row.BadParam(BadClass::kEnumerator, "dtype", "dtype is -1", with([](Arguments& s) { s.type = -1; }));
  }
  row.Defines(BadClass::kEmpty, "an extent of 0 is a tensor without elements",
              with([](Arguments& s) { s.extents[0] = 0; }),
              [](Descriptors& d) { return mluOpGetTensorElementNum(d.a) == 0 ? "" : "there are elements"; });
  // The product may be anything: operators refuse it.
  row.Defines(BadClass::kOverflow, "a product beyond int64 is kept, and counted as the largest int64",
              with([](Arguments& s) {
                s.rank = 5;
                s.extents.assign(5, 1 << 30);
                s.strides.assign(5, 1);
              }),
              [](Descriptors& d) { return mluOpGetTensorElementNum(d.a) == INT64_MAX ? "" : "not the largest int64"; });
  row.row().CannotOccur({BadClass::kOverlap}, "what it reads is copied, and it writes to the descriptor alone");
  row.HasNothingElse(Row::Objects::kSome);
}

template <class Integer>
void AddGet(Table& table, const std::string& name, bool with_strides,
            mluOpStatus_t (*get)(mluOpTensorDescriptor_t, mluOpTensorLayout_t*, mluOpDataType_t*, int*, Integer*,
                                 Integer*)) {
  const auto ask = [get](Descriptors& d, mluOpTensorDescriptor_t desc) -> int {
    return get(desc, &d.layout, &d.type, &d.rank, d.Extents(Integer{}), d.Strides(Integer{}));
  };
  DescRow row(table, name, DETOPS_CALL(ask(w, w.a)));
  row.Null("desc", DETOPS_CALL(ask(w, nullptr)));
  if (with_strides) {
    constexpr const char* kPlaces[] = {"layout", "dtype", "dimNb", "dimSize", "dimStride"};
    for (int place = 0; place < 5; ++place) {
      row.Null(kPlaces[place], [get, place](Descriptors& d, mluOpHandle_t) -> int {
        return get(d.a, place == 0 ? nullptr : &d.layout, place == 1 ? nullptr : &d.type,
                   place == 2 ? nullptr : &d.rank, place == 3 ? nullptr : d.Extents(Integer{}),
                   place == 4 ? nullptr : d.Strides(Integer{}));
      });
    }
  } else {
    row.Defines(BadClass::kNull, "NULL places are skipped",
                DETOPS_CALL(get(w.a, nullptr, nullptr, &w.rank, nullptr, nullptr)),
                [](Descriptors& d) { return d.rank == 3 ? "" : "the rank is not told"; });
  }
  if constexpr (std::is_same_v<Integer, int>) {
    row.BadParam(BadClass::kOverflow, "an extent does not fit int", "extent 1099511627776",
                 DETOPS_CALL(ask(w, w.wide)));
  } else {
    row.Defines(BadClass::kOverflow, "extents beyond int", DETOPS_CALL(ask(w, w.wide)),
                [](Descriptors& d) { return d.extents64[0] == int64_t{1} << 40 ? "" : "another extent"; });
  }
  row.row().CannotOccur({BadClass::kOverlap}, "it only writes: of two results in one place the later stays");
  row.HasNothingElse(Row::Objects::kSome);
}

template <class Integer>
void AddGroupSet(Table& table, const std::string& name,
                 mluOpStatus_t (*set)(mluOpTensorDescriptor_t**, const mluOpTensorLayout_t*, const mluOpDataType_t*,
                                      const int*, const Integer*, int)) {
  struct Group {
    mluOpTensorDescriptor_t first, second, *list[2] = {&first, &second}, **passed = list;
    mluOpTensorLayout_t layouts[2] = {MLUOP_LAYOUT_NCHW, MLUOP_LAYOUT_ARRAY};
    mluOpDataType_t types[2] = {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_DOUBLE};
    int ranks[2] = {2, 3};
    Integer extents[5] = {7, 8, 1, 2, 3};
    bool with_layouts = true, with_types = true, with_ranks = true, with_extents = true;
    int count = 2;
  };
  const auto with = [set](std::function<void(Group&)> spoil) {
    return [set, spoil](Descriptors& d, mluOpHandle_t) -> int {
      Group g;
      g.first = d.a;
      g.second = d.b;
      spoil(g);
      return set(g.passed, g.with_layouts ? g.layouts : nullptr, g.with_types ? g.types : nullptr,
                 g.with_ranks ? g.ranks : nullptr, g.with_extents ? g.extents : nullptr, g.count);
    };
  };
  DescRow row(table, name, with([](Group&) {}));
  row.Null("group_desc", with([](Group& g) { g.passed = nullptr; }));
  row.BadParam(BadClass::kNull, "a pointer in it", "group_desc[1] is NULL",
               with([](Group& g) { g.list[1] = nullptr; }));
  row.BadParam(BadClass::kNull, "a descriptor in it", "*group_desc[1] is NULL",
               with([](Group& g) { g.second = nullptr; }));
  row.Null("group_layout", with([](Group& g) { g.with_layouts = false; }));
  row.Null("group_dtype", with([](Group& g) { g.with_types = false; }));
  row.Null("group_dimNb", with([](Group& g) { g.with_ranks = false; }));
  row.Null("group_dimSize", with([](Group& g) { g.with_extents = false; }));
  row.BadParam(BadClass::kForm, "the second has rank -1", "dimNb is -1", with([](Group& g) { g.ranks[1] = -1; }));
  row.BadParam(BadClass::kEmpty, "no descriptors", "desc_num is 0", with([](Group& g) { g.count = 0; }));
  row.BadParam(BadClass::kEmpty, "the second has rank 0", "dimNb is 0", with([](Group& g) { g.ranks[1] = 0; }));
  row.BadParam(BadClass::kSizes, "desc_num -1", "desc_num is -1", with([](Group& g) { g.count = -1; }));
  row.BadParam(BadClass::kSizes, "the second has a negative extent", "dimSize[2] is -3",
               with([](Group& g) { g.extents[4] = -3; }));
  row.BadParam(BadClass::kEnumerator, "layout of the second", "layout is -1",
               with([](Group& g) { g.layouts[1] = static_cast<mluOpTensorLayout_t>(-1); }));
  row.BadParam(BadClass::kEnumerator, "type of the second", "dtype is -1",
               with([](Group& g) { g.types[1] = static_cast<mluOpDataType_t>(-1); }));
  row.Defines(BadClass::kOverflow, "a product beyond int64 is kept, and counted as the largest int64",
              with([](Group& g) { g.extents[2] = g.extents[3] = g.extents[4] = 1 << 30; }),
              [](Descriptors& d) { return mluOpGetTensorElementNum(d.b) == INT64_MAX ? "" : "not the largest int64"; });
  row.row().CannotOccur({BadClass::kOverlap}, "what it reads is copied, and it writes to the descriptors alone");
  row.HasNothingElse(Row::Objects::kSome);
}

void AddMaking(Table& table) {
  AddMaking<Descriptors>(table, {"mluOpCreateTensorDescriptor", "mluOpDestroyTensorDescriptor", "desc"},
                         mluOpCreateTensorDescriptor, mluOpDestroyTensorDescriptor);
  DescRow(table, "mluOpResetTensorDescriptor", DETOPS_CALL(mluOpResetTensorDescriptor(w.a)))
      .Null("desc", DETOPS_CALL(mluOpResetTensorDescriptor(nullptr)))
      .HasNothingElse(Row::Objects::kSome);

  const auto both = [](Descriptors& d, mluOpHandle_t) -> int {
    mluOpTensorDescriptor_t* group[] = {&d.made[0], &d.made[1]};
    const mluOpStatus_t status = mluOpCreateGroupTensorDescriptors(group, 2);
    if (status != MLUOP_STATUS_SUCCESS) return status;
    const mluOpStatus_t destroyed = mluOpDestroyGroupTensorDescriptors(group, 2);
    d.made[0] = d.made[1] = nullptr;
    return destroyed;
  };
  for (const bool create : {true, false}) {
    const auto function = create ? mluOpCreateGroupTensorDescriptors : mluOpDestroyGroupTensorDescriptors;
    DescRow row(table, create ? "mluOpCreateGroupTensorDescriptors" : "mluOpDestroyGroupTensorDescriptors", both);
    row.Null("group_desc", DETOPS_CALL(function(nullptr, 2)));
    row.BadParam(BadClass::kNull, "a pointer in it", "group_desc[1] is NULL",
                 [=](Descriptors& d, mluOpHandle_t) -> int {
                   mluOpTensorDescriptor_t* group[] = {create ? &d.made[0] : &d.a, nullptr};
                   return function(group, 2);
                 });
    if (!create) {
      row.BadParam(BadClass::kNull, "a descriptor in it: none is freed", "*group_desc[1] is NULL",
                   [function](Descriptors& d, mluOpHandle_t) -> int {
                     mluOpTensorDescriptor_t* group[] = {&d.a, &d.made[1]};
                     return function(group, 2);
                   });
    }
    for (const int count : {0, -1}) {
      row.BadParam(count == 0 ? BadClass::kEmpty : BadClass::kSizes, "desc_num", "desc_num is " + std::to_string(count),
                   [=](Descriptors& d, mluOpHandle_t) -> int {
                     mluOpTensorDescriptor_t* group[] = {&d.a, &d.b};
                     return function(group, count);
                   });
    }
    row.HasNothingElse(create ? Row::Objects::kNone : Row::Objects::kSome);
  }
}

template <class Integer>
using Set = SetArguments<Integer>;

}  // namespace

void AddTensorDescriptors(Table& table) {
  AddMaking(table);
  AddSet<int>(table, "mluOpSetTensorDescriptor", Takes::kShapeAndForm, [](const Set<int>& s) {
    return mluOpSetTensorDescriptor(s.desc, s.layout_value(), s.type_value(), s.rank, s.extent_data());
  });
  AddSet<int64_t>(table, "mluOpSetTensorDescriptor_v2", Takes::kShapeAndForm, [](const Set<int64_t>& s) {
    return mluOpSetTensorDescriptor_v2(s.desc, s.layout_value(), s.type_value(), s.rank, s.extent_data());
  });
  AddSet<int>(table, "mluOpSetTensorDescriptorEx", Takes::kAll, [](const Set<int>& s) {
    return mluOpSetTensorDescriptorEx(s.desc, s.layout_value(), s.type_value(), s.rank, s.extent_data(),
                                      s.stride_data());
  });
  AddSet<int64_t>(table, "mluOpSetTensorDescriptorEx_v2", Takes::kAll, [](const Set<int64_t>& s) {
    return mluOpSetTensorDescriptorEx_v2(s.desc, s.layout_value(), s.type_value(), s.rank, s.extent_data(),
                                         s.stride_data());
  });
  AddSet<int>(table, "mluOpSetTensorDescriptorDim", Takes::kShape,
              [](const Set<int>& s) { return mluOpSetTensorDescriptorDim(s.desc, s.rank, s.extent_data()); });
  AddSet<int64_t>(table, "mluOpSetTensorDescriptorDim_v2", Takes::kShape, [](const Set<int64_t>& s) {
    return mluOpSetTensorDescriptorDim_v2(s.desc, s.rank, s.extent_data());
  });
  AddGet<int>(table, "mluOpGetTensorDescriptor", false,
              [](mluOpTensorDescriptor_t d, mluOpTensorLayout_t* l, mluOpDataType_t* t, int* r, int* e, int*) {
                return mluOpGetTensorDescriptor(d, l, t, r, e);
              });
  AddGet<int64_t>(table, "mluOpGetTensorDescriptor_v2", false,
                  [](mluOpTensorDescriptor_t d, mluOpTensorLayout_t* l, mluOpDataType_t* t, int* r, int64_t* e,
                     int64_t*) { return mluOpGetTensorDescriptor_v2(d, l, t, r, e); });
  AddGet<int>(table, "mluOpGetTensorDescriptorEx", true, mluOpGetTensorDescriptorEx);
  AddGet<int64_t>(table, "mluOpGetTensorDescriptorEx_v2", true, mluOpGetTensorDescriptorEx_v2);
  AddGroupSet<int>(table, "mluOpSetGroupTensorDescriptors", mluOpSetGroupTensorDescriptors);
  AddGroupSet<int64_t>(table, "mluOpSetGroupTensorDescriptors_v2", mluOpSetGroupTensorDescriptors_v2);
}

}  // namespace detops_test
