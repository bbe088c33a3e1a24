#pragma once

#include "catalog/catalog.h"
#include "lint/lint.h"

#include <string>

namespace gpulint {

struct ReportOptions {
  bool color = false;
  bool verbose = false;  // name skipped files with their reasons
  int width = 100;       // columns of the terminal
};

/// Every reporter returns text; only `cli` writes it.
std::string report_text(const LintResult& result, const Catalog& catalog,
                        const ReportOptions& options);
std::string report_concise(const LintResult& result, const ReportOptions& options);
std::string report_json(const LintResult& result, const Catalog& catalog);

/// `gpulint facts` and `gpulint estimate`, for people and as JSON.
std::string facts_text(const FileReport& file, const LintResult& result,
                       const ReportOptions& options);
std::string facts_json(const FileReport& file, const LintResult& result);
std::string estimate_text(const FileReport& file, const LintResult& result,
                          const ReportOptions& options);
std::string estimate_json(const FileReport& file, const LintResult& result);

}  // namespace gpulint
