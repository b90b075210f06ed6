// What is recorded is the call: of every recorded function, on all samples of the catalogue and in all types, the
// program's reader finds the same arguments and results in the file, and the call that it makes of them gives the same
// bytes. Recording changes no result, and of a refused call nothing is left.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "case_file/case_file.h"
#include "cases/operator.h"
#include "harness/catalogue.h"
#include "harness/placed_call.h"
#include "harness/rules.h"
#include "recording/gen_case_child.h"
#include "support/handle.h"

namespace detops_cli {
namespace {

using detops_harness::Access;
using detops_harness::Call;
using detops_harness::Function;
using detops_harness::PlacedCall;
using detops_harness::Tensor;
using detops_test::Environment;
using detops_test::FilesBelow;
using detops_test::Handle;
using detops_test::RunInChild;
using detops_test::TemporaryFolder;
namespace fs = std::filesystem;

const Environment kForms[] = {{{"_DUMP_DATA", "1"}},  // decimal
                              {{"_DUMP_DATA", "2"}},  // hexadecimal
                              {{"_DUMP_DATA", "2"}, {"_DUMP_DATA_FILE", "1"}}};

Environment With(Environment form, const TemporaryFolder& folder) {
  form.emplace_back("_DIR", folder.path());
  form.emplace_back("_DUMP_DATA_OUTPUT", "2");
  return form;
}

// The bytes of each output that there is.
std::map<std::string, std::string> OutputsOf(const Call& call) {
  std::map<std::string, std::string> outputs;
  for (const Tensor& tensor : call.tensors) {
    if (tensor.access != Access::kWritten || tensor.address == nullptr) continue;
    outputs[tensor.name].assign(static_cast<const char*>(tensor.address), static_cast<size_t>(tensor.byte_count()));
  }
  for (const auto& [name, value] : call.results) outputs[name] = std::to_string(value);
  return outputs;
}

std::map<std::string, std::string> RunOn(PlacedCall& placed, const Handle& handle) {
  placed.Reset(0xA5);
  EXPECT_EQ(placed.Run(handle.get()), MLUOP_STATUS_SUCCESS) << placed.text();
  return OutputsOf(placed.call());
}

// The only case file in the folder.
fs::path OnlyCaseFile(const std::string& folder) {
  fs::path found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".prototxt") continue;
    EXPECT_TRUE(found.empty()) << "one call has left two files";
    found = entry.path();
  }
  return found;
}

// The recorded results count as a baseline if they come from elsewhere.
void CallItABaseline(const fs::path& file) {
  std::string text = detops_test::ReadAll(file.string());
  const size_t device = text.find("device: CPU\n");
  ASSERT_NE(device, std::string::npos);
  text.replace(device, 11, "device: GPU");
  std::ofstream(file) << text;
}

// Names of tensors as they stand in the file.
std::vector<std::string> NamesIn(const std::string& text) {
  std::vector<std::string> names;
  constexpr std::string_view kId = "  id: \"";
  for (size_t at = text.find(kId); at != std::string::npos; at = text.find(kId, at + 1)) {
    const size_t begin = at + kId.size();
    names.push_back(text.substr(begin, text.find('"', begin) - begin));
  }
  return names;
}

void ExpectSameArguments(const Case& read, const Call& call) {
  for (const auto& [name, value] : read.params.numbers) {
    EXPECT_EQ(static_cast<float>(value), static_cast<float>(call.number(name))) << name;  // as the functions take them
  }
  for (const auto& [name, value] : read.params.integers) {
    const bool axes = name == "dimnb";  // which no function takes
    EXPECT_EQ(value, axes ? std::ssize(call.integer_lists.at("pad")) + 2 : call.integer(name)) << name;
  }
  for (const auto& [name, list] : read.params.lists) EXPECT_EQ(list, call.integer_lists.at(name)) << name;
  for (const auto* side : {&read.inputs, &read.outputs}) {
    for (const HostTensor& tensor : *side) {
      const Tensor& own = call[tensor.name];
      if (!own.described) continue;
      EXPECT_EQ(tensor.layout, own.layout) << tensor.name;
      EXPECT_EQ(tensor.type, own.type) << tensor.name;
      EXPECT_EQ(tensor.extents, own.extents) << tensor.name;
    }
  }
}

// NaN is written as it is, not which.
bool SameValues(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

std::vector<double> ValuesOf(const Tensor& output) {
  Tensor copy = output;
  const auto* const bytes = static_cast<const std::byte*>(output.address);
  copy.contents = std::vector<std::byte>(bytes, bytes + output.byte_count());
  return copy.Values();
}

void ExpectSameCall(const Operator& op, const PlacedCall& recorded, const fs::path& file, const Handle& handle) {
  const Call& call = recorded.call();
  const std::string text = detops_test::ReadAll(file.string());
  std::vector<std::string> names = op.row().inputs;
  names.insert(names.end(), op.row().outputs.begin(), op.row().outputs.end());
  EXPECT_EQ(NamesIn(text), names);
  EXPECT_EQ(file.parent_path().filename(), op.name());
  const bool all_there = std::none_of(call.tensors.begin(), call.tensors.end(), detops_harness::IsAbsent);
  if (all_there) CallItABaseline(file);
  Case read = LoadCaseFile(file.string());
  ASSERT_EQ(read.op, &op);
  ExpectSameArguments(read, call);
  for (const HostTensor& input : read.inputs) {
    if (input.elements() == 0 || !call[input.name].has_data) continue;
    EXPECT_TRUE(SameValues(input.Values(), call[input.name].Values())) << input.name;
  }
  for (size_t i = 0; i < read.outputs.size(); ++i) {
    const Tensor& output = call[read.outputs[i].name];
    if (all_there && output.address != nullptr) {
      EXPECT_TRUE(SameValues(read.baseline.value().outputs.at(i), ValuesOf(output))) << output.name;
    }
    // diff1 and diff2, where results must be equal diff3.
    EXPECT_EQ(read.criteria[i].size(), text.find("error_func: DIFF3\n") != std::string::npos ? 1u : 2u);
  }
  read.full_profile = call.full();
  std::erase_if(read.outputs, [&](const HostTensor& output) { return !call[output.name].described; });
  Call again = op.CallOf(read);
  again.workspace = call.workspace;
  again.workspace.address = nullptr;
  if (call.integers.count("workspace_size") != 0) again.integers["workspace_size"] = call.integer("workspace_size");
  mluOpSetGenCaseMode(0);
  PlacedCall replayed(std::move(again));
  EXPECT_TRUE(RunOn(replayed, handle) == OutputsOf(call)) << "the replay gives other bytes";
}

class RecordedCalls : public testing::TestWithParam<const Operator*> {};

TEST_P(RecordedCalls, CanBeReadAndRunAgain) {
  const Operator& op = *GetParam();
  const Function& function = op.function();
  const auto samples = function.samples();
  for (size_t form = 0; form < std::size(kForms); ++form) {
    const TemporaryFolder folder;
    EXPECT_TRUE(RunInChild(With(kForms[form], folder), [&] {
      const Handle handle(DETOPS_PROFILE_FULL, 2);
      for (size_t i = 0; i < samples.size(); ++i) {
        // Every sample in one of the forms, the first ones in all.
        if (samples[i].large || (i >= 6 && i % std::size(kForms) != form)) continue;
        for (const mluOpDataType_t type : function.full_types()) {
          SCOPED_TRACE(samples[i].shape + ", " + detops_harness::TypeName(type));
          PlacedCall placed(function.MakeSample(samples[i].shape, type, DETOPS_PROFILE_FULL, 1));
          mluOpSetGenCaseMode(0);
          const auto expected = RunOn(placed, handle);
          mluOpSetGenCaseMode(2);
          EXPECT_TRUE(RunOn(placed, handle) == expected) << "recording changes the results";
          const fs::path file = OnlyCaseFile(folder.path());
          ASSERT_FALSE(file.empty()) << "nothing is recorded";
          ExpectSameCall(op, placed, file, handle);
          fs::remove_all(folder.path() + "/gen_case");
        }
        if (testing::Test::HasFailure()) return;
      }
    }));
  }
}

// A call that fails for want of memory or by its runner can be run again; a refused one has nothing to study.
TEST_P(RecordedCalls, RefusedOnesLeaveNoFile) {
  const Function& function = GetParam()->function();
  const Call good = function.Good();
  const TemporaryFolder folder;
  EXPECT_TRUE(RunInChild(With(kForms[2], folder), [&] {
    const Handle handle;
    int refused = 0;
    for (const detops_harness::Rule& rule : function.contract().rules()) {
      for (const detops_harness::Fault& fault : function.contract().FaultsOf(&rule, good)) {
        Call call = good;
        fault.apply(call);
        mluOpSetGenCaseMode(0);  // objects may be made by calls
        PlacedCall placed(std::move(call));
        mluOpSetGenCaseMode(2);
        const detops_harness::Answer answer = function.contract().Judge(placed.call());
        if (answer.undefined || answer.status == MLUOP_STATUS_SUCCESS) continue;
        ++refused;
        EXPECT_EQ(placed.Run(handle.get()), answer.status) << placed.text();
      }
    }
    EXPECT_GT(refused, 20);
  }));
  EXPECT_EQ(FilesBelow(folder.path()), std::vector<std::string>());
}

// The released mluOpNms writes no file.
std::vector<const Operator*> RecordedOperators() {
  std::vector<const Operator*> operators(AllOperators().begin(), AllOperators().end());
  std::erase_if(operators, [](const Operator* op) { return op->name() == "nms"; });
  return operators;
}

INSTANTIATE_TEST_SUITE_P(Operators, RecordedCalls, testing::ValuesIn(RecordedOperators()),
                         [](const auto& test) { return std::string(test.param->name()); });

// Other spellings of a function are the same call; extensions have no form.
TEST(RecordedFunctionsTest, AliasesAreRecordedExtensionsAreNot) {
  for (const auto& function : detops_harness::WholeCatalogue().functions()) {
    SCOPED_TRACE(function->name());
    const std::string& documented = function->contract().documented_as();
    // The released mluOpNms writes no file.
    const bool of_contract = documented.rfind("mluOp", 0) == 0 && documented != "mluOpNms" && function->computes();
    const TemporaryFolder folder;
    EXPECT_TRUE(RunInChild(With(kForms[0], folder), [&] {
      PlacedCall placed(function->Good());
      mluOpSetGenCaseMode(1);
      RunOn(placed, Handle(placed.call().profile, 1));
    }));
    std::vector<std::string> recorded;
    for (const std::string& file : FilesBelow(folder.path())) {
      recorded.push_back(fs::path(file).parent_path().filename().string());
    }
    EXPECT_EQ(recorded.size(), of_contract ? 1u : 0u);
    for (const Operator* op : AllOperators()) {
      // With a workspace it is the same call.
      const std::string name(op->function_name());
      if (!of_contract || (documented != name && documented != name + "WithWorkspace")) continue;
      EXPECT_EQ(recorded, std::vector<std::string>{std::string(op->name())});
    }
  }
}

// The program itself, from recording to replay.
TEST(RecordedFunctionsTest, TheProgramRunsWhatItRecorded) {
  const TemporaryFolder folder;
  const auto run = [&](const std::string& into, const std::string& settings, const std::string& arguments) {
    const std::string command = "MLUOP_GEN_CASE=2 MLUOP_GEN_CASE_DUMP_DATA=2 MLUOP_GEN_CASE_DUMP_DATA_OUTPUT=2 " +
                                settings + " MLUOP_GEN_CASE_DIR=" + folder.path() + into + " " DETOPS_PROGRAM " " +
                                arguments + " --no-timing --quiet";
    return std::system(command.c_str());
  };
  const auto texts = [&](const std::string& in) {
    std::vector<std::string> all;
    for (const std::string& file : FilesBelow(folder.path() + in)) {
      if (file.ends_with(".prototxt")) all.push_back(detops_test::ReadAll(folder.path() + in + "/" + file));
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());  // runs make the same call several times
    return all;
  };
  const std::string cases =
      "accept --bad-input none --filter "
      "'smoke/*/avg/float:smoke/*/small/float:smoke/*/subm/half:smoke/get_*/subm/*:smoke/*/5_points/half'";
  ASSERT_EQ(run("/a", "MLUOP_GEN_CASE_DUMP_DATA_FILE=1", cases), 0);
  ASSERT_EQ(run("/b", "", "run --profile full " + folder.path() + "/a"), 0);
  // The first texts name files; what these hold shows when the replay is compared with a direct recording in full.
  ASSERT_EQ(run("/c", "", cases), 0);
  EXPECT_EQ(texts("/c").size(), 2u + 2 + 3 + 1 + 2);
  EXPECT_EQ(texts("/b"), texts("/c"));
}

}  // namespace
}  // namespace detops_cli
