#pragma once

#include "python/interpreter.h"
#include "source/document.h"

#include <functional>
#include <string_view>

namespace gpulint {

/// A config as its loader hands it to Python: each value knows the bytes that state it. References
/// are followed; what stands for something that is not in the file is unknown. `is_composed`: its
/// lists of defaults, with which it was composed, are not handed on.
/// `included`: the file that a tag puts in a value's place (`!include model.yaml`); empty: unknown.
using OpenIncluded = std::function<const Document*(const Document& from, std::string_view name)>;
python::Value config_value(python::Interpreter& interpreter, const Document& document, NodeId node,
                           bool is_composed = false, const OpenIncluded& included = {});

/// The lines of its text, for a program that takes them apart by itself: each states the value that
/// stands in it.
python::Value config_lines(python::Interpreter& interpreter, const Document& document);

}  // namespace gpulint
