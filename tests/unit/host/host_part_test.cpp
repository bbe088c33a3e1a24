#include "host/host_part.h"

#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace gpulint;
using namespace gpulint::probe;
using namespace std::chrono_literals;

namespace {

Figure copy_figure() {
  return {.kind = FigureKind::memory_copy,
          .value = 12.5e9,
          .noise = 1e8,
          .samples = 5,
          .workers = 2,
          .source = "128 MiB",
          .own_data = true};
}

HostReport report_of(std::chrono::milliseconds limit, std::function<void(const PartWriter&)> work) {
  HostReport report;
  run_part({"disk", limit, std::move(work)}, report);
  return report;
}

}  // namespace

TEST_CASE("what a part sends arrives as it was sent") {
  HostFacts facts;
  facts.allowed_cpus = 2;
  facts.cpu_quota = 1.5;
  facts.cpu_quota_of = "cpu.max of /a";
  facts.memory_limit = Bytes::mib(512);
  facts.unread = {"online"};
  const HostReport report = report_of(5s, [&](const PartWriter& writer) {
    writer.facts(facts);
    writer.figure(copy_figure());
    writer.missing("png_decode", "libpng is missing");
  });
  CHECK(report.facts == facts);
  CHECK(report.figures == std::vector<Figure>{copy_figure()});
  CHECK(report.not_measured == std::vector<std::string>{"png_decode: libpng is missing"});
}

TEST_CASE("a part that hangs is ended, and what it sent before is kept") {
  const auto start = std::chrono::steady_clock::now();
  const HostReport report = report_of(200ms, [](const PartWriter& writer) {
    writer.figure(copy_figure());
    while (true) pause();
  });
  CHECK(report.figures.size() == 1);
  CHECK(report.not_measured ==
        std::vector<std::string>{"disk: ended after 200 ms, what follows is not measured"});
  CHECK(std::chrono::steady_clock::now() - start < 5s);
}

TEST_CASE("a part that ignores signals is ended too") {
  const HostReport report = report_of(100ms, [](const PartWriter&) {
    for (const int number : {SIGTERM, SIGINT, SIGHUP}) std::signal(number, SIG_IGN);
    while (true) pause();
  });
  CHECK(report.not_measured.size() == 1);
}

TEST_CASE("a part that crashes is named with its signal, and what it sent before is kept") {
  const HostReport report = report_of(5s, [](const PartWriter& writer) {
    writer.figure(copy_figure());
    raise(SIGSEGV);
  });
  CHECK(report.figures.size() == 1);
  CHECK(report.not_measured ==
        std::vector<std::string>{"disk: its process was ended by signal 11 (Segmentation fault)"});
}

TEST_CASE("a part that throws or leaves is said to have ended early") {
  const std::vector<std::string> early{"disk: its process ended early"};
  CHECK(report_of(5s, [](const PartWriter&) { throw 1; }).not_measured == early);
  CHECK(report_of(5s, [](const PartWriter&) { _exit(0); }).not_measured == early);
}

TEST_CASE("a part's own processes end with it") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  report_of(300ms, [&](const PartWriter&) {
    if (fork() == 0) {
      close(ends[0]);
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      while (true) pause();
    }
    while (true) pause();
  });
  close(ends[1]);
  char byte = 0;
  CHECK(read(ends[0], &byte, 1) == 0);  // the last writer is gone
  close(ends[0]);
}

TEST_CASE("lines that are not a part's are refused") {
  for (const char* line :
       {"", "x", "[]", "{}", "{\"figure\":1}", "{\"figure\":{}}", "{\"missing\":1}",
        "{\"other\":true}", "{\"done\":true,\"facts\":null}",
        "{\"figure\":{\"kind\":\"no_such\",\"value\":1,\"noise\":0,\"samples\":1,\"workers\":1,"
        "\"source\":\"\",\"own_data\":false}}",
        "{\"figure\":{\"kind\":\"memory_copy\",\"value\":-1,\"noise\":0,\"samples\":1,"
        "\"workers\":1,\"source\":\"\",\"own_data\":false}}"}) {
    CAPTURE(line);
    HostReport report;
    bool done = false;
    CHECK_FALSE(read_part_line(line, report, done));
    CHECK(report == HostReport{});
    CHECK_FALSE(done);
  }
}

TEST_CASE("a part that sends nonsense is named") {
  const HostReport report = report_of(5s, [](const PartWriter&) {
    for (int pipe = 3; pipe < 64; ++pipe) {
      struct stat status {};
      if (fstat(pipe, &status) != 0 || !S_ISFIFO(status.st_mode)) continue;
      const bool writes = (fcntl(pipe, F_GETFL) & O_ACCMODE) == O_WRONLY;
      if (writes) CHECK(write(pipe, "nonsense\n", 9) == 9);
    }
    while (true) pause();
  });
  CHECK(report.not_measured ==
        std::vector<std::string>{"disk: its process sent something other than a report"});
}
