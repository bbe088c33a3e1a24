#pragma once

#include "base/severity.h"
#include "expr/expression.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpulint {

/// A config with what a rule must say about it.
struct RuleSample {
  std::string config;
  std::string file_name;  // "config.yaml" unless the sample needs another name
  std::string gpu, host;  // ids; "" = no target
  std::string project;    // text of a .gpulint.yaml beside it; "" = none
  std::vector<std::pair<std::string, std::string>>
      siblings;                       // other files of the folder: name, text
  std::vector<std::uint32_t> expect;  // bad samples: lines that must be reported
  std::vector<std::string> says;      // their messages, in the order of the lines; empty: any
};

/// `when` of a severity level; the first true one decides. A rule with one plain severity has one
/// level whose condition is empty (always).
struct SeverityLevel {
  Severity severity = Severity::warning;
  expr::Expression when;
};

/// Facts a fix changes together.
struct FixSet {
  std::vector<std::pair<std::string, expr::Expression>> set;  // fact -> new canonical value
  std::vector<std::string> remove;                            // facts whose keys are taken out
};

/// What a rule says: needed when it fires, and by `list`, `explain` and the docs.
struct RuleTexts {
  std::string summary;
  std::string since;
  expr::Template message;
  std::vector<expr::Template> arithmetic;  // lines that show the numbers behind the verdict
  expr::Template fix_advice;               // one sentence
  std::string fix_kind;                    // safe | unsafe | display
  std::vector<FixSet> fix_sets;            // the first that can be written in the config is the fix
};

/// One mistake of rules/<family>/<id>.yaml. Expressions are parsed here and bound by the engine,
/// those of a trusted rule when the program was built.
struct Rule {
  std::string id;
  std::string family;
  bool preview = false;  // off unless asked for
  bool trusted = false;  // shipped: checked and bound when the program was built
  std::vector<SeverityLevel> severity;
  expr::Expression when;        // empty: only the levels decide
  std::string once;             // "folder" or "project": people are told once in it; "" = always
  std::string for_each;         // observation list ("duplicate_keys"); "" = once per plan
  std::vector<std::string> at;  // facts (or "item"); the first with a span is pointed at
  std::function<RuleTexts()> texts;  // reads a shipped rule's file anew at each call
};

/// Findings over a corpus of public configs, and of those read one by one the ones that were right
/// (docs/precision.md).
struct MeasuredPrecision {
  std::int64_t findings = 0;
  std::int64_t judged = 0;
  std::int64_t right = 0;
};

/// What `explain`, the docs and the tests read of a rule's file; a lint run never needs it, so it
/// is not loaded with the rule.
struct RuleManual {
  std::string why;
  std::vector<std::string> sources;
  std::vector<RuleSample> bad;
  std::vector<RuleSample> ok;
  std::optional<MeasuredPrecision> precision;  // unset: no finding there, only samples
};

/// How often the rule was right where its findings were read, as a sentence without a full stop.
std::string precision_sentence(const RuleManual& manual);

/// A template for who reads it without a run: "set it to {lr:g}" is "set it to …", and of a choice
/// the alternatives stay: "{'a' if x else 'b'}" is "a, or b".
std::string advice_in_words(std::string_view template_text);

}  // namespace gpulint
