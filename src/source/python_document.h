#pragma once

// A Python config as a Document: its module is interpreted (python/), and what it defines becomes
// mappings, lists and scalars that know their bytes. What cannot be worked out is "???", which
// stands for a value that is not in the file.

#include "python/interpreter.h"
#include "source/document.h"
#include "source/read.h"

#include <span>
#include <string>
#include <string_view>

namespace gpulint {

/// A file that a config's values may stand in.
struct PythonPart {
  FileId file = kNoFile;  // by which its values name it
  std::string_view text;
  FileId shown = kNoFile;  // its number in the document
  std::span<const python::CommentRange> comments = {};
};

/// How the functions of Python configs act that are not part of the config's own project. The
/// mechanisms of python/host.h under the names that config systems give them.
python::Behaviour config_behaviour(std::string_view name);

/// The names of a module that is written as a config: those it defines, those of the object that a
/// `get_config()` returns, or those of an instance of its class `Exp`.
python::Value python_config(python::Interpreter& interpreter, const python::Module& module);

/// `value` as a document. `parts`: the config's own text first, then those of the modules it
/// imports; a value that none of them states has an empty span.
Document python_document(const python::Interpreter& interpreter, const python::Value& value,
                         std::string path, std::span<const PythonPart> parts,
                         const ReadLimits& limits);

/// A config alone: what it imports is unknown.
Result<Document> read_python(std::string path, std::string text, FileId file,
                             const ReadLimits& limits);

}  // namespace gpulint
