#pragma once

#include <cstdint>
#include <string_view>

namespace gpulint {

/// Hash of a key's name, ignoring case and with '-' as '_': "BATCH-SIZE" is "batch_size". Names of
/// one letter are told apart by case: `srun -n` is not `srun -N`.
std::uint64_t component_hash(std::string_view name);

}  // namespace gpulint
