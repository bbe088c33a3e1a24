#pragma once

// Whether a loader gives batches of the training or of an evaluation. Internal to this room.

#include "python/interpreter.h"

#include <cstdint>
#include <string_view>

namespace gpulint {

/// `likely`: one that shuffles, and that no word speaks of.
enum class LoaderRole : std::uint8_t { unknown, likely, training, evaluation };

/// By the words of a name: "val_loader", "cfg.fp16_val".
LoaderRole role_of_name(std::string_view text);

/// Whose batches a loader gives, by the words of what stands around it.
LoaderRole loader_role(const python::Interpreter& in, const python::Call& call);

}  // namespace gpulint
