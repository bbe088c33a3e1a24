#include "cli/review.h"

#include "base/text.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace gpulint::cli {
namespace {

constexpr std::string_view kWriteBaseline = "--write-baseline";

std::optional<std::string> given(const std::string& word) {
  if (word.empty()) return std::nullopt;
  return word;
}

/// A number that is not negative, with nothing behind it.
std::optional<double> number_from(std::string_view text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data(), end, value);
  const bool whole = code == std::errc() && stop == end && !text.empty();
  if (!whole || !std::isfinite(value) || value < 0) return std::nullopt;
  return value;
}

std::optional<double> share_from(std::string_view text) {
  constexpr double kPercent = 100;
  if (!text.ends_with('%')) return std::nullopt;
  const auto number = number_from(trim(text.substr(0, text.size() - 1)));
  if (!number) return std::nullopt;
  return *number / kPercent;
}

std::optional<Bytes> bytes_from(std::string_view text) {
  struct Unit {
    std::string_view name;
    double bytes;
  };
  constexpr std::array<Unit, 4> kUnits{
      {{"MiB", 0x1p20}, {"GiB", 0x1p30}, {"MB", 1e6}, {"GB", 1e9}}};
  for (const Unit& unit : kUnits) {
    if (!text.ends_with(unit.name)) continue;
    const auto number = number_from(trim(text.substr(0, text.size() - unit.name.size())));
    if (number) return Bytes::rounded(*number * unit.bytes);
  }
  return std::nullopt;
}

std::optional<Money> money_from(std::string_view text) {
  if (!text.starts_with('$')) return std::nullopt;
  const auto number = number_from(trim(text.substr(1)));
  if (!number) return std::nullopt;
  return Money{*number};
}

/// "10%" or an amount that `amount_from` understands.
template <class T, class Reader>
Result<std::optional<Growth<T>>> growth_from(std::string_view option, const std::string& text,
                                             Reader amount_from, std::string_view example) {
  if (text.empty()) return std::optional<Growth<T>>();
  Growth<T> growth{.share = share_from(text), .amount = {}, .text = text};
  if (!growth.share) {
    const std::optional<T> amount = amount_from(text);
    if (!amount) {
      return fail(fmt::format("{}: \"{}\" is neither a share nor an amount; write 10% or {}",
                              option, text, example));
    }
    growth.amount = *amount;
  }
  return std::optional<Growth<T>>(std::move(growth));
}

Result<void> check_together(const ReviewArguments& review) {
  if (review.ratchet && !review.uses_baseline()) {
    return fail("--baseline-ratchet: name the baseline with --baseline or --write-baseline");
  }
  if (review.add_ignore && (review.uses_baseline() || review.staged)) {
    return fail(
        "--add-ignore writes into the working files; use it without --baseline and "
        "--staged");
  }
  if (review.write_baseline && review.uses_git()) {
    return fail(
        "--write-baseline: write it from a run over everything, without --changed-since "
        "and --staged");
  }
  return {};
}

Result<void> check_reason(const std::optional<std::string>& reason) {
  if (!reason) return {};
  const bool odd = escape_for_display(*reason) != *reason;
  if (trim(*reason).empty() || odd) {
    return fail("--add-ignore: give the reason in one line, as in --add-ignore=\"known; see #12\"");
  }
  return {};
}

}  // namespace

void add_review_options(CLI::App& app, RawReview& raw) {
  app.add_option("--changed-since", raw.changed_since,
                 "lint only files that differ from this revision, and files that include them")
      ->type_name("REV");
  app.add_flag("--staged", raw.staged, "lint the staged version of staged files");
  app.add_option("--baseline", raw.baseline, "hide the findings listed in this file")
      ->type_name("PATH");
  app.add_option(
         std::string(kWriteBaseline), raw.write_baseline,
         "record the current findings in a file (default " + std::string(kDefaultBaseline) + ")")
      ->type_name("[=PATH]");
  app.add_flag("--baseline-ratchet", raw.ratchet,
               "fail if the baseline would grow or could shrink");
  app.add_option("--add-ignore", raw.add_ignore,
                 "write a suppression with this reason for each current finding")
      ->type_name("REASON");
}

void add_diff_options(CLI::App& app, RawReview& raw) {
  app.add_flag("--staged", raw.staged, "compare the staged version instead of the working files");
  app.add_option("--max-vram-increase", raw.max_vram_increase,
                 "exit with 1 if a peak grows by more: 10% or 2GiB")
      ->type_name("LIMIT");
  app.add_option("--max-cost-increase", raw.max_cost_increase,
                 "exit with 1 if the cost of a run grows by more: 10% or $50")
      ->type_name("LIMIT");
  app.add_flag("--new-findings-only", raw.new_findings_only,
               "only findings that the change adds affect the exit code");
}

std::vector<std::string> with_default_values(std::vector<std::string> words) {
  for (std::string& word : words) {
    if (word == "--") break;
    if (word == kWriteBaseline) word += "=" + std::string(kDefaultBaseline);
  }
  return words;
}

Result<ReviewArguments> review_arguments(const RawReview& raw) {
  ReviewArguments review;
  review.baseline = given(raw.baseline);
  review.write_baseline = given(raw.write_baseline);
  if (review.baseline && review.write_baseline == std::string(kDefaultBaseline)) {
    review.write_baseline = review.baseline;
  }
  review.ratchet = raw.ratchet;
  review.add_ignore = given(raw.add_ignore);
  review.changed_since = given(raw.changed_since);
  review.staged = raw.staged;
  review.new_findings_only = raw.new_findings_only;
  auto vram = growth_from<Bytes>("--max-vram-increase", raw.max_vram_increase, bytes_from, "2GiB");
  if (!vram) return fail(std::move(vram).error());
  auto cost = growth_from<Money>("--max-cost-increase", raw.max_cost_increase, money_from, "$50");
  if (!cost) return fail(std::move(cost).error());
  review.max_vram_increase = std::move(*vram);
  review.max_cost_increase = std::move(*cost);
  if (auto fine = check_reason(review.add_ignore); !fine) return fail(std::move(fine).error());
  if (auto fine = check_together(review); !fine) return fail(std::move(fine).error());
  return review;
}

}  // namespace gpulint::cli
