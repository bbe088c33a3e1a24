#include "model/program.h"

#include "base/text.h"
#include "catalog/recording.h"
#include "catalog/strict_reader.h"
#include "model/compiler.h"
#include "model/varying.h"

#include <algorithm>
#include <charconv>

namespace gpulint::model {

expr::Value plain_value(const Document& document, NodeId node) {
  if (document.kind(node) == NodeKind::sequence) {
    expr::List list;
    for (const NodeId item : document.items(node)) list.push_back(plain_value(document, item));
    return list;
  }
  if (document.kind(node) != NodeKind::scalar || is_null(document, node)) return {};
  const std::string_view text = trim(document.scalar(node));
  if (document.node(node).quoting != Quoting::plain) return std::string(text);
  if (text == "true" || text == "false") return text == "true";
  const char* end = text.data() + text.size();
  std::int64_t whole = 0;
  if (const auto parsed = std::from_chars(text.data(), end, whole);
      parsed.ec == std::errc() && parsed.ptr == end) {
    return whole;
  }
  double number = 0;
  if (const auto parsed = std::from_chars(text.data(), end, number);
      parsed.ec == std::errc() && parsed.ptr == end) {
    return number;
  }
  return std::string(text);
}

namespace {

/// A list of architectures, or a mapping from each to the dimensions its config.json leaves unsaid.
void read_architectures(Complaints& complaints, NodeId node, Program& program) {
  const Document& document = complaints.document();
  if (document.kind(node) == NodeKind::sequence) {
    for (const std::string& name : read_words(complaints, node)) program.config_json[name];
    return;
  }
  for (const auto& [name, implied] : read_entries(complaints, node)) {
    auto& dimensions = program.config_json[std::string(name)];
    for (const auto& [dimension, value] : read_entries(complaints, implied)) {
      const bool known =
          std::any_of(program.dimensions.begin(), program.dimensions.end(),
                      [&, wanted = dimension](const Dimension& d) { return d.name == wanted; });
      if (!known) complaints.about(value, "is not a dimension of this family");
      dimensions.insert_or_assign(std::string(dimension), plain_value(document, value));
    }
  }
}

constexpr std::int64_t kGreatestCount = std::int64_t{1} << 50;

/// "8.89 M" or "671 B": the count and what its last digit stands for.
std::optional<PublishedCount> rounded_count(std::string_view text) {
  const std::size_t blank = text.find(' ');
  if (blank == std::string_view::npos) return std::nullopt;
  const std::string_view letter = text.substr(blank + 1);
  if (letter != "M" && letter != "B") return std::nullopt;
  PublishedCount result{0, letter == "M" ? 1'000'000 : 1'000'000'000, {}};
  bool in_fraction = false;
  for (const char c : text.substr(0, blank)) {
    if (c == '.' && !in_fraction) {
      in_fraction = true;
      continue;
    }
    if (c < '0' || c > '9' || result.count > kGreatestCount || (in_fraction && result.unit == 1)) {
      return std::nullopt;
    }
    result.count = result.count * 10 + (c - '0');
    if (in_fraction) result.unit /= 10;
  }
  result.count = saturating_multiply(result.count, result.unit);
  if (result.count < 1) return std::nullopt;
  return result;
}

/// A whole number, a rounded one, or a mapping of `count` and the `dimensions` it is stated for.
std::optional<PublishedCount> read_published(Complaints& complaints, NodeId node) {
  const Document& document = complaints.document();
  if (document.kind(node) == NodeKind::mapping) {
    StrictMapping mapping(complaints, node);
    std::optional<PublishedCount> result;
    if (const NodeId count = mapping.need("count"); count != kNoNode) {
      result = read_published(complaints, count);
    }
    const NodeId dimensions = mapping.need("dimensions");
    mapping.refuse_unknown_keys();
    if (!result || dimensions == kNoNode) return std::nullopt;
    for (const auto& [name, value] : read_entries(complaints, dimensions)) {
      result->dimensions.insert_or_assign(std::string(name), plain_value(document, value));
    }
    return result;
  }
  const bool text = document.kind(node) == NodeKind::scalar;
  if (std::optional<PublishedCount> rounded =
          text ? rounded_count(trim(document.scalar(node))) : std::nullopt) {
    return rounded;
  }
  const auto exact = read_integer(complaints, node, 1, kGreatestCount);
  if (!exact) return std::nullopt;
  return PublishedCount{*exact, 1, {}};
}

/// Adds the definitions of a part file.
Result<bool> read_part(const Document& document, Program& program) {
  Complaints complaints(document);
  refuse_reader_problems(complaints);
  refuse_anchors_and_tags(complaints);
  ProgramCompiler compiler(complaints, program, ProgramCompiler::continued);
  StrictMapping file(complaints, document.root());
  if (const NodeId node = file.need("define"); node != kNoNode) compiler.definitions(node);
  if (const NodeId node = file.need("sources"); node != kNoNode) read_words(complaints, node);
  file.refuse_unknown_keys();
  return std::move(complaints).finish(true);
}

}  // namespace

std::vector<std::string> parts_of(const Document& document) {
  std::vector<std::string> parts;
  if (document.root() == kNoNode) return parts;
  const NodeId uses = document.find(document.root(), "uses");
  if (uses == kNoNode || document.kind(uses) != NodeKind::sequence) return parts;
  for (const NodeId part : document.items(uses)) parts.emplace_back(document.scalar(part));
  return parts;
}

Result<Program> compile_program(const Document& document, std::span<const Document* const> parts) {
  Complaints complaints(document);
  refuse_reader_problems(complaints);
  refuse_anchors_and_tags(complaints);
  Program program;
  program.path = std::string(document.path());
  program.id = std::string(stem_of(document.path()));
  ProgramCompiler compiler(complaints, program);
  StrictMapping file(complaints, document.root());
  if (const NodeId node = file.need("dimensions"); node != kNoNode) compiler.dimensions(node);
  if (const NodeId node = file.need("input"); node != kNoNode) compiler.inputs(node);
  if (const NodeId node = file.find("uses"); node != kNoNode) read_words(complaints, node);
  for (const Document* part : parts) {
    if (Result<bool> read = read_part(*part, program); !read) return fail(read.error());
  }
  if (const NodeId node = file.find("define"); node != kNoNode) compiler.definitions(node);
  if (const NodeId node = file.need("program"); node != kNoNode) {
    program.statements = compiler.statements(node);
  }
  if (const NodeId node = file.find("config_json"); node != kNoNode) {
    read_architectures(complaints, node, program);
  }
  if (const NodeId node = file.find("config_fields"); node != kNoNode) {
    for (const auto& [dimension, field] : read_entries(complaints, node)) {
      program.config_fields.emplace(dimension, read_word(complaints, field));
    }
  }
  // A program that is one model: parse_model reads these.
  file.find("names");
  file.find("published_parameters");
  if (const NodeId node = file.find("recorded"); node != kNoNode) read_recording(complaints, node);
  if (const NodeId node = file.find("unpublished_parameters"); node != kNoNode) {
    program.unpublished_parameters = std::string(read_text(complaints, node));
  }
  if (const NodeId node = file.need("sources"); node != kNoNode) read_words(complaints, node);
  file.refuse_unknown_keys();
  Result<Program> compiled = std::move(complaints).finish(std::move(program));
  if (compiled) find_varying(*compiled);
  return compiled;
}

std::string_view mismatch(const expr::Type& type, const expr::Value& value) {
  const auto is_number = [](const expr::Value& v) {
    return std::holds_alternative<std::int64_t>(v.data) || std::holds_alternative<double>(v.data);
  };
  switch (type.kind) {
    case expr::Kind::number:
      return is_number(value) ? "" : "a number";
    case expr::Kind::boolean:
      return std::holds_alternative<bool>(value.data) ? "" : "true or false";
    case expr::Kind::string:
      return std::holds_alternative<std::string>(value.data) ? "" : "a word";
    case expr::Kind::list: {
      const auto* list = std::get_if<expr::List>(&value.data);
      const bool words = type.element == expr::Kind::string;
      const auto is_item = [&](const expr::Value& item) {
        return words ? std::holds_alternative<std::string>(item.data) : is_number(item);
      };
      if (list != nullptr && std::all_of(list->begin(), list->end(), is_item)) return "";
      return words ? "a list of words" : "a list of numbers";
    }
  }
  return "";
}

bool PublishedCount::agrees_with(std::int64_t parameters) const {
  return parameters > count - unit && parameters < count + unit;
}

std::optional<std::int64_t> ModelEntry::exact_parameters() const {
  if (!published_parameters || published_parameters->unit != 1) return std::nullopt;
  if (!published_parameters->dimensions.empty()) return std::nullopt;
  return published_parameters->count;
}

Result<ModelEntry> parse_model(const Document& document) {
  Complaints complaints(document);
  refuse_reader_problems(complaints);
  refuse_anchors_and_tags(complaints);
  ModelEntry model;
  model.id = std::string(stem_of(document.path()));
  model.path = std::string(document.path());
  StrictMapping file(complaints, document.root());
  if (document.root() != kNoNode && document.find(document.root(), "program") != kNoNode) {
    model.family = model.id;
    for (const std::string_view key : {"input", "uses", "define", "program", "recorded"}) {
      file.find(key);
    }
  } else if (const NodeId node = file.need("family"); node != kNoNode) {
    model.family = std::string(read_word(complaints, node));
  }
  if (const NodeId node = file.find("names"); node != kNoNode) {
    model.names = read_words(complaints, node);
  }
  const bool own_program = model.family == model.id;
  if (const NodeId node = file.find("dimensions"); node != kNoNode && !own_program) {
    for (const auto& [name, value] : read_entries(complaints, node)) {
      model.dimensions.insert_or_assign(std::string(name), plain_value(document, value));
    }
  }
  const NodeId published = file.find("published_parameters");
  if (published != kNoNode) model.published_parameters = read_published(complaints, published);
  if (const NodeId node = file.find("unpublished_parameters"); node != kNoNode) {
    if (published != kNoNode) complaints.about(node, "stands beside a published count");
    model.unpublished_parameters = std::string(read_text(complaints, node));
  }
  if (const NodeId node = file.need("sources"); node != kNoNode) {
    model.sources = read_words(complaints, node);
  }
  file.refuse_unknown_keys();
  return std::move(complaints).finish(std::move(model));
}

}  // namespace gpulint::model
