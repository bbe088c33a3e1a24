#include "catalog/project.h"
#include "unit/catalog/texts.h"

#include <doctest/doctest.h>

namespace project_loader_test {

using namespace gpulint;

namespace {

const ProjectVocabulary kVocabulary = {
    {"optimizer", "mixed_precision", "image_size", "batch_bytes", "per_device_batch_size"},
    {"vram-headroom-thin", "pin-memory-off"},
    {"a10g", "rtx-3090", "NVIDIA A10G"},
    {"guide-a10g-resnet50"}};

const std::string kProject = R"(gpu: a10g
host: guide-a10g-resnet50
gpus_per_node: 2
nodes: 4
headroom: 0.8
facts: {optimizer: sgd, batch_bytes: 230 MB}
measurements:
  - when: {mixed_precision: none, image_size: 224}
    per_device_batch_size: 32
    peak: 2.3 GB
    kind: nvidia-smi
overrides:
  - paths: ["big/**"]
    gpu: rtx-3090
    measurements: [{per_device_batch_size: 1, peak: 1 GiB, kind: allocated}]
severity: {vram-headroom-thin: warning}
disable: [pin-memory-off]
enable: pin-memory-off
keys: {train.bs: per_device_batch_size}
exclude: ["legacy/**"]
runs: [[a.yaml, b.json]]
)";

std::string error_of(const std::string& text) {
  const Document project = document(".gpulint.yaml", text);
  const Result<ProjectConfig> parsed = parse_project(project, kVocabulary);
  return parsed ? "no error" : parsed.error().to_string();
}

}  // namespace

TEST_CASE("a project file gives target, facts and measured points") {
  const Document file = document("a/.gpulint.yaml", kProject);
  const Result<ProjectConfig> project = parse_project(file, kVocabulary);
  REQUIRE(project);
  CHECK(project->path == "a/.gpulint.yaml");
  CHECK(project->settings.gpu == "a10g");
  CHECK(project->settings.gpus_per_node == 2);
  CHECK(project->settings.nodes == 4);
  CHECK(project->settings.headroom == 0.8);
  REQUIRE(project->settings.facts.size() == 2);
  CHECK(project->settings.facts[1].first == "batch_bytes");
  CHECK(project->settings.facts[1].second.first == "230 MB");
  REQUIRE(project->settings.measurements.size() == 1);
  const Measurement& point = project->settings.measurements[0];
  CHECK(point.per_device_batch_size == 32);
  CHECK(point.peak == Bytes::of(2'300'000'000));
  CHECK(point.kind == MemoryKind::nvidia_smi);
  REQUIRE(point.when.size() == 2);
  CHECK(point.when[0] == std::pair<std::string, std::string>("image_size", "224"));
}

TEST_CASE("a project file gives overrides, severities, switches and in-house keys") {
  const Document file = document(".gpulint.yaml", kProject);
  const Result<ProjectConfig> project = parse_project(file, kVocabulary);
  REQUIRE(project);
  REQUIRE(project->overrides.size() == 1);
  CHECK(project->overrides[0].paths == std::vector<std::string>{"big/**"});
  CHECK(project->overrides[0].gpu == "rtx-3090");
  CHECK_FALSE(project->overrides[0].nodes.has_value());
  CHECK(project->overrides[0].measurements[0].kind == MemoryKind::allocated);
  REQUIRE(project->severities.size() == 1);
  CHECK(project->severities[0].second == Severity::warning);
  CHECK(project->disabled == std::vector<std::string>{"pin-memory-off"});
  CHECK(project->enabled == std::vector<std::string>{"pin-memory-off"});
  REQUIRE(project->keys.size() == 1);
  CHECK(project->keys[0].fact == "per_device_batch_size");
  CHECK(project->exclude == std::vector<std::string>{"legacy/**"});
  CHECK(project->runs == std::vector<std::vector<std::string>>{{"a.yaml", "b.json"}});
}

TEST_CASE("an empty project file is one without settings") {
  CHECK(error_of("") == "no error");
  CHECK(error_of("# nothing yet\n") == "no error");
}

TEST_CASE("mistakes in a project file are named with their place and what was meant") {
  CHECK(error_of("gpuu: a10g\n") ==
        ".gpulint.yaml:1:1: unknown key \"gpuu\" (did you mean \"gpu\"?)");
  CHECK(error_of("gpu: a10gg\n") ==
        ".gpulint.yaml:1:6: unknown GPU \"a10gg\" (did you mean \"a10g\"?)");
  CHECK(error_of("facts: {optimiser: sgd}\n") ==
        ".gpulint.yaml:1:9: unknown fact \"optimiser\" (did you mean \"optimizer\"?)");
  CHECK(error_of("severity: {vram-headroom-thinn: note}\n") ==
        ".gpulint.yaml:1:12: unknown rule \"vram-headroom-thinn\" (did you mean "
        "\"vram-headroom-thin\"?)");
  CHECK(
      error_of("keys: {bs: batchsize}\n").find(".gpulint.yaml:1:12: unknown fact \"batchsize\"") ==
      0);
  CHECK(error_of("headroom: 90\n") ==
        ".gpulint.yaml:1:11: headroom: expected a number above 0 and at most 1, found \"90\"");
  CHECK(error_of("nodes: 1\nnodes: 2\n") ==
        ".gpulint.yaml:1:1: key \"nodes\" is written twice; keep one of them");
  CHECK(error_of("overrides: [{gpu: a10g}]\n") ==
        ".gpulint.yaml:1:13: item 1 of overrides: \"paths\" is missing");
  CHECK(error_of("- gpu\n") == ".gpulint.yaml:1:1: file: expected a mapping, found a list");
}

TEST_CASE("a measured peak needs a unit, a batch and how it was read") {
  CHECK(error_of("measurements: [{per_device_batch_size: 32, peak: 2.3, kind: nvidia-smi}]\n") ==
        ".gpulint.yaml:1:50: peak: \"2.3\" has no unit; write \"2.3 GiB\" or \"2.3 GB\"");
  CHECK(error_of("measurements: [{peak: 2.3 GB, kind: nvidia_smi}]\n") ==
        ".gpulint.yaml:1:16: item 1 of measurements: \"per_device_batch_size\" is missing\n"
        ".gpulint.yaml:1:37: kind: \"nvidia_smi\" is none of nvidia-smi, reserved, allocated (did "
        "you mean \"nvidia-smi\"?)");
}

TEST_CASE("GPUs and hosts are known in any case, facts and rules as they are spelt") {
  CHECK(error_of("gpu: nvidia a10g\n") == "no error");
  CHECK(error_of("facts: {Optimizer: sgd}\n") ==
        ".gpulint.yaml:1:9: unknown fact \"Optimizer\" (did you mean \"optimizer\"?)");
}

TEST_CASE("a project file with any one byte lost or changed is read or refused, never more") {
  for (std::size_t at = 0; at < kProject.size(); ++at) {
    for (const std::string replacement : {"", "[", "&a ", "\n", "*a", "{", "-", "\xff"}) {
      std::string text = kProject;
      text.replace(at, 1, replacement);
      const Result<Document> file = read_yaml(".gpulint.yaml", text, kNoFile);
      if (!file) continue;
      const Result<ProjectConfig> project = parse_project(*file, kVocabulary);
      if (!project) CHECK(project.error().place.line >= 1);
    }
  }
}

TEST_CASE("names are not checked against an empty vocabulary") {
  const Document file = document(".gpulint.yaml", "gpu: my-own\nfacts: {anything: 1}\n");
  CHECK(parse_project(file, {}).has_value());
}

TEST_CASE("a project file may use YAML anchors") {
  const Document file = document(
      ".gpulint.yaml", "facts: &f {optimizer: sgd}\noverrides:\n  - {paths: [a], facts: *f}\n");
  const Result<ProjectConfig> project = parse_project(file, kVocabulary);
  REQUIRE(project);
  REQUIRE(project->overrides[0].facts.size() == 1);
  CHECK(project->overrides[0].facts[0].second.first == "sgd");
}

}  // namespace project_loader_test
