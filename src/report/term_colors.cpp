#include "report/term_colors.h"

#include <algorithm>
#include <utility>

namespace gpulint {
namespace {

/// Terms of VRAM first, then those of host RAM, which is drawn apart.
constexpr std::array<std::pair<std::string_view, std::size_t>, 31> kColors{{
    {"weights", 0},
    {"optimizer state", 1},
    {"optimizer step temporaries", 1},
    {"gradients", 2},
    {"activations", 3},
    {"logits and loss", 4},
    {"input batch", 5},
    {"autocast weight copies", 8},
    {"gathered layers", 8},
    {"model buffers", 8},
    {"allocator slack", 6},
    {"rounding of blocks", 6},
    {"cuBLAS workspaces", 7},
    {"convolution workspace", 7},
    {"communication buffers", 9},
    {"CUDA context", 7},
    {"not depending on the batch", 0},
    {"growing with the batch", 3},
    {"loader buffers", 3},
    {"evaluation loader buffers", 4},
    {"batch in use", 5},
    {"pinned copies", 6},
    {"worker processes", 2},
    {"main processes", 1},
    {"operating system", 7},
    {"dataset", 8},
    {"model loading", 0},
    {"offloaded model states", 9},
    {"checkpoint gathering", 4},
    {"other host memory", 7},
    {"everything else", 7},
}};

}  // namespace

std::size_t color_of_term(std::string_view name) {
  const auto* found = std::find_if(kColors.begin(), kColors.end(),
                                   [&](const auto& each) { return each.first == name; });
  return found == kColors.end() ? kTermColors.size() - 1 : found->second;
}

}  // namespace gpulint
