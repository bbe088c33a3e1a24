#pragma once

// The flags of one command as a tree of keys and values, as a config of the same keys would be.

#include "base/source_span.h"
#include "shell/text.h"
#include "source/document.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpulint {

/// One key. It holds a value, a list of values, or further keys.
struct FlagNode {
  std::string name;
  ShellText written;             // the flag as it stands, dashes and all
  std::vector<ShellText> items;  // one: a plain value
  std::vector<FlagNode> children;
  ShellText end;            // of one unknown path: what follows the folder that nobody knows
  ShellText last;           // and its last part: the model of `$MODELS/a-7b`
  bool is_unknown = false;  // readings differ on it, or only a running shell knows
  bool is_list = false;     // whose items make a list even where there is one
  bool is_switch = false;   // a flag alone; `items` holds what it means
};

class FlagTree {
 public:
  /// `path`: dotted. What was there before is replaced, as a later flag does.
  void add(std::string_view path, FlagNode node);
  /// A flag under its name as it is, behind all others.
  void append(FlagNode node) { nodes_.push_back(std::move(node)); }
  /// Takes away flags that `other` has not, and values on which they differ; false: there were
  /// some.
  bool intersect(const FlagTree& other);
  /// Keeps what both say alike; what they differ on is unknown.
  void merge(const FlagTree& other);
  /// Adds what is not there yet.
  void fill_from(const FlagTree& other);
  const FlagNode* find(std::string_view name) const;  // at the top, compared as keys are
  bool empty() const { return nodes_.empty(); }
  const std::vector<FlagNode>& nodes() const { return nodes_; }

 private:
  std::vector<FlagNode> nodes_;
};

/// The texts that origins count in: the script, then what it sources.
struct LaunchText {
  std::string path;
  std::string text;
  std::vector<Document::Part> parts;  // more than one: the files of the texts
  FileId file = kNoFile;
  std::vector<Comment> comments;
};

/// `place`: of the command; what stands nowhere in the text is there. `under`: keys to put it
/// below, dotted. `keeps_dashes`: keys are spelled as the flags are.
Document flag_document(const FlagTree& tree, const LaunchText& text, TextRange place,
                       std::string_view under = {}, bool keeps_dashes = false);

/// Keys are compared ignoring case, `-` as `_` and without leading dashes; those of one letter by
/// case.
bool same_flag(std::string_view a, std::string_view b);

}  // namespace gpulint
