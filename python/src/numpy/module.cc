#include <nanobind/nanobind.h>

#include <exception>
#include <string>

#include "common/operators.h"
#include "common/view.h"
#include "numpy/call.h"

namespace detops_python {
namespace {

// All arguments by position: the package gives them names.
void Add(nb::module_& module, const detops_binding::Operator& op) {
  const std::string name(op.schema.name());
  module.def(name.c_str(), [&op](const nb::args& arguments) {
    NumpyCall call(op.schema, arguments);
    op.run(call);
    return call.Results();
  });
}

}  // namespace
}  // namespace detops_python

NB_MODULE(_native, module) {
  using namespace detops_python;  // the whole file is this list.
  nanobind::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const detops_binding::WrongType& error) {
      PyErr_SetString(PyExc_TypeError, error.what());
    } catch (const detops_binding::NotSupported& error) {
      PyErr_SetString(PyExc_NotImplementedError, error.what());
    } catch (const detops_binding::OutOfMemory& error) {
      PyErr_SetString(PyExc_MemoryError, error.what());
    }
  });
  AddSettings(module);
  detops_binding::ForEachList([&]<const auto & kList>() {
    for (const detops_binding::Operator& op : kList) Add(module, op);
  });
}
