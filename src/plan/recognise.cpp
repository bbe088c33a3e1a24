// Which language a file is written in, by the keys it has. The rules are data (dialects/*.yaml);
// dialects are asked in order of rank and the first that sees its evidence takes the file. Words
// that many kinds of files use (`model`, `name`, `steps`) are not evidence; a dialect asks for at
// least two specific keys.

#include "base/text.h"
#include "plan/key_index.h"
#include "plan/plan.h"
#include "plan/sections.h"
#include "source/scalar.h"

#include <algorithm>
#include <string>

namespace gpulint {

namespace {

// A mapping under which keys are looked for.
struct Root {
  NodeId node = kNoNode;
  PathHash path = kRootPath;
};

// What is asked about one dialect.
struct Question {
  const KeyIndex& keys;
  const Dialect& dialect;
  std::string_view path;           // of the file, in its project
  std::span<const Root> roots;     // where keys count
  std::span<const Root> anywhere;  // where they count for rules that say so
  int counted_elsewhere = 0;
};

// "TRAIN.LR" is another key than "train.lr" for a loader that tells them apart.
bool is_written_so(const Document& document, NodeId value, std::string_view path) {
  std::string written = document.pointer(value);
  std::replace(written.begin(), written.end(), '/', '.');
  return std::string_view(written).ends_with(path);
}

// Evidence is "path" or "path=value pattern"; it may lie under any of the roots.
// `is_bare`: only settings count, since a schema describes "batch_size" in a section of that name.
Place find_evidence(const Question& asked, std::span<const Root> roots, bool is_bare,
                    std::string_view evidence) {
  const std::size_t equals = evidence.find('=');
  const std::string_view path = evidence.substr(0, equals);
  const std::string_view value =
      equals == std::string_view::npos ? std::string_view{} : evidence.substr(equals + 1);
  const bool is_pattern = path.find('*') != std::string_view::npos;
  const RelativePath relative = is_pattern ? RelativePath{} : relative_path(path);
  for (const Root& root : roots) {
    if (is_pattern) {
      const Place place = asked.keys.find_pattern(root.node, path, value);
      if (place.found()) return place;
      continue;
    }
    const Place place = asked.keys.find(relative.below(root.path));
    if (!place.found() || !value_matches(asked.keys.document(), place.value, value)) continue;
    if (is_bare && asked.keys.document().kind(place.value) == NodeKind::mapping) continue;
    if (!asked.dialect.exact_case || is_written_so(asked.keys.document(), place.value, path)) {
      return place;
    }
  }
  return {};
}

// Each key once, though "lr" and "optimizer.lr" may both find it.
int count_evidence(const Question& asked, std::span<const Root> roots, bool is_bare,
                   std::span<const std::string> evidence) {
  std::vector<NodeId> found;
  for (const std::string& path : evidence) {
    const Place place = find_evidence(asked, roots, is_bare, path);
    if (place.found()) found.push_back(place.value);
  }
  std::sort(found.begin(), found.end());
  return static_cast<int>(std::unique(found.begin(), found.end()) - found.begin());
}

// "fixtures/inputs": neighbouring components of the path, each of which may end or begin with `*`.
/// `component_matches`, where `#` is any digit and `?` any character: `*####-##-##*`.
bool is_named_so(std::string_view pattern, std::string_view part) {
  if (pattern.find('#') == std::string_view::npos) return component_matches(pattern, part);
  if (pattern.starts_with('*')) {
    pattern.remove_prefix(1);
    for (; !part.empty(); part.remove_prefix(1))
      if (is_named_so(pattern, part)) return true;
    return false;
  }
  const bool is_open = pattern.ends_with('*');
  if (is_open) pattern.remove_suffix(1);
  if (part.size() < pattern.size() || (!is_open && part.size() != pattern.size())) return false;
  return std::equal(pattern.begin(), pattern.end(), part.begin(), [](char wanted, char c) {
    return wanted == '?' || wanted == c || (wanted == '#' && c >= '0' && c <= '9');
  });
}

bool path_matches(std::string_view path, std::string_view pattern) {
  const std::vector<std::string_view> parts = split(path, '/');
  const std::vector<std::string_view> wanted = split(pattern, '/');
  if (wanted.size() > parts.size()) return false;
  for (std::size_t at = 0; at + wanted.size() <= parts.size(); ++at) {
    const bool matches = std::equal(
        wanted.begin(), wanted.end(), parts.begin() + static_cast<std::ptrdiff_t>(at),
        [](std::string_view each, std::string_view part) { return is_named_so(each, part); });
    if (matches) return true;
  }
  return false;
}

/// Keys whose values have as many digits as a program writes and nobody types.
int count_measured(const Document& document) {
  constexpr std::ptrdiff_t kWritten = 14;
  int count = 0;
  for (NodeId id = 0; id < document.size(); ++id) {
    if (document.node(id).key == kNoNode || document.kind(id) != NodeKind::scalar) continue;
    const std::string_view text = document.scalar(id);
    if (static_cast<std::ptrdiff_t>(text.size()) <= kWritten || !lenient_number(text)) continue;
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    if (std::count_if(text.begin(), text.end(), is_digit) >= kWritten) ++count;
  }
  return count;
}

bool rule_holds(const Question& asked, const RecognitionRule& rule) {
  if (rule.measured > 0) {
    const Document& document = asked.keys.document();
    if (document.format() != Format::json || count_measured(document) < rule.measured) return false;
  }
  if (!rule.paths.empty() &&
      std::none_of(rule.paths.begin(), rule.paths.end(),
                   [&](const std::string& pattern) { return path_matches(asked.path, pattern); })) {
    return false;
  }
  const std::span<const Root> roots = rule.anywhere ? asked.anywhere : asked.roots;
  const auto seen = [&](const std::string& path) {
    return find_evidence(asked, roots, rule.anywhere, path).found();
  };
  if (!std::all_of(rule.all.begin(), rule.all.end(), seen)) return false;
  if (!rule.any.empty() && std::none_of(rule.any.begin(), rule.any.end(), seen)) return false;
  if (!rule.some.empty() &&
      count_evidence(asked, roots, rule.anywhere, rule.some) + asked.counted_elsewhere <
          rule.at_least) {
    return false;
  }
  return std::none_of(rule.none.begin(), rule.none.end(), seen);
}

// The section itself, and in a dialect of bare keys the sections and phases in which they count.
std::vector<Root> roots_of(const KeyIndex& keys, const Dialect& dialect, const Root& section) {
  std::vector<Root> roots = {section};
  const auto add = [&](std::string_view name) {
    const PathHash path = path_below(section.path, name);
    const Place place = keys.find(path);
    if (place.found() && keys.document().kind(place.value) == NodeKind::mapping) {
      roots.push_back({place.value, path});
    }
  };
  for (const std::string& name : dialect.leaf_sections) {
    if (!name.empty()) add(name);
  }
  if (dialect.phase_sections.empty() || section.node == kNoNode) return roots;
  constexpr std::size_t kEnoughRoots = 64;  // a file of more phases is known by its first ones
  const Document& document = keys.document();
  for (NodeId child = document.node(section.node).first_child;
       child != kNoNode && roots.size() < kEnoughRoots; child = document.node(child).next_sibling) {
    const NodeId key = document.node(child).key;
    if (key == kNoNode || document.kind(child) != NodeKind::mapping) continue;
    const std::string_view name = document.scalar(key);
    if (std::any_of(dialect.phase_sections.begin(), dialect.phase_sections.end(),
                    [&](const std::string& phase) { return component_matches(phase, name); })) {
      add(name);
    }
  }
  return roots;
}

struct Match {
  const RecognitionRule* rule = nullptr;
  std::string_view section;
};

// The roots and all sections below them.
std::vector<Root> roots_anywhere(const KeyIndex& keys, const Dialect& dialect,
                                 const Root& section) {
  constexpr std::size_t kEnoughSections = 64;  // a file of more is known by its first ones
  std::vector<Root> roots = {section};
  for (const Scope& scope :
       sections_below(keys, dialect, {section.node, section.path}, {}, kEnoughSections)) {
    roots.push_back({scope.node, scope.path});
  }
  return roots;
}

Match match(const KeyIndex& keys, const Dialect& dialect, std::string_view path, NodeId top,
            int counted_elsewhere) {
  const bool asks_anywhere = std::any_of(dialect.recognise.begin(), dialect.recognise.end(),
                                         [](const RecognitionRule& rule) { return rule.anywhere; });
  for (const std::string& section : dialect.sections) {
    Root root{top, kRootPath};
    if (!section.empty()) {
      root.path = path_below(kRootPath, section);
      root.node = keys.find(root.path).value;
      if (root.node == kNoNode) continue;
    }
    const std::vector<Root> roots = roots_of(keys, dialect, root);
    const std::vector<Root> anywhere =
        asks_anywhere ? roots_anywhere(keys, dialect, root) : std::vector<Root>{};
    const Question asked{keys, dialect, path, roots, anywhere, counted_elsewhere};
    for (const RecognitionRule& rule : dialect.recognise) {
      if (rule_holds(asked, rule)) return {&rule, section};
    }
  }
  return {};
}

// Keys that `.gpulint.yaml` names for this project are as good evidence as any.
int count_in_house(const KeyIndex& keys, const Dialect& dialect,
                   std::span<const KeyMapping> in_house_keys) {
  const std::vector<Root> roots = roots_of(keys, dialect, Root{});
  int count = 0;
  for (const KeyMapping& key : in_house_keys) {
    count += std::any_of(roots.begin(), roots.end(), [&](const Root& root) {
      return keys.has(path_below(root.path, key.path));
    });
  }
  return count;
}

const char* reason_without_keys(const Document& document) {
  const NodeId root = document.root();
  if (root == kNoNode) return "empty";
  const NodeId top = document.resolve(root);
  if (top == kNoNode || document.kind(top) != NodeKind::mapping) return "not a mapping of keys";
  return "no training keys";
}

std::string_view last_component(std::string_view path) {
  path = path.substr(0, path.find('='));
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? path : path.substr(dot + 1);
}

// Hashes of the last components of all recognition paths, sorted.
std::vector<PathHash> evidence_words(std::span<const Dialect> dialects) {
  std::vector<PathHash> words;
  const auto add = [&](const std::vector<std::string>& paths) {
    for (const std::string& path : paths) {
      const std::string_view word = last_component(path);
      if (word.find('*') == std::string_view::npos) words.push_back(path_below(kRootPath, word));
    }
  };
  for (const Dialect& dialect : dialects) {
    if (dialect.foreign) continue;
    for (const RecognitionRule& rule : dialect.recognise) {
      add(rule.all);
      add(rule.any);
      add(rule.some);
    }
  }
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

// The key that ends before `end`, blanks and a closing quote between them ignored; "" for none.
std::string_view key_before(std::string_view text, std::size_t end) {
  while (end > 0 && (text[end - 1] == ' ' || text[end - 1] == '\t')) --end;
  if (end > 0 && (text[end - 1] == '"' || text[end - 1] == '\'')) --end;
  const auto belongs = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  };
  constexpr std::size_t kLongestKey = 64;
  std::size_t begin = end;
  while (begin > 0 && end - begin < kLongestKey && belongs(text[begin - 1])) --begin;
  return text.substr(begin, end - begin);
}

}  // namespace

Recognition recognise(const Document& document, std::span<const Dialect> dialects,
                      std::span<const KeyMapping> in_house_keys) {
  return recognise(KeyIndex(document), dialects, in_house_keys);
}

Recognition recognise(const KeyIndex& keys, std::span<const Dialect> dialects,
                      std::span<const KeyMapping> in_house_keys, std::string_view path) {
  const Document& document = keys.document();
  Recognition recognition;
  recognition.dialects = dialects;
  if (keys.size() == 0) {
    recognition.reason = reason_without_keys(document);
    return recognition;
  }
  if (path.empty()) path = document.path();
  const NodeId top = document.resolve(document.root());
  for (const Dialect& dialect : dialects) {
    // In-house keys stand beside bare keys only: a framework's file is known by the framework's.
    const int in_house = dialect.leaf_sections.empty() || in_house_keys.empty()
                             ? 0
                             : count_in_house(keys, dialect, in_house_keys);
    const Match found = match(keys, dialect, path, top, in_house);
    if (found.rule == nullptr) continue;
    if (found.rule->lowers || found.rule->unjudged) {
      recognition.role = found.rule->is;
      if (found.rule->lowers) recognition.judged_by = dialect.judged_by;
      continue;
    }
    if (dialect.foreign) {
      recognition.foreign = true;
      recognition.reason = found.rule->is.empty() ? dialect.summary : found.rule->is;
      return recognition;
    }
    recognition.dialect = &dialect;
    recognition.section = found.section;
    return recognition;
  }
  recognition.reason = reason_without_keys(document);
  return recognition;
}

void take_role_of(std::string_view path, std::span<const Dialect> dialects,
                  Recognition& recognition) {
  if (!recognition.role.empty()) return;
  for (const Dialect& dialect : dialects) {
    for (const RecognitionRule& rule : dialect.recognise) {
      const bool is_of_place =
          rule.unjudged && rule.any.empty() && rule.all.empty() && rule.none.empty();
      const bool is_by_path = (rule.lowers || is_of_place) &&
                              std::any_of(rule.paths.begin(), rule.paths.end(),
                                          [&](const std::string& pattern) {
                                            return path_matches(path, pattern);
                                          });
      if (!is_by_path) continue;
      recognition.role = rule.is;
      if (rule.lowers) recognition.judged_by = dialect.judged_by;
      return;
    }
  }
}

bool looks_like_training_config(std::string_view text, std::span<const Dialect> dialects) {
  const std::vector<PathHash> words = evidence_words(dialects);
  PathHash first = 0;
  for (std::size_t at = text.find_first_of(":="); at != std::string_view::npos;
       at = text.find_first_of(":=", at + 1)) {
    const std::string_view key = key_before(text, at);
    if (key.empty()) continue;
    const PathHash hash = path_below(kRootPath, key);
    if (hash == first || !std::binary_search(words.begin(), words.end(), hash)) continue;
    if (first != 0) return true;
    first = hash;
  }
  return false;
}

}  // namespace gpulint
