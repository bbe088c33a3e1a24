#include "finding/own_rules.h"

#include <algorithm>
#include <array>

namespace gpulint {
namespace {

constexpr std::array<OwnRule, 8> kOwnRules{
    {{kExpiredSuppression, Severity::warning, "a suppression is past its date",
      "Whoever wrote `until=` wanted to be asked again. From the day after it the suppression no "
      "longer counts and its findings are back.\n"
      "Fix the config, or set a later date with a reason."},
     {kForbiddenSuppression, Severity::warning, "a suppression names a rule nobody may ignore",
      "`.gpulint.yaml` lists the rule under `unignorable`, so neither a comment nor a baseline "
      "hides its findings."},
     {kLimitExceeded, Severity::error,
      "the config is larger, deeper or more entangled than gpulint reads",
      "Size, nesting and alias expansion are bounded so that no file can stop a lint run. A real "
      "config stays far below the bounds; the file is probably data, or was made to do harm."},
     {kMalformedSuppression, Severity::warning, "a suppression cannot be read and so does nothing",
      "A suppression names its rules, `# gpulint: ignore[rule] -- reason`: one that hid everything "
      "would also hide what comes later."},
     {kStaleRecording, Severity::note, "a recorded network is not the one that is trained",
      "`.gpulint/models/` holds what one training step of a network of the project keeps. When the "
      "network's source files have changed since, or the config builds it with other arguments, "
      "the recording may say too much or too little.\n"
      "Record it again with the command the finding names, and commit the file."},
     {kSyntaxError, Severity::error, "the config cannot be read",
      "The loader of the training framework refuses this text too, so the run would not start.\n"
      "A file that cannot be read is reported when it was named on the command line or holds the "
      "keys of a training config; else it is somebody else's file and is skipped."},
     {kUnknownSuppression, Severity::warning, "a suppression names a rule that does not exist",
      "A misspelt or removed rule silences nothing."},
     {kUnusedSuppression, Severity::note, "a suppression silences nothing",
      "The finding it was written for is gone, and a later one of the same rule would be hidden "
      "unseen.\n"
      "Reported only where the rule could decide: one that was silent because a fact or the target "
      "hardware is unknown might speak in another run."}}};

}  // namespace

std::span<const OwnRule> own_rules() { return kOwnRules; }

const OwnRule* own_rule(std::string_view id) {
  const auto* found = std::find_if(kOwnRules.begin(), kOwnRules.end(),
                                   [&](const OwnRule& rule) { return rule.id == id; });
  return found == kOwnRules.end() ? nullptr : found;
}

bool judges_suppressions(std::string_view id) { return id.ends_with("-suppression"); }

}  // namespace gpulint
