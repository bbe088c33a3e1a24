// TOML, for configs and for the settings that Python projects keep in one file. Tables come in any order there and
// nodes of a Document in that of the tree, so the tables are gathered first and written then.

#include "source/toml_reader.h"

#include "base/text.h"
#include "source/toml_parser.h"
#include "source/tree_builder.h"

#include <algorithm>
#include <utility>

namespace gpulint {
namespace {

/// Writes the gathered tree in the order a Document has.
class TomlWriter {
 public:
  explicit TomlWriter(TreeBuilder& builder) : builder_(builder) {}

  void write(const TomlValue& value) {
    if (value.kind == NodeKind::scalar) {
      const NodeId id = builder_.add(NodeKind::scalar, value.span);
      builder_.node(id).quoting = value.quoting;
      const bool is_plain = value.quoting == Quoting::plain;
      builder_.set_value(id, value.decoded, value.span.begin + (is_plain ? 0 : 1));
      return;
    }
    TreeBuilder::Frame frame;
    frame.flow = true;
    frame.mapping = value.kind == NodeKind::mapping;
    builder_.open(value.kind, value.span.begin, frame);
    for (const TomlValue::Entry& entry : value.entries) {
      const NodeId key = builder_.add(NodeKind::scalar, entry.key);
      builder_.set_value(key, entry.name, entry.key.begin);
      write(*entry.value);
    }
    for (const TomlValue* item : value.items) write(*item);
    builder_.close(std::max(value.span.end, value.span.begin));
  }

 private:
  TreeBuilder& builder_;
};

const TomlValue* table_named(const TomlValue& root, std::string_view name) {
  const TomlValue* at = &root;
  for (const std::string_view part : split(name, '.')) {
    const auto found = std::find_if(at->entries.begin(), at->entries.end(),
                                    [&](const auto& entry) { return entry.name == part; });
    if (found == at->entries.end()) return nullptr;
    at = found->value;
  }
  return at;
}

Result<ParsedToml> parsed_file(const std::string& path, const std::string& text, FileId file,
                               const ReadLimits& limits) {
  if (auto sound = check_text(path, text, file, limits); !sound) {
    return fail(std::move(sound).error());
  }
  ParsedToml parsed = parse_toml(text, limits);
  if (parsed.refusal) {
    return fail(error_at(path, text, file, parsed.refusal->place, parsed.refusal->message));
  }
  return parsed;
}

}  // namespace

Result<Document> read_toml_table(std::string path, std::string text, std::string_view table,
                                 FileId file, const ReadLimits& limits) {
  const Result<ParsedToml> parsed = parsed_file(path, text, file, limits);
  if (!parsed) return fail(parsed.error());
  TomlValue none;
  none.kind = NodeKind::mapping;
  const TomlValue* found = table_named(*parsed->root, table);
  TreeBuilder builder(text, limits);
  TomlWriter(builder).write(found == nullptr ? none : *found);
  // Its plain scalars are written as those of YAML: numbers, true and false.
  return builder.finish(std::move(path), std::move(text), Format::yaml, file);
}

Result<Document> read_toml(std::string path, std::string text, FileId file,
                           const ReadLimits& limits) {
  const Result<ParsedToml> parsed = parsed_file(path, text, file, limits);
  if (!parsed) return fail(parsed.error());
  TreeBuilder builder(text, limits);
  TomlWriter(builder).write(*parsed->root);
  for (const Range& comment : parsed->comments) builder.comment(comment);
  return builder.finish(std::move(path), std::move(text), Format::toml, file);
}

}  // namespace gpulint
