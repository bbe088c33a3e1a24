#pragma once

// What a program that was followed does not do, as no code that it may run has a word of it.
// Internal to this room.

#include "code/read_code.h"
#include "code/seen_facts.h"
#include "python/reach.h"

#include <set>
#include <string>
#include <vector>

namespace gpulint {

/// Adds what nothing in `seen` speaks of. `modules`: paths of those it imports. `at`: the call that
/// works out gradients, or makes the optimizer of what a library fits.
void add_absent_facts(const CodeRequest& request, const std::set<std::string>& modules,
                      const python::Reach& reach, SourceSpan at, std::vector<SeenFact>& seen);

/// Of a program that was not followed to its training, or not to its end: what no file that it may
/// import has a word of, where one of them works out gradients. `program`: "" = any of the project.
std::vector<CodeFact> facts_without_words(const CodeRequest& request, const std::string& program);

}  // namespace gpulint
