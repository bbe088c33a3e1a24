#include "probe/fleet.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <map>

using namespace gpulint;
using namespace gpulint::probe;

namespace {

DeviceReport card(double copy = 4e12, int lanes = 16) {
  DeviceReport device;
  device.name = "NVIDIA Test";
  device.pci_bus_id = "0000:03:00.0";
  device.nvml_total = Bytes::mib(24576);
  device.cuda_total = Bytes::mib(24200);
  device.pcie = PcieLink{lanes, 16, 4, 4};
  device.rates = {{RateKind::copy, copy, 0.01e12, 15}};
  return device;
}

RankReport report(int rank, Outcome outcome, std::string node = "n1") {
  return {{rank, rank, std::move(node)}, "test", std::move(outcome), {}};
}

std::vector<std::string> words(const std::vector<RankReport>& reports) {
  std::vector<std::string> all;
  for (const Outlier& outlier : find_outliers(reports)) {
    all.push_back(std::to_string(outlier.report) + ": " + outlier.what);
  }
  return all;
}

/// A folder of texts.
class Folder : public FileReader {
 public:
  std::map<std::string, std::string> files;
  Result<std::string> read(const std::string& path, std::size_t limit) const override {
    const std::string& text = files.at(path.substr(2));
    if (text.size() > limit) return fail("is too large");
    return text;
  }
  FileKind kind(const std::string&) const override { return FileKind::regular; }
  Result<std::vector<DirectoryEntry>> list(const std::string& folder) const override {
    if (folder != "d") return fail("no such folder");
    std::vector<DirectoryEntry> entries;
    for (const auto& [name, text] : files) entries.push_back({name, FileKind::regular, false});
    return entries;
  }
  std::string canonical(const std::string& path) const override { return path; }
};

}  // namespace

TEST_CASE("cards that do the same are not outliers") {
  CHECK(words({report(0, card()), report(1, card(3.5e12)), report(2, card(4.2e12))}).empty());
}

TEST_CASE("a card 15 % slower than the median of its siblings is named") {
  CHECK(words({report(0, card()), report(1, card(3.3e12)), report(2, card())}) ==
        std::vector<std::string>{"1: copy 3300 GB/s, 18 % below its siblings' 4000 GB/s"});
}

TEST_CASE("exactly 15 % below is still one of them, a little more is not") {
  CHECK(words({report(0, card(4e12)), report(1, card(3.4e12))}).empty());
  CHECK(words({report(0, card(4e12)), report(1, card(3.39e12))}).size() == 1);
}

TEST_CASE("of two cards the slower one is named, a faster one never") {
  CHECK(words({report(0, card(1e12)), report(1, card())}) ==
        std::vector<std::string>{"0: copy 1000 GB/s, 75 % below its siblings' 4000 GB/s"});
}

TEST_CASE("cards of another name are not siblings") {
  DeviceReport other = card(1e12, 4);
  other.name = "NVIDIA Other";
  other.nvml_total = Bytes::mib(8192);
  CHECK(words({report(0, card()), report(1, other)}).empty());
}

TEST_CASE("a rate that scatters too much decides nothing") {
  DeviceReport noisy = card(3e12);
  noisy.rates.front().noise = 0.5e12;
  CHECK(words({report(0, card()), report(1, noisy)}).empty());
}

TEST_CASE("a narrower PCIe link is named, also where it is the card's own maximum") {
  DeviceReport narrow = card(4e12, 4);
  narrow.pcie->max_width = 4;
  CHECK(words({report(0, card()), report(1, narrow)}) ==
        std::vector<std::string>{"1: PCIe link x4, its siblings have x16"});
}

TEST_CASE("less memory is named; one MiB is rounding") {
  DeviceReport less = card();
  less.nvml_total = Bytes::mib(24575);
  CHECK(words({report(0, card()), report(1, less)}).empty());
  less.nvml_total = Bytes::mib(24574);
  CHECK(words({report(0, card()), report(1, less)}) ==
        std::vector<std::string>{"1: memory 24574 MiB, its siblings have 24576 MiB"});
}

TEST_CASE("totals of NVML and of CUDA are not compared with each other") {
  DeviceReport without = card();
  without.nvml_total.reset();
  CHECK(words({report(0, card()), report(1, without)}).empty());
}

TEST_CASE("a rank without a measurement is an outlier of its own") {
  CHECK(words({report(0, Unavailable{Reason::no_driver, "x"}), report(1, Failed{"hung"})}) ==
        std::vector<std::string>{"0: not measured: no_driver: x", "1: not measured: hung"});
}

TEST_CASE("reports survive the way through a file") {
  RankReport written = report(3, card(), "node7");
  written.contradicted = {"memory_total"};
  const auto read = read_rank_report(write_rank_report(written, "1.2.3"));
  REQUIRE(read.has_value());
  CHECK(read->place == written.place);
  CHECK(read->gpu_id == "test");
  CHECK(read->outcome == written.outcome);
  CHECK(read->contradicted == written.contradicted);
}

TEST_CASE("broken, foreign and incomplete files are refused with a reason") {
  const std::string good = write_rank_report(report(0, card()), "1");
  const auto why = [](std::string_view text) {
    const auto read = read_rank_report(text);
    return read ? "" : read.error().message;
  };
  CHECK(why(good) == "");
  CHECK(why(good.substr(0, good.size() / 2)) == "is not JSON, or cut off");
  CHECK(why("") == "is not JSON, or cut off");
  CHECK(why("[]") == "is not a report of confirm --report (schema gpulint.confirm-rank/1)");
  CHECK(why(R"({"schema": "gpulint.confirm/1"})") ==
        "is not a report of confirm --report (schema gpulint.confirm-rank/1)");
  CHECK(why(R"({"schema": "gpulint.confirm-rank/1"})") == "has no outcome");
  CHECK(why(R"({"schema": "gpulint.confirm-rank/1", "outcome": {"device": {"name": "x"}}})") ==
        "has an incomplete outcome");
  auto json = nlohmann::json::parse(good);
  json["outcome"]["device"]["rates"][0]["value"] = -1;
  CHECK(why(json.dump()) == "has an incomplete outcome");
  json["outcome"]["device"]["rates"] = nlohmann::json::array({1, 2, 3, 4, 5, 6});
  CHECK(why(json.dump()) == "has an incomplete outcome");
}

TEST_CASE("a rank is read from the launcher, Slurm first") {
  std::map<std::string, std::string> set{{"RANK", "5"}, {"LOCAL_RANK", "1"}};
  const auto variable = [&](const char* name) -> const char* {
    const auto found = set.find(name);
    return found == set.end() ? nullptr : found->second.c_str();
  };
  CHECK(rank_facts(variable, "host") == RankFacts{5, 1, "host"});
  set["SLURM_PROCID"] = "9";
  set["SLURM_LOCALID"] = "2";
  set["SLURMD_NODENAME"] = "node4";
  CHECK(rank_facts(variable, "host") == RankFacts{9, 2, "node4"});
  set["SLURM_PROCID"] = "../9";
  set["SLURM_LOCALID"] = "-2";
  CHECK(rank_facts(variable, "host") == RankFacts{5, 1, "node4"});
}

TEST_CASE("a report's file is named after its rank, else after node and device") {
  RankReport written = report(12, card());
  CHECK(file_name_of(written) == "confirm-rank-12.json");
  written.place.rank.reset();
  written.place.node = "../a b";
  CHECK(file_name_of(written) == "confirm-..-a-b-0000-03-00.0.json");
  written.outcome = Failed{"x"};
  CHECK(file_name_of(written) == "confirm-..-a-b-no-device.json");
}

TEST_CASE("a folder is merged by node and rank, and what is not a report is named") {
  Folder folder;
  folder.files = {{"a.json", write_rank_report(report(10, card(), "n2"), "1")},
                  {"b.json", write_rank_report(report(9, card(1e12), "n2"), "1")},
                  {"c.json", write_rank_report(report(11, card(), "n1"), "1")},
                  {"d.json", "{"},
                  {"e.json", std::string(std::size_t{2} << 20, ' ')},
                  {"notes.txt", "not looked at"}};
  const auto fleet = merge_reports(folder, "d");
  REQUIRE(fleet.has_value());
  REQUIRE(fleet->reports.size() == 3);
  CHECK(fleet->reports[0].place.rank == 11);
  CHECK(fleet->reports[1].place.rank == 9);
  CHECK(fleet->skipped ==
        std::vector<std::string>{"d.json: is not JSON, or cut off", "e.json: is too large"});
  CHECK(exit_code_of(*fleet) == 1);
}

TEST_CASE("a folder without a readable report is an error that says how to write one") {
  Folder folder;
  folder.files = {{"d.json", "{"}};
  const auto fleet = merge_reports(folder, "d");
  REQUIRE_FALSE(fleet.has_value());
  CHECK(fleet.error().message ==
        "--merge: d holds no readable report; write them with gpulint confirm --report d\n"
        "d.json: is not JSON, or cut off");
  CHECK_FALSE(merge_reports(folder, "elsewhere").has_value());
}
