// JSON text to Document through nlohmann's SAX interface. SAX gives no positions; an iterator that
// counts gives the offset behind each string, and everything else is found from the end of the node
// before it. A text that is not strict JSON is made strict, offset by offset (json_tolerance.h),
// and read once more.

#include "source/json_tolerance.h"
#include "source/read.h"
#include "source/tree_builder.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

namespace gpulint {
namespace {

constexpr bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// A pointer that leaves word of how far it went.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, const char** progress) : at_(at), progress_(progress) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    *progress_ = ++at_;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const CountingIterator& a, const CountingIterator& b) {
    return a.at_ == b.at_;
  }

 private:
  const char* at_;
  const char** progress_;
};

struct JsonFailure {
  std::uint32_t at = 0;
  std::string message;
  bool limit = false;
};

/// Returning false from an event stops nlohmann's parser.
class SaxToTree : public nlohmann::json_sax<nlohmann::json> {
 public:
  /// `strict`: what is parsed; `text`: what is shown, of the same length.
  SaxToTree(std::string_view strict, std::string_view text, TreeBuilder& builder)
      : strict_(strict), text_(text), cursor_(byte_order_mark_size(text)), builder_(builder) {}

  const char** progress() { return &progress_; }
  const JsonFailure& failure() const { return failure_; }
  /// Everything behind the value must be blank: nlohmann takes a zero byte for the end.
  std::uint32_t end_of_blanks() const { return skip_blanks(cursor_); }

  bool null() override { return literal(4); }
  bool boolean(bool value) override { return literal(value ? 4 : 5); }
  bool number_integer(number_integer_t) override { return number(); }
  bool number_unsigned(number_unsigned_t) override { return number(); }
  bool number_float(number_float_t, const string_t&) override { return number(); }
  bool binary(binary_t&) override { return false; }
  bool string(string_t& value) override { return quoted(value); }
  bool key(string_t& value) override { return quoted(value); }
  bool start_object(std::size_t) override { return open(NodeKind::mapping); }
  bool start_array(std::size_t) override { return open(NodeKind::sequence); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool parse_error(std::size_t, const std::string&,
                   const nlohmann::json::exception& error) override {
    const std::uint32_t read = offset_of_progress();
    std::uint32_t start = next_token();
    // An escape or character that JSON refuses stands where reading stopped, not at the quote.
    const std::string_view what = error.what();
    const bool inside_string = what.find("invalid string") != std::string_view::npos &&
                               what.find("missing closing quote") == std::string_view::npos;
    if (start >= read || inside_string) start = read == 0 ? 0 : read - 1;
    failure_ = {start, words(error.what()), false};
    return false;
  }

 private:
  std::uint32_t offset_of_progress() const {
    return progress_ == nullptr ? 0 : static_cast<std::uint32_t>(progress_ - strict_.data());
  }
  std::uint32_t skip_blanks(std::uint32_t at) const {
    while (at < strict_.size() && is_space(strict_[at])) ++at;
    return at;
  }
  /// Where the next value or key starts: behind blanks and at most one separator.
  std::uint32_t next_token() const {
    std::uint32_t at = skip_blanks(cursor_);
    if (at < strict_.size() && (strict_[at] == ',' || strict_[at] == ':')) at = skip_blanks(at + 1);
    return at;
  }

  bool literal(std::uint32_t size) {
    const std::uint32_t begin = next_token();
    return scalar({begin, begin + size}, Quoting::plain, {}, begin);
  }
  bool number() {
    const std::uint32_t begin = next_token();
    const std::size_t end = strict_.find_first_not_of("+-.0123456789eE", begin);
    return scalar({begin, static_cast<std::uint32_t>(std::min(end, strict_.size()))},
                  Quoting::plain, {}, begin);
  }
  bool quoted(std::string_view value) {
    const std::uint32_t begin = next_token();
    if (text_[begin] != '"')  // text without quotes, as Hjson has it
      return scalar({begin, offset_of_progress()}, Quoting::plain, {}, begin);
    return scalar({begin, offset_of_progress()}, Quoting::double_quoted, value, begin + 1);
  }

  bool scalar(Range span, Quoting quoting, std::string_view value, std::uint32_t verbatim_begin) {
    const NodeId id = builder_.add(NodeKind::scalar, span);
    builder_.node(id).quoting = quoting;
    builder_.node(id).flow = 1;
    builder_.set_value(
        id, quoting == Quoting::plain ? text_.substr(span.begin, span.end - span.begin) : value,
        verbatim_begin);
    cursor_ = span.end;
    return within_limits(span.begin);
  }

  bool open(NodeKind kind) {
    const std::uint32_t begin = next_token();
    TreeBuilder::Frame frame;
    frame.flow = true;
    frame.closed_by_bracket = true;
    builder_.open(kind, begin, frame);
    cursor_ = begin + 1;
    return within_limits(begin);
  }
  bool close() {
    cursor_ = skip_blanks(cursor_) + 1;
    builder_.close(cursor_);
    return true;
  }
  bool within_limits(std::uint32_t at) {
    if (!builder_.over_limit()) return true;
    failure_ = {at, builder_.limit_message(), true};
    return false;
  }

  /// nlohmann's "… syntax error while parsing X - unexpected Y; expected Z" in our order.
  static std::string words(std::string_view what) {
    const auto behind = [&](std::string_view mark) {
      const std::size_t found = what.find(mark);
      return found == std::string_view::npos ? std::string_view{}
                                             : what.substr(found + mark.size());
    };
    std::string_view reason = behind("syntax error while parsing ");
    if (reason.empty()) reason = behind("] ");
    const std::size_t last_read = reason.find("; last read: ");
    const std::size_t expected = reason.find("; expected ");
    std::string message(reason.substr(0, std::min(last_read, expected)));
    if (expected != std::string_view::npos) message += reason.substr(expected);
    if (message.find("number overflow") != std::string::npos)
      return "a number larger than a double can hold; write a smaller one";
    return fmt::format("not JSON: {}; repair it here, or rename the file if it is not JSON",
                       message);
  }

  std::string_view strict_;
  std::string_view text_;
  std::uint32_t cursor_ = 0;
  TreeBuilder& builder_;
  const char* progress_ = nullptr;
  JsonFailure failure_;
};

/// Nothing when the whole text was read.
std::optional<JsonFailure> parse(std::string_view strict, std::string_view text,
                                 TreeBuilder& builder) {
  SaxToTree events(strict, text, builder);
  const char* begin = strict.data();
  *events.progress() = begin;
  const CountingIterator first(begin, events.progress());
  const CountingIterator last(begin + strict.size(), events.progress());
  if (!nlohmann::json::sax_parse(first, last, &events)) return events.failure();
  const std::uint32_t end = events.end_of_blanks();
  if (end < strict.size())
    return JsonFailure{end,
                       "text behind the JSON value; one file holds one value: remove the rest"};
  return std::nullopt;
}

Error to_error(const std::string& path, std::string_view text, FileId file,
               const JsonFailure& failure) {
  Error error = error_at(path, text, file, {failure.at, failure.at + 1}, failure.message);
  error.limit = failure.limit;
  return error;
}

void note_departures(const StrictJson& strict, TreeBuilder& builder) {
  for (const Comment& comment : strict.comments) builder.comment({comment.begin, comment.end});
  for (const Departure& departure : strict.departures) {
    builder.note(ProblemKind::not_strict_json, departure.first, kNoNode,
                 departure.count == 1 ? fmt::format("1 {}", departure.what)
                                      : fmt::format("{} {}s", departure.count, departure.what));
  }
}

}  // namespace

Result<Document> read_json(std::string path, std::string text, FileId file,
                           const ReadLimits& limits) {
  if (Result<void> usable = check_text(path, text, file, limits); !usable)
    return fail(std::move(usable).error());
  TreeBuilder builder(text, limits);
  const std::optional<JsonFailure> failure = parse(text, text, builder);
  if (!failure) return builder.finish(std::move(path), std::move(text), Format::json, file);
  if (failure->limit) return fail(to_error(path, text, file, *failure));

  std::optional<JsonFailure> second = failure;
  for (const bool hjson : {false, true}) {
    const StrictJson strict = made_strict(text, hjson);
    if (strict.departures.empty()) continue;
    TreeBuilder tolerant(text, limits);
    const std::optional<JsonFailure> now = parse(strict.text, text, tolerant);
    if (!now) {
      note_departures(strict, tolerant);
      return tolerant.finish(std::move(path), std::move(text), Format::json, file);
    }
    if (!hjson) second = now;
  }
  return fail(to_error(path, text, file, *second));
}

}  // namespace gpulint
