#include "plan/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace gpulint {

std::vector<RunSource> Run::sources() const {
  std::vector<RunSource> sources;
  const auto add = [&](const Document& document, std::string role) {
    RunSource source{std::string(document.path()), std::move(role)};
    if (std::find(sources.begin(), sources.end(), source) == sources.end())
      sources.push_back(std::move(source));
  };
  for (const CompanionDocument& companion : companions_) {
    if (companion.wins) add(companion.keys->document(), "flags, which win");
  }
  if (changes_ != nullptr) add(*changes_, "changes to keys, which win");
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    // Bases were read the weakest first.
    const Document& text = i == 0 ? *texts_.front() : *texts_[texts_.size() - i];
    const bool is_command = text.format() == Format::shell;
    add(text, i > 0 ? "base" : (is_command ? "flags" : "config"));
  }
  for (const CompanionDocument& companion : companions_) {
    if (companion.wins) continue;
    const bool decides = companion.terms != nullptr && !companion.terms->decides.empty();
    add(companion.keys->document(), decides ? fmt::format("{}, decides {}", companion.dialect->id,
                                                          fmt::join(companion.terms->decides, ", "))
                                            : fmt::format("{}, fills in", companion.dialect->id));
  }
  return sources;
}

}  // namespace gpulint
