// Comments age: a copied line keeps the words of the file it came from. Only words that leave no
// other reading are taken: an order ("TODO: set to false"), a sum that does not add up, a setting
// that is written out again with another number.

#include "base/text.h"
#include "plan/contradictions.h"
#include "plan/deliberate.h"
#include "source/scalar.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace gpulint {
namespace {

/// What a comment says, without its `#`.
std::string words_of(std::string_view comment) {
  std::string words = to_lower(comment);
  words.erase(0, words.find_first_not_of("# \t"));
  return std::string(trim(words));
}

bool has_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    return text.find(word) != std::string_view::npos;
  });
}

std::string_view word_at(std::string_view text, std::size_t at) {
  const std::size_t begin = text.find_first_not_of(" \t`'\"=:", at);
  if (begin == std::string_view::npos) return {};
  const std::size_t end = text.find_first_of(" \t,;)`'\"", begin);
  return text.substr(begin, end == std::string_view::npos ? end : end - begin);
}

std::optional<bool> switch_of(std::string_view word) {
  if (word == "true" || word == "on" || word == "yes") return true;
  if (word == "false" || word == "off" || word == "no") return false;
  return std::nullopt;
}

/// The value that "TODO: set to X" asks for.
std::string_view asked_for(std::string_view words) {
  if (!has_any(words, {"todo", "fixme", "xxx"})) return {};
  for (const std::string_view order :
       {"set to ", "set this to ", "set it to ", "change to ", "change this to ", "change it to ",
        "should be ", "switch to ", "turn it ", "turn "}) {
    const std::size_t at = words.find(order);
    if (at == std::string_view::npos) continue;
    std::string_view asked = trim(words.substr(at + order.size()));
    while (asked.ends_with('.') || asked.ends_with('!')) asked.remove_suffix(1);
    return asked.find(' ') == std::string_view::npos ? asked : std::string_view();  // "once …"
  }
  return {};
}

/// True when the two cannot mean the same value of one kind.
bool differ(std::string_view value, std::string_view asked) {
  const std::string plain = to_lower(value);
  const std::optional<bool> is = switch_of(plain);
  const std::optional<bool> wanted = switch_of(asked);
  if (is && wanted) return *is != *wanted;
  const std::optional<double> number = lenient_number(plain);
  const std::optional<double> other = lenient_number(asked);
  return number && other && *number != *other;
}

/// "sequence_parallel" in "does not support sequence parallel", and nothing behind it that says
/// where.
bool says_unsupported(std::string_view key, std::string_view words) {
  std::string setting = to_lower(key);
  std::replace(setting.begin(), setting.end(), '_', ' ');
  for (const std::string_view no :
       {"does not support ", "doesn't support ", "do not support ", "no support for "}) {
    if (words.starts_with(no) && trim(words.substr(no.size())) == setting) return true;
  }
  return words == "not supported" || words == "unsupported" || words == "not supported yet" ||
         words == "not yet supported" || words == setting + " is not supported";
}

/// "epochs: 50  # 100 epochs", "batch_size: 16  # batch size 32": the comment is the key again.
bool restates(std::string_view key, std::string_view value, std::string_view words) {
  std::string setting = to_lower(key);
  std::replace(setting.begin(), setting.end(), '_', ' ');
  const std::optional<double> number = lenient_number(value);
  if (!number || setting.size() < 3) return false;
  std::string_view rest = words;
  if (rest.starts_with(setting)) {
    rest = trim(rest.substr(setting.size()));
    // "key: 60" is another value somebody tried.
    for (const std::string_view link : {"of ", "is "}) {
      if (rest.starts_with(link)) rest = trim(rest.substr(link.size()));
    }
  } else if (rest.ends_with(" " + setting)) {
    rest = trim(rest.substr(0, rest.size() - setting.size()));
  } else {
    return false;
  }
  const std::optional<double> other = lenient_number(rest);
  return other && *other != *number && *number != 0;
}

class CommentReader {
 public:
  CommentReader(const Document& document, const Plan& plan, std::vector<Observation>& observations)
      : document_(document), plan_(plan), observations_(observations) {}

  void read() {
    constexpr NodeId kMostRead = 20'000;  // comments of generated files are nobody's words
    if (document_.format() != Format::yaml) return;
    for (NodeId id = 0; id < std::min<std::size_t>(document_.size(), kMostRead); ++id) {
      const NodeId key = document_.node(id).key;
      if (key == kNoNode || document_.kind(id) != NodeKind::scalar) continue;
      const SourceSpan span = document_.span(id);
      if (span.file != document_.file() || span.begin == span.end) continue;
      const std::string words = words_of(comment_behind(document_, span));
      if (!words.empty()) judge(id, document_.scalar(key), words);
    }
  }

 private:
  void judge(NodeId id, std::string_view key, const std::string& words) {
    const std::string_view value = document_.scalar(id);
    const std::string_view asked = asked_for(words);
    if (!asked.empty() && differ(value, asked)) {
      add("postponed_values", id, key, std::string(value), std::string(asked));
    } else if (switch_of(to_lower(value)) == true && says_unsupported(key, words)) {
      add("unsupported_values", id, key, std::string(value), words);
    } else if (restates(key, value, words)) {
      add("restated_values", id, key, std::string(value), words);
    } else {
      judge_total(id, key, words);
    }
  }

  /// "effective batch size 128 with 1 node" beside 1 sample per device and 2 micro-batches.
  void judge_total(NodeId id, std::string_view key, const std::string& words) {
    const auto& facts = plan_.facts;
    const SourceSpan span = document_.span(id);
    const bool is_part =
        (facts.per_device_batch_size && facts.per_device_batch_size->from.span == span) ||
        (facts.gradient_accumulation_steps && facts.gradient_accumulation_steps->from.span == span);
    if (!is_part || !facts.per_device_batch_size) return;
    const std::optional<std::int64_t> total = named_total(words);
    // One that is not stated is not known to be 1.
    if (!total || !facts.gradient_accumulation_steps) return;
    const std::int64_t per_rank =
        facts.per_device_batch_size->value * facts.gradient_accumulation_steps->value;
    const std::string product = fmt::format("{} x {}", facts.per_device_batch_size->value,
                                            facts.gradient_accumulation_steps->value);
    if (per_rank <= 0) return;
    if (*total % per_rank != 0) {
      add("contradicted_totals", id, key, std::to_string(*total),
          fmt::format("{} samples per GPU and step make it on no number of GPUs", product));
      return;
    }
    const std::int64_t ranks = *total / per_rank;
    const std::optional<std::int64_t> nodes = counted_before(words, {"node"});
    const std::optional<std::int64_t> gpus = counted_before(words, {"gpu"});
    constexpr std::int64_t kMostPerNode = 16;  // GPUs of the largest common machine
    if ((nodes && ranks > *nodes * kMostPerNode) || (gpus && !nodes && ranks != *gpus)) {
      add("contradicted_totals", id, key, std::to_string(*total),
          fmt::format("{} samples per GPU and step make it on {} GPUs", product, ranks));
    }
  }

  /// The number behind "effective batch size", where the comment does not work it out itself.
  static std::optional<std::int64_t> named_total(std::string_view words) {
    if (words.find_first_of("*=/") != std::string_view::npos || has_any(words, {" x ", "per "})) {
      return std::nullopt;
    }
    for (const std::string_view total : {"effective batch", "global batch", "total batch"}) {
      std::size_t at = words.find(total);
      if (at == std::string_view::npos) continue;
      at += total.size();
      for (const std::string_view link : {" size", " of", " is", ":"}) {
        if (words.substr(at).starts_with(link)) at += link.size();
      }
      if (const auto count = short_count(word_at(words, at))) return count;
    }
    return std::nullopt;
  }

  /// "1" of "with 1 node".
  static std::optional<std::int64_t> counted_before(std::string_view words,
                                                    std::initializer_list<std::string_view> nouns) {
    for (const std::string_view noun : nouns) {
      const std::size_t at = words.find(noun);
      if (at == std::string_view::npos || at < 2) continue;
      std::size_t end = at;
      while (end > 0 && (words[end - 1] == ' ' || words[end - 1] == '-')) --end;
      std::size_t begin = end;
      while (begin > 0 && words[begin - 1] >= '0' && words[begin - 1] <= '9') --begin;
      if (const auto count = short_count(words.substr(begin, end - begin))) return count;
    }
    return std::nullopt;
  }

  void add(std::string list, NodeId id, std::string_view key, std::string value,
           std::string detail) {
    Observation& item = observations_.emplace_back();
    item.list = std::move(list);
    item.span = document_.span(id);
    item.pointer = document_.pointer(id);
    item.name = std::string(key);
    item.value = std::move(value);
    item.detail = std::move(detail);
  }

  const Document& document_;
  const Plan& plan_;
  std::vector<Observation>& observations_;
};

}  // namespace

std::optional<std::int64_t> short_count(std::string_view word) {
  constexpr std::size_t kMostDigits = 7;
  const bool is_count =
      !word.empty() && word.size() <= kMostDigits &&
      std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
  return is_count ? std::optional<std::int64_t>(std::stoll(std::string(word))) : std::nullopt;
}

void observe_comments(const Document& document, const Plan& plan,
                      std::vector<Observation>& observations) {
  CommentReader(document, plan, observations).read();
}

}  // namespace gpulint
