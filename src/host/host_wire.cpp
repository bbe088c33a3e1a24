// What a measuring process sends of the host: one JSON object a line.

#include "host/host_part.h"
#include "host/wire_reader.h"

#include <cerrno>
#include <unistd.h>

namespace gpulint::probe {
namespace {

constexpr int kMostSamples = 1'000'000;
constexpr std::size_t kMostMissing = 64;
constexpr std::size_t kMostFigures = 256;

/// A figure's source may hold a path, which need not be UTF-8.
std::string line_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

void send(int pipe, const Json& json) {
  const std::string text = line_of(json);
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t put = write(pipe, text.data() + written, text.size() - written);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return;  // nobody reads any more
    written += static_cast<std::size_t>(put);
  }
}

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json json_of(const HostFacts& facts) {
  return {{"online_cpus", or_null(facts.online_cpus)},
          {"allowed_cpus", or_null(facts.allowed_cpus)},
          {"allowed_cores", or_null(facts.allowed_cores)},
          {"cpu_quota", or_null(facts.cpu_quota)},
          {"cpu_quota_of", facts.cpu_quota_of},
          {"memory_total", to_json(facts.memory_total)},
          {"memory_available", to_json(facts.memory_available)},
          {"memory_limit", to_json(facts.memory_limit)},
          {"memory_left", to_json(facts.memory_left)},
          {"memory_limit_of", facts.memory_limit_of},
          {"shm_size", to_json(facts.shm_size)},
          {"shm_free", to_json(facts.shm_free)},
          {"numa_nodes", or_null(facts.numa_nodes)},
          {"locked_limit", to_json(facts.locked_limit)},
          {"locked_unlimited", facts.locked_unlimited},
          {"last_cache", to_json(facts.last_cache)},
          {"unread", facts.unread}};
}

void read_facts(Reader& reader, HostFacts& facts) {
  reader.read("online_cpus", facts.online_cpus);
  reader.read("allowed_cpus", facts.allowed_cpus);
  reader.read("allowed_cores", facts.allowed_cores);
  reader.read("cpu_quota", facts.cpu_quota);
  reader.read("cpu_quota_of", facts.cpu_quota_of);
  reader.read("memory_total", facts.memory_total);
  reader.read("memory_available", facts.memory_available);
  reader.read("memory_limit", facts.memory_limit);
  reader.read("memory_left", facts.memory_left);
  reader.read("memory_limit_of", facts.memory_limit_of);
  reader.read("shm_size", facts.shm_size);
  reader.read("shm_free", facts.shm_free);
  reader.read("numa_nodes", facts.numa_nodes);
  reader.read("locked_limit", facts.locked_limit);
  reader.read("locked_unlimited", facts.locked_unlimited);
  reader.read("last_cache", facts.last_cache);
  reader.read("unread", facts.unread);
}

Json json_of(const Figure& figure) {
  return {{"kind", name_of(figure.kind)}, {"value", figure.value},     {"noise", figure.noise},
          {"samples", figure.samples},    {"workers", figure.workers}, {"source", figure.source},
          {"own_data", figure.own_data}};
}

void read_figure(Reader& reader, Figure& figure) {
  std::string kind;
  reader.read("kind", kind);
  reader.read("value", figure.value);
  reader.read("noise", figure.noise);
  reader.read("samples", figure.samples);
  reader.read("workers", figure.workers);
  reader.read("source", figure.source);
  reader.read("own_data", figure.own_data);
  const auto known = figure_kind(kind);
  if (!known || figure.value <= 0 || figure.samples > kMostSamples) return reader.refuse();
  figure.kind = *known;
}

}  // namespace

void PartWriter::facts(const HostFacts& facts) const { send(pipe_, {{"facts", json_of(facts)}}); }
void PartWriter::figure(const Figure& figure) const { send(pipe_, {{"figure", json_of(figure)}}); }
void PartWriter::missing(std::string_view what, std::string_view why) const {
  send(pipe_, {{"missing", std::string(what) + ": " + std::string(why)}});
}
void PartWriter::done() const { send(pipe_, {{"done", true}}); }

bool read_part_line(std::string_view line, HostReport& report, bool& done) {
  const Json json = Json::parse(line, nullptr, false);
  if (!json.is_object() || json.size() != 1) return false;
  Reader reader(json);
  const std::string& key = json.begin().key();
  if (key == "facts") {
    HostFacts facts;
    reader.part("facts", facts, read_facts);
    if (!reader.broken()) report.facts = facts;
  } else if (key == "figure") {
    Figure figure;
    reader.part("figure", figure, read_figure);
    if (!reader.broken() && report.figures.size() < kMostFigures) report.figures.push_back(figure);
  } else if (key == "missing") {
    std::string why;
    reader.read("missing", why);
    const bool room = report.not_measured.size() < kMostMissing;
    if (!reader.broken() && room) report.not_measured.push_back(why);
  } else if (key == "done") {
    done = true;
  } else {
    return false;
  }
  return !reader.broken();
}

}  // namespace gpulint::probe
