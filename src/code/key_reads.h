#pragma once

// Which keys of a config its project's scripts look at. Internal to this room.

#include "code/script_choice.h"
#include "code/script_reader.h"
#include "python/reach.h"

#include <span>
#include <string>
#include <unordered_set>
#include <vector>

namespace gpulint {

/// Of all scripts that may load the config; incomplete where there are many, or one of them cannot
/// be followed to its end.
KeyReads key_reads(const CodeRequest& request, const std::vector<Candidate>& all);

/// Names by which the program asked for something that nobody knows.
std::unordered_set<std::string> names_said(const python::Reach& reach);

/// Notes what one script looked at, and, where it is asked for `words` and keys are left, what else
/// it may look at.
/// `unpacked`: values that a library was given through ** or *.
void note_reads(const CodeRequest& request, const python::Reach& reach,
                std::span<const SourceSpan> unpacked, bool words, ScriptRun& run);

}  // namespace gpulint
