#pragma once

// A project in memory, of which one config is asked about.

#include "lint/lint.h"
#include "plan/fact_table.h"
#include "unit/lint/memory_reader.h"
#include "unit/lint/shared_session.h"

#include <string>
#include <utility>

namespace gpulint {

struct Project {
  MemoryReader reader;
  LintResult result;

  Project(MemoryReader::Files files, std::string config, bool reads_code = true)
      : reader(std::move(files)) {
    LintRequest request;
    request.paths = {std::move(config)};
    request.options.keep_plans = true;
    request.options.read_code = reads_code;
    result = lint(session_over(reader), request);
  }

  const Plan* plan() const {
    return result.files.empty() || result.files.front().plans.empty()
               ? nullptr
               : result.files.front().plans.front().plan.get();
  }
  /// "value origin path:line".
  std::string fact(const std::string& name) const {
    if (plan() == nullptr) return "no run";
    const Provenance* from = provenance_of(plan()->facts, *find_fact(name));
    if (from == nullptr) return "unknown";
    std::string text = canonical_text(plan()->facts, *find_fact(name));
    text += std::string(" ") + name_of(from->origin);
    if (!from->span.known()) return text;
    const SourceText& source = result.sources[from->span.file];
    return text + " " + source.path + ":" +
           std::to_string(source.lines.at(source.text, from->span.begin).line);
  }
};

}  // namespace gpulint
