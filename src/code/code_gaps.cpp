#include "code/code_gaps.h"

#include "base/text.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace gpulint {
namespace {

constexpr std::string_view kOfParameters = "parameters";
constexpr std::string_view kOfSteps = "activations";

CodeGap made(const python::Interpreter& in, std::string_view fact, std::string why,
             std::int64_t cause) {
  CodeGap gap{std::string(fact), std::move(why)};
  if (const auto found = in.gap(cause)) {
    gap.place = found->place;
    gap.code = found->code;
    gap.decides = found->decides;
  }
  return gap;
}

/// Of the calls that nobody could follow, the one that most likely leads to the training.
std::int64_t likely_way(const python::Interpreter& in, const std::vector<std::int64_t>& causes) {
  constexpr std::array<std::string_view, 6> kWords = {"train", "fit",   "learn",
                                                      "model", "optim", "net"};
  for (const std::int64_t cause : causes) {
    const auto found = in.gap(cause);
    if (!found) continue;
    const std::string code = to_lower(found->code);
    const bool is_likely =
        std::any_of(kWords.begin(), kWords.end(), [&](std::string_view word) {
          return code.find(word) != std::string::npos;
        });
    if (is_likely) return cause;
  }
  return causes.empty() ? python::kNoCause : causes.front();
}

}  // namespace

std::vector<CodeGap> gaps_of(const python::Interpreter& in, const ScriptNotes& notes,
                             const std::vector<SeenFact>& counted,
                             const std::optional<FollowedNetwork>& step, const CodeBase& code) {
  std::vector<CodeGap> gaps;
  if (counted.empty() || counted.front().fact.at_least) {
    const TrainedNetworks::Missing missing = notes.trained.missing(in);
    if (!missing.what.empty()) {
      const std::int64_t cause = missing.cause != python::kNoCause || !counted.empty()
                                     ? missing.cause
                                     : likely_way(in, notes.unfollowed);
      gaps.push_back(made(in, kOfParameters, missing.what, cause));
    }
    if (in.truncated())
      gaps.push_back({std::string(kOfParameters), "the rest of a program that takes too long"});
  }
  if (counted.empty()) return gaps;
  if (step && step->missing.empty()) return gaps;
  const FollowedStep::Lost lost = notes.step.first_lost();
  if (!lost.what.empty()) {
    const std::string at = code.place_of(lost.place);
    CodeGap gap = made(in, kOfSteps, lost.what + (at.empty() ? "" : " at " + at), lost.cause);
    const auto own = gap.code.empty() ? in.gap_at(lost.place) : std::nullopt;
    if (own) gap.place = own->place, gap.code = own->code;
    gaps.push_back(std::move(gap));
  } else if (step) {
    gaps.push_back({std::string(kOfSteps), step->missing.front()});
  } else {
    gaps.push_back(made(in, kOfSteps, "a step: nothing was seen to call the network",
                        likely_way(in, notes.unfollowed)));
  }
  return gaps;
}

}  // namespace gpulint
