#pragma once

// What earlier decisions hide, and what a change is compared with: the options of `check` about
// baselines, suppressions and git, and those of `diff`.

#include "base/result.h"
#include "base/units.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace gpulint::cli {

/// By how much something may grow: a share of what it was, or an amount.
template <class T>
struct Growth {
  std::optional<double> share;  // 0.1 = ten per cent
  T amount{};                   // where `share` is unset
  std::string text;             // as typed
};

struct ReviewArguments {
  std::optional<std::string> baseline;        // read
  std::optional<std::string> write_baseline;  // written
  bool ratchet = false;
  std::optional<std::string> add_ignore;  // the reason to write
  std::optional<std::string> changed_since;
  bool staged = false;
  std::string base;  // diff: what to compare with; "" = HEAD
  std::optional<Growth<Bytes>> max_vram_increase;
  std::optional<Growth<Money>> max_cost_increase;
  bool new_findings_only = false;

  bool uses_git() const { return staged || changed_since.has_value(); }
  bool uses_baseline() const { return baseline || write_baseline; }
};

/// The same as typed.
struct RawReview {
  std::string baseline;
  std::string write_baseline;
  bool ratchet = false;
  std::string add_ignore;
  std::string changed_since;
  bool staged = false;
  std::string max_vram_increase;
  std::string max_cost_increase;
  bool new_findings_only = false;
};

inline constexpr std::string_view kDefaultBaseline = ".gpulint-baseline.json";

void add_review_options(CLI::App& app, RawReview& raw);
void add_diff_options(CLI::App& app, RawReview& raw);

/// A value may be left out of `--write-baseline`; CLI11 would take the next word for it.
std::vector<std::string> with_default_values(std::vector<std::string> words);

Result<ReviewArguments> review_arguments(const RawReview& raw);

}  // namespace gpulint::cli
