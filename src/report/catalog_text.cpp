#include "base/text.h"
#include "finding/own_rules.h"
#include "plan/fact_table.h"
#include "report/report.h"
#include "report/style.h"
#include "report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace gpulint {
namespace {

using Cells = std::vector<std::string>;

std::string severity_text(const Rule& rule) {
  std::vector<std::string> names;
  for (const SeverityLevel& level : rule.severity) {
    std::string name(name_of(level.severity));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return join(names, "/");
}

std::string range_text(BytesRange range) {
  const std::string low = format_binary(range.low);
  const std::string high = format_binary(range.high);
  return low == high ? low : fmt::format("{} - {}", low, high);
}

/// Lines of a text behind a margin.
std::string indented(std::string_view text, std::string_view margin) {
  std::string result;
  for (const std::string_view line : split(trim(text), '\n')) {
    if (!line.empty()) result += fmt::format("{}{}", margin, line);
    result += '\n';
  }
  return result;
}

void add_sample(std::string& text, std::string_view title, const RuleSample& sample) {
  text += fmt::format("{}{}{}:\n", title, sample.gpu.empty() ? "" : " on " + sample.gpu,
                      sample.host.empty() ? "" : " in " + sample.host);
  text += indented(sample.config, "    ");
  for (const auto& [name, sibling] : sample.siblings) {
    text += fmt::format("  beside it {}:\n{}", name, indented(sibling, "    "));
  }
  if (sample.project.empty()) return;
  text += fmt::format("  with this .gpulint.yaml:\n{}", indented(sample.project, "    "));
}

std::string rules_text(const Catalog& catalog) {
  std::vector<Cells> rows;
  for (const Rule& rule : catalog.rules()) {
    rows.push_back({rule.id, severity_text(rule), rule.preview ? "preview" : rule.family,
                    rule.texts().summary});
  }
  return table_text(rows);
}

std::string gpus_text(const Catalog& catalog) {
  std::vector<Cells> rows;
  for (const Gpu* gpu : catalog.gpus()) {
    rows.push_back(
        {gpu->id, gpu->names.empty() ? "" : gpu->names.front(),
         gpu->usable_memory ? range_text(*gpu->usable_memory) + " usable" : "size unknown",
         gpu->architecture});
  }
  return table_text(rows);
}

std::string hosts_text(const Catalog& catalog) {
  std::vector<Cells> rows;
  for (const Host* host : catalog.hosts()) {
    rows.push_back(
        {host->id,
         host->gpu.empty() ? "no GPU"
                           : fmt::format("{} x {}", host->gpu_count.value_or(1), host->gpu),
         host->cpu_cores ? fmt::format("{} cores", *host->cpu_cores) : "",
         host->ram ? format_decimal(*host->ram) + " RAM" : "",
         host->price
             ? fmt::format("${:.2f}/h ({})", host->price->per_hour.dollars, host->price->as_of)
             : ""});
  }
  return table_text(rows);
}

std::string models_text(std::span<const std::string> ids) {
  std::string text;
  for (const std::string& id : ids) text.append(id).append("\n");
  return text;
}

std::string dialects_text(const Catalog& catalog) {
  std::vector<Cells> rows;
  for (const Dialect& dialect : catalog.dialects()) rows.push_back({dialect.id, dialect.summary});
  return table_text(rows);
}

std::string facts_list_text() {
  std::vector<Cells> rows;
  for (const FactRow& row : fact_table()) {
    rows.push_back({std::string(row.name), std::string(row.unit), std::string(row.meaning)});
  }
  return table_text(rows);
}

std::string formats_text() {
  std::vector<Cells> rows;
  for (const OutputFormat* format : output_formats()) {
    rows.push_back({std::string(format->id), commands_of(*format), std::string(format->file_name),
                    format->streams ? "lines" : "whole", std::string(format->readers)});
  }
  return table_text(rows);
}

}  // namespace

std::string list_text(const Listing& listing) {
  const Catalog& catalog = listing.catalog;
  if (listing.topic == "rules") return rules_text(catalog);
  if (listing.topic == "gpus") return gpus_text(catalog);
  if (listing.topic == "hosts") return hosts_text(catalog);
  if (listing.topic == "models") return models_text(listing.models);
  if (listing.topic == "dialects") return dialects_text(catalog);
  if (listing.topic == "facts") return facts_list_text();
  if (listing.topic == "formats") return formats_text();
  return list_knowledge_text(listing);
}

std::string explain_text(const Rule& rule, const RuleManual& manual) {
  const RuleTexts texts = rule.texts();
  std::string text = fmt::format("{}: {}\n", rule.id, texts.summary);
  if (!rule.family.empty()) {
    text += fmt::format("severity {}, family {}, since {}{}\n", severity_text(rule), rule.family,
                        texts.since, rule.preview ? ", preview" : "");
  }
  text += '\n';
  text += indented(manual.why, "");
  if (!rule.when.empty())
    text += fmt::format("\nreported when\n{}", indented(rule.when.text(), "    "));
  if (!texts.fix_advice.empty()) {
    text += fmt::format("\nfix ({})\n{}", texts.fix_kind,
                        indented(advice_in_words(texts.fix_advice.text()), "    "));
  }
  if (!manual.bad.empty() || !manual.ok.empty()) text += '\n';
  for (const RuleSample& sample : manual.bad) add_sample(text, "reported", sample);
  for (const RuleSample& sample : manual.ok) add_sample(text, "not reported", sample);
  if (!rule.family.empty()) {
    text += fmt::format("\nmeasured precision\n    {}\n", precision_sentence(manual));
  }
  if (!manual.sources.empty()) text += "\nsources\n";
  for (const std::string& source : manual.sources) text += fmt::format("    {}\n", source);
  return text;
}

std::pair<Rule, RuleManual> described(const OwnRule& rule) {
  std::pair<Rule, RuleManual> described;
  described.first.id = rule.id;
  described.first.severity.push_back({rule.severity, {}});
  described.first.texts = [&rule] {
    RuleTexts texts;
    texts.summary = rule.summary;
    return texts;
  };
  described.second.why = rule.why;
  return described;
}

}  // namespace gpulint
