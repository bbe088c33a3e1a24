#include "source/parsed_files.h"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>
#include <vector>

using namespace gpulint;  // NOLINT: tests

namespace {

constexpr std::size_t kPlenty = std::size_t{1} << 20;

std::string_view learning_rate(const Result<Document>& document) {
  return document->scalar(document->at("/lr"));
}

}  // namespace

TEST_CASE("the same path with the same text is parsed once") {
  ParsedFiles files(kPlenty);
  const auto first = files.read("a.yaml", "lr: 1\n", 0);
  const auto second = files.read("a.yaml", "lr: 1\n", 7);
  REQUIRE(first);
  REQUIRE(second);
  CHECK(files.use().parsed == 1);
  CHECK(files.use().found == 1);
  CHECK(second->view().nodes.data() == first->view().nodes.data());
  CHECK(first->span(first->at("/lr")) == SourceSpan{0, 4, 5});
  CHECK(second->span(second->at("/lr")) == SourceSpan{7, 4, 5});
}

TEST_CASE("another text, path or limit is parsed by itself") {
  ParsedFiles files(kPlenty);
  CHECK(learning_rate(files.read("a.yaml", "lr: 1\n", 0)) == "1");
  CHECK(learning_rate(files.read("a.yaml", "lr: 2\n", 0)) == "2");
  CHECK(learning_rate(files.read("b.json", "{\"lr\": 1}", 0)) == "1");
  ReadLimits limits;
  limits.max_depth = 0;
  CHECK_FALSE(files.read("a.yaml", "lr: 1\n", 0, limits));
  CHECK(files.use().parsed == 4);
  CHECK(files.use().found == 0);
}

TEST_CASE("a text that cannot be parsed is refused again, as the file that asks for it") {
  ParsedFiles files(kPlenty);
  const auto first = files.read("a.yaml", "lr: [1\n", 2);
  const auto second = files.read("a.yaml", "lr: [1\n", 3);
  REQUIRE_FALSE(first);
  REQUIRE_FALSE(second);
  CHECK(files.use().found == 1);
  CHECK(second.error().message == first.error().message);
  CHECK(first.error().where.file == 2);
  CHECK(second.error().where.file == 3);
  CHECK(second.error().where.begin == first.error().where.begin);
}

TEST_CASE("what a file held before it changed twice is forgotten") {
  ParsedFiles files(kPlenty);
  for (const char* text : {"lr: 1\n", "lr: 2\n", "lr: 3\n"}) (void)files.read("a.yaml", text, 0);
  CHECK(files.use().documents == 2);
  (void)files.read("a.yaml", "lr: 2\n", 0);
  CHECK(files.use().found == 1);
  (void)files.read("a.yaml", "lr: 1\n", 0);
  CHECK(files.use().parsed == 4);
}

TEST_CASE("the documents asked for longest ago leave when the memory is used up") {
  ParsedFiles probe(kPlenty);
  (void)probe.read("0.yaml", "lr: 1\n", 0);
  ParsedFiles files(3 * probe.use().bytes + probe.use().bytes / 2);
  for (const char* path : {"0.yaml", "1.yaml", "2.yaml"}) (void)files.read(path, "lr: 1\n", 0);
  (void)files.read("0.yaml", "lr: 1\n", 0);
  (void)files.read("3.yaml", "lr: 1\n", 0);
  CHECK(files.use().documents == 3);
  CHECK(files.use().bytes == 3 * probe.use().bytes);
  (void)files.read("0.yaml", "lr: 1\n", 0);
  CHECK(files.use().found == 2);
  (void)files.read("1.yaml", "lr: 1\n", 0);
  CHECK(files.use().found == 2);
}

TEST_CASE("a document in use outlives its place in the memory") {
  ParsedFiles files(kPlenty);
  const auto document = files.read("a.yaml", "lr: 0.5\n", 0);
  (void)files.read("a.yaml", "lr: 1\n", 0);
  (void)files.read("a.yaml", "lr: 2\n", 0);
  CHECK(learning_rate(document) == "0.5");
}

TEST_CASE("nothing is kept without memory") {
  ParsedFiles files(0);
  CHECK(learning_rate(files.read("a.yaml", "lr: 1\n", 0)) == "1");
  CHECK(learning_rate(files.read("a.yaml", "lr: 1\n", 0)) == "1");
  CHECK(files.use().documents == 0);
}

TEST_CASE("threads that ask at once get what they asked for") {
  ParsedFiles files(std::size_t{16} << 10);  // a few documents: some leave while others are read
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (int round = 0; round < 500; ++round) {
        const std::string value = std::to_string((round + thread) % 5);
        const auto document =
            files.read("f" + std::to_string(round % 7) + ".yaml", "lr: " + value + "\n", 0);
        if (!document || learning_rate(document) != value) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}
