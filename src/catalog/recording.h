#pragma once

// What a recorded model (model_db/recorded/, `.gpulint/models/`) says of where it came from: the
// key `recorded` of its file.

#include "source/document.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpulint {

class Complaints;  // catalog/strict_reader.h

/// A key and the text of its value: one scalar, or the items of a list joined by ", ".
using NamedText = std::pair<std::string, std::string>;

struct Recording {
  std::string command;               // that records it again
  std::vector<NamedText> files;      // path below the project, `text_fingerprint` of its text
  std::vector<NamedText> facts;      // that the recorded step states, by name
  std::vector<NamedText> arguments;  // of the class or function the network was made with
};

/// The value of `recorded`; what is wrong with it goes to `complaints`. Paths lead to Python files
/// below the project and nowhere else.
Recording read_recording(Complaints& complaints, NodeId node);

/// That of a model's file; nullopt where nobody recorded it, or it says so in no readable way.
std::optional<Recording> recording_of(const Document& document);

/// FNV-1a, 64 bits in hexadecimal, of a text with line ends as Unix writes them: tells that a file
/// changed, and is no defence against one that is made to look the same.
std::string text_fingerprint(std::string_view text);

}  // namespace gpulint
