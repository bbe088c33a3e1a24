#pragma once

#include <vector>

namespace gpulint::probe {

struct Summary {
  double median = 0;
  /// The larger of the scatter (1.4826 times the median absolute deviation, the standard deviation
  /// of a normal distribution) and the drift between the medians of both halves.
  double noise = 0;
};

/// `values`: in the order they were measured, at least one.
double median_of(std::vector<double> values);
double mean_of(const std::vector<double>& values);
Summary summarize(const std::vector<double>& values);

}  // namespace gpulint::probe
