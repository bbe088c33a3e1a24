#include "device/meeting.h"

#include "device/node_report.h"
#include "host/wire_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <set>

namespace gpulint::probe {
namespace {

/// Tells this job's files from those of one that ended before. std::random_device would ask for a
/// newer C library than the rest of the program.
std::string new_nonce() {
  std::uint64_t number = 0;
  std::ifstream random("/dev/urandom", std::ios::binary);
  if (!random.read(reinterpret_cast<char*>(&number), sizeof number))
    number =
        static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
  return fmt::format("{:016x}", number);
}

std::string in_hex(const NcclUniqueId& id) {
  std::string text;
  for (const char byte : id.bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return text;
}

bool from_hex(std::string_view text, NcclUniqueId& id) {
  if (text.size() != 2 * id.bytes.size()) return false;
  const auto digit = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
  };
  for (std::size_t i = 0; i < id.bytes.size(); ++i) {
    const int high = digit(text[2 * i]);
    const int low = digit(text[2 * i + 1]);
    if (high < 0 || low < 0) return false;
    id.bytes[i] = static_cast<char>(16 * high + low);
  }
  return true;
}

/// Whole numbers that are not negative; false where the member is something else.
bool read_counts(const Json& object, const char* key, std::vector<int>& counts) {
  const auto list = object.find(key);
  if (list == object.end() || !list->is_array() || list->size() > kMostProcesses) return false;
  for (const Json& each : *list) {
    if (!each.is_number_unsigned() || each.get<std::uint64_t>() > INT32_MAX) return false;
    counts.push_back(each.get<int>());
  }
  return true;
}

bool read_texts(const Json& object, const char* key, std::vector<std::string>& texts) {
  const auto list = object.find(key);
  if (list == object.end() || !list->is_array() || list->size() > kMostProcesses) return false;
  for (const Json& each : *list) {
    if (!each.is_string()) return false;
    texts.push_back(each.get<std::string>());
  }
  return true;
}

}  // namespace

std::string write_hello(const Hello& hello) {
  return Json{{"rank", hello.rank},
              {"cards", hello.cards},
              {"machine", hello.machine},
              {"nonce", hello.nonce}}
             .dump(-1, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

Result<Hello> read_hello(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  Hello hello;
  Reader reader(json);
  reader.read("rank", hello.rank);
  reader.read("cards", hello.cards);
  reader.read("machine", hello.machine);
  reader.read("nonce", hello.nonce);
  if (reader.broken() || hello.rank >= kMostProcesses || hello.cards > kMostCardsOfProcess) {
    return fail("a process of the job said nothing readable");
  }
  return hello;
}

std::string write_roll(const Roll& roll) {
  return Json{{"id", in_hex(roll.id)},
              {"ranks", roll.ranks},
              {"machines", roll.machines},
              {"first", roll.first},
              {"nonces", roll.nonces}}
             .dump() +
         "\n";
}

Result<Roll> read_roll(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  Roll roll;
  std::string id;
  Reader reader(json);
  reader.read("id", id);
  reader.read("ranks", roll.ranks);
  reader.read("machines", roll.machines);
  if (reader.broken() || !from_hex(id, roll.id) || !read_counts(json, "first", roll.first) ||
      !read_texts(json, "nonces", roll.nonces)) {
    return fail("the first process of the job said nothing readable");
  }
  return roll;
}

Result<Roll> call_roll(const std::vector<Hello>& hellos, const MakeId& make_id) {
  Roll roll;
  std::set<std::string_view> machines;
  for (const Hello& hello : hellos) {
    roll.first.push_back(roll.ranks);
    roll.ranks += hello.cards;
    roll.nonces.push_back(hello.nonce);
    machines.insert(hello.machine);
  }
  roll.machines = static_cast<int>(machines.size());
  auto id = make_id();
  if (!id) return fail(id.error());
  roll.id = *id;
  return roll;
}

bool is_port_address(std::string_view meet) {
  const auto colon = meet.rfind(':');
  const std::string_view port =
      colon == std::string_view::npos ? std::string_view() : meet.substr(colon + 1);
  return colon != 0 && !port.empty() && meet.find('/') == std::string_view::npos &&
         port.find_first_not_of("0123456789") == std::string_view::npos;
}

Result<Roll> meet(const JobPlace& place, int cards, const MakeId& make_id, Deadline deadline,
                  std::unique_ptr<Companions>* others) {
  const Hello own{
      .rank = place.rank, .cards = cards, .machine = place.machine, .nonce = new_nonce()};
  if (place.processes <= 1) return call_roll({own}, make_id);
  if (place.meet.empty()) {
    return fail(
        fmt::format("this is one of {} processes, and nothing says where they meet; "
                    "--meet names a folder that all share, or HOST:PORT of the first",
                    place.processes));
  }
  std::unique_ptr<Companions> met;
  auto roll = is_port_address(place.meet) ? meet_at_port(place, own, make_id, deadline, met)
                                          : meet_in_folder(place, own, make_id, deadline, met);
  if (!roll) return roll;
  if (others != nullptr) {
    *others = std::move(met);
  } else if (met) {
    met->done();
  }
  const auto index = static_cast<std::size_t>(place.rank);
  if (index >= roll->first.size() || roll->ranks < 1) {
    return fail("the first process of the job does not know this one");
  }
  return roll;
}

}  // namespace gpulint::probe
