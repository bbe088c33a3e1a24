#pragma once

#include "python/interpreter.h"
#include "source/document.h"

namespace gpulint {

/// A config as its loader hands it to Python: each value knows the bytes that state it. References
/// are followed; what stands for something that is not in the file is unknown.
python::Value config_value(python::Interpreter& interpreter, const Document& document, NodeId node);

}  // namespace gpulint
