#include "source/json_tolerance.h"

#include "base/text.h"

#include <algorithm>
#include <array>

namespace gpulint {
namespace {

constexpr bool is_json_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

class Cleaner {
 public:
  explicit Cleaner(std::string_view text) : text_(text) { result_.text = text; }

  StrictJson run() {
    while (at_ < text_.size()) step();
    return std::move(result_);
  }

 private:
  void step() {
    const char c = text_[at_];
    if (c == '"') {
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
  StrictJson result_;
  std::size_t at_ = 0;
  std::size_t comma_ = kNone;  // the last comma, while nothing but blanks and comments follow it
  bool value_ = false;         // a value or key ended before `at_`, no comma since
  bool before_comma_ = false;
};

}  // namespace

StrictJson made_strict(std::string_view text) { return Cleaner(text).run(); }

}  // namespace gpulint
