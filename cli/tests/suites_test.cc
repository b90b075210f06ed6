// The suites, and that "documents" is what the design documents state: their shapes, parameters, types and thresholds.
#include "cases/suites.h"

#include <algorithm>
#include <regex>
#include <set>

#include "gtest/gtest.h"
#include "text/errors.h"

namespace detops_cli {
namespace {

using List = std::vector<int64_t>;
using Extents = std::vector<List>;

std::vector<Recipe> CasesOf(const std::string& suite, const std::string& id) {
  std::vector<Recipe> found;
  for (Recipe& recipe : MakeSuite(suite)) {
    if (recipe.about.id == id) found.push_back(std::move(recipe));
  }
  return found;
}

Case MakeDocumentCase(const std::string& name) {
  const std::vector<Recipe> recipes = CasesOf("documents", "documents/" + name);
  if (recipes.size() != 1) throw std::runtime_error("no case " + name);
  return recipes[0].make();
}

Extents ExtentsOf(const std::vector<HostTensor>& tensors) {
  Extents all;
  for (const HostTensor& tensor : tensors) all.push_back(tensor.extents);
  return all;
}

void ExpectCriteria(const Case& c, size_t output, double bar, bool diff4) {
  const std::vector<Criterion>& criteria = c.criteria.at(output);
  ASSERT_EQ(criteria.size(), diff4 ? 3u : 2u);
  EXPECT_EQ(criteria[0].formula, Formula::kDiff1);
  EXPECT_EQ(criteria[0].threshold, bar);
  EXPECT_EQ(criteria[1].formula, Formula::kDiff2);
  EXPECT_EQ(criteria[1].threshold, bar);
  if (diff4) {
    EXPECT_EQ(criteria[2].formula, Formula::kDiff4);
  }
}

void ExpectExact(const Case& c, size_t output) {
  ASSERT_EQ(c.criteria.at(output).size(), 1u);
  EXPECT_EQ(c.criteria[output][0].formula, Formula::kDiff3);
  EXPECT_EQ(c.criteria[output][0].threshold, 0);
}

// ---- all suites ---------------------------------------------------------------------------------

TEST(SuitesTest, NamesAreUniqueAndFieldsAreThere) {
  for (const std::string& suite : SuiteNames()) {
    std::set<std::string> ids, operators;
    for (const Recipe& recipe : MakeSuite(suite)) {
      const CaseResult& about = recipe.about;
      EXPECT_TRUE(ids.insert(about.id).second) << about.id;
      EXPECT_EQ(about.id.find(suite + "/" + about.op + "/"), 0u) << about.id;
      EXPECT_EQ(about.id.find_first_of(" :-'*?"), std::string::npos) << about.id;  // filters give these a meaning
      EXPECT_EQ(about.suite, suite);
      EXPECT_NE(about.shape, "");
      EXPECT_NE(about.type, "");
      EXPECT_NE(about.source, "");
      EXPECT_NE(about.reproduce.find(about.id), std::string::npos) << about.reproduce;
      operators.insert(about.op);
    }
    EXPECT_EQ(operators.size(), 10u) << suite;
  }
}

TEST(SuitesTest, UnknownNames) {
  EXPECT_THROW(MakeSuite("tiny"), UsageError);
  EXPECT_THROW(ParseType("int7"), UsageError);
  EXPECT_EQ(ParseType("bfloat16"), MLUOP_DTYPE_BFLOAT16);
}

TEST(SuitesTest, SmokeHasEveryTypeOfEveryOperator) {
  std::set<std::pair<std::string, std::string>> tried;
  for (const Recipe& recipe : MakeSuite("smoke")) tried.emplace(recipe.about.op, recipe.about.type);
  for (const Operator* const op : AllOperators()) {
    if (op->document().empty()) continue;
    const size_t types = op->name() == "get_indice_pairs" ? 1 : 4;  // float, half, double, bfloat16
    EXPECT_EQ(AllTypes(*op).size(), types) << op->name();
    EXPECT_EQ(std::count_if(tried.begin(), tried.end(), [op](const auto& pair) { return pair.first == op->name(); }),
              static_cast<int64_t>(types))
        << op->name();
  }
}

TEST(SuitesTest, FreeCases) {
  const Operator& op = *FindOperator("psroipool_forward");
  const Recipe recipe = MakeFreeCase(op, Shape("rois=3,dim=2"), MLUOP_DTYPE_HALF);
  EXPECT_EQ(recipe.about.profile, "full");  // the contract has float only
  EXPECT_EQ(MakeFreeCase(op, Shape("rois=3"), MLUOP_DTYPE_FLOAT).about.profile, "contract");
  EXPECT_EQ(ExtentsOf(recipe.make().outputs), (Extents{{3, 7, 7, 2}, {3, 7, 7, 2}}));
  EXPECT_THROW(MakeFreeCase(op, Shape("boxes=3"), MLUOP_DTYPE_FLOAT), UsageError);
  EXPECT_THROW(MakeFreeCase(op, Shape("rois=3"), MLUOP_DTYPE_INT32), UsageError);
}

// ---- the documents ------------------------------------------------------------------------------

TEST(DocumentsTest, EveryCaseNamesDocumentAndSection) {
  const std::regex source("document 00[0-4], section [0-9]+\\.[0-9]+, .*");
  for (const Recipe& recipe : MakeSuite("documents")) {
    const CaseResult& about = recipe.about;
    EXPECT_TRUE(std::regex_match(about.source, source)) << about.source;
    EXPECT_EQ(about.source.find("document " + std::string(FindOperator(about.op)->document())), 0u) << about.id;
    EXPECT_EQ(about.profile, "contract") << about.id;
  }
}

TEST(DocumentsTest, ExactlyTheCasesOfTheDocuments) {
  std::set<std::string> expected;
  const auto add = [&](const std::vector<std::string>& operators, const std::vector<std::string>& cases,
                       const std::vector<std::string>& types) {
    for (const std::string& op : operators) {
      for (const std::string& name : cases) {
        for (const std::string& type : types) expected.insert("documents/" + op + "/" + name + "/" + type);
      }
    }
  };
  const std::vector<std::string> convolutions = {"indice_convolution_forward", "indice_convolution_backward_data",
                                                 "indice_convolution_backward_filter"};
  add({"roiaware_pool3d_forward", "roiaware_pool3d_backward"}, {"partA2_max", "partA2_avg"}, {"float", "half"});
  add({"psroipool_forward", "psroipool_backward"}, {"case1", "case2"}, {"float"});
  add(convolutions, {"case0", "case1", "case2", "case3"}, {"float", "half"});
  add(convolutions, {"case0_NDHWC", "case0_NCDHW"}, {"float", "half"});
  add({"indice_convolution_backward_data", "indice_convolution_backward_filter"},
      {"case0_HWCN", "case0_NHWC", "case0_NCHW"}, {"float"});  // forward is 5-D in the contract
  add({"rotated_feature_align_forward", "rotated_feature_align_backward"}, {"case1", "case2", "case3", "case4"},
      {"float", "half"});
  add({"get_indice_pairs"}, {"sub_m", "sparse_conv"}, {"int32"});
  std::set<std::string> found;
  for (const Recipe& recipe : MakeSuite("documents")) found.insert(recipe.about.id);
  EXPECT_EQ(found, expected);
}

TEST(DocumentsTest, RoiAwarePool3d) {
  const Extents lists_and_grad = {{128, 12, 12, 12, 128}, {128, 12, 12, 12, 16}, {128, 12, 12, 12, 16}};
  for (const int method : {0, 1}) {
    const std::string name = method == 0 ? "partA2_max" : "partA2_avg";
    const Case c = MakeDocumentCase("roiaware_pool3d_backward/" + name + (method == 0 ? "/float" : "/half"));
    EXPECT_EQ(ExtentsOf(c.inputs), lists_and_grad);
    EXPECT_EQ(ExtentsOf(c.outputs), (Extents{{16000, 16}}));
    const auto& p = c.params.integers;
    EXPECT_EQ(p.at("pool_method"), method);
    EXPECT_EQ(p.at("boxes_num"), 128);
    EXPECT_EQ(p.at("channels"), 16);
    EXPECT_EQ(p.at("max_pts_each_voxel"), 128);
    EXPECT_EQ((List{p.at("out_x"), p.at("out_y"), p.at("out_z")}), (List{12, 12, 12}));
    ExpectCriteria(c, 0, method == 0 ? 1e-5 : 1e-3, true);
  }
  const Case c = MakeDocumentCase("roiaware_pool3d_forward/partA2_max/float");
  EXPECT_EQ(ExtentsOf(c.inputs), (Extents{{128, 7}, {16000, 3}, {16000, 16}}));
  EXPECT_EQ(c.params.integers.at("pts_num"), 16000);
  ExpectExact(c, 0);
  ExpectExact(c, 1);
  ExpectCriteria(c, 2, 1e-5, true);
}

TEST(DocumentsTest, PsRoiPool) {
  struct Row {
    std::string name;
    std::vector<int64_t> map, rois, pooled;
    float scale;
    int group, dim;
  };
  // The 198 channels of the second one are a slip: 3 x 3 x 21 are 189.
  for (const Row& row : {Row{"case1", {1, 14, 14, 392}, {320, 5}, {320, 7, 7, 8}, 1, 7, 8},
                         Row{"case2", {2, 14, 14, 189}, {493, 5}, {493, 3, 3, 21}, 0.0625f, 3, 21}}) {
    const Case forward = MakeDocumentCase("psroipool_forward/" + row.name + "/float");
    EXPECT_EQ(ExtentsOf(forward.inputs), (Extents{row.map, row.rois}));
    EXPECT_EQ(ExtentsOf(forward.outputs), (Extents{row.pooled, row.pooled}));
    EXPECT_EQ(forward.outputs[1].type, MLUOP_DTYPE_INT32);
    const auto& p = forward.params.integers;
    EXPECT_EQ(forward.params.numbers.at("spatial_scale"), static_cast<double>(row.scale));
    EXPECT_EQ(p.at("group_size"), row.group);
    EXPECT_EQ(p.at("pooled_height"), row.group);
    EXPECT_EQ(p.at("pooled_width"), row.group);
    EXPECT_EQ(p.at("output_dim"), row.dim);
    ExpectCriteria(forward, 0, 3e-3, false);
    ExpectExact(forward, 1);
    const Case backward = MakeDocumentCase("psroipool_backward/" + row.name + "/float");
    EXPECT_EQ(ExtentsOf(backward.inputs), (Extents{row.pooled, row.pooled, row.rois}));
    EXPECT_EQ(ExtentsOf(backward.outputs), (Extents{row.map}));
  }
}

TEST(DocumentsTest, RotatedFeatureAlign) {
  struct Row {
    std::string name;
    std::vector<int64_t> map, boxes;
    float scale;
    int points;
  };
  for (const Row& row :
       {Row{"case1", {2, 4, 4, 30}, {2, 4, 4, 5}, 0.25f, 5}, Row{"case2", {2, 50, 50, 600}, {2, 50, 50, 5}, 0.125f, 5},
        Row{"case3", {2, 4, 40, 30}, {2, 4, 40, 5}, 0.25f, 1},
        Row{"case4", {2, 100, 50, 200}, {2, 100, 50, 5}, 0.125f, 1}}) {
    for (const std::string pass : {"forward", "backward"}) {
      for (const std::string type : {"float", "half"}) {
        const Case c = MakeDocumentCase("rotated_feature_align_" + pass + "/" + row.name + "/" + type);
        EXPECT_EQ(ExtentsOf(c.inputs), (Extents{row.map, row.boxes}));
        EXPECT_EQ(ExtentsOf(c.outputs), (Extents{row.map}));
        EXPECT_EQ(c.inputs[0].layout, MLUOP_LAYOUT_NHWC);
        EXPECT_EQ(c.inputs[0].type, type == "half" ? MLUOP_DTYPE_HALF : MLUOP_DTYPE_FLOAT);
        EXPECT_EQ(c.params.numbers.at("spatial_scale"), static_cast<double>(row.scale));
        EXPECT_EQ(c.params.integers.at("points"), row.points);
        ExpectCriteria(c, 0, type == "half" ? 1e-3 : 1e-5, true);
      }
    }
  }
}

struct ConvolutionRow {
  std::string name;
  std::vector<int64_t> output_grad, filter, pairs, input_grad;
};

void ExpectBackwardData(const ConvolutionRow& row) {
  const Case c = MakeDocumentCase("indice_convolution_backward_data/" + row.name + "/float");
  EXPECT_EQ(ExtentsOf(c.inputs), (Extents{row.output_grad, row.filter, row.pairs})) << row.name;
  EXPECT_EQ(ExtentsOf(c.outputs), (Extents{row.input_grad})) << row.name;
  EXPECT_EQ(c.params.lists.at("indice_num").size(), static_cast<size_t>(row.pairs[0]));
  EXPECT_EQ(c.params.integers.at("inverse"), 0);
  ExpectCriteria(c, 0, 1e-5, false);
}

// Cases on the same sites stand in one test: these take seconds to make and are kept for the next case.
TEST(DocumentsTest, ConvolutionCase0) {
  ExpectBackwardData({"case0", {45406, 128}, {3, 1, 1, 128, 128}, {3, 2, 58838}, {58838, 128}});
  ExpectBackwardData({"case0_NDHWC", {45406, 128}, {128, 3, 1, 1, 128}, {3, 2, 58838}, {58838, 128}});
  ExpectBackwardData({"case0_NCDHW", {45406, 128}, {128, 128, 3, 1, 1}, {3, 2, 58838}, {58838, 128}});
}

TEST(DocumentsTest, ConvolutionCase2) {
  ExpectBackwardData({"case2", {58838, 128}, {3, 3, 3, 128, 128}, {27, 2, 58838}, {58838, 128}});
  ExpectCriteria(MakeDocumentCase("indice_convolution_backward_data/case2/half"), 0, 3e-3, false);
}

TEST(DocumentsTest, ConvolutionCase3AndPairsOfSubmanifold) {
  // The pairs are those of its own filter and gradients; the document has another case's there.
  ExpectBackwardData({"case3", {248636, 16}, {3, 3, 3, 5, 16}, {27, 2, 248636}, {248636, 5}});
  const Case c = MakeDocumentCase("get_indice_pairs/sub_m/int32");
  EXPECT_EQ(ExtentsOf(c.inputs), (Extents{{248636, 4}}));
  EXPECT_EQ(ExtentsOf(c.outputs), (Extents{{248636, 4}, {27, 2, 248636}, {27}}));
  const auto& p = c.params;
  EXPECT_EQ(p.integers.at("batch"), 4);
  EXPECT_EQ(p.lists.at("input_space"), (List{41, 1440, 1440}));
  EXPECT_EQ(p.lists.at("output_space"), p.lists.at("input_space"));
  for (const char* const list : {"stride", "pad", "dilation"}) EXPECT_EQ(p.lists.at(list), (List{1, 1, 1})) << list;
  EXPECT_EQ(p.lists.at("filter_space"), (List{3, 3, 3}));
  EXPECT_EQ(p.integers.at("sub_m"), 1);
  EXPECT_EQ(p.integers.at("transpose"), 0);
  for (const size_t output : {0, 1, 2}) ExpectExact(c, output);
}

TEST(DocumentsTest, ConvolutionCase1AndPairsOfRegular) {
  ExpectBackwardData({"case1", {58838, 128}, {3, 3, 3, 64, 128}, {27, 2, 149100}, {149100, 64}});
  const Case c = MakeDocumentCase("get_indice_pairs/sparse_conv/int32");
  EXPECT_EQ(ExtentsOf(c.inputs), (Extents{{149100, 4}}));
  EXPECT_EQ(ExtentsOf(c.outputs), (Extents{{58838, 4}, {27, 2, 149100}, {27}}));
  const auto& p = c.params;
  EXPECT_EQ(p.integers.at("batch"), 4);
  EXPECT_EQ(p.lists.at("input_space"), (List{11, 360, 360}));
  EXPECT_EQ(p.lists.at("filter_space"), (List{3, 3, 3}));
  EXPECT_EQ(p.lists.at("stride"), (List{2, 2, 2}));
  EXPECT_EQ(p.lists.at("pad"), (List{0, 1, 1}));
  EXPECT_EQ(p.lists.at("dilation"), (List{1, 1, 1}));
  EXPECT_EQ(p.lists.at("output_space"), (List{5, 180, 180}));
  EXPECT_EQ(p.integers.at("sub_m"), 0);
  EXPECT_EQ(p.integers.at("transpose"), 0);
}

}  // namespace
}  // namespace detops_cli
