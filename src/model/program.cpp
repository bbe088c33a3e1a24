#include "model/program.h"

#include "base/text.h"
#include "catalog/strict_reader.h"
#include "model/compiler.h"

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

Result<Program> compile_program(const Document& document) {
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
  if (const NodeId node = file.find("define"); node != kNoNode) compiler.definitions(node);
  if (const NodeId node = file.need("program"); node != kNoNode) {
    program.statements = compiler.statements(node);
  }
  if (const NodeId node = file.find("config_json"); node != kNoNode) {
    program.config_json = read_words(complaints, node);
  }
  if (const NodeId node = file.find("config_fields"); node != kNoNode) {
    for (const auto& [dimension, field] : read_entries(complaints, node)) {
      program.config_fields.emplace(dimension, read_word(complaints, field));
    }
  }
  if (const NodeId node = file.need("sources"); node != kNoNode) read_words(complaints, node);
  file.refuse_unknown_keys();
  return std::move(complaints).finish(std::move(program));
}

Result<ModelEntry> parse_model(const Document& document) {
  Complaints complaints(document);
  refuse_reader_problems(complaints);
  refuse_anchors_and_tags(complaints);
  ModelEntry model;
  model.id = std::string(stem_of(document.path()));
  StrictMapping file(complaints, document.root());
  if (const NodeId node = file.need("family"); node != kNoNode) {
    model.family = std::string(read_word(complaints, node));
  }
  if (const NodeId node = file.find("names"); node != kNoNode) {
    model.names = read_words(complaints, node);
  }
  if (const NodeId node = file.find("dimensions"); node != kNoNode) {
    for (const auto& [name, value] : read_entries(complaints, node)) {
      model.dimensions.insert_or_assign(std::string(name), plain_value(document, value));
    }
  }
  if (const NodeId node = file.find("published_parameters"); node != kNoNode) {
    model.published_parameters = read_integer(complaints, node, 1, std::int64_t{1} << 50);
  }
  if (const NodeId node = file.need("sources"); node != kNoNode) {
    model.sources = read_words(complaints, node);
  }
  file.refuse_unknown_keys();
  return std::move(complaints).finish(std::move(model));
}

}  // namespace gpulint::model
