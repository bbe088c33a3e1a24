#pragma once

#include "source/read.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

namespace gpulint::testing {

inline Document yaml(std::string text, const ReadLimits& limits = {}) {
  Result<Document> document = read_yaml("a.yaml", std::move(text), 0, limits);
  const std::string message = document ? "" : document.error().to_string();
  REQUIRE_MESSAGE(document.has_value(), message);
  return std::move(document).value();
}

inline Document json(std::string text) {
  Result<Document> document = read_json("a.json", std::move(text), 0);
  const std::string message = document ? "" : document.error().to_string();
  REQUIRE_MESSAGE(document.has_value(), message);
  return std::move(document).value();
}

/// "file:line:column: message" of a text that must not be readable.
inline std::string yaml_error(std::string text, const ReadLimits& limits = {}) {
  const Result<Document> document = read_yaml("a.yaml", std::move(text), 0, limits);
  REQUIRE_FALSE(document.has_value());
  return document.error().to_string();
}

inline std::string json_error(std::string text) {
  const Result<Document> document = read_json("a.json", std::move(text), 0);
  REQUIRE_FALSE(document.has_value());
  return document.error().to_string();
}

/// What the span of a node covers.
inline std::string written(const Document& document, NodeId id) {
  const Node& node = document.node(id);
  return std::string(document.text().substr(node.begin, std::size_t{node.end} - node.begin));
}
inline std::string written(const Document& document, std::string_view pointer) {
  const NodeId id = document.at(pointer);
  REQUIRE(id != kNoNode);
  return written(document, id);
}
inline std::string value(const Document& document, std::string_view pointer) {
  const NodeId id = document.at(pointer);
  REQUIRE(id != kNoNode);
  return std::string(document.scalar(id));
}
inline std::vector<std::string> comments(const Document& document) {
  std::vector<std::string> result;
  for (const Comment& comment : document.comments())
    result.emplace_back(document.text().substr(comment.begin, comment.end - comment.begin));
  return result;
}
inline std::vector<ProblemKind> problem_kinds(const Document& document) {
  std::vector<ProblemKind> result;
  for (const Problem& problem : document.problems()) result.push_back(problem.kind);
  return result;
}

}  // namespace gpulint::testing
