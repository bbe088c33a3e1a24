#pragma once

#include "plan/native_value.h"

#include <optional>
#include <string>
#include <string_view>

namespace gpulint {

/// Result of a transform or a value map for "as if the key were not there" (`fp8: false` says
/// nothing about bf16, a scalar image size nothing about channels).
inline constexpr std::string_view kAbsent = "absent";

/// A conversion a dialect file may name (`transform: device_count`): native value -> text for the
/// value map and `set_fact`. Nothing is returned where the form says nothing certain.
using Transform = std::optional<std::string> (*)(const Document&, const NativeValue&);

/// The conversion of that name; nullptr when there is none. "" is the identity on scalars.
///   name               last part of a dotted, slashed or called name, lower case:
///                      "torch.optim.AdamW" -> "adamw"
///   tag_name           the same of a YAML tag: `!name:torch.optim.AdamW` -> "adamw"
///   file_name          last part of a path: "checkpoints/org/Model-1.5B" -> "Model-1.5B"
///   first_element      first item of a list, or the scalar itself
///   last_element       last item of a list or of "512,768"
///   list               items of a list joined by commas, or the scalar itself
///   list_length        number of items of a list
///   device_count       4, "0,1", [0, 1], "0," (one device); -1, 0, auto and all are unknown
///   id_count           as device_count, but a single number is an index: one device
///   percent            10 -> 0.1
///   count_not_share    a number that is no share between 0 and 1; share_not_count the opposite
///   boolean_or_string  a switch that may also name a mode or hold settings: a mode is true, a
///                      mapping what its `enabled` says, else true
///   positive           a strength used as a switch: above 0 is true
///   image_height       224, [h, w], "h,w", [c, h, w]; likewise image_width (lists only) and
///                      image_channels ([c, h, w] only)
///   fsdp_stage         "full_shard auto_wrap offload" -> 3
///   fsdp_offload       -> cpu when the flags say offload, else none
///   fsdp_wrap          -> transformer when the flags say auto_wrap, else none
///   device_index       "cuda:3" -> 3; a device without an index says nothing
Transform find_transform(std::string_view name);

}  // namespace gpulint
