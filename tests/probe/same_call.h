#pragma once

// Whether a function declared by hand is the one of a vendor's header.

#include <type_traits>

namespace gpulint::probe {

/// Pointers may point to types of other names; everything else has the same size and kind.
template <class Ours, class Theirs>
constexpr bool kAlike =
    sizeof(Ours) == sizeof(Theirs) && std::is_pointer_v<Ours> == std::is_pointer_v<Theirs>;
/// Handles are pointers for them and for us, device addresses integers for both.
template <class Result, class... Ours, class TheirResult, class... Theirs>
constexpr bool same_call(Result (*)(Ours...), TheirResult (*)(Theirs...)) {
  if constexpr (sizeof...(Ours) != sizeof...(Theirs)) {
    return false;
  } else {
    return sizeof(Result) == sizeof(TheirResult) && (kAlike<Ours, Theirs> && ...);
  }
}

}  // namespace gpulint::probe

#define GPULINT_SAME_CALL(member, function) \
  static_assert(                            \
      gpulint::probe::same_call(decltype(member){}, static_cast<decltype(&function)>(nullptr)))
#define GPULINT_SAME_MEMBER(ours, our_member, theirs, their_member) \
  static_assert(offsetof(ours, our_member) == offsetof(theirs, their_member))
