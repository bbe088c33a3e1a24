// Peaks a user has measured. The peak of a step is a maximum of terms that are each linear in the
// batch, so it is a rising line with kinks: fixed + slope x batch, 0 <= fixed, 0 <= slope.
//
// One point (b1, m1) cannot tell fixed from per-sample memory. Whatever the truth, at another batch
// b the peak lies between m1 (all of it fixed) and m1 x b / b1 (all of it per sample); both ends
// are kept and the middle is no more than the middle.
// Two points and more give a line. Two readings of one setting still differ by what the caching
// allocator makes of the same tensors (reserved / allocated from 1.05 to 1.13 about 1.10), so each
// reading is an interval, the slope is one too, and distance widens the result; the proportional
// bounds above hold for every point and cut it off again. Between two points the line is used, and
// beyond the last one the last two. Least squares over all points was rejected: a kink would be
// averaged away exactly where large batches are judged.

#include "memory/measured.h"

#include "memory/device_memory.h"
#include "plan/fact_table.h"
#include "run/fact_access.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

namespace gpulint {
namespace {

// reserved / allocated about its usual value; see device_memory.cpp.
constexpr Range kReadingSpread{1.05 / kUsualReserved, 1.0, 1.13 / kUsualReserved};
constexpr Range kReservedOfAllocated{1.05, kUsualReserved, 1.13};

using When = std::vector<std::pair<std::string, std::string>>;

When sorted(const When& when) {
  When copy = when;
  std::sort(copy.begin(), copy.end());
  return copy;
}

enum class Match : std::uint8_t { yes, no, unknown };

Match matches(const TrainingPlan& plan, const Gpu* gpu, const std::string& name,
              const std::string& text, UnknownFacts& unknown) {
  if (name == "gpu" && gpu != nullptr) return gpu->id == text ? Match::yes : Match::no;
  const FactRow* row = find_fact(name);
  if (row == nullptr) return Match::no;
  const expr::Value planned = value_of(plan, *row);
  if (!planned.known()) {
    unknown.push_back(row->name);
    return Match::unknown;
  }
  TrainingPlan scratch;
  if (!set_fact(scratch, *row, text, Provenance{})) return Match::no;
  return value_of(scratch, *row) == planned ? Match::yes : Match::no;
}

bool plan_is_in(const TrainingPlan& plan, const Gpu* gpu, const When& when, UnknownFacts& unknown) {
  UnknownFacts missing;
  bool in = true;
  for (const auto& [name, text] : when) {
    const Match match = matches(plan, gpu, name, text, missing);
    // A fact that differs settles it; what else may be missing then does not matter.
    if (match == Match::no) return false;
    in = in && match == Match::yes;
  }
  unknown.insert(unknown.end(), missing.begin(), missing.end());
  return in;
}

Interval as_nvidia_smi(const Measurement& measurement, const Interval& outside) {
  const Interval reading = exactly(measurement.peak);
  switch (measurement.kind) {
    case MemoryKind::nvidia_smi:
      return reading;
    case MemoryKind::reserved:
      return reading + outside;
    case MemoryKind::allocated:
      return times(reading.central.as_double(), kReservedOfAllocated) + outside;
  }
  return reading;
}

struct Setting {
  When when;
  std::vector<MeasuredPoint> points;
};

// Of two readings at one batch the larger counts: both were peaks.
void add_point(Setting& setting, const MeasuredPoint& point) {
  for (MeasuredPoint& known : setting.points) {
    if (known.batch != point.batch) continue;
    if (known.total.central < point.total.central) known = point;
    return;
  }
  setting.points.push_back(point);
}

bool better(const Setting& a, const Setting& b) {
  const bool a_line = a.points.size() >= 2;
  const bool b_line = b.points.size() >= 2;
  if (a_line != b_line) return a_line;
  return a.when.size() > b.when.size();
}

struct Line {
  double batch;   // of the anchor point
  double anchor;  // bytes there
  double slope;   // bytes per sample
  double at(double b) const { return anchor + slope * (b - batch); }
};

// The two points around `batch`, or the two nearest to it on one side.
std::pair<MeasuredPoint, MeasuredPoint> neighbours(std::span<const MeasuredPoint> points,
                                                   std::int64_t batch) {
  std::size_t upper = 1;
  while (upper + 1 < points.size() && points[upper].batch < batch) ++upper;
  return {points[upper - 1], points[upper]};
}

Bytes read_low(const MeasuredPoint& p) {
  return Bytes::rounded(p.total.low.as_double() * kReadingSpread.low);
}
Bytes read_high(const MeasuredPoint& p) {
  return Bytes::rounded(p.total.high.as_double() * kReadingSpread.high);
}

// All fixed at one end, all per sample at the other.
Interval proportional_bounds(const MeasuredPoint& point, std::int64_t batch) {
  const double ratio = static_cast<double>(batch) / static_cast<double>(point.batch);
  const Bytes low = read_low(point);
  const Bytes high = read_high(point);
  const Bytes other_low = Bytes::rounded(low.as_double() * ratio);
  const Bytes other_high = Bytes::rounded(high.as_double() * ratio);
  const double middle = point.total.central.as_double() * (1 + ratio) / 2;
  return {std::min(low, other_low), Bytes::rounded(middle), std::max(high, other_high)};
}

Interval line_bounds(std::span<const MeasuredPoint> points, std::int64_t batch) {
  const auto [first, second] = neighbours(points, batch);
  const double b1 = static_cast<double>(first.batch);
  const double b2 = static_cast<double>(second.batch);
  const double b = static_cast<double>(batch);
  const auto slope = [&](Bytes at_first, Bytes at_second) {
    return std::max(0.0, (at_second.as_double() - at_first.as_double()) / (b2 - b1));
  };
  const bool beyond = b > b2;
  const MeasuredPoint& anchor = beyond ? second : first;
  const double anchor_batch = beyond ? b2 : b1;
  const double gentle = slope(read_high(first), read_low(second));
  const double steep = slope(read_low(first), read_high(second));
  const bool below = b < b1;
  const Line low{anchor_batch, read_low(anchor).as_double(), below ? steep : gentle};
  const Line high{anchor_batch, read_high(anchor).as_double(), below ? gentle : steep};
  const Line central{anchor_batch, anchor.total.central.as_double(),
                     slope(first.total.central, second.total.central)};
  Interval bounds{Bytes::rounded(low.at(b)), Bytes::rounded(central.at(b)),
                  Bytes::rounded(high.at(b))};
  for (const MeasuredPoint& point : points) {
    const Interval limit = proportional_bounds(point, batch);
    bounds.low = std::max(bounds.low, limit.low);
    bounds.high = std::min(bounds.high, limit.high);
  }
  bounds.low = std::min(bounds.low, bounds.central);
  bounds.high = std::max(bounds.high, bounds.central);
  return bounds;
}

std::string batches_of(std::span<const MeasuredPoint> points) {
  std::string text;
  for (const MeasuredPoint& point : points) {
    if (!text.empty()) text += ", ";
    text += fmt::format("{} at batch {}", format_decimal(point.reading), point.batch);
  }
  return text;
}

std::string point_explanation(const MeasuredPoint& point, std::int64_t batch) {
  if (point.batch == batch) {
    return fmt::format(
        "measured at this batch: {}; the interval covers how the caching allocator may place the "
        "same tensors",
        format_decimal(point.reading));
  }
  return fmt::format(
      "one measured point ({} at batch {}) cannot separate fixed from per-sample "
      "memory: between all of it fixed and all of it per sample",
      format_decimal(point.reading), point.batch);
}

}  // namespace

std::vector<MeasuredPoint> measured_points(const TrainingPlan& plan, const Gpu* gpu,
                                           std::span<const Measurement> measurements,
                                           UnknownFacts& unknown) {
  const Interval outside = outside_allocator(plan, gpu).total();
  std::vector<Setting> settings;
  for (const Measurement& measurement : measurements) {
    if (measurement.per_device_batch_size < 1 || measurement.peak.count() <= 0) continue;
    When when = sorted(measurement.when);
    auto setting = std::find_if(settings.begin(), settings.end(),
                                [&](const Setting& known) { return known.when == when; });
    if (setting == settings.end()) {
      if (!plan_is_in(plan, gpu, when, unknown)) continue;
      settings.push_back({std::move(when), {}});
      setting = settings.end() - 1;
    }
    add_point(*setting, {measurement.per_device_batch_size, as_nvidia_smi(measurement, outside),
                         measurement.peak});
  }
  if (settings.empty()) return {};
  Setting* best = &settings.front();
  for (Setting& setting : settings) {
    if (better(setting, *best)) best = &setting;
  }
  std::sort(best->points.begin(), best->points.end(),
            [](const MeasuredPoint& a, const MeasuredPoint& b) { return a.batch < b.batch; });
  return std::move(best->points);
}

Interval measured_total(std::span<const MeasuredPoint> points, std::int64_t batch) {
  return points.size() == 1 ? proportional_bounds(points.front(), batch)
                            : line_bounds(points, batch);
}

VramEstimate measured_vram(const TrainingPlan& plan, const Gpu* gpu,
                           std::span<const MeasuredPoint> points, std::int64_t batch) {
  VramEstimate vram;
  vram.total = measured_total(points, batch);
  vram.phase = "measured";
  vram.phases.push_back({vram.phase, vram.total.central, vram.total.central});
  const bool line = points.size() >= 2;
  vram.basis = line ? VramBasis::measured_line : VramBasis::measured_point;
  if (line) {
    const Bytes fixed = measured_total(points, 0).central;
    const Bytes rest = vram.total.central - fixed;
    vram.terms.push_back({"not depending on the batch", fixed, "where the line meets batch 0"});
    vram.terms.push_back({"growing with the batch", rest, fmt::format("at {} samples", batch)});
    vram.explanation = fmt::format("a line through measured points ({})", batches_of(points));
  } else {
    const MeasuredPoint& point = points.front();
    vram.terms.push_back({fmt::format("measured at batch {}", point.batch), point.total.central,
                          format_decimal(point.reading)});
    if (point.batch != batch) {
      vram.terms.push_back({fmt::format("change to batch {}", batch),
                            vram.total.central - point.total.central,
                            "half of what it would be if all memory were per sample"});
    }
    vram.explanation = point_explanation(point, batch);
  }
  vram.needed = vram.total;  // a reading says nothing of what was cached
  vram.ample = vram.total;
  vram.outside_allocator = outside_allocator(plan, gpu).total().central;
  vram.reserved_peak = std::max(Bytes{}, vram.total.central - vram.outside_allocator);
  vram.allocated_peak = Bytes::rounded(vram.reserved_peak.as_double() / kUsualReserved);
  return vram;
}

}  // namespace gpulint
