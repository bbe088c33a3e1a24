// One config through every command and report that judges its memory: text, JSON and HTML of
// `check`, text and JSON of `estimate`, `fit` and `diff`, the findings and the exit code. All have
// to say the same, and no figure above the card's usable memory may stand beside a mild word.
//
//   one_verdict_test GPULINT

#define DOCTEST_CONFIG_IMPLEMENT
#include "repository.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

using namespace gpulint_test;

namespace {

std::string resnet(int batch, const std::string& more = "") {
  return "model: resnet50\nimage_size: 224\noptimizer: sgd\nmomentum: 0.9\nlr: 0.1\namp: "
         "false\nbatch_size: " +
         std::to_string(batch) + "\n" + more;
}

/// Where the text has `before`, what follows up to `until`.
std::string between(const std::string& text, const std::string& before, const std::string& until) {
  const std::size_t at = text.find(before);
  if (at == std::string::npos) return "not found: " + before;
  const std::size_t begin = at + before.size();
  return text.substr(begin, text.find(until, begin) - begin);
}

/// "VRAM [####....] 5.82 GiB of 7.62 GiB: fits": the bar, the two figures and the word. A low end
/// far below the card has no bar: "VRAM unknown, at least 420 MiB of 22.1 GiB".
struct Bar {
  std::string drawn;
  double needed = 0;
  double usable = 0;
  std::string word;
};
double mebibytes_of(const std::string& text) {
  const double number = std::stod(text);
  return text.find("GiB") != std::string::npos   ? number * 1024
         : text.find("MiB") != std::string::npos ? number
                                                 : number / 1024;
}
std::optional<Bar> bar_in(const std::string& text) {
  Bar bar;
  if (const std::size_t weak = text.find("VRAM unknown, at least "); weak != std::string::npos) {
    const std::string line = text.substr(weak, text.find('\n', weak) - weak);
    bar.needed = mebibytes_of(between(line, "at least ", " of "));
    bar.usable = mebibytes_of(between(line, " of ", "  "));
    bar.word = "unknown";
    return bar;
  }
  const std::size_t at = text.find("VRAM [");
  if (at == std::string::npos) return std::nullopt;
  const std::string line = text.substr(at, text.find('\n', at) - at);
  bar.drawn = between(line, "[", "]");
  std::string needed = between(line, "] ", " of ");
  if (needed.starts_with("at least ")) needed.erase(0, 9);
  bar.needed = mebibytes_of(needed);
  bar.usable = mebibytes_of(between(line, " of ", ":"));
  bar.word = between(line, "B: ", "  ");
  return bar;
}

struct Findings {
  std::string vram;   // severity of the finding about VRAM; "" = none
  bool loud = false;  // any warning or error
};
Findings findings_of(const json& report) {
  Findings found;
  for (const json& each : report["findings"]) {
    const std::string rule = each["rule"];
    const std::string severity = each["severity"];
    if (rule == "vram-over-budget" || rule == "vram-headroom-thin") found.vram = severity;
    if (severity != "note") found.loud = true;
  }
  return found;
}

/// The words of the GPU's cell in the HTML matrix; "unknown" where no GPU has a cell.
std::string cell_in(const std::string& page, const std::string& gpu) {
  if (page.find("<thead>") == std::string::npos) return "unknown";
  std::size_t column = 0;
  std::size_t at = page.find("<th scope=col>config</th>") + 1;
  for (;; ++column) {
    at = page.find("<th scope=col>", at);
    if (at == std::string::npos) return "no such column";
    if (page.compare(at + 14, gpu.size() + 6, gpu + "<small") == 0) break;
    ++at;
  }
  at = page.find("<tbody>");
  for (std::size_t i = 0; i <= column; ++i) at = page.find("<td", at + 1);
  return between(page.substr(at), " ", "<small>");
}

/// Runs `text` on `target` everywhere and expects `fit`, and the severity `finding` about VRAM.
void check_everywhere(const std::string& text, const std::string& target, const std::string& fit,
                      const std::string& finding) {
  CAPTURE(text);
  CAPTURE(target);
  const Repository repository;
  repository.write("run.yaml", "lr: 0.1\nbatch_size: 1\n");
  repository.commit();
  repository.write("run.yaml", text);
  const std::string gpu = between(target + " ", "--gpu ", " ");

  const auto [code, printed] = repository.gpulint("check run.yaml " + target);
  const json checked =
      json::parse(repository.gpulint("check run.yaml --output json " + target).second);
  const Findings findings = findings_of(checked);
  CHECK(findings.vram == finding);
  CHECK(code == (findings.loud ? 1 : 0));
  if (fit == "does not fit") CHECK(code == 1);
  CHECK(checked["files"][0]["targets"][0]["vram"] == fit);
  const auto bar = bar_in(printed);
  REQUIRE(bar);
  CHECK(bar->word == fit);
  CHECK(bar->drawn.ends_with("!") == (fit == "does not fit"));

  const std::string estimated = repository.gpulint("estimate run.yaml " + target).second;
  const std::string line = between(estimated, " usable: ", "\n");
  CHECK(line.substr(0, line.find(';')) == fit);
  const json estimate =
      json::parse(repository.gpulint("estimate run.yaml --output json " + target).second);
  CHECK(estimate["vram"]["verdict"] == fit);

  const std::string page = repository.gpulint("check run.yaml --output html " + target).second;
  CHECK(between(between(page, "<p>VRAM: ", "</p>"), "\">", "</b>") == fit);
  CHECK(cell_in(page, gpu).ends_with(fit));

  const std::string fits = repository.gpulint("fit run.yaml " + target).second;
  CHECK(between(fits, "\n  " + gpu, "\n").find("  " + fit + "  ") != std::string::npos);
  const json fitted =
      json::parse(repository.gpulint("fit run.yaml --output json " + target).second);
  CHECK(fitted["rows"][0]["verdict"] == fit);

  const json changed = json::parse(repository.gpulint("diff --output json " + target).second);
  CHECK(changed["configs"][0]["after"]["fit"] == fit);
  if (fit == "unknown") return;  // a change to nothing known has no word
  const std::string difference = repository.gpulint("diff " + target).second;
  CHECK(between(difference, "peak VRAM", "\n").ends_with(fit));
}

/// What `estimate` says of one run on one target.
json vram_of(const Repository& repository, const std::string& target) {
  const std::string out = repository.gpulint("estimate run.yaml --output json " + target).second;
  return json::parse(out)["vram"];
}

std::vector<std::string> all_gpus(const Repository& repository) {
  std::istringstream lines(repository.gpulint("list gpus").second);
  std::vector<std::string> ids;
  for (std::string line; std::getline(lines, line);) {
    const std::string id = line.substr(0, line.find(' '));
    if (!id.empty()) ids.push_back(id);
  }
  return ids;
}

}  // namespace

TEST_CASE("cached blocks that can be given back make no run thin") {
  check_everywhere(resnet(64, "world_size: 1\n"), "--gpu rtx-4060", "fits", "");
}

TEST_CASE("what is shown beside thin is within the card") {
  check_everywhere(resnet(256), "--gpu a10g", "thin", "");
}

TEST_CASE("a run that needs twice the card does not fit, in the matrix too") {
  check_everywhere(resnet(512), "--gpu rtx-3090", "does not fit", "error");
}

TEST_CASE("where the number format decides and nobody states it, the verdict is unknown") {
  const std::string open =
      "model: resnet50\nimage_size: 224\noptimizer: sgd\nlr: 0.1\nbatch_size: 512\n";
  check_everywhere(open, "--gpu rtx-3090", "unknown", "");
}

TEST_CASE("a lower bound is unknown everywhere, or does not fit") {
  check_everywhere("lr: 0.1\nbatch_size: 4\noptimizer: adamw\nparameters: 300000000\n",
                   "--gpu a10g", "unknown", "");
  check_everywhere("lr: 0.1\nbatch_size: 4\noptimizer: adamw\nparameters: 7000000000\n",
                   "--gpu a10g", "does not fit", "error");
}

TEST_CASE("host memory and /dev/shm are judged with the same words") {
  const Repository repository;
  repository.write("run.yaml", "batch_size: 256\nlr: 0.1\nnum_workers: 32\nprefetch_factor: 8\n");
  const auto check_ram = [&](const std::string& ram, const std::string& fit,
                             const std::string& finding) {
    CAPTURE(ram);
    const std::string target =
        "--gpu a10g --set batch_bytes=230MB --set host_ram_other=5GB "
        "--set shm=60GB --set ram=" +
        ram;
    const json checked =
        json::parse(repository.gpulint("check run.yaml --output json " + target).second);
    const json& judged = checked["files"][0]["targets"][0];
    CHECK(judged["ram"] == fit);
    CHECK(judged["shm"] == "thin");
    std::string found;
    for (const json& each : checked["findings"]) {
      const std::string rule = each["rule"];
      if (rule.starts_with("host-ram-")) found = rule;
    }
    CHECK(found == finding);
    const std::string estimated = repository.gpulint("estimate run.yaml " + target).second;
    CHECK(between(estimated, "host RAM: ", "\n").find(": " + fit + ",") != std::string::npos);
    CHECK(between(estimated, "/dev/shm: ", "\n").ends_with(": thin"));
    const json estimate =
        json::parse(repository.gpulint("estimate run.yaml --output json " + target).second);
    CHECK(estimate["ram"]["verdict"] == fit);
    CHECK(estimate["ram"]["shm"]["verdict"] == "thin");
  };
  check_ram("62GB", "does not fit", "host-ram-over-budget");
  check_ram("66GB", "thin", "host-ram-headroom-thin");
  check_ram("128GB", "fits", "");
}

TEST_CASE("one byte moves the verdict in every report at once") {
  const std::string run = resnet(128, "mixed_precision: none\ntf32: true\nchannels_last: true\n");
  const Repository repository;
  repository.write("run.yaml", run);
  const json vram = vram_of(repository, "--gpu a10g");
  const auto low = vram["needed_low"].get<std::int64_t>();
  const auto central = vram["needed"].get<std::int64_t>();
  const auto high = vram["needed_high"].get<std::int64_t>();
  REQUIRE(low < central);
  REQUIRE(central < high);
  const bool narrow = static_cast<double>(high - low) <= 0.3 * static_cast<double>(central);
  const std::string note = narrow ? "note" : "";
  const auto at = [](std::int64_t bytes) {
    return "--gpu a10g --set gpu_memory=" + std::to_string(bytes) + "B";
  };
  check_everywhere(run, at(low - 1), "does not fit", "error");
  check_everywhere(run, at(low), "does not fit", "warning");
  check_everywhere(run, at(central - 1), "does not fit", "warning");
  check_everywhere(run, at(central), "thin", note);
  check_everywhere(run, at(high - 1), "thin", note);
  check_everywhere(run, at(2 * high), "fits", "");
}

TEST_CASE("on no GPU of the database does a figure above its memory stand beside a mild word") {
  const std::vector<std::string> runs = {
      resnet(32),
      resnet(96, "amp: true\nchannels_last: true\n"),
      resnet(256),
      resnet(700, "mixed_precision: none\n"),
      "model_name_or_path: openai-community/gpt2\nper_device_train_batch_size: 8\n"
      "max_seq_length: 1024\nlearning_rate: 5.0e-5\nnum_train_epochs: 3\noptim: adamw_torch\n",
      "base_model: meta-llama/Llama-3.1-8B\nsequence_len: 4096\nmicro_batch_size: 1\n"
      "adapter: lora\nlora_r: 16\nlora_target_linear: true\noptimizer: adamw_torch_fused\n"
      "bf16: true\nlearning_rate: 1.0e-4\n",
  };
  const Repository repository;
  const std::vector<std::string> gpus = all_gpus(repository);
  REQUIRE(gpus.size() > 40);
  std::string named;
  for (const std::string& gpu : gpus) named += " --gpu " + gpu;
  for (const std::string& run : runs) {
    CAPTURE(run);
    repository.write("run.yaml", run);
    const json all =
        json::parse(repository.gpulint("estimate run.yaml --output json" + named).second);
    REQUIRE(all.size() == gpus.size());
    for (const json& on_gpu : all) {
      const std::string gpu = on_gpu["gpu"];
      CAPTURE(gpu);
      const json& vram = on_gpu["vram"];
      if (vram.is_null() || vram["usable"].is_null()) continue;
      const std::string verdict = vram["verdict"];
      const auto usable = vram["usable"].get<std::int64_t>();
      for (const char* figure : {"central", "needed"}) {
        if (vram[figure].is_null()) continue;
        CAPTURE(figure);
        CHECK((vram[figure].get<std::int64_t>() > usable) == (verdict == "does not fit"));
      }
      if (verdict == "fits") CHECK(vram["high"] <= vram["usable_high"]);
      if (vram["needed_low"] > vram["usable"]) CHECK(verdict == "does not fit");

      const auto [code, printed] = repository.gpulint("check run.yaml --gpu " + gpu);
      const auto bar = bar_in(printed);
      REQUIRE(bar);
      CHECK(bar->word == verdict);
      if (verdict == "does not fit") CHECK(code == 1);
      if (bar->needed > bar->usable) CHECK(verdict == "does not fit");
      CHECK(bar->drawn.ends_with("!") == (verdict == "does not fit"));
    }
  }
}

int main(int argc, char** argv) { return run_tests_of(argc, argv); }
