// Sites in ascending order. Rows follow them by an index, which both languages have.
#include "common/operators.h"

namespace detops_binding {
namespace {

constexpr Schema kSchema("sort_sites(Tensor indices) -> (Tensor indices, Tensor order)");

void SortSites(Call& call) {
  const View indices = call.Indices(kSchema["indices"]);
  const View sorted = call.Output(0, MLUOP_DTYPE_INT32, {indices.extent(0), indices.extent(1)});
  const View order = call.Output(1, MLUOP_DTYPE_INT32, {indices.extent(0)});
  call.Run([&](mluOpHandle_t handle) {
    return detopsSortSites(handle, Descriptor(indices), indices.data, Descriptor(sorted), sorted.data,
                           Descriptor(order), order.data);
  });
}

}  // namespace

constinit const std::array<Operator, 1> kSortSites = {{{kSchema, &SortSites}}};

}  // namespace detops_binding
