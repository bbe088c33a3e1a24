// TOML 1.0, read from the front to the back.

#include "source/toml_parser.h"

#include "base/text.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

namespace gpulint {
namespace {

struct Key {
  std::string name;
  Range span;
};

bool is_bare_key(char c) { return is_name_part(c) || c == '-'; }
bool is_toml_blank(char c) { return c == ' ' || c == '\t'; }
bool is_toml_break(char c) { return c == '\n' || c == '\r'; }

class TomlParser {
 public:
  TomlParser(std::string_view text, const ReadLimits& limits)
      : text_(text), at_(byte_order_mark_size(text)), limits_(limits) {
    root_ = make(NodeKind::mapping, {at_, at_});
    table_ = root_;
  }

  ParsedToml run() && {
    while (!refusal_) {
      skip_to_content();
      if (at_end()) break;
      if (peek() == '[') {
        header();
      } else {
        assignment(*table_, 0);
      }
      if (!refusal_) end_of_line();
    }
    enclose(*root_);
    return {std::move(values_), root_, std::move(comments_), std::move(refusal_)};
  }

 private:
  /// A table may come in parts, between those of others: its place reaches from the first to the
  /// last.
  static void enclose(TomlValue& value) {
    const auto add = [&](Range part) {
      value.span = {std::min(value.span.begin, part.begin), std::max(value.span.end, part.end)};
    };
    for (const TomlValue::Entry& entry : value.entries) {
      enclose(*entry.value);
      add(entry.key);
      add(entry.value->span);
    }
    for (TomlValue* item : value.items) {
      enclose(*item);
      add(item->span);
    }
  }

  bool at_end() const { return at_ >= text_.size(); }
  char peek(std::uint32_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  void refuse(Range place, std::string message) {
    if (!refusal_) refusal_ = TomlRefusal{place, std::move(message)};
  }
  void refuse_here(std::string message) {
    refuse({at_, std::min<std::uint32_t>(at_ + 1, static_cast<std::uint32_t>(text_.size()))},
           std::move(message));
  }

  TomlValue* make(NodeKind kind, Range span) {
    if (values_.size() > limits_.max_nodes) refuse(span, "the file has too many values");
    TomlValue& value = values_.emplace_back();
    value.kind = kind;
    value.span = span;
    return &value;
  }

  void skip_blanks() {
    while (is_toml_blank(peek())) ++at_;
  }
  void skip_comment() {
    if (peek() != '#') return;
    const std::uint32_t begin = at_;
    while (!at_end() && !is_toml_break(peek())) ++at_;
    comments_.push_back({begin, at_});
  }
  void skip_to_content() {
    while (!at_end()) {
      skip_blanks();
      skip_comment();
      if (!is_toml_break(peek())) return;
      ++at_;
    }
  }
  void end_of_line() {
    skip_blanks();
    skip_comment();
    if (!at_end() && !is_toml_break(peek())) refuse_here("expected the end of the line");
  }

  std::vector<Key> dotted_key() {
    std::vector<Key> keys;
    while (!refusal_) {
      skip_blanks();
      const std::uint32_t begin = at_;
      Key key;
      if (peek() == '"' || peek() == '\'') {
        const TomlValue* text = string();
        if (text != nullptr) key.name = text->decoded;
      } else {
        while (is_bare_key(peek())) ++at_;
        key.name = std::string(text_.substr(begin, at_ - begin));
        if (key.name.empty()) refuse_here("expected a key");
      }
      key.span = {begin, at_};
      keys.push_back(std::move(key));
      skip_blanks();
      if (peek() != '.') break;
      ++at_;
    }
    if (keys.size() > limits_.max_depth) refuse(keys.front().span, "the key is nested too deep");
    return keys;
  }

  TomlValue::Entry* find(TomlValue& mapping, const std::string& name) {
    const auto found = places_.find({&mapping, name});
    return found == places_.end() ? nullptr : &mapping.entries[found->second];
  }
  void add(TomlValue& mapping, const Key& key, TomlValue* value) {
    places_.emplace(std::pair(&mapping, key.name), mapping.entries.size());
    mapping.entries.push_back({key.name, key.span, value});
  }

  /// The mapping below `from` that `key` names, made where there is none yet.
  TomlValue* step_into(TomlValue* from, const Key& key) {
    TomlValue::Entry* entry = find(*from, key.name);
    if (entry == nullptr) {
      TomlValue* made = make(NodeKind::mapping, key.span);
      add(*from, key, made);
      return made;
    }
    TomlValue* value = entry->value;
    if (value->is_table_array && !value->items.empty()) value = value->items.back();
    if (value->kind != NodeKind::mapping) refuse(key.span, "\"" + key.name + "\" is not a table");
    return value;
  }

  void header() {
    const std::uint32_t begin = at_++;
    const bool is_array = peek() == '[';
    if (is_array) ++at_;
    const std::vector<Key> keys = dotted_key();
    if (refusal_) return;
    for (int i = 0; i < (is_array ? 2 : 1); ++i) {
      if (peek() != ']') return refuse_here("expected \"]\"");
      ++at_;
    }
    table_ = root_;
    for (std::size_t i = 0; i + 1 < keys.size() && !refusal_; ++i) {
      table_ = step_into(table_, keys[i]);
    }
    if (refusal_) return;
    if (!is_array) {
      table_ = step_into(table_, keys.back());
      return;
    }
    TomlValue::Entry* entry = find(*table_, keys.back().name);
    if (entry == nullptr) {
      TomlValue* list = make(NodeKind::sequence, {begin, at_});
      list->is_table_array = true;
      add(*table_, keys.back(), list);
      entry = &table_->entries.back();
    } else if (!entry->value->is_table_array) {
      return refuse(keys.back().span, "\"" + keys.back().name + "\" is not an array of tables");
    }
    TomlValue* list = entry->value;
    table_ = make(NodeKind::mapping, {begin, at_});
    list->items.push_back(table_);
  }

  void assignment(TomlValue& table, std::uint32_t depth) {
    const std::vector<Key> keys = dotted_key();
    if (refusal_) return;
    if (peek() != '=') return refuse_here("expected \"=\" behind the key");
    ++at_;
    skip_blanks();
    TomlValue* into = &table;
    for (std::size_t i = 0; i + 1 < keys.size() && !refusal_; ++i) into = step_into(into, keys[i]);
    if (refusal_) return;
    TomlValue* read = value(depth);
    if (read == nullptr) return;
    if (find(*into, keys.back().name) != nullptr) {
      return refuse(keys.back().span, "\"" + keys.back().name + "\" is set twice");
    }
    add(*into, keys.back(), read);
  }

  TomlValue* value(std::uint32_t depth) {
    if (depth > limits_.max_depth) {
      refuse_here("the value is nested too deep");
      return nullptr;
    }
    switch (peek()) {
      case '"':
      case '\'':
        return string();
      case '[':
        return array(depth);
      case '{':
        return inline_table(depth);
      default:
        return plain();
    }
  }

  /// A number, a switch or a date: told apart by who reads the scalar.
  TomlValue* plain() {
    const std::uint32_t begin = at_;
    const auto ends = [](char c) {
      return c == ',' || c == ']' || c == '}' || c == '#' || c == '\0' || is_toml_blank(c) ||
             is_toml_break(c);
    };
    while (!at_end() && !ends(peek())) ++at_;
    if (begin == at_) {
      refuse_here("expected a value");
      return nullptr;
    }
    TomlValue* made = make(NodeKind::scalar, {begin, at_});
    made->decoded = std::string(text_.substr(begin, at_ - begin));
    std::erase(made->decoded, '_');
    return made;
  }

  TomlValue* array(std::uint32_t depth) {
    TomlValue* made = make(NodeKind::sequence, {at_, at_});
    ++at_;
    while (!refusal_) {
      skip_to_content();
      if (peek() == ']') break;
      TomlValue* item = value(depth + 1);
      if (item == nullptr) return nullptr;
      made->items.push_back(item);
      skip_to_content();
      if (peek() == ',') {
        ++at_;
      } else if (peek() != ']') {
        refuse_here("expected \",\" or \"]\"");
      }
    }
    if (refusal_) return nullptr;
    made->span.end = ++at_;
    return made;
  }

  TomlValue* inline_table(std::uint32_t depth) {
    TomlValue* made = make(NodeKind::mapping, {at_, at_});
    ++at_;
    while (!refusal_) {
      skip_blanks();
      if (peek() == '}') break;
      assignment(*made, depth + 1);
      if (refusal_) return nullptr;
      skip_blanks();
      if (peek() == ',') {
        ++at_;
      } else if (peek() != '}') {
        refuse_here("expected \",\" or \"}\"");
      }
    }
    if (refusal_) return nullptr;
    made->span.end = ++at_;
    return made;
  }

  TomlValue* string() {
    const std::uint32_t begin = at_;
    const char quote = peek();
    const bool is_long = peek(1) == quote && peek(2) == quote;
    at_ += is_long ? 3 : 1;
    if (is_long && peek() == '\r') ++at_;
    if (is_long && peek() == '\n') ++at_;
    std::string decoded;
    while (true) {
      if (at_end() || (!is_long && is_toml_break(peek()))) {
        refuse({begin, begin + 1}, "the string does not end");
        return nullptr;
      }
      if (peek() == quote && (!is_long || (peek(1) == quote && peek(2) == quote))) break;
      if (quote == '"' && peek() == '\\') {
        if (!escape(decoded)) return nullptr;
        continue;
      }
      decoded += peek();
      ++at_;
    }
    at_ += is_long ? 3 : 1;
    TomlValue* made = make(NodeKind::scalar, {begin, at_});
    made->decoded = std::move(decoded);
    made->quoting = quote == '"' ? Quoting::double_quoted : Quoting::single_quoted;
    return made;
  }

  bool escape(std::string& decoded) {
    const std::uint32_t begin = at_++;
    const char c = peek();
    ++at_;
    constexpr std::string_view kLetters = "btnfr\"\\";
    constexpr std::string_view kMeant = "\b\t\n\f\r\"\\";
    if (const std::size_t place = kLetters.find(c); place != std::string_view::npos) {
      decoded += kMeant[place];
      return true;
    }
    if (c == 'u' || c == 'U') return code_point(begin, c == 'u' ? 4 : 8, decoded);
    if (is_toml_break(c) || is_toml_blank(c)) {  // the line goes on
      while (is_toml_blank(peek()) || is_toml_break(peek())) ++at_;
      return true;
    }
    refuse({begin, at_}, "no such escape in a string");
    return false;
  }

  bool code_point(std::uint32_t begin, int digits, std::string& decoded) {
    char32_t value = 0;
    for (int i = 0; i < digits; ++i, ++at_) {
      constexpr std::string_view kHex = "0123456789abcdef";
      const std::size_t digit = kHex.find(to_lower(std::string(1, peek())));
      if (at_end() || digit == std::string_view::npos) {
        refuse({begin, at_}, "expected a hexadecimal code point");
        return false;
      }
      value = value * 16 + static_cast<char32_t>(digit);
    }
    if (value > 0x10ffff || (value >= 0xd800 && value < 0xe000)) {
      refuse({begin, at_}, "no such code point");
      return false;
    }
    append_utf8(value, decoded);
    return true;
  }

  static void append_utf8(char32_t value, std::string& text) {
    const auto put = [&](char32_t byte) { text += static_cast<char>(byte); };
    if (value < 0x80) return put(value);
    if (value < 0x800) {
      put(0xc0 | (value >> 6U));
    } else if (value < 0x10000) {
      put(0xe0 | (value >> 12U));
      put(0x80 | ((value >> 6U) & 0x3fU));
    } else {
      put(0xf0 | (value >> 18U));
      put(0x80 | ((value >> 12U) & 0x3fU));
      put(0x80 | ((value >> 6U) & 0x3fU));
    }
    put(0x80 | (value & 0x3fU));
  }

  std::string_view text_;
  std::uint32_t at_;
  const ReadLimits& limits_;
  std::deque<TomlValue> values_;
  /// Of each entry in its mapping: a file may have a hundred thousand keys.
  std::map<std::pair<const TomlValue*, std::string>, std::size_t> places_;
  std::vector<Range> comments_;
  TomlValue* root_ = nullptr;
  TomlValue* table_ = nullptr;
  std::optional<TomlRefusal> refusal_;
};

}  // namespace

ParsedToml parse_toml(std::string_view text, const ReadLimits& limits) {
  return TomlParser(text, limits).run();
}

}  // namespace gpulint
