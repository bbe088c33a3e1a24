#pragma once

// Transforms of lists: their items, and the shapes of images and volumes. Internal to this room.

#include "plan/native_value.h"
#include "plan/transforms.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

bool is_list(const Document& document, const NativeValue& value);
/// Items as texts; a text with commas counts as a list. Items that are not plain values make the
/// whole list unknown.
std::optional<std::vector<std::string>> item_texts(const Document& document,
                                                   const NativeValue& value);
/// nullopt: it is no whole number.
std::optional<std::int64_t> whole(std::string_view text);

std::optional<std::string> image_height(const Document& document, const NativeValue& value);
/// A shape that says nothing about width or channels leaves them to other keys.
std::optional<std::string> image_width(const Document& document, const NativeValue& value);
std::optional<std::string> image_channels(const Document& document, const NativeValue& value);
/// One edge of [d, h, w], counted from 1. What is smaller is a patch that a network makes one
/// vector of, or an image with its channels.
std::optional<std::string> volume_edge(const Document& document, const NativeValue& value,
                                       std::string_view argument);
/// The `shorter` or `longer` edge of the images that the steps of a pipeline leave: the last step
/// that states a size decides. A longer edge that is no longer is left to other keys.
std::optional<std::string> pipeline_edge(const Document& document, const NativeValue& value,
                                         std::string_view argument);
/// `end type=LinearLR begin?0 !end_factor`: of a list of mappings, this field of the first one, if
/// its `type` is this, its `begin` is this or left out, and it has no `end_factor`. Any other list
/// does not speak of the fact.
std::optional<std::string> first_item_field(const Document& document, const NativeValue& value,
                                            std::string_view argument);

}  // namespace gpulint
