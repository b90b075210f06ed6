#include "ops/indice_convolution/reference/reference.h"

#include <cmath>
#include <cstddef>
#include <stdexcept>

namespace detops_reference {
namespace {

// Sums in the making. A double that has grown by 250,000 terms is no judge of another double, hence long.
class Adder {
 public:
  explicit Adder(int64_t elements) : elements_(static_cast<size_t>(elements)) {}

  void Add(int64_t position, long double term) {
    Element& element = elements_[static_cast<size_t>(position)];
    element.value += term;
    element.magnitude += std::fabs(static_cast<double>(term));
    ++element.terms;
  }

  Sums Result() const {
    Sums sums;
    for (const Element& element : elements_) {
      sums.values.push_back(static_cast<double>(element.value));
      sums.magnitudes.push_back(element.magnitude);
      sums.terms.push_back(element.terms);
    }
    return sums;
  }

 private:
  struct Element {
    long double value = 0;
    double magnitude = 0;
    int64_t terms = 0;
  };
  std::vector<Element> elements_;
};

long double At(const std::vector<double>& values, int64_t position) { return values[static_cast<size_t>(position)]; }

// Calls visit(offset, source row, target row) for every counted pair.
template <class Visit>
void ForEachPair(const ConvolutionPairs& pairs, Visit visit) {
  for (int64_t offset = 0; offset < pairs.offsets; ++offset) {
    for (int64_t column = 0; column < pairs.counts[static_cast<size_t>(offset)]; ++column) {
      visit(offset, pairs.Source(offset, column), pairs.Target(offset, column));
    }
  }
}

}  // namespace

FilterLayout LayoutOfFilters(mluOpTensorLayout_t layout, int64_t offsets, int64_t ci, int64_t co) {
  switch (layout) {
    case MLUOP_LAYOUT_NDHWC:
    case MLUOP_LAYOUT_NHWC:
      return {offsets, ci, co, ci, 1, offsets * ci};
    case MLUOP_LAYOUT_NCDHW:
    case MLUOP_LAYOUT_NCHW:
      return {offsets, ci, co, 1, offsets, ci * offsets};
    case MLUOP_LAYOUT_ARRAY:
    case MLUOP_LAYOUT_HWCN:
      return {offsets, ci, co, ci * co, co, 1};
    default:
      throw std::invalid_argument("no layout of filters");
  }
}

Sums IndiceConvolutionForward(const ConvolutionPairs& pairs, const FilterLayout& layout,
                              const std::vector<double>& features, const std::vector<double>& filters,
                              int64_t target_rows, const std::vector<double>& bias,
                              const std::vector<double>& residual) {
  Adder output(target_rows * layout.co);
  ForEachPair(pairs, [&](int64_t offset, int64_t source, int64_t target) {
    for (int64_t i = 0; i < layout.ci; ++i) {
      const long double feature = At(features, source * layout.ci + i);
      for (int64_t o = 0; o < layout.co; ++o) {
        output.Add(target * layout.co + o, feature * At(filters, layout.Position(offset, i, o)));
      }
    }
  });
  for (int64_t row = 0; row < target_rows; ++row) {
    for (int64_t o = 0; o < layout.co; ++o) {
      const int64_t position = row * layout.co + o;
      if (!bias.empty()) output.Add(position, At(bias, o));
      if (!residual.empty()) output.Add(position, At(residual, position));
    }
  }
  return output.Result();
}

Sums IndiceConvolutionBackwardData(const ConvolutionPairs& pairs, const FilterLayout& layout,
                                   const std::vector<double>& output_grad, const std::vector<double>& filters,
                                   int64_t source_rows) {
  Adder input_grad(source_rows * layout.ci);
  ForEachPair(pairs, [&](int64_t offset, int64_t source, int64_t target) {
    for (int64_t i = 0; i < layout.ci; ++i) {
      for (int64_t o = 0; o < layout.co; ++o) {
        input_grad.Add(source * layout.ci + i,
                       At(output_grad, target * layout.co + o) * At(filters, layout.Position(offset, i, o)));
      }
    }
  });
  return input_grad.Result();
}

Sums IndiceConvolutionBackwardFilter(const ConvolutionPairs& pairs, const FilterLayout& layout,
                                     const std::vector<double>& features, const std::vector<double>& output_grad) {
  Adder filters_grad(layout.offsets * layout.ci * layout.co);
  ForEachPair(pairs, [&](int64_t offset, int64_t source, int64_t target) {
    for (int64_t i = 0; i < layout.ci; ++i) {
      const long double feature = At(features, source * layout.ci + i);
      for (int64_t o = 0; o < layout.co; ++o) {
        filters_grad.Add(layout.Position(offset, i, o), feature * At(output_grad, target * layout.co + o));
      }
    }
  });
  return filters_grad.Result();
}

double Activate(detopsActivation_t activation, double negative_slope, double x) {
  switch (activation) {
    case DETOPS_ACTIVATION_NONE:
      return x;
    case DETOPS_ACTIVATION_RELU:
      return x < 0 ? 0 : x;
    case DETOPS_ACTIVATION_LEAKY_RELU:
      return x < 0 ? negative_slope * x : x;
  }
  throw std::invalid_argument("no activation");
}

}  // namespace detops_reference
