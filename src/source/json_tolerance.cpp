#include "source/json_tolerance.h"

#include "base/text.h"

#include <algorithm>
#include <array>

namespace gpulint {
namespace {

constexpr bool is_json_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

class Cleaner {
 public:
  Cleaner(std::string_view text, bool hjson) : text_(text), hjson_(hjson) { result_.text = text; }

  StrictJson run() {
    while (at_ < text_.size()) step();
    return std::move(result_);
  }

 private:
  void step() {
    const char c = text_[at_];
    if (hjson_ && may_be_unquoted_ && !is_json_space(c) && is_unquoted_value()) {
      unquoted_value();
    } else if (c == '"') {
      skip_string();
    } else if (c == '#') {
      comment("`#` comment", line_end(at_));
    } else if (text_.substr(at_, 2) == "//") {
      comment("`//` comment", line_end(at_));
    } else if (text_.substr(at_, 2) == "/*") {
      const std::size_t close = text_.find("*/", at_ + 2);
      if (close == std::string_view::npos) {
        at_ = text_.size();  // never closed: the reader will say so
      } else {
        comment("`/* */` comment", close + 2);
      }
    } else if (is_name_part(c)) {
      word();
    } else {
      if (c == ',') {
        comma_ = at_;
      } else if ((c == ']' || c == '}') && comma_ != kNone && before_comma_) {
        depart("trailing comma", comma_, comma_ + 1);
        result_.text[comma_] = ' ';
      }
      if (!is_json_space(c)) value_before(c);
      ++at_;
    }
    if (!is_json_space(c)) may_be_unquoted_ = c == ':';
  }

  /// Hjson takes what stands behind a colon up to the end of the line for text: `"out": /data/a`.
  bool is_unquoted_value() const {
    constexpr std::string_view kOthers = "\"'{}[],#-0123456789";
    if (kOthers.find(text_[at_]) != kOthers.npos || text_.substr(at_, 2) == "//" ||
        text_.substr(at_, 2) == "/*")
      return false;
    std::size_t end = at_;
    while (end < text_.size() && is_name_part(text_[end])) ++end;
    const std::string_view name = text_.substr(at_, end - at_);
    constexpr std::array<std::string_view, 5> kWords = {"true", "false", "null", "NaN", "Infinity"};
    return std::find(kWords.begin(), kWords.end(), name) == kWords.end() &&
           end_of_unquoted() > at_ + 1;
  }

  std::size_t end_of_unquoted() const {
    std::size_t end = line_end(at_);
    while (end > at_ && is_json_space(text_[end - 1])) --end;
    return end;
  }

  /// Becomes a string of the same length, of which only the place counts.
  void unquoted_value() {
    const std::size_t end = end_of_unquoted();
    depart("unquoted value", at_, end);
    std::fill(result_.text.begin() + static_cast<std::ptrdiff_t>(at_),
              result_.text.begin() + static_cast<std::ptrdiff_t>(end), '_');
    result_.text[at_] = result_.text[end - 1] = '"';
    at_ = end;
    comma_ = kNone;
    value_ = true;
    may_be_unquoted_ = false;
  }

  /// Keeps whether a value stands before the last comma: `[,]` is a mistake, `[1,]` is tolerated.
  void value_before(char c) {
    if (c == ',') {
      before_comma_ = value_;
      value_ = false;
      return;
    }
    comma_ = kNone;
    value_ = c == ']' || c == '}';
  }

  void skip_string() {
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != '"') end += text_[end] == '\\' ? 2 : 1;
    at_ = std::min(end + 1, text_.size());
    comma_ = kNone;
    value_ = true;
  }

  void word() {
    std::size_t end = at_;
    while (end < text_.size() && is_name_part(text_[end])) ++end;
    const std::string_view name = text_.substr(at_, end - at_);
    if (name == "NaN" || name == "Infinity") {
      const std::size_t begin = at_ > 0 && text_[at_ - 1] == '-' ? at_ - 1 : at_;
      depart(std::string(name), begin, end);
      result_.text.replace(at_, name.size(), name == "NaN" ? "0.0" : "0.000000");
    }
    at_ = end;
    comma_ = kNone;
    value_ = true;
  }

  void comment(std::string what, std::size_t end) {
    depart(std::move(what), at_, end);
    result_.comments.push_back({static_cast<std::uint32_t>(at_), static_cast<std::uint32_t>(end)});
    for (std::size_t i = at_; i < end; ++i) {
      if (!is_json_space(text_[i])) result_.text[i] = ' ';
    }
    at_ = end;
  }

  void depart(std::string what, std::size_t begin, std::size_t end) {
    const auto known =
        std::find_if(result_.departures.begin(), result_.departures.end(),
                     [&](const Departure& departure) { return departure.what == what; });
    if (known != result_.departures.end()) {
      ++known->count;
      return;
    }
    result_.departures.push_back(
        {std::move(what), {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)}, 1});
  }

  std::size_t line_end(std::size_t at) const {
    return std::min(text_.find_first_of("\r\n", at), text_.size());
  }

  static constexpr std::size_t kNone = std::string_view::npos;

  std::string_view text_;
  const bool hjson_;
  StrictJson result_;
  std::size_t at_ = 0;
  std::size_t comma_ = kNone;  // the last comma, while nothing but blanks and comments follow it
  bool value_ = false;         // a value or key ended before `at_`, no comma since
  bool before_comma_ = false;
  bool may_be_unquoted_ = false;  // nothing but blanks since a colon
};

}  // namespace

StrictJson made_strict(std::string_view text, bool hjson) { return Cleaner(text, hjson).run(); }

}  // namespace gpulint
