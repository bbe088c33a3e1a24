#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gpulint::lsp {

/// The absolute, normalized path that a file URI means; nullopt for other schemes, other hosts and
/// what is not a path.
std::optional<std::string> path_of_uri(std::string_view uri);
/// `path`: absolute.
std::string uri_of_path(std::string_view path);

}  // namespace gpulint::lsp
