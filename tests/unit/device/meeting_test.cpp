#include "device/meeting.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace gpulint;
using namespace gpulint::probe;
namespace fs = std::filesystem;

namespace {

class SharedFolder {
 public:
  SharedFolder() {
    std::string pattern = (fs::temp_directory_path() / "gpulint-meet-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  SharedFolder(const SharedFolder&) = delete;
  SharedFolder& operator=(const SharedFolder&) = delete;
  ~SharedFolder() { fs::remove_all(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

NcclUniqueId some_id() {
  NcclUniqueId id;
  for (std::size_t i = 0; i < id.bytes.size(); ++i) id.bytes[i] = static_cast<char>(255 - i);
  return id;
}

Deadline in(int milliseconds) {
  return std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
}

JobPlace place_at(const std::string& where, int rank, int processes) {
  return {.rank = rank,
          .processes = processes,
          .machine = fmt::format("node{}", rank / 2),
          .job = "7-0",
          .meet = where};
}

/// What each of four processes is told.
std::vector<std::optional<Roll>> meet_all(const std::string& where) {
  std::vector<std::optional<Roll>> rolls(4);
  std::atomic<int> made = 0;
  std::vector<std::thread> processes;
  for (int rank = 3; rank >= 0; --rank) {
    processes.emplace_back([&, rank] {
      const auto roll = meet(
          place_at(where, rank, 4), rank == 1 ? 2 : 1,
          [&made]() -> Result<NcclUniqueId> {
            ++made;
            return some_id();
          },
          in(20'000));
      if (roll) rolls[static_cast<std::size_t>(rank)] = *roll;
    });
  }
  for (std::thread& each : processes) each.join();
  CHECK(made == 1);
  return rolls;
}

void check_rolls(const std::vector<std::optional<Roll>>& rolls) {
  for (const auto& roll : rolls) {
    REQUIRE(roll.has_value());
    CHECK(roll->id.bytes == some_id().bytes);
    CHECK(roll->ranks == 5);
    CHECK(roll->machines == 2);
    CHECK(roll->first == std::vector<int>{0, 1, 3, 4});
  }
}

Result<NcclUniqueId> no_id() { return fail(std::string("no id")); }

/// A port that nobody has at this moment.
std::string free_port() { return fmt::format("localhost:{}", 20'000 + getpid() % 20'000); }

}  // namespace

TEST_CASE("four processes meet in a folder, and leave nothing in it") {
  const SharedFolder folder;
  check_rolls(meet_all(folder.path()));
  for (int rank = 0; rank < 4; ++rank) leave(place_at(folder.path(), rank, 4));
  CHECK(fs::is_empty(folder.path()));
}

TEST_CASE("four processes meet at a port of the first") { check_rolls(meet_all(free_port())); }

TEST_CASE("at a port a process that ends early is noticed at once, and named to all") {
  const std::string where = free_port();
  std::vector<std::unique_ptr<Companions>> others(3);
  std::vector<std::thread> processes;
  for (int rank = 2; rank >= 0; --rank) {
    processes.emplace_back([&, rank] {
      const auto id = [] { return Result<NcclUniqueId>(some_id()); };
      (void)meet(place_at(where, rank, 3), 1, id, in(10'000),
                 &others[static_cast<std::size_t>(rank)]);
    });
  }
  for (std::thread& process : processes) process.join();
  for (const auto& each : others) REQUIRE(each != nullptr);
  CHECK(others[0]->lost().empty());
  CHECK(others[1]->lost().empty());
  others[2].reset();
  const auto told = [&](std::size_t rank) {
    for (int i = 0; i < 100; ++i) {
      if (std::string lost = others[rank]->lost(); !lost.empty()) return lost;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return std::string();
  };
  CHECK(told(0) == "process 2 of the job ended");
  CHECK(told(1) == "process 2 of the job ended");
}

TEST_CASE("a process whose part is done is not missed") {
  const SharedFolder folder;
  for (const std::string& where : {free_port(), folder.path()}) {
    std::vector<std::unique_ptr<Companions>> others(2);
    std::thread guest([&] {
      (void)meet(
          place_at(where, 1, 2), 1, [] { return Result<NcclUniqueId>(some_id()); }, in(10'000),
          &others[1]);
    });
    (void)meet(
        place_at(where, 0, 2), 1, [] { return Result<NcclUniqueId>(some_id()); }, in(10'000),
        &others[0]);
    guest.join();
    REQUIRE(others[0] != nullptr);
    REQUIRE(others[1] != nullptr);
    CHECK(others[0]->lost().empty());
    others[1]->done();
    others[1].reset();
    std::this_thread::sleep_for(std::chrono::milliseconds(1100));
    CHECK(others[0]->lost().empty());
  }
}

TEST_CASE("a process alone meets nobody") {
  const auto roll = meet(
      {.machine = "a"}, 8, [] { return Result<NcclUniqueId>(some_id()); }, in(0));
  REQUIRE(roll.has_value());
  CHECK(roll->ranks == 8);
  CHECK(roll->machines == 1);
}

TEST_CASE("who waits in vain says how many came, at the deadline") {
  const SharedFolder folder;
  const auto alone = meet(place_at(folder.path(), 0, 3), 1, no_id, in(200));
  REQUIRE_FALSE(alone.has_value());
  CHECK(alone.error().message.starts_with("of 3 processes 1 came to " + folder.path()));
  const auto guest = meet(place_at("localhost:1", 1, 2), 1, no_id, in(300));
  REQUIRE_FALSE(guest.has_value());
  CHECK(guest.error().message == "the first process was not found at localhost:1 in time");
}

TEST_CASE("a job that says nowhere where to meet is told how to") {
  const auto roll = meet(place_at("", 0, 2), 1, no_id, in(100));
  CHECK(roll.error().message.find("--meet names a folder") != std::string::npos);
}

TEST_CASE("a roll of an attempt before is not taken for this one's") {
  const SharedFolder folder;
  Roll old{.id = some_id(), .ranks = 2, .machines = 1, .first = {0, 1}, .nonces = {"a", "b"}};
  const fs::path meeting = fs::path(folder.path()) / "gpulint-meeting-7-0";
  fs::create_directory(meeting);
  chmod(meeting.c_str(), 0700);
  std::ofstream(meeting / "roll.json") << write_roll(old);
  chmod((meeting / "roll.json").c_str(), 0600);
  CHECK_FALSE(meet(place_at(folder.path(), 1, 2), 1, no_id, in(200)).has_value());
}

TEST_CASE("a folder in which others may write is no place to meet") {
  const SharedFolder folder;
  const fs::path meeting = fs::path(folder.path()) / "gpulint-meeting-7-0";
  fs::create_directory(meeting);
  chmod(meeting.c_str(), 0777);
  CHECK_FALSE(meet(place_at(folder.path(), 0, 2), 1, no_id, in(200)).has_value());
}

TEST_CASE("what processes say to each other is read with care") {
  CHECK(read_hello(write_hello({3, 8, "n", "x"}))->cards == 8);
  CHECK_FALSE(read_hello("{\"rank\": -1}").has_value());
  CHECK_FALSE(read_hello("{\"rank\":1,\"cards\":900,\"machine\":\"\",\"nonce\":\"\"}").has_value());
  CHECK_FALSE(read_roll("{\"id\":\"zz\",\"ranks\":1,\"machines\":1,\"first\":[],\"nonces\":[]}")
                  .has_value());
  CHECK_FALSE(read_roll("[]").has_value());
}

TEST_CASE("host:port is told from a folder") {
  CHECK(is_port_address("node1:29500"));
  CHECK_FALSE(is_port_address("/shared/here"));
  CHECK_FALSE(is_port_address("folder"));
  CHECK_FALSE(is_port_address("C:/x:1"));
  CHECK_FALSE(is_port_address(":29500"));
}
