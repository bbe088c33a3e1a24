#include "base/text.h"
#include "catalog/catalog.h"
#include "catalog/strict_reader.h"

#include <array>
#include <limits>

namespace gpulint {
namespace {

constexpr std::array<std::string_view, 5> kCitedHostFields = {"gpu", "gpu_count", "cpu_cores",
                                                              "ram", "shm"};

std::optional<int> read_count(Complaints& complaints, NodeId node, int least) {
  const auto value =
      read_integer(complaints, node, least, std::numeric_limits<std::int16_t>::max());
  if (!value) return std::nullopt;
  return static_cast<int>(*value);
}

std::optional<Price> read_price(Complaints& complaints, NodeId node) {
  if (node == kNoNode) return std::nullopt;
  StrictMapping mapping(complaints, node);
  Price price;
  price.per_hour.dollars = read_quantity(complaints, mapping.need("per_hour"), "USD").value_or(0);
  price.as_of = read_word(complaints, mapping.need("as_of"));
  price.source = read_word(complaints, mapping.need("source"));
  price.recalled = read_boolean(complaints, mapping.find("recalled")).value_or(false);
  mapping.refuse_unknown_keys();
  return price;
}

}  // namespace

Result<Host> parse_host(const Document& document) {
  Complaints complaints(document);
  if (document.root() == kNoNode) {
    complaints.at(0, 0, "the file is empty; expected a host");
    return fail(std::move(complaints).joined());
  }
  StrictMapping file(complaints, document.root());
  Host host;
  host.id = stem_of(document.path());
  host.names = read_words(complaints, file.find("names"));
  host.cloud = read_word(complaints, file.find("cloud"));
  host.gpu = read_word(complaints, file.find("gpu"));
  host.gpu_count = read_count(complaints, file.find("gpu_count"), 0);
  host.cpu_cores = read_count(complaints, file.find("cpu_cores"), 1);
  host.ram = read_bytes(complaints, file.find("ram"));
  host.shm = read_bytes(complaints, file.find("shm"));
  host.price = read_price(complaints, file.find("price"));
  host.notes = read_words(complaints, file.find("notes"));
  const NodeId sources = file.need("sources");
  if (file.is_mapping()) {
    host.sources = read_sources(complaints, document.root(), sources, kCitedHostFields);
  }
  file.refuse_unknown_keys();
  return std::move(complaints).finish(std::move(host));
}

}  // namespace gpulint
