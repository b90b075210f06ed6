// Rows of sparse-convolution descriptors, and of rulebooks once they are made.
#include <cstdint>
#include <string>

#include "descriptors/sparse_convolution_state.h"
#include "reliability/bad_input_plain.h"

namespace detops_test {
namespace {

// A descriptor with the numbers of First(), and a place for an answer.
struct Geometry {
  Geometry() {
    mluOpCreateSparseConvolutionDescriptor(&desc);
    kContractSetter.Set(desc, First());
  }
  ~Geometry() { mluOpDestroySparseConvolutionDescriptor(desc); }
  Geometry(const Geometry&) = delete;
  Geometry& operator=(const Geometry&) = delete;

  std::string State(mluOpHandle_t /*handle*/) const { return Fingerprint(desc) + " " + std::to_string(answer); }
  std::string Message(int /*status*/) const { return ThreadMessage(); }

  mluOpSparseConvolutionDescriptor_t desc = nullptr;
  int answer = -7;
};

using GeometryRow = PlainRow<Geometry>;

void AddSet(Table& table, const Setter& setter) {
  const bool contract = &setter == &kContractSetter;
  const auto with = [&setter](const std::function<void(Arguments&)>& spoil) {
    Arguments arguments = Second();
    arguments.sub_m = 0;
    spoil(arguments);
    return [&setter, arguments](Geometry& g, mluOpHandle_t) -> int { return setter.Set(g.desc, arguments); };
  };
  GeometryRow row(table, setter.name(), with([](Arguments&) {}));
  row.Null("desc", with([](Arguments& a) { a.null_desc = true; }));
  for (int array = 0; array < kOutputPadding; ++array) {
    row.BadParam(BadClass::kNull, kArrayNames[array], std::string(kArrayNames[array]) + " is NULL",
                 with([array](Arguments& a) { a.null_array[array] = true; }));
  }
  // Output padding is an argument of the extension alone.
  for (int array = 0; array < (contract ? kOutputPadding : kArrays); ++array) {
    const bool may_be_zero = array == kPad || array == kOutputPadding;
    for (const size_t axis : {size_t{0}, size_t{2}}) {
      for (const int number : {0, -1, INT32_MIN}) {
        if (number == 0 && may_be_zero) continue;
        const bool extent = array == kInputSpace || array == kFilterSpace || array == kOutputSpace;
        const std::string text = ElementOf(array, axis) + " is " + std::to_string(number);
        row.BadParam(number == 0 && extent ? BadClass::kEmpty : BadClass::kSizes, text, text,
                     with([=](Arguments& a) { a.arrays[array][axis] = number; }));
      }
    }
  }
  for (const int batch : {0, -1}) {
    row.BadParam(batch == 0 ? BadClass::kEmpty : BadClass::kSizes, "batch", "is " + std::to_string(batch),
                 with([batch](Arguments& a) { a.batch = batch; }));
  }
  for (const int surplus : {-1, -5, 2}) {
    const int told = 3 + surplus + (contract ? 2 : 0);
    // Three or fewer are dimensions that the extension has.
    if (!contract && told >= 1 && told <= 4) continue;
    row.BadParam(BadClass::kForm, "number of dimensions", (contract ? "dimNb is " : "ndim is ") + std::to_string(told),
                 with([surplus](Arguments& a) { a.surplus_dimensions = surplus; }));
  }
  for (const int number : {-1, 2}) {
    row.BadParam(BadClass::kEnumerator, "transpose", "transpose is " + std::to_string(number),
                 with([number](Arguments& a) { a.transpose = number; }));
    row.BadParam(BadClass::kEnumerator, "inverse", "inverse is " + std::to_string(number),
                 with([number](Arguments& a) { a.inverse = number; }));
  }
  if (contract) {
    row.BadParam(BadClass::kEnumerator, "transpose 1", "transpose is 1", with([](Arguments& a) { a.transpose = 1; }));
    row.BadParam(BadClass::kEnumerator, "inverse 1", "inverse is 1", with([](Arguments& a) { a.inverse = 1; }));
  } else {
    row.BadParam(BadClass::kEnumerator, "transpose in submanifold mode", "transpose is 1",
                 with([](Arguments& a) { a.sub_m = a.transpose = 1; }));
  }
  row.row()
      .CannotOccur({BadClass::kOverflow},
                   "it multiplies nothing: spaces with too many sites are refused by the functions that use the "
                   "descriptor, where these cases are counted")
      .CannotOccur({BadClass::kOverlap}, "what it reads is copied, and it writes to the descriptor alone");
  row.HasNothingElse(Row::Objects::kSome);
}

void AddOthers(Table& table) {
  AddMaking<Geometry>(table,
                      {.create = "mluOpCreateSparseConvolutionDescriptor",
                       .destroy = "mluOpDestroySparseConvolutionDescriptor",
                       .argument = "desc",
                       .create_refuses = MLUOP_STATUS_NOT_INITIALIZED,
                       .destroy_refuses = MLUOP_STATUS_EXECUTION_FAILED},
                      mluOpCreateSparseConvolutionDescriptor, mluOpDestroySparseConvolutionDescriptor);
  GeometryRow(table, "mluOpGetSparseConvolutionNumActOut",
              DETOPS_CALL(mluOpGetSparseConvolutionNumActOut(w.desc, &w.answer)))
      .Refuses(BadClass::kNull, "desc", MLUOP_STATUS_NOT_INITIALIZED, "desc is NULL",
               DETOPS_CALL(mluOpGetSparseConvolutionNumActOut(nullptr, &w.answer)))
      .Refuses(BadClass::kNull, "num_act_out", MLUOP_STATUS_NOT_INITIALIZED, "num_act_out is NULL",
               DETOPS_CALL(mluOpGetSparseConvolutionNumActOut(w.desc, nullptr)))
      .HasNothingElse(Row::Objects::kSome);
}

// ---- rulebooks ----

// One offset, three pairs.
struct Book {
  Book() { made = Make(); }
  ~Book() { detopsDestroyRulebook(made); }
  Book(const Book&) = delete;
  Book& operator=(const Book&) = delete;

  static detopsRulebook_t Make() {
    Tensor pairs = Int32Tensor({1, 2, 3});
    pairs.Assign({0, 1, 2, 2, 0, 1});
    const int64_t numbers[] = {3};
    const Handle full(DETOPS_PROFILE_FULL, 1);
    detopsRulebook_t rulebook = nullptr;
    Must(detopsCreateRulebook(full.get(), pairs.desc(), pairs.data(), numbers, 3, 3, &rulebook),
         "detopsCreateRulebook");
    return rulebook;
  }

  std::string State(mluOpHandle_t /*handle*/) const {
    size_t bytes = 0;
    Must(detopsGetRulebookSize(made, &bytes), "detopsGetRulebookSize");
    return std::to_string(bytes) + " " + std::to_string(answer);
  }
  std::string Message(int /*status*/) const { return ThreadMessage(); }

  detopsRulebook_t made;
  size_t answer = 7;
};

using BookRow = PlainRow<Book>;

}  // namespace

void AddSparseConvolutionDescriptors(Table& table) {
  for (const Setter* setter : kSetters) AddSet(table, *setter);
  AddOthers(table);
}

void AddRulebooks(Table& table) {
  BookRow(table, "detopsDestroyRulebook", DETOPS_CALL(detopsDestroyRulebook(Book::Make())))
      .Null("rulebook", DETOPS_CALL(detopsDestroyRulebook(nullptr)))
      .HasNothingElse(Row::Objects::kSome);
  const auto identity = [](int64_t rows) {
    return [rows](Book&, mluOpHandle_t) -> int {
      detopsRulebook_t made = nullptr;
      const mluOpStatus_t status = detopsCreateIdentityRulebook(rows, &made);
      return status == MLUOP_STATUS_SUCCESS ? detopsDestroyRulebook(made) : status;
    };
  };
  BookRow(table, "detopsCreateIdentityRulebook", identity(3))
      .Null("rulebook", DETOPS_CALL(detopsCreateIdentityRulebook(3, nullptr)))
      .BadParam(BadClass::kSizes, "rows", "rows is -1", identity(-1))
      .BadParam(BadClass::kSizes, "2^31 rows", "rows is 2147483648", identity(int64_t{1} << 31))
      .HasNothingElse(Row::Objects::kSome);
  BookRow(table, "detopsGetRulebookSize", DETOPS_CALL(detopsGetRulebookSize(w.made, &w.answer)))
      .Null("rulebook", DETOPS_CALL(detopsGetRulebookSize(nullptr, &w.answer)))
      .Null("bytes", DETOPS_CALL(detopsGetRulebookSize(w.made, nullptr)))
      .HasNothingElse(Row::Objects::kSome);
}

}  // namespace detops_test
