// Assignments of shell scripts and .env files. Nothing is expanded, sourced or run; a line that is
// no assignment is stepped over, and nothing of it is kept, since such files hold secrets.

#include "base/text.h"
#include "source/read.h"
#include "source/tree_builder.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace gpulint {
namespace {

constexpr bool is_blank(char c) { return c == ' ' || c == '\t'; }
constexpr bool is_break(char c) { return c == '\n' || c == '\r'; }

struct Assignment {
  Range key;
  Range value;
  std::string decoded;
  Quoting quoting = Quoting::plain;
};

class EnvParser {
 public:
  EnvParser(std::string_view text, bool script, TreeBuilder& builder)
      : text_(text), at_(byte_order_mark_size(text)), script_(script), builder_(builder) {}

  /// False when a limit was reached.
  bool run() {
    TreeBuilder::Frame frame;
    frame.flow = true;
    builder_.open(NodeKind::mapping, at_, frame);
    while (at_ < text_.size() && !builder_.over_limit()) line();
    builder_.close(static_cast<std::uint32_t>(text_.size()));
    return !builder_.over_limit();
  }
  std::uint32_t position() const { return at_; }

 private:
  void line() {
    skip_blanks();
    skip_exports();
    // One line may hold several assignments: `export A=1 B=2`, `A=1; B=2`.
    std::vector<Assignment> found;
    while (std::optional<Assignment> next = assignment()) {
      found.push_back(std::move(*next));
      skip_blanks();
      if (separator()) {
        keep(found);
        skip_exports();
      }
    }
    // `CUDA_VISIBLE_DEVICES=0 python train.py` sets a variable for one command only.
    if (at_ >= text_.size() || is_break(text_[at_]) || text_[at_] == '#') keep(found);
    skip_rest_of_line();
  }

  void keep(std::vector<Assignment>& found) {
    for (const Assignment& entry : found) {
      const NodeId key = builder_.add(NodeKind::scalar, entry.key);
      builder_.set_value(key, text_.substr(entry.key.begin, entry.key.end - entry.key.begin),
                         entry.key.begin);
      const NodeId value = builder_.add(NodeKind::scalar, entry.value);
      builder_.node(value).quoting = entry.quoting;
      builder_.set_value(value, entry.decoded,
                         entry.value.begin + (entry.quoting == Quoting::plain ? 0 : 1));
    }
    found.clear();
  }

  void skip_exports() {
    while (skip_word("export") || skip_word("declare -x")) continue;
  }

  bool separator() {
    std::uint32_t at = at_;
    if (text_.substr(at, 1) == ";") {
      at += 1;
    } else if (text_.substr(at, 2) == "&&") {
      at += 2;
    } else {
      return false;
    }
    at_ = at;
    skip_blanks();
    return true;
  }

  std::optional<Assignment> assignment() {
    std::uint32_t at = at_;
    if (at >= text_.size() || !is_name_start(text_[at])) return std::nullopt;
    while (at < text_.size() && is_name_part(text_[at])) ++at;
    Assignment found;
    found.key = {at_, at};
    if (!script_) {  // .env files may put blanks around the sign
      while (at < text_.size() && is_blank(text_[at])) ++at;
    }
    if (at >= text_.size() || text_[at] != '=' || text_.substr(at, 2) == "==") return std::nullopt;
    ++at;
    if (!script_) {
      while (at < text_.size() && is_blank(text_[at])) ++at;
    }
    const std::uint32_t end = value(at, found);
    if (end == kNowhere) return std::nullopt;
    at_ = end;
    return found;
  }

  /// Offset behind the value, or kNowhere when it cannot be told.
  std::uint32_t value(std::uint32_t at, Assignment& found) {
    const char quote = at < text_.size() ? text_[at] : '\0';
    if (quote == '"' || quote == '\'') {
      const std::uint32_t end = quoted(at, quote, found);
      const bool alone = end == kNowhere || end >= text_.size() || ends_value(text_[end]);
      return alone ? end : kNowhere;  // "a"b: pieces glued together
    }
    const std::uint32_t end = unquoted(at);
    found.value = {at, end};
    found.decoded = text_.substr(at, end - at);
    return end;
  }

  static bool ends_value(char c) {
    return is_blank(c) || is_break(c) || c == ';' || c == '&' || c == '|' || c == '#';
  }

  std::uint32_t quoted(std::uint32_t begin, char quote, Assignment& found) {
    bool& hopeless = quote == '"' ? no_double_quote_left_ : no_single_quote_left_;
    if (hopeless) return kNowhere;
    for (std::uint32_t at = begin + 1; at < text_.size(); ++at) {
      if (text_[at] == quote) {
        found.value = {begin, at + 1};
        found.quoting = quote == '"' ? Quoting::double_quoted : Quoting::single_quoted;
        return at + 1;
      }
      if (quote == '"' && text_[at] == '\\' && at + 1 < text_.size()) {
        constexpr std::string_view kEscapable = "\"\\$`";
        if (kEscapable.find(text_[at + 1]) == std::string_view::npos) found.decoded += '\\';
        ++at;
      }
      found.decoded += text_[at];
    }
    hopeless = true;  // keeps many unclosed quotes from costing a search each
    return kNowhere;
  }

  /// Ends at a blank in a script, at ` #` or the line end in a .env file; `$(…)` and `${…}` are
  /// stepped over as a whole.
  std::uint32_t unquoted(std::uint32_t at) const {
    const std::uint32_t begin = at;
    int depth = 0;
    for (; at < text_.size() && !is_break(text_[at]); ++at) {
      const char c = text_[at];
      if (c == '$' && at + 1 < text_.size() && (text_[at + 1] == '(' || text_[at + 1] == '{')) {
        ++depth;
        ++at;
      } else if (depth > 0 && (c == '(' || c == '{')) {
        ++depth;
      } else if (depth > 0 && (c == ')' || c == '}')) {
        --depth;
      } else if (depth == 0 && script_ && ends_value(c) && c != '#') {
        break;
      } else if (depth == 0 && c == '#' && at > begin && is_blank(text_[at - 1])) {
        break;
      }
    }
    while (at > begin && is_blank(text_[at - 1])) --at;
    return at;
  }

  void skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }

  bool skip_word(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    const std::size_t behind = at_ + word.size();
    if (behind >= text_.size() || !is_blank(text_[behind])) return false;
    at_ = static_cast<std::uint32_t>(behind);
    skip_blanks();
    return true;
  }

  void skip_rest_of_line() {
    const std::uint32_t begin = at_;
    if (begin < text_.size() && text_[begin] == '#') {
      at_ = end_of_line(begin);
      builder_.comment({begin, at_});
    }
    at_ = end_of_line(at_);
    if (script_) skip_here_document(text_.substr(begin, at_ - begin));
    while (at_ < text_.size() && is_break(text_[at_])) ++at_;
  }

  std::uint32_t end_of_line(std::uint32_t at) const {
    return static_cast<std::uint32_t>(std::min(text_.find_first_of("\r\n", at), text_.size()));
  }

  /// `cat <<EOF` feeds the lines down to EOF to a command; they assign nothing.
  void skip_here_document(std::string_view rest) {
    std::size_t mark = rest.find("<<");
    if (mark == std::string_view::npos || rest.substr(mark, 3) == "<<<") return;
    mark = rest.find_first_not_of("-'\"\\ ", mark + 2);
    if (mark == std::string_view::npos || !is_name_start(rest[mark])) return;
    std::size_t end = mark;
    while (end < rest.size() && is_name_part(rest[end])) ++end;
    const std::string_view word = rest.substr(mark, end - mark);
    for (std::uint32_t at = at_; at < text_.size();) {
      while (at < text_.size() && is_break(text_[at])) ++at;
      const std::uint32_t stop = end_of_line(at);
      if (trim(text_.substr(at, stop - at)) == word) {
        at_ = stop;
        return;
      }
      at = stop;
    }
    at_ = static_cast<std::uint32_t>(text_.size());  // never closed: the shell reads to the end too
  }

  static constexpr std::uint32_t kNowhere = 0xffffffffU;

  std::string_view text_;
  std::uint32_t at_ = 0;
  bool script_ = false;  // a shell script; else a .env file, whose values may hold blanks
  TreeBuilder& builder_;
  bool no_double_quote_left_ = false;
  bool no_single_quote_left_ = false;
};

}  // namespace

Result<Document> read_env(std::string path, std::string text, FileId file,
                          const ReadLimits& limits) {
  if (Result<void> usable = check_text(path, text, file, limits); !usable)
    return fail(std::move(usable).error());
  const bool script = extension(path) == "sh";
  TreeBuilder builder(text, limits);
  if (script) builder.ignore_duplicate_keys();
  EnvParser parser(text, script, builder);
  if (!parser.run()) {
    Error error =
        error_at(path, text, file, {parser.position(), parser.position()}, builder.limit_message());
    error.limit = true;
    return fail(std::move(error));
  }
  return builder.finish(std::move(path), std::move(text), Format::env, file);
}

}  // namespace gpulint
