#pragma once

#include "plan/native_value.h"

#include <optional>
#include <string>
#include <string_view>

namespace gpulint {

/// Result of a transform or a value map for "as if the key were not there" (`fp8: false` says
/// nothing about bf16, a scalar image size nothing about channels).
inline constexpr std::string_view kAbsent = "absent";
inline constexpr std::string_view kNull = "null";

/// A conversion a dialect file may name (`transform: device_count`): native value -> text for the
/// value map and `set_fact`. Nothing is returned where the form says nothing certain.
class Transform {
 public:
  using Plain = std::optional<std::string> (*)(const Document&, const NativeValue&);
  using ByArgument = std::optional<std::string> (*)(const Document&, const NativeValue&,
                                                    std::string_view argument);
  explicit Transform(Plain plain) : plain_(plain) {}
  Transform(ByArgument by_argument, std::string_view argument)
      : by_argument_(by_argument), argument_(argument) {}

  std::optional<std::string> operator()(const Document& document, const NativeValue& value) const {
    return plain_ != nullptr ? plain_(document, value) : by_argument_(document, value, argument_);
  }

 private:
  Plain plain_ = nullptr;
  ByArgument by_argument_ = nullptr;
  std::string_view argument_;  // of the text it was found by, which must outlive this
};

/// The conversion of that name, perhaps with an argument behind a blank; nullopt when there is
/// none.
/// "" is the identity on scalars.
///   name               last part of a dotted, slashed or called name, lower case:
///                      "torch.optim.AdamW" -> "adamw"
///   tag_name           the same of a YAML tag: `!name:torch.optim.AdamW` -> "adamw"
///   file_name          last part of a path: "checkpoints/org/Model-1.5B" -> "Model-1.5B"
///   sized_file_name    the same without its ending, where it says how large a model is
///   first_element      first item of a list, or the scalar itself
///   last_element       last item of a list or of "512,768"
///   list               items of a list joined by commas, or the scalar itself
///   list_length        number of items of a list
///   item_field A.b     of a list of mappings, the field b of the one whose tag or `name` is A
///   first_item_field f …  the field f of the first of them, where the conditions behind it hold:
///                      `type=LinearLR`, `begin?0` (that or left out), `!end_factor` (left out)
///   device_count       4, "0,1", [0, 1], "0," (one device); -1, 0, auto and all are unknown
///   id_count           as device_count, but a single number is an index: one device
///   percent            10 -> 0.1
///   number_before u    "100u" -> 100; numbers of other units count as no key
///   factor n           the n-th number of "2x8"
///   count_not_share    a number that is not a share between 0 and 1; share_not_count the opposite
///   boolean_or_string  a switch that may also name a mode or hold settings: a mode is true, a
///                      mapping what its `enabled` says, else true
///   positive           a strength used as a switch: above 0 is true
///   image_height       224, [h, w], "h,w", [c, h, w]; likewise image_width (lists only) and
///                      image_channels ([c, h, w] only)
///   volume_edge n      the n-th of [d, h, w], where that is no image and no small patch
///   pipeline_edge e    the shorter or longer edge of the images that steps of a pipeline leave
///   device_index       "cuda:3" -> 3; a device without an index says nothing
std::optional<Transform> find_transform(std::string_view text);

/// It looks at the end of a path alone, and says nothing of one that it does not know.
bool takes_known_end(std::string_view transform);

}  // namespace gpulint
