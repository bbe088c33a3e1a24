#include "unit/plan/dialect_files.h"

#include "catalog/catalog.h"
#include "plan/fact_table.h"
#include "source/read.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

namespace gpulint {

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE_MESSAGE(file.good(), path);
  return {std::istreambuf_iterator<char>(file), {}};
}

namespace {

std::vector<Dialect> load_dialects() {
  std::vector<Dialect> dialects;
  const std::filesystem::path folder = std::string(GPULINT_SOURCE_DIR) + "/dialects";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".yaml") continue;
    const std::string name = "dialects/" + entry.path().filename().string();
    Result<Document> document = read_document(name, read_text(entry.path().string()), 0);
    REQUIRE_MESSAGE(document.has_value(), name);
    Result<Dialect> dialect = parse_dialect(*document);
    REQUIRE_MESSAGE(dialect.has_value(), dialect.error().to_string());
    dialects.push_back(std::move(*dialect));
  }
  std::sort(dialects.begin(), dialects.end(), [](const Dialect& a, const Dialect& b) {
    return std::pair(a.rank, a.id) < std::pair(b.rank, b.id);
  });
  return dialects;
}

/// What facts name and words are read by, without what packages take: tests of dialects do not ask.
Catalog load_knowledge() {
  std::vector<DataFile> files;
  const std::filesystem::path folder = GPULINT_SOURCE_DIR;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder / "knowledge")) {
    const std::string name = std::filesystem::relative(entry.path(), folder).string();
    if (!entry.is_regular_file() || name.starts_with("knowledge/catalogue/")) continue;
    Result<Document> document = read_document(name, read_text(entry.path().string()), 0);
    REQUIRE_MESSAGE(document.has_value(), name);
    files.push_back({name, std::move(*document)});
  }
  Result<Catalog> catalog = Catalog::open(std::move(files));
  REQUIRE_MESSAGE(catalog.has_value(), catalog.error().to_string());
  return std::move(*catalog);
}

}  // namespace

const std::vector<Dialect>& shipped_dialects() {
  static const std::vector<Dialect> dialects = load_dialects();
  return dialects;
}

Document document_of(std::string_view text, std::string path) {
  Result<Document> document = read_document(std::move(path), std::string(text), 0);
  REQUIRE_MESSAGE(document.has_value(), document.error().to_string());
  return std::move(document).value();
}

Recognition recognised(const Document& document) { return recognise(document, shipped_dialects()); }

std::vector<Plan> plans_of(std::string_view text, std::string path) {
  const Document document = document_of(text, std::move(path));
  PlanRequest request;
  request.document = &document;
  request.recognition = recognised(document);
  static const Catalog knowledge = load_knowledge();
  request.catalog = &knowledge;
  return make_plans(request);
}

std::string Facts::operator[](std::string_view fact) const {
  const FactRow* row = find_fact(fact);
  REQUIRE(row != nullptr);
  return canonical_text(plan.facts, *row);
}

std::string Facts::origin(std::string_view fact) const {
  const FactRow* row = find_fact(fact);
  REQUIRE(row != nullptr);
  const Provenance* from = provenance_of(plan.facts, *row);
  return from == nullptr ? "unknown" : name_of(from->origin);
}

std::vector<std::string> Facts::observed(std::string_view list) const {
  std::vector<std::string> items;
  for (const Observation& item : plan.observations) {
    if (item.list == list) items.push_back(item.name + "=" + item.value);
  }
  return items;
}

Facts facts_of(std::string_view text, std::string path) {
  std::vector<Plan> plans = plans_of(text, std::move(path));
  REQUIRE(plans.size() == 1);
  return {std::move(plans.front())};
}

}  // namespace gpulint
