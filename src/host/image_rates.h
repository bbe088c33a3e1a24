#pragma once

#include "host/host_facts.h"
#include "host/host_part.h"

#include <string>
#include <vector>

namespace gpulint::probe {

struct ImageWork {
  /// The first that is there holds JPEG and PNG files that are decoded; none: generated ones are.
  std::vector<std::string> data_paths;
  int side = 224;                  // of the square a sample becomes
  std::vector<int> workers = {1};  // how many decode at once, rising; 1 comes first
};

/// 1, 2, 4 and so on up to what runs at once, and `asked` (0 = nothing asked), rising; asked
/// beyond 64 is left out.
std::vector<int> worker_counts(int parallel, int asked);

/// JPEG and PNG files decoded, samples made of them, and both together with the reading of files.
void measure_images(const ImageWork& work, const PartWriter& writer);

}  // namespace gpulint::probe
