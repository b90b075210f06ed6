#include "sparse/pair_check.h"

namespace detops {

void CheckIndiceNumPointer(ArgCheck& check, const int64_t* indice_num) {
  check.Rule(indice_num != nullptr, MLUOP_STATUS_BAD_PARAM, "indice_num is NULL, expected one count per offset.");
}

void CheckCounts(ArgCheck& check, const PairsArguments& pairs) {
  if (check.failed() || pairs.tensor.absent()) return;
  const int64_t offsets = pairs.tensor.desc->extent(0), length = pairs.length();
  for (int64_t k = 0; k < offsets && !check.failed(); ++k) {
    const int64_t count = pairs.indice_num[k];
    check.Rule(count >= 0 && count <= length, MLUOP_STATUS_BAD_PARAM,
               "indice_num[%lld] is %lld, expected a count in [0, %lld].", static_cast<long long>(k),
               static_cast<long long>(count), static_cast<long long>(length));
  }
}

void CheckRulebook(ArgCheck& check, detopsRulebook_t rulebook) {
  check.Handle().Rule(rulebook != nullptr, MLUOP_STATUS_BAD_PARAM,
                      "rulebook is NULL, expected a rulebook of detopsCreateRulebook.");
}

mluOpStatus_t FailBadIndex(const Call& call, const IndicePairs& pairs, const BadIndex& bad) {
  const int32_t value = pairs.Column(bad.offset, bad.column)[bad.position];
  return call.Fail(MLUOP_STATUS_BAD_PARAM, "indice_pairs[%lld, %d, %lld] is %d, expected an index in [0, %lld).",
                   static_cast<long long>(bad.offset), bad.column, static_cast<long long>(bad.position), value,
                   static_cast<long long>(pairs.rows[bad.column]));
}

IndicePairs MakeIndicePairs(const PairsArguments& pairs, int64_t input_rows, int64_t output_rows) {
  return {pairs.tensor.desc->extent(0),
          pairs.length(),
          static_cast<const int32_t*>(pairs.tensor.data),
          pairs.indice_num,
          {input_rows, output_rows}};
}

}  // namespace detops
