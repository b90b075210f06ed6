#include "cases/suites.h"

#include <fmt/format.h>

#include <algorithm>

#include "case_file/find_cases.h"
#include "cases/suite_tables.h"
#include "judge/accuracy.h"
#include "text/errors.h"

namespace detops_cli {
namespace {

constexpr uint64_t kSeed = 1;
constexpr mluOpDataType_t kTypes[] = {MLUOP_DTYPE_FLOAT,    MLUOP_DTYPE_HALF,  MLUOP_DTYPE_DOUBLE,
                                      MLUOP_DTYPE_BFLOAT16, MLUOP_DTYPE_INT32, MLUOP_DTYPE_INT64};

bool Contains(const std::vector<mluOpDataType_t>& types, mluOpDataType_t type) {
  return std::find(types.begin(), types.end(), type) != types.end();
}

// The shape with the operator's own values for what is left out.
Shape Complete(const Operator& op, Shape shape) {
  const std::vector<ShapeKey> offered = op.keys();
  for (const auto& [key, value] : shape.values()) {
    const auto is_key = [&key = key](const ShapeKey& one) { return one.name == key; };
    if (std::any_of(offered.begin(), offered.end(), is_key)) continue;
    std::string known;
    for (const ShapeKey& one : offered) known += (known.empty() ? "" : ", ") + one.name;
    throw UsageError(fmt::format("--shape: {} has no \"{}\"; it has {}", op.name(), key, known));
  }
  shape.Complete(op.function().UsersKeys());
  return shape;
}

// Thresholds for floating outputs instead of the promised ones; integers stay exact.
void Loosen(Case& c, const Bars& bars, mluOpDataType_t type) {
  const double bar = type == MLUOP_DTYPE_HALF ? bars.half : bars.single;
  for (size_t i = 0; i < c.outputs.size(); ++i) {
    if (c.outputs[i].type != type || type == MLUOP_DTYPE_INT32) continue;
    c.criteria[i] = {{Formula::kDiff1, bar}, {Formula::kDiff2, bar}};
    if (bars.diff4) c.criteria[i].push_back({Formula::kDiff4, 0});
  }
}

Recipe MakeRecipe(const Operator& op, const Shape& shape, mluOpDataType_t type, bool beyond_contract = false) {
  const Shape complete = Complete(op, shape);
  Recipe recipe;
  recipe.about.op = op.name();
  recipe.about.shape = op.function().Summary(complete);
  recipe.about.type = TypeName(type);
  recipe.about.layout = complete.Has("layout") ? complete.Word("layout") : "";
  const bool full = beyond_contract || !Contains(op.contract_types(), type);
  recipe.about.profile = full ? "full" : "contract";
  recipe.make = [&op, complete, type, full] { return op.Make(complete, type, full, kSeed); };
  return recipe;
}

std::vector<mluOpDataType_t> TypesOf(const Operator& op, Types types) {
  switch (types) {
    case Types::kFloat:
      return {MLUOP_DTYPE_FLOAT};
    case Types::kContract:
      return op.contract_types();
    default:
      return AllTypes(op);
  }
}

}  // namespace

std::vector<mluOpDataType_t> AllTypes(const Operator& op) {
  std::vector<mluOpDataType_t> types = op.contract_types();
  for (const mluOpDataType_t type : op.full_types()) types.push_back(type);
  return types;
}

mluOpDataType_t ParseType(const std::string& name) {
  std::string known;
  for (const mluOpDataType_t type : kTypes) {
    if (TypeName(type) == name) return type;
    known += (known.empty() ? "" : ", ") + TypeName(type);
  }
  throw UsageError(fmt::format("--dtype: {} is none of {}", name, known));
}

std::vector<const Operator*> FindOperators(const std::vector<std::string>& names) {
  std::vector<const Operator*> chosen;
  for (const std::string& name : names) {
    const size_t before = chosen.size();
    for (const Operator* op : AllOperators()) {
      if (MatchesFilter(name, op->name())) chosen.push_back(op);
    }
    if (chosen.size() == before) throw UsageError(fmt::format("--op: no operator is called {}; see detops list", name));
  }
  return chosen;
}

std::vector<std::string> SuiteNames() { return {"smoke", "documents", "large"}; }

std::vector<Recipe> MakeSuite(const std::string& name) {
  std::vector<Recipe> recipes;
  for (const SuiteRow& row : SuiteTable(name)) {
    for (const std::string_view op_name : row.operators) {
      const Operator& op = *FindOperator(op_name);
      for (const mluOpDataType_t type : TypesOf(op, row.types)) {
        Recipe recipe = MakeRecipe(op, Shape(row.shape), type, row.full_profile);
        recipe.about.suite = name;
        recipe.about.source = row.source;
        recipe.about.id = fmt::format("{}/{}/{}/{}", name, op_name, row.name, recipe.about.type);
        recipe.about.reproduce = fmt::format("detops accept --suite {} --filter '{}'", name, recipe.about.id);
        if (row.bars.single > 0) {
          recipe.make = [make = std::move(recipe.make), bars = row.bars, type] {
            Case c = make();
            Loosen(c, bars, type);
            return c;
          };
        }
        recipes.push_back(std::move(recipe));
      }
    }
  }
  return recipes;
}

Recipe MakeFreeCase(const Operator& op, const Shape& shape, mluOpDataType_t type) {
  if (!Contains(AllTypes(op), type)) {
    throw UsageError(fmt::format("--dtype: {} does not take {}", op.name(), TypeName(type)));
  }
  op.function().Validate(Complete(op, shape));
  Recipe recipe = MakeRecipe(op, shape, type);
  recipe.about.suite = "free";
  recipe.about.source = "command line";
  Shape shown = shape;
  for (const ShapeKey& key : op.keys()) {
    if (shape.values().empty()) shown.Set(key.name, key.fallback);
  }
  const std::string text = shown.text();
  recipe.about.id = fmt::format("{}/{}/{}", op.name(), text, recipe.about.type);
  recipe.about.reproduce =
      fmt::format("detops accept --op {} --dtype {} --shape {}", op.name(), recipe.about.type, text);
  return recipe;
}

}  // namespace detops_cli
