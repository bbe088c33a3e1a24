#pragma once

#include "base/file_reader.h"
#include "base/result.h"
#include "probe/rank_report.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint::probe {

/// What sets one card apart from its siblings: the cards of the same name in the same job.
struct Outlier {
  std::size_t report = 0;  // index
  std::string what;
  friend bool operator==(const Outlier&, const Outlier&) = default;
};

/// A card is named when a measured rate lies 15 % below the median of its siblings, when its PCIe
/// link is narrower than the widest of theirs, when it has less memory than the largest of theirs,
/// and, siblings or not, when it could not be measured. Rates whose own noise is more than half of
/// that margin decide nothing.
std::vector<Outlier> find_outliers(std::span<const RankReport> reports);

/// Likewise one card against its siblings.
std::vector<std::string> differences(const DeviceReport& device,
                                     std::span<const DeviceReport* const> siblings);

struct Fleet {
  std::vector<RankReport> reports;   // by node, rank and PCI address
  std::vector<std::string> skipped;  // "file: why"
  std::vector<Outlier> outliers;     // by report
};

/// All reports of a folder; an Error when it cannot be listed or holds no readable one.
Result<Fleet> merge_reports(const FileReader& reader, const std::string& folder);

/// 0 without outliers, else 1.
int exit_code_of(const Fleet& fleet);

}  // namespace gpulint::probe
