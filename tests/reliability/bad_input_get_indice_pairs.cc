// Rows of get_indice_pairs: the pairs and their workspace, in both spellings, and the number of outputs.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ops/get_indice_pairs/test/bad_call.h"
#include "reliability/bad_input_call.h"

namespace detops_test {
namespace {

using PairRow = CallRow<BadCall>;

TensorArgument& IndicesOf(BadCall& call) { return call.indices; }
TensorArgument& PairsOf(BadCall& call) { return call.indice_pairs; }
TensorArgument& OutOf(BadCall& call) { return call.out_indices; }
TensorArgument& NumOf(BadCall& call) { return call.indice_num; }

bool GivesPairs(Function function) { return function == Function::kPairs || function == Function::kPairsOfTheDocument; }

void AddTensors(PairRow& row, Function function) {
  const bool count = function == Function::kCount;
  row.BadParam(BadClass::kNull, "handle", "handle is NULL", [](BadCall& call) { call.with_handle = false; });
  row.BadParam(BadClass::kNull, "sparse_conv_desc", "the descriptor of sparse_conv is NULL",
               [](BadCall& call) { call.with_descriptor = false; });
  if (!GivesPairs(function)) {
    row.BadParam(BadClass::kNull, "the place for the result", count ? "count is NULL" : "workspace_size is NULL",
                 [](BadCall& call) { call.with_result = false; });
  }
  const auto add = [&](const std::string& name, auto get, int rank) {
    row.NullDescriptor(name, get);
    if (GivesPairs(function) || count) row.NullData(name, get);
    row.Rank(name, get, rank);
    row.Type(name, get);
    row.Stride(name, get);
  };
  add("indices", IndicesOf, 2);
  row.Axis("indices", IndicesOf, 1, "indices has extent 5 on axis 1");
  if (count) return;
  add("indice_pairs", PairsOf, 3);
  add("out_indices", OutOf, 2);
  add("indice_num", NumOf, 1);
  row.Axis("indices", IndicesOf, 0, "has extent");
  for (int axis = 0; axis < 3; ++axis) row.Axis("indice_pairs", PairsOf, axis, "has extent");
  row.Axis("out_indices", OutOf, 1, "out_indices has extent 5 on axis 1");
  row.Axis("indice_num", NumOf, 0, "has extent");
  row.BadParam(BadClass::kShapes, "more rows than there are sites", "out_indices has",
               [](BadCall& call) { call.rows = 2 * 4 * 3 * 7 + 1; });
}

// All pairs and outputs -1, no offset has pairs, and the descriptor says that there are no output sites.
std::string EmptyResult(BadCall& call) {
  for (const double value : call.pairs_tensor.Values()) {
    if (value != -1) return "indice_pairs is not -1";
  }
  for (const double value : call.num_tensor.Values()) {
    if (value != 0) return "indice_num is not 0";
  }
  return call.descriptor.NumActOut() == 0 ? "" : "the number of output sites is not 0";
}

void AddSizes(PairRow& row, Function function) {
  if (GivesPairs(function)) {
    row.Defines(BadClass::kEmpty, "no rows in out_indices", [](BadCall& call) { call.rows = 0; }, EmptyResult);
  } else if (function == Function::kCount) {
    row.Defines(
        BadClass::kEmpty, "no input sites", [](BadCall& call) { call.sites = 0; },
        [](BadCall& call) { return call.count == 0 ? "" : "there are output sites"; });
  } else {
    row.Defines(
        BadClass::kEmpty, "no input sites", [](BadCall& call) { call.sites = 0; },
        [](BadCall& call) { return call.size == 0 ? "" : "a workspace is needed"; });
  }
  row.row().CannotOccur({BadClass::kSizes},
                        "kernel, stride, dilation and spaces are checked when the descriptor is set, where these cases "
                        "are counted");
  const auto full = [](BadCall& call) { call.profile = DETOPS_PROFILE_FULL; };
  row.NotSupported(BadClass::kOverflow, "2^64 input sites", "input", [full](BadCall& call) {
    full(call);
    call.conv().input_space = {1 << 30, 1 << 30, 7};
  });
  row.NotSupported(BadClass::kOverflow, "2^64 output sites", "output", [full](BadCall& call) {
    full(call);
    call.conv().output_space = {1 << 30, 1 << 30, 7};
  });
  row.NotSupported(BadClass::kOverflow, "2^31 input sites in indices", "indices has", [full](BadCall& call) {
    full(call);
    call.conv().input_space = {1 << 20, 1 << 20, 7};
    call.sites = int64_t{1} << 31;
  });
  row.NotSupported(BadClass::kOverflow, "2^31 elements", "2147483648", [](BadCall& call) {
    call.conv().input_space = {1 << 11, 1 << 11, 1 << 11};
    call.sites = int64_t{1} << 29;
  });
  row.NotSupported(
      BadClass::kOverflow, "four dimensions in the contract profile", "the full profile lifts", [](BadCall& call) {
        SparseConvolution& conv = call.conv();
        for (auto* list : {&conv.input_space, &conv.filter_space, &conv.output_space, &conv.stride, &conv.dilation}) {
          list->push_back(1);
        }
        conv.pad.push_back(0);
      });
  row.NotSupported(BadClass::kOverflow, "a transposed convolution in the contract profile", "the full profile lifts",
                   [](BadCall& call) { call.conv().transposed = true; });
}

void AddMemory(PairRow& row, Function function) {
  if (!GivesPairs(function)) {
    row.row().HasNone({BadClass::kWorkspace}).CannotOccur({BadClass::kOverlap}, kNumbersAtTheEnd);
    return;
  }
  row.BadParam(BadClass::kWorkspace, "one byte too small", "workspace_size is",
               [](BadCall& call) { --call.workspace_size; });
  row.BadParam(BadClass::kWorkspace, "size 0", "workspace_size is 0", [](BadCall& call) { call.workspace_size = 0; });
  row.BadParam(BadClass::kWorkspace, "NULL with a size", "workspace is NULL",
               [](BadCall& call) { call.workspace = nullptr; });
  const std::pair<const char*, TensorArgument& (*)(BadCall&)> outputs[] = {
      {"indice_pairs", PairsOf}, {"out_indices", OutOf}, {"indice_num", NumOf}};
  for (const auto& [name, get] : outputs) {
    row.Overlap(name, get, "indices", [](BadCall& call) { return call.indices.data; });
    row.BadParam(BadClass::kOverlap, std::string(name) + " in the workspace", "overlaps",
                 [tensor = get](BadCall& call) { tensor(call).data = call.workspace; });
  }
  row.BadParam(BadClass::kOverlap, "the workspace in indices", "overlaps",
               [](BadCall& call) { call.workspace = call.indices.data; });
  row.BadParam(BadClass::kOverlap, "two outputs in one place", "overlaps",
               [](BadCall& call) { call.out_indices.data = call.indice_pairs.data; });
}

void AddCoordinates(PairRow& row, Function function) {
  if (function == Function::kSize || function == Function::kSizeOfTheDocument) {
    row.row().CannotOccur({BadClass::kCoordinates, BadClass::kDuplicates},
                          "it looks at descriptors only, at no values");
    return;
  }
  const int extents[] = {2, 4, 5, 7};
  for (int column = 0; column < 4; ++column) {
    for (const int coordinate : {-1, extents[column], INT32_MAX, INT32_MIN}) {
      const std::string place = "indices[5, " + std::to_string(column) + "] is " + std::to_string(coordinate);
      row.BadParam(BadClass::kCoordinates, place, place,
                   [=](BadCall& call) { call.indices_tensor.Set(5 * 4 + column, coordinate); });
    }
  }
  // Regular: a site that occurs again meets the same outputs again, so their number stays.
  row.Defines(
      BadClass::kDuplicates, "an input site occurs twice",
      [](BadCall& call) {
        for (int column = 0; column < 4; ++column) {
          call.indices_tensor.Set(4 + column, call.indices_tensor.Get(column));
          call.problem.sites[1][static_cast<size_t>(column)] = call.problem.sites[0][static_cast<size_t>(column)];
        }
      },
      [function](BadCall& call) -> std::string {
        const IndicePairs expected = call.problem.Expected();
        if (function == Function::kCount) return call.count == expected.num_act_out ? "" : "another number of outputs";
        if (call.descriptor.NumActOut() != expected.num_act_out) return "another number of outputs";
        return Difference(call.pairs_tensor, expected.pairs) + Difference(call.num_tensor, expected.indice_num);
      });
}

void AddFunction(Table& table, const std::string& name, Function function) {
  PairRow row(table, name,
              {[] { return std::make_unique<BadCall>(Mode::kRegular); },
               [function](BadCall& call, Handle& handle) {
                 Answer answer = call.Run(handle, function);
                 return CallAnswer{answer.status, answer.text};
               },
               [](BadCall& call) {
                 return std::to_string(call.size) + " " + std::to_string(call.count) + " " +
                        std::to_string(call.descriptor.NumActOut());
               }});
  row.row().MessagesStart(std::string(NameOf(function)) + ": ");
  AddTensors(row, function);
  AddSizes(row, function);
  AddMemory(row, function);
  AddCoordinates(row, function);
  if (GivesPairs(function)) {
    row.BadParam(BadClass::kShapes, "too few rows for the outputs", "out_indices has",
                 [](BadCall& call) { --call.rows; });
  }
  row.row()
      .HasNone({BadClass::kNotFinite, BadClass::kBatchId, BadClass::kIndices})
      .CannotOccur({BadClass::kEnumerator}, "modes are in the descriptor, where they are checked when it is set")
      .CannotOccur({BadClass::kDestroyed}, kCallerGuarantees);
}

}  // namespace

void AddIndicePairs(Table& table) {
  AddFunction(table, "mluOpGetIndicePairs", Function::kPairs);
  AddFunction(table, "mluopGetIndicePairs", Function::kPairsOfTheDocument);
  AddFunction(table, "mluOpGetIndicePairsWorkspaceSize", Function::kSize);
  AddFunction(table, "mluopGetIndicePairsWorkspaceSize", Function::kSizeOfTheDocument);
  AddFunction(table, "detopsCountIndicePairOutputs", Function::kCount);
}

}  // namespace detops_test
