#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace gpulint {

/// What a data file describes. Kinds are numbered in the archive: a new one goes to the end.
enum class DataKind : std::uint8_t {
  dialect,
  gpu,
  host,
  rule,
  model,
  architecture,
  fleet,
  optimizer,
  adapter,
  implementation,
  engine,
  words,
  consumers,
  launcher,
  network,
  catalogue
};
inline constexpr std::size_t kDataKinds = 16;

/// A folder of a kind below the data root. `below`: what its files' own folders are named by, as in
/// rules/<family>/<id>.yaml; "" where they lie in the folder itself.
struct KindFolder {
  std::string_view path;
  DataKind kind;
  std::string_view below = {};
};
inline constexpr std::array<KindFolder, kDataKinds + 3> kKindFolders = {{
    {"dialects", DataKind::dialect},
    {"hardware_db/architectures", DataKind::architecture},
    {"hardware_db/fleets", DataKind::fleet},
    {"hardware_db/gpus", DataKind::gpu},
    {"hardware_db/hosts", DataKind::host},
    {"knowledge/adapters", DataKind::adapter},
    {"knowledge/catalogue", DataKind::catalogue},
    {"knowledge/consumers", DataKind::consumers},
    {"knowledge/engines", DataKind::engine},
    {"knowledge/implementations", DataKind::implementation},
    {"knowledge/launchers", DataKind::launcher},
    {"knowledge/networks", DataKind::network},
    {"knowledge/optimizers", DataKind::optimizer},
    {"knowledge/words", DataKind::words},
    {"model_db/families", DataKind::model},
    {"model_db/models", DataKind::model, "<family>"},
    {"model_db/parts", DataKind::model},
    {"model_db/recorded", DataKind::model, "<library>"},
    {"rules", DataKind::rule, "<family>"},
}};

/// What people call one of a kind: "optimizer", "sharding engine".
std::string_view name_of(DataKind kind);

/// Kind by the folder a file lies in ("rules/memory/vram-over-budget.yaml"); nullopt for a path of
/// none.
std::optional<DataKind> kind_of(std::string_view path);

}  // namespace gpulint
