#pragma once

#include "lint/lint.h"
#include "report/format.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace gpulint {

inline const Catalog& shipped_catalog() {
  static const Catalog opened = *Catalog::open(embedded_data());
  return opened;
}

/// The findings of `result` in a format of the table.
inline std::string written(std::string_view format, const LintResult& result,
                           const Surroundings& surroundings = {},
                           const ReportOptions& options = {}) {
  const OutputFormat* found = find_format(format);
  REQUIRE(found != nullptr);
  return found->check({result, shipped_catalog(), surroundings, options});
}

}  // namespace gpulint
