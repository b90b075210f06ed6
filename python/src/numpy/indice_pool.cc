#include "common/indice_pool.h"

#include <nanobind/nanobind.h>

#include "numpy/arguments.h"
#include "numpy/array.h"
#include "numpy/call.h"
#include "numpy/operators.h"
#include "numpy/pairs.h"

namespace detops_python {
namespace {

nb::object Forward(nb::handle features, nb::handle indice_pairs, nb::handle indice_num, nb::handle num_act_out,
                   nb::handle pool, nb::handle start, nb::handle out) {
  constexpr char kFunction[] = "indice_pool_forward";
  const detopsPoolMethod_t method = detops_binding::IndicePoolOf(WordOf(pool, {kFunction, "pool"}), kFunction);
  const detopsMaximumStart_t first = detops_binding::MaximumStartOf(WordOf(start, {kFunction, "start"}), kFunction);
  const Array rows = Array::Numbers(features, {kFunction, "features"});
  const Pairs pairs(indice_pairs, indice_num, false, kFunction);
  NumpyCall call(kFunction, out);
  const Argument rows_argument = {kFunction, "num_act_out"};
  const int64_t result_rows = detops_binding::RowsOf(Int64OrNone(num_act_out, rows_argument), false, pairs.length(),
                                                     call.RowsOfOut(0), rows_argument);
  detops_binding::IndicePoolForward(call, method, first, rows.view(), pairs.lists, result_rows);
  return call.Result(0);
}

nb::object Backward(nb::handle output_grad, nb::handle features, nb::handle features_out, nb::handle indice_pairs,
                    nb::handle indice_num, nb::handle num_act_in, nb::handle pool, nb::handle out) {
  constexpr char kFunction[] = "indice_pool_backward";
  const detopsPoolMethod_t method = detops_binding::IndicePoolOf(WordOf(pool, {kFunction, "pool"}), kFunction);
  const Array gradient = Array::Numbers(output_grad, {kFunction, "output_grad"});
  const auto numbers_if = [&](nb::handle source, const char* name) {
    const bool needed = method == DETOPS_POOL_MAXIMUM && !source.is_none();
    return needed ? Array::Numbers(source, {kFunction, name}, &gradient.view()) : Array();
  };
  const Array inputs = numbers_if(features, "features");
  const Array outputs = numbers_if(features_out, "features_out");
  const Pairs pairs(indice_pairs, indice_num, false, kFunction);
  NumpyCall call(kFunction, out);
  const Argument rows_argument = {kFunction, "num_act_in"};
  const int64_t result_rows = detops_binding::RowsOf(Int64OrNone(num_act_in, rows_argument), true, pairs.length(),
                                                     call.RowsOfOut(0), rows_argument);
  detops_binding::IndicePoolBackward(call, method, gradient.view(), inputs.view(), outputs.view(), pairs.lists,
                                     result_rows);
  return call.Result(0);
}

}  // namespace

void AddIndicePool(nb::module_& module) {
  module.def("indice_pool_forward", &Forward, nb::arg("features").none(), nb::arg("indice_pairs").none(),
             nb::arg("indice_num").none(), nb::arg("num_act_out").none(), nb::arg("pool").none(),
             nb::arg("start").none(), nb::arg("out").none());
  module.def("indice_pool_backward", &Backward, nb::arg("output_grad").none(), nb::arg("features").none(),
             nb::arg("features_out").none(), nb::arg("indice_pairs").none(), nb::arg("indice_num").none(),
             nb::arg("num_act_in").none(), nb::arg("pool").none(), nb::arg("out").none());
}

}  // namespace detops_python
