#pragma once

#include "source/document.h"

#include <optional>
#include <string>
#include <string_view>

namespace gpulint {

/// What a scalar stands for after `${…}` references are followed.
struct Resolved {
  enum class State : std::uint8_t { literal, value, unknown };
  State state = State::literal;  // literal: no reference in it; unknown: environment, resolver,
                                 // cycle, missing
  NodeId node = kNoNode;  // value: the node it refers to, when the whole scalar is one reference
  std::string text = {};  // value: the text when references stand inside other text
  std::string why = {};   // unknown: what could not be resolved
};

/// OmegaConf/Hydra references inside one document: `${a.b}` (absolute, lists by index or [i]),
/// `${.b}`, `${..b}` (relative), `${oc.env:X,default}` (the default, else unknown),
/// `${oc.select:path,default}`; nested; cycles and more than 32 steps give unknown. Anything else
/// (`${now:…}`, `$VAR`, `???`, `<placeholder>`) is unknown, never an error. An absolute reference
/// whose first component is missing is tried from the top-level section it stands in (a job file
/// that carries a config), then without that component (a file that is one package).
Resolved resolve_reference(const Document& document, NodeId scalar);

/// True for `???`, `<…>`, `$NAME`, `${…}`, `@name`: text that stands for a value which is not in
/// the file.
bool is_placeholder(std::string_view text);

}  // namespace gpulint
