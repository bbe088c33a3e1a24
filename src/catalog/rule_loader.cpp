// Rules: the half the engine runs (parse_rule, which also refuses unknown keys of the file) and the
// half people read (parse_rule_manual).

#include "base/text.h"
#include "catalog/catalog.h"
#include "catalog/strict_reader.h"

#include <algorithm>
#include <array>
#include <limits>

namespace gpulint {
namespace {

constexpr std::array<std::string_view, 3> kLevelNames = {"error", "warning", "note"};
constexpr std::array<Severity, 3> kLevels = {Severity::error, Severity::warning, Severity::note};
constexpr std::array<std::string_view, 3> kFixKinds = {"safe", "unsafe", "display"};
constexpr std::array<std::string_view, 3> kOncePer = {"folder", "project", "message"};

/// Puts a syntax error of an expression at its byte in the file. Text that stands in the file as
/// written is pointed into; text that folding or escapes changed is pointed at as a whole.
void complain_about_expression(Complaints& complaints, NodeId node, const Error& error) {
  const Document& document = complaints.document();
  const Node& value = document.node(document.resolve(node));
  std::uint32_t begin = value.begin;
  std::uint32_t end = value.end;
  if (value.has_value_in_pool == 0 && error.where.begin <= value.value_size) {
    begin = value.value_begin + error.where.begin;
    end = std::max(begin, value.value_begin + std::min(error.where.end, value.value_size));
  }
  complaints.at(begin, end, error.message);
}

template <class Parsed>
Parsed read_parsed(Complaints& complaints, NodeId node) {
  const std::string_view text = read_text(complaints, node);
  if (text.empty()) return {};
  Result<Parsed> parsed = Parsed::parse(text);
  if (parsed) return std::move(parsed).value();
  complain_about_expression(complaints, node, parsed.error());
  return {};
}

std::vector<SeverityLevel> read_severity(Complaints& complaints, NodeId node) {
  std::vector<SeverityLevel> levels;
  if (node == kNoNode) return levels;
  if (complaints.document().kind(node) != NodeKind::mapping) {
    const std::optional<std::size_t> index = read_choice(complaints, node, kLevelNames);
    if (index) levels.push_back({kLevels[*index], {}});
    return levels;
  }
  StrictMapping mapping(complaints, node);
  for (std::size_t i = 0; i < kLevelNames.size(); ++i) {
    const NodeId condition = mapping.find(kLevelNames[i]);
    if (condition == kNoNode) continue;
    levels.push_back({kLevels[i], read_parsed<expr::Expression>(complaints, condition)});
  }
  mapping.refuse_unknown_keys();
  if (levels.empty()) complaints.about(node, "has no level");
  return levels;
}

/// `set` is one change or a list of changes, of which the first that can be written is the fix.
void read_fix_sets(Complaints& complaints, NodeId set, NodeId remove, RuleTexts& rule) {
  const auto read_one = [&](NodeId node) {
    FixSet& one = rule.fix_sets.emplace_back();
    for (const auto& [fact, value] : read_entries(complaints, node)) {
      one.set.emplace_back(fact, read_parsed<expr::Expression>(complaints, value));
    }
  };
  if (set != kNoNode && complaints.document().kind(set) == NodeKind::sequence) {
    for (const NodeId node : read_items(complaints, set)) read_one(node);
  } else if (set != kNoNode) {
    read_one(set);
  }
  if (remove != kNoNode) {
    rule.fix_sets.push_back({.set = {}, .remove = read_words(complaints, remove)});
  }
}

void read_fix(Complaints& complaints, NodeId node, RuleTexts& rule) {
  if (node == kNoNode) return;
  StrictMapping mapping(complaints, node);
  const std::optional<std::size_t> kind = read_choice(complaints, mapping.need("kind"), kFixKinds);
  if (kind) rule.fix_kind = kFixKinds[*kind];
  rule.fix_advice = read_parsed<expr::Template>(complaints, mapping.need("advice"));
  const NodeId set = mapping.find("set");
  const NodeId remove = mapping.find("remove");
  read_fix_sets(complaints, set, remove, rule);
  mapping.refuse_unknown_keys();
  if (rule.fix_kind == "display" && !rule.fix_sets.empty()) {
    complaints.about(set != kNoNode ? set : remove,
                     "a fix of kind \"display\" is advice and sets nothing");
  } else if (kind && rule.fix_kind != "display" && rule.fix_sets.empty()) {
    complaints.about(node, "a fix of kind \"" + rule.fix_kind + "\" needs \"set\" or \"remove\"");
  }
}

void refuse_bad_id(Complaints& complaints, std::string_view id) {
  const bool kebab = !id.empty() && id.front() != '-' && id.back() != '-' &&
                     std::all_of(id.begin(), id.end(), [](char c) {
                       return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
                     });
  if (!kebab) {
    complaints.at(0, 0,
                  "\"" + escape_for_display(id) +
                      "\" is not a rule id; name the file in kebab-case, as in "
                      "fp16-without-loss-scaling.yaml");
  }
}

std::vector<std::uint32_t> read_expected_lines(Complaints& complaints, NodeId node) {
  std::vector<std::uint32_t> lines;
  if (node == kNoNode) return lines;
  for (const NodeId item : read_items(complaints, node)) {
    const auto line = read_integer(complaints, item, 1, std::numeric_limits<std::int32_t>::max());
    if (line) lines.push_back(static_cast<std::uint32_t>(*line));
  }
  if (lines.empty()) complaints.about(node, "names no line");
  return lines;
}

RuleSample read_sample(Complaints& complaints, NodeId node, bool bad) {
  StrictMapping mapping(complaints, node);
  RuleSample sample;
  sample.config = read_text(complaints, mapping.need("config"));
  const NodeId file = mapping.find("file");
  sample.file_name = file == kNoNode ? "config.yaml" : read_word(complaints, file);
  sample.gpu = read_word(complaints, mapping.find("gpu"));
  sample.host = read_word(complaints, mapping.find("host"));
  sample.project = read_text(complaints, mapping.find("project"));
  if (const NodeId siblings = mapping.find("siblings"); siblings != kNoNode) {
    for (const auto& [name, text] : read_entries(complaints, siblings)) {
      sample.siblings.emplace_back(name, read_text(complaints, text));
    }
  }
  if (bad) {
    sample.expect = read_expected_lines(complaints, mapping.need("expect"));
    if (const NodeId says = mapping.find("says"); says != kNoNode) {
      for (const NodeId item : read_items(complaints, says)) {
        sample.says.emplace_back(read_text(complaints, item));
      }
    }
  }
  mapping.refuse_unknown_keys();
  return sample;
}

std::vector<RuleSample> read_samples(Complaints& complaints, NodeId node, bool bad) {
  std::vector<RuleSample> samples;
  if (node == kNoNode) return samples;
  for (const NodeId item : read_items(complaints, node)) {
    samples.push_back(read_sample(complaints, item, bad));
  }
  if (samples.empty()) complaints.about(node, "needs at least one sample");
  return samples;
}

/// The half of the file that is read when the rule fires.
RuleTexts read_texts(Complaints& complaints, StrictMapping& file) {
  RuleTexts texts;
  texts.summary = read_word(complaints, file.need("summary"));
  texts.since = read_word(complaints, file.need("since"));
  texts.message = read_parsed<expr::Template>(complaints, file.need("message"));
  if (const NodeId lines = file.find("arithmetic"); lines != kNoNode) {
    for (const NodeId line : read_items(complaints, lines)) {
      texts.arithmetic.push_back(read_parsed<expr::Template>(complaints, line));
    }
  }
  read_fix(complaints, file.need("fix"), texts);
  return texts;
}

}  // namespace

Result<Rule> parse_rule(const Document& document) {
  Complaints complaints(document);
  if (document.root() == kNoNode) {
    complaints.at(0, 0, "the file is empty; expected a rule");
    return fail(std::move(complaints).joined());
  }
  StrictMapping file(complaints, document.root());
  Rule rule;
  rule.id = stem_of(document.path());
  rule.family = folder_name_of(document.path());
  refuse_bad_id(complaints, rule.id);
  rule.severity = read_severity(complaints, file.need("severity"));
  rule.preview = read_boolean(complaints, file.find("preview")).value_or(false);
  const NodeId when = file.find("when");
  rule.when = read_parsed<expr::Expression>(complaints, when);
  if (const NodeId once = file.find("once"); once != kNoNode) {
    if (const auto where = read_choice(complaints, once, kOncePer)) rule.once = kOncePer[*where];
  }
  rule.for_each = read_word(complaints, file.find("for_each"));
  rule.at = read_words(complaints, file.need("at"));
  rule.texts = [texts = read_texts(complaints, file)] { return texts; };
  for (const std::string_view manual_key : {"why", "sources", "samples", "precision"})
    file.find(manual_key);
  file.refuse_unknown_keys();
  const bool always = rule.severity.size() == 1 && rule.severity.front().when.empty();
  if (file.is_mapping() && when == kNoNode && always && rule.for_each.empty()) {
    complaints.about(document.root(), "\"when\" is missing and the severity has no conditions");
  }
  return std::move(complaints).finish(std::move(rule));
}

RuleTexts parse_rule_texts(const Document& document) {
  Complaints complaints(document);
  StrictMapping file(complaints, document.root());
  return read_texts(complaints, file);
}

namespace {

std::optional<MeasuredPrecision> read_precision(Complaints& complaints, NodeId node) {
  if (node == kNoNode) return std::nullopt;
  constexpr std::int64_t kMost = 1'000'000'000;
  StrictMapping mapping(complaints, node);
  MeasuredPrecision measured;
  measured.findings = read_integer(complaints, mapping.need("findings"), 1, kMost).value_or(1);
  measured.judged =
      read_integer(complaints, mapping.need("judged"), 1, measured.findings).value_or(1);
  measured.right = read_integer(complaints, mapping.need("right"), 0, measured.judged).value_or(0);
  mapping.refuse_unknown_keys();
  return measured;
}

}  // namespace

Result<RuleManual> parse_rule_manual(const Document& document) {
  Complaints complaints(document);
  if (document.root() == kNoNode) {
    complaints.at(0, 0, "the file is empty; expected a rule");
    return fail(std::move(complaints).joined());
  }
  StrictMapping file(complaints, document.root());
  RuleManual manual;
  manual.why = read_text(complaints, file.need("why"));
  const NodeId sources = file.need("sources");
  if (file.is_mapping()) manual.sources = read_sources(complaints, document.root(), sources, {});
  manual.precision = read_precision(complaints, file.find("precision"));
  StrictMapping samples(complaints, file.need("samples"));
  manual.bad = read_samples(complaints, samples.need("bad"), true);
  manual.ok = read_samples(complaints, samples.need("ok"), false);
  samples.refuse_unknown_keys();
  return std::move(complaints).finish(std::move(manual));
}

std::string precision_sentence(const RuleManual& manual) {
  if (!manual.precision) {
    return "no finding in the corpus of public configs; tried on samples of reported failures";
  }
  const MeasuredPrecision& measured = *manual.precision;
  return std::to_string(measured.right) + " of " + std::to_string(measured.judged) +
         " findings read were right, of " + std::to_string(measured.findings) +
         " in the corpus of public configs";
}

}  // namespace gpulint
