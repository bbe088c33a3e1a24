#include "web/playground.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace playground_test {

using namespace gpulint;
using Json = nlohmann::json;

namespace {

Json files(const std::vector<std::pair<std::string, std::string>>& texts) {
  Json list = Json::array();
  for (const auto& [path, text] : texts) list.push_back({{"path", path}, {"text", text}});
  return list;
}

/// One page that is asked one thing.
Json answer(const Json& request) {
  auto playground = web::Playground::open();
  REQUIRE(playground.has_value());
  return Json::parse(playground->answer(request.dump()));
}

const char* const kConfig =
    "batch_size: 256\nnum_workers: 32\nprefetch_factor: 8\npin_memory: true\nprecision: 16-mixed\n"
    "optimizer: sgd\nlr: 0.5\nepochs: 3\n";
const char* const kProject =
    "gpu: a10g\nhost: guide-a10g-resnet50\nfacts:\n  model: resnet50\n  image_size: 224\n";

std::vector<std::string> rules(const Json& findings) {
  std::vector<std::string> ids;
  for (const Json& each : findings) ids.push_back(each["rule"]);
  return ids;
}

}  // namespace

TEST_CASE("a page is told what the report of findings says, by the project's own settings") {
  const Json told = answer(
      {{"ask", "check"}, {"files", files({{"train.yaml", kConfig}, {".gpulint.yaml", kProject}})}});
  CHECK(told["errors"].empty());
  CHECK(told["report"]["schema"] == "gpulint/1");
  CHECK(told["report"]["files"][0]["targets"][0]["gpu"] == "a10g");
  const std::vector<std::string> found = rules(told["report"]["findings"]);
  CHECK(std::count(found.begin(), found.end(), "loader-workers-exceed-cores") == 1);
  CHECK(told["report"]["findings"][0]["path"] == "train.yaml");
}

TEST_CASE("a launch script, its DeepSpeed file and the page's GPU make one run") {
  const Json told = answer(
      {{"ask", "estimate"},
       {"gpu", "a100-pcie-40gb"},
       {"files", files({{"train.sh",
                         "torchrun --nproc_per_node=8 train.py --model_name_or_path "
                         "meta-llama/Llama-2-7b-hf --per_device_train_batch_size 4 --deepspeed "
                         "ds.json --bf16 true --output_dir out\n"},
                        {"ds.json", R"({"zero_optimization": {"stage": 2}})"}})}});
  REQUIRE(told.contains("report"));
  CHECK(told["report"]["path"] == "train.sh");
  CHECK(told["report"]["gpu"] == "a100-pcie-40gb");
  CHECK(told["report"]["vram"]["terms"].size() > 3);
  CHECK(told["curves"].size() == 1);
}

TEST_CASE("the curve of a step rises in the forward pass and ends in the backward one") {
  const Json told =
      answer({{"ask", "estimate"},
              {"files", files({{"train.yaml", kConfig}, {".gpulint.yaml", kProject}})}});
  const Json& curve = told["curves"][0];
  REQUIRE(curve.size() > 10);
  CHECK(curve.front()["phase"] == "forward");
  CHECK(curve.back()["phase"] == "backward");
}

TEST_CASE("fit looks at the GPUs it is given, and at all without one") {
  const Json request{{"ask", "fit"},
                     {"files", files({{"train.yaml", kConfig}, {".gpulint.yaml", kProject}})}};
  Json one = request;
  one["gpus"] = {"a10g"};
  const Json told = answer(one);
  REQUIRE(told["report"]["rows"].size() == 1);
  CHECK(told["report"]["rows"][0]["gpu"] == "a10g");
  CHECK(told["report"]["rows"][0]["settings"].contains("balanced"));
  CHECK(answer(request)["report"]["rows"].size() > 40);
}

TEST_CASE("diff compares two versions of the files of a page") {
  std::string changed = kConfig;
  changed.replace(changed.find("256"), 3, "128");
  const Json told =
      answer({{"ask", "diff"},
              {"before", files({{"train.yaml", kConfig}, {".gpulint.yaml", kProject}})},
              {"files", files({{"train.yaml", changed}, {".gpulint.yaml", kProject}})}});
  REQUIRE(told["configs"].size() == 1);
  CHECK(told["configs"][0]["title"] == "train.yaml on a10g, guide-a10g-resnet50");
  CHECK(told["report"]["configs"][0]["change"]["vram"].get<double>() < 0);
  CHECK_FALSE(told["report"]["fixed"].empty());
}

TEST_CASE("a project's settings that differ count for every file in a diff") {
  std::string other = kProject;
  other.replace(other.find("224"), 3, "448");
  const Json told =
      answer({{"ask", "diff"},
              {"before", files({{"train.yaml", kConfig}, {".gpulint.yaml", kProject}})},
              {"files", files({{"train.yaml", kConfig}, {".gpulint.yaml", other}})}});
  REQUIRE(told["configs"].size() == 1);
  CHECK(told["report"]["configs"][0]["change"]["vram"].get<double>() > 0);
}

TEST_CASE("files of an earlier request are gone in the next") {
  auto playground = web::Playground::open();
  REQUIRE(playground.has_value());
  const auto ask = [&](const Json& list) {
    return Json::parse(playground->answer(Json{{"ask", "check"}, {"files", list}}.dump()));
  };
  CHECK(ask(files({{"a.yaml", kConfig}, {"b.yaml", kConfig}}))["report"]["files"].size() == 2);
  CHECK(ask(files({{"b.yaml", kConfig}}))["report"]["files"].size() == 1);
}

TEST_CASE(
    "a config that cannot be parsed is a finding, a broken .gpulint.yaml an error beside them") {
  const Json told = answer({{"ask", "check"}, {"files", files({{"train.yaml", "a: [\n"}})}});
  CHECK(told["report"]["findings"].size() == 1);
  const Json broken =
      answer({{"ask", "check"},
              {"files", files({{"train.yaml", kConfig}, {".gpulint.yaml", "gpu: no such\n"}})}});
  REQUIRE(broken["errors"].size() == 1);
  CHECK(broken["errors"][0].get<std::string>().find(".gpulint.yaml:1:6") == 0);
}

TEST_CASE("the catalogue names GPUs with their memory, machines and the common ones") {
  const Json told = answer({{"ask", "catalogue"}});
  CHECK(told["gpus"].size() > 40);
  CHECK(told["gpus"][0]["usable"].is_number());
  CHECK(told["hosts"].size() > 4);
  CHECK(told["common"].size() > 3);
}

TEST_CASE("explain says what the command line says of a rule, shipped or built in") {
  CHECK(answer({{"ask", "explain"}, {"rule", "host-ram-over-budget"}})["text"]
            .get<std::string>()
            .find("severity") != std::string::npos);
  CHECK(answer({{"ask", "explain"}, {"rule", "syntax-error"}}).contains("error") == false);
  CHECK(answer({{"ask", "explain"}, {"rule", "no-such-rule"}})["error"] ==
        "\"no-such-rule\" is not a rule");
}

TEST_CASE("a wrong request is answered with what is wrong with it") {
  auto playground = web::Playground::open();
  REQUIRE(playground.has_value());
  const auto error = [&](const std::string& request) {
    return Json::parse(playground->answer(request))["error"].get<std::string>();
  };
  CHECK(error("{") == "a request is not JSON");
  CHECK(error("[]") == "a request is an object");
  CHECK(error(R"({"ask": "all"})") ==
        "\"ask\": expected catalogue, check, explain, facts, estimate, fit or diff");
  CHECK(error(R"({"aks": "check"})") == "there is no key \"aks\"");
  CHECK(error(R"({"files": [{"path": "../a.yaml", "text": ""}]})") ==
        "\"files\": expected paths within the one folder there is");
  CHECK(error(R"({"gpu": "a100x"})").find("\"a100x\" is not a known GPU") == 0);
  CHECK(error(R"({"host": "nowhere"})").find("\"nowhere\" is not a known machine") == 0);
  CHECK(error(R"({"today": "soon"})") == "\"today\": expected a date as 2026-11-24");
  CHECK(error(R"({"ask": "fit"})") == "no file describes a training run");
}

}  // namespace playground_test
