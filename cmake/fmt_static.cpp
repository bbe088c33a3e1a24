// Debian ships fmt 9 as headers and a shared library only. Header-only use costs every file a second or more of
// compile time, the shared library costs every run a third of a millisecond of start-up; so the out-of-line part
// is compiled once, here. dependencies.cmake falls back to header-only fmt for other versions without libfmt.a.
#include <fmt/format-inl.h>

namespace fmt::inline v9::detail {
template auto dragonbox::to_decimal(float) noexcept -> dragonbox::decimal_fp<float>;
template auto dragonbox::to_decimal(double) noexcept -> dragonbox::decimal_fp<double>;
template auto thousands_sep_impl<char>(locale_ref) -> thousands_sep_result<char>;
template auto decimal_point_impl<char>(locale_ref) -> char;
}  // namespace fmt::inline v9::detail
