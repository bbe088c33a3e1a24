#include "host/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace gpulint::probe {

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

Summary summarize(const std::vector<double>& values) {
  constexpr double kDeviationsPerMad = 1.4826;  // 1 / quantile(3/4) of the normal distribution
  Summary summary;
  summary.median = median_of(values);
  std::vector<double> distances;
  for (const double value : values) distances.push_back(std::abs(value - summary.median));
  summary.noise = kDeviationsPerMad * median_of(std::move(distances));
  if (values.size() < 2) return summary;
  const auto half = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  const double drift =
      std::abs(median_of({values.begin(), half}) - median_of({half, values.end()}));
  summary.noise = std::max(summary.noise, drift);
  return summary;
}

}  // namespace gpulint::probe
