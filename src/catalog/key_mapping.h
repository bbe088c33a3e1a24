#pragma once

#include <optional>
#include <string>
#include <vector>

namespace gpulint {

/// Native value -> canonical value of one key ("true" -> "bf16"; a null target means unknown).
/// `native` is compared with the scalar's text, ignoring case; "*" stands for every other value.
/// "+a,b" adds members to a fact that is a list: several switches then make up one list.
struct ValueMapping {
  std::string native;
  std::optional<std::string> canonical;
};

/// How one native key states one fact. `path` is dotted from the section root; `*` matches one
/// component.
struct KeyMapping {
  std::string path;
  std::string fact;
  std::string transform =
      {};  // name of a conversion of plan/transforms.cpp; "" = by the fact's type
  std::vector<ValueMapping> values = {};
  std::string value_map = {};  // asked after `values`: name of a ValueMap of any dialect; "" = none
  int priority = 0;            // the lower one wins when several keys state one fact
  bool anywhere = false;       // a bare key that means the same in whatever section it stands
};

}  // namespace gpulint
