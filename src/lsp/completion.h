#pragma once

#include "lsp/checks.h"
#include "lsp/model_names.h"
#include "lsp/positions.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace gpulint::lsp {

/// What may stand at an offset: the keys of the document's dialect in this section, the words of a
/// fact, GPUs, machines and models by name; in a `.gpulint.yaml` what its schema lists. `text`: as
/// the client holds it now, which need not parse. `check`: what was said about it last.
Json completions_at(const Check& check, ModelNames& models, const std::string& path,
                    std::string_view text, std::uint32_t offset, Units units);

}  // namespace gpulint::lsp
