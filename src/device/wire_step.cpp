#include "device/wire_step.h"

#include <array>

namespace gpulint::probe {
namespace {

constexpr std::array<std::string_view, 3> kKinds{"matrix_product", "convolution", "attention"};
/// The plan has six; more is not one of ours.
constexpr std::size_t kMostProducts = 64;
/// Of a product; the plan cuts them far below.
constexpr std::int64_t kLongestSide = std::int64_t{1} << 50;

std::optional<ReplayKind> kind_from(std::string_view name) {
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    if (kKinds[i] == name) return static_cast<ReplayKind>(i);
  }
  return std::nullopt;
}

std::optional<Precision> precision_from(std::string_view name) {
  for (std::size_t i = 0; i < kPrecisionCount; ++i) {
    if (name_of(static_cast<Precision>(i)) == name) return static_cast<Precision>(i);
  }
  return std::nullopt;
}

Json part_json(const TimedPart& part) {
  return {{"predicted", part.predicted.value},
          {"measured", part.measured.value},
          {"noise", part.noise.value},
          {"exact", part.exact}};
}

Json product_json(const TimedProduct& each) {
  const ReplayProduct& product = each.product;
  Json json = part_json(each.time);
  json["kind"] = kKinds[static_cast<std::size_t>(product.kind)];
  json["precision"] = name_of(product.precision);
  json["rows"] = product.rows;
  json["columns"] = product.columns;
  json["depth"] = product.depth;
  json["repeats"] = product.repeats;
  json["over_product"] = product.over_product;
  json["reads_more"] = product.reads_more;
  return json;
}

Json step_json(const TimedStep& step) {
  Json products = Json::array();
  for (const TimedProduct& each : step.products) products.push_back(product_json(each));
  return {{"low", step.low.value},
          {"central", step.central.value},
          {"high", step.high.value},
          {"products", std::move(products)},
          {"passes", step.passes ? part_json(*step.passes) : Json()}};
}

void read_seconds(Reader& reader, const char* key, Seconds& seconds) {
  reader.read(key, seconds.value);
}

void read_part(Reader& reader, TimedPart& part) {
  read_seconds(reader, "predicted", part.predicted);
  read_seconds(reader, "measured", part.measured);
  read_seconds(reader, "noise", part.noise);
  reader.read("exact", part.exact);
}

void read_side(Reader& reader, const char* key, std::int64_t& side) {
  Bytes count;  // read as any other integer
  reader.read(key, count);
  side = count.count();
  if (side <= 0 || side > kLongestSide) reader.refuse();
}

void read_product(Reader& reader, TimedProduct& each) {
  ReplayProduct& product = each.product;
  read_part(reader, each.time);
  std::string kind;
  std::string precision;
  reader.read("kind", kind);
  reader.read("precision", precision);
  const auto known_kind = kind_from(kind);
  const auto known_precision = precision_from(precision);
  if (!known_kind || !known_precision) reader.refuse();
  product.kind = known_kind.value_or(ReplayKind::matrix_product);
  product.precision = known_precision.value_or(Precision::fp32);
  read_side(reader, "rows", product.rows);
  read_side(reader, "columns", product.columns);
  read_side(reader, "depth", product.depth);
  reader.read("repeats", product.repeats);
  reader.read("over_product", product.over_product);
  reader.read("reads_more", product.reads_more);
  product.predicted = each.time.predicted;
}

void read_timed_step(Reader& reader, TimedStep& step) {
  read_seconds(reader, "low", step.low);
  read_seconds(reader, "central", step.central);
  read_seconds(reader, "high", step.high);
  reader.parts("products", step.products, kMostProducts, read_product);
  reader.part("passes", step.passes, read_part);
  if (step.low.value > step.central.value || step.central.value > step.high.value) {
    reader.refuse();
  }
}

}  // namespace

Json to_json(const StepReport& report) {
  return {{"full", step_json(report.full)}, {"half", step_json(report.half)},
          {"runs_half", report.runs_half},  {"half_format", report.half_format},
          {"figures", report.figures},      {"not_timed", report.not_timed}};
}

void read_step(Reader& reader, StepReport& report) {
  reader.part("full", report.full, read_timed_step);
  reader.part("half", report.half, read_timed_step);
  reader.read("runs_half", report.runs_half);
  reader.read("half_format", report.half_format);
  reader.read("figures", report.figures);
  reader.read("not_timed", report.not_timed);
}

}  // namespace gpulint::probe
