#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

/// The ids among `ids` (driver names may stand there too) that hold every word of `word` (each may
/// lack its end): "h100 sxm" -> h100-sxm5-80gb, "a100" -> the four A100. Case, punctuation and
/// `brands` (words of makers and product lines) apart, in the order of `ids`. For messages alone:
/// which product is meant decides the verdict, so no part of a name ever names one.
std::vector<std::string_view> gpu_ids_meant(std::string_view word,
                                            std::span<const std::string_view> ids,
                                            std::span<const std::string> brands);

/// For a message about a word that is not a GPU: " (write one of a, b)" when products may be meant,
/// else " (did you mean \"x\"?)" or empty.
std::string similar_gpus(std::string_view word, std::span<const std::string_view> ids,
                         std::span<const std::string> brands);

}  // namespace gpulint
