#pragma once

// How code writes what it takes, on one line, for people to read. Internal to this room.

#include "python/host.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace gpulint {

/// Source of an argument; "" where it is not written in this call.
std::string_view argument_text(const python::Call& call, const python::Argument* argument);
/// "torch.optim.AdamW(...)".
std::string call_text(const python::Call& call);
/// "torch.optim.AdamW(lr=cfg.speed)".
std::string call_text(const python::Call& call, std::string_view name,
                      const python::Argument& argument);
/// The line of a module from `begin` on.
std::string source_line(const python::Module& module, std::uint32_t begin);

}  // namespace gpulint
