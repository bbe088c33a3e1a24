#include "code/drawn_curve.h"

#include "base/text.h"
#include "code/call_text.h"
#include "python/words.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

namespace gpulint {
namespace {

constexpr std::array<std::int64_t, 16> kSteps = {
    0,     1,      3,      10,      30,      100,       300,       1'000,
    3'000, 10'000, 30'000, 100'000, 300'000, 1'000'000, 3'000'000, 10'000'000};
constexpr double kAlike = 1e-6;

/// The factors that a function gives to steps, asked for one by one.
class Curve {
 public:
  Curve(python::Interpreter& in, const python::Value& function) : in_(in), function_(function) {}

  std::string_view schedule() {
    std::array<double, kSteps.size()> at{};
    for (std::size_t i = 0; i < kSteps.size(); ++i) at[i] = factor(kSteps[i]);
    last_ = at.back();
    // Where it still moves so far out, it has no end that anybody could see.
    if (is_lost_ || !is_last(at[at.size() - 2])) return {};
    std::size_t top = 0;
    for (std::size_t i = 1; i < at.size(); ++i) {
      if (at[i] > at[top] + kAlike) top = i;
    }
    if (is_last(at[top])) return rises(at);
    return falls(top);
  }

 private:
  double factor(std::int64_t step) {
    if (is_lost_) return 0;
    const std::optional<double> made = in_.number_at(function_, step);
    is_lost_ = !made || !std::isfinite(*made);
    return is_lost_ ? 0 : *made;
  }
  bool is_last(double factor) const { return std::abs(factor - last_) <= kAlike; }

  std::string_view rises(const std::array<double, kSteps.size()>& at) const {
    for (std::size_t i = 1; i < at.size(); ++i) {
      if (at[i] + kAlike < at[i - 1]) return {};
    }
    return is_last(at.front()) ? "constant" : "constant_with_warmup";
  }

  /// From its top down to its end: a line or half a wave, after a warm-up perhaps.
  std::string_view falls(std::size_t top) {
    const std::int64_t peak = highest(top == 0 ? 0 : kSteps[top - 1],
                                      top + 1 < kSteps.size() ? kSteps[top + 1] : kSteps[top]);
    const std::int64_t end = first_last(peak);
    const std::int64_t begin = last_high(peak, end);
    constexpr std::int64_t kFewest = 4;  // rounds in which both would look alike
    if (is_lost_ || end - begin < kFewest) return {};
    const double height = factor(begin) - last_;
    const auto share = [&](std::int64_t part) {
      return (factor(begin + (end - begin) * part / 8) - last_) / height;
    };
    const std::array<double, 3> seen = {share(2), share(4), share(6)};
    if (is_lost_ || height <= kAlike) return {};
    constexpr std::array<double, 3> kLine = {0.75, 0.5, 0.25};
    constexpr std::array<double, 3> kWave = {0.853553, 0.5, 0.146447};
    const auto is_like = [&](const std::array<double, 3>& shape) {
      const double near = 0.02 + 1.0 / static_cast<double>(end - begin);
      for (std::size_t i = 0; i < shape.size(); ++i) {
        if (std::abs(seen[i] - shape[i]) > near) return false;
      }
      return true;
    };
    const bool is_line = is_like(kLine);
    const bool is_wave = is_like(kWave);
    if (is_line == is_wave) return {};
    return is_line ? "linear" : "cosine";
  }

  /// Of a curve that rises and then falls between the two.
  std::int64_t highest(std::int64_t begin, std::int64_t end) {
    while (begin < end && !is_lost_) {
      const std::int64_t middle = begin + (end - begin) / 2;
      if (factor(middle) < factor(middle + 1)) {
        begin = middle + 1;
      } else {
        end = middle;
      }
    }
    return begin;
  }

  /// The last step on the level of the peak.
  std::int64_t last_high(std::int64_t peak, std::int64_t end) {
    const double height = factor(peak);
    while (peak + 1 < end && !is_lost_) {
      const std::int64_t middle = peak + (end - peak) / 2;
      (height - factor(middle) <= kAlike ? peak : end) = middle;
    }
    return peak;
  }

  /// The first step behind `begin` from which it stays as it ends.
  std::int64_t first_last(std::int64_t begin) {
    std::int64_t end = kSteps.back();
    while (begin + 1 < end && !is_lost_) {
      const std::int64_t middle = begin + (end - begin) / 2;
      (is_last(factor(middle)) ? end : begin) = middle;
    }
    return end;
  }

  python::Interpreter& in_;
  const python::Value& function_;
  double last_ = 0;
  bool is_lost_ = false;
};


/// The names that a function gives values of its own: its parameters, and what it assigns to.
std::set<std::string_view> own_names(std::string_view code) {
  const std::string_view head = code.substr(0, code.find(':'));
  const std::vector<std::string_view> taken = python::words_of(head);
  std::set<std::string_view> names(taken.begin(), taken.end());
  names.erase("self");
  for (std::size_t at = code.find(" = "); at != code.npos; at = code.find(" = ", at + 1)) {
    std::size_t begin = at;
    while (begin > 0 && is_name_part(code[begin - 1])) --begin;
    names.insert(code.substr(begin, at - begin));
  }
  return names;
}

}  // namespace

bool asks_about_settings(std::string_view code) {
  const std::set<std::string_view> own = own_names(code);
  for (std::size_t at = code.find("if "); at != code.npos; at = code.find("if ", at + 1)) {
    const std::string_view before = code.substr(0, at);
    const bool is_word = at == 0 || !is_name_part(before.back()) || before.ends_with("el");
    if (!is_word) continue;
    const std::string_view behind = code.substr(at + 3);
    const std::size_t end = std::min(behind.find(':'), behind.find(" else "));
    const std::vector<std::string_view> words = python::words_of(behind.substr(0, end));
    if (std::none_of(words.begin(), words.end(), [&](auto word) { return own.contains(word); }))
      return true;
  }
  return false;
}

void state_drawn_schedules(python::Interpreter& in, const python::Call& call,
                           const ConsumingCall& known, std::vector<SeenFact>& stated) {
  for (const ConsumedArgument& argument : known.arguments) {
    if (argument.in_code.empty()) continue;
    const python::Argument* given = argument_of(in, call, argument.name, argument.position);
    if (given == nullptr) continue;
    const std::string_view drawn = Curve(in, given->value).schedule();
    if (drawn.empty()) continue;
    for (SeenFact& each : stated) {
      if (each.fact.fact != argument.fact) continue;
      each.fact.known = true;
      each.fact.value = drawn;
    }
  }
}

}  // namespace gpulint
