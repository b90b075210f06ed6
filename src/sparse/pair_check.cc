#include "sparse/pair_check.h"

#include <algorithm>

namespace detops {

void CheckIndiceNumPointer(ArgCheck& check, const int64_t* indice_num) {
  check.Rule(indice_num != nullptr, MLUOP_STATUS_BAD_PARAM, "indice_num is NULL, expected one count per offset.");
}

void CheckCounts(ArgCheck& check, const int64_t* indice_num, int64_t offsets, int64_t length) {
  if (check.failed()) return;
  for (int64_t k = 0; k < offsets && !check.failed(); ++k) {
    check.Rule(indice_num[k] >= 0 && indice_num[k] <= length, MLUOP_STATUS_BAD_PARAM,
               "indice_num[%lld] is %lld, expected a count in [0, %lld].", static_cast<long long>(k),
               static_cast<long long>(indice_num[k]), static_cast<long long>(length));
  }
}

void CheckRulebook(ArgCheck& check, detopsRulebook_t rulebook) {
  check.Handle().Rule(rulebook != nullptr, MLUOP_STATUS_BAD_PARAM,
                      "rulebook is NULL, expected a rulebook of detopsCreateRulebook.");
}

bool AnyEmpty(std::initializer_list<TensorArg> tensors) {
  return std::any_of(tensors.begin(), tensors.end(),
                     [](const TensorArg& tensor) { return tensor.desc->element_count() == 0; });
}

mluOpStatus_t FailBadIndex(const Call& call, const IndicePairs& pairs, const BadIndex& bad) {
  const int32_t value = pairs.pairs[(bad.offset * 2 + bad.column) * pairs.length + bad.position];
  return call.Fail(MLUOP_STATUS_BAD_PARAM, "indice_pairs[%lld, %d, %lld] is %d, expected an index in [0, %lld).",
                   static_cast<long long>(bad.offset), bad.column, static_cast<long long>(bad.position), value,
                   static_cast<long long>(pairs.rows[bad.column]));
}

IndicePairs MakeIndicePairs(const TensorArg& pairs, const int64_t* indice_num, int64_t input_rows,
                            int64_t output_rows) {
  return {pairs.desc->extent(0),
          pairs.desc->extent(2),
          static_cast<const int32_t*>(pairs.data),
          indice_num,
          {input_rows, output_rows}};
}

PairLists ListsOf(const detopsRulebookStruct& rulebook, int side, bool empty) {
  PairLists lists = rulebook.by_side[side];
  if (empty) lists.lists = lists.pairs = 0;
  return lists;
}

}  // namespace detops
