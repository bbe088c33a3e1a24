// Commands that files of YAML carry: tasks of schedulers, containers, steps of workflows.

#include "catalog/catalog.h"
#include "launch/carried_commands.h"
#include "launch/launch.h"
#include "source/read.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace gpulint;

namespace {

struct Carried {
  std::string carrier;  // "" = no such file
  std::vector<Launch> launches;
  std::string text;

  /// Value of a flag of the only program, with "@" and the text that states it.
  std::string flag(std::string_view pointer) const {
    REQUIRE(launches.size() == 1);
    return stated(*launches.front().flags, pointer);
  }
  /// Of what the file says around the command.
  std::string around(std::string_view pointer) const {
    REQUIRE(launches.size() == 1);
    for (const LaunchedBy& by : launches.front().launchers) {
      if (by.launcher->id == carrier) return stated(*by.flags, pointer);
    }
    return "-";
  }

 private:
  std::string stated(const Document& document, std::string_view pointer) const {
    const NodeId node = document.at(pointer);
    if (node == kNoNode) return "-";
    const SourceSpan span = document.span(node);
    return std::string(document.scalar(node)) + "@" +
           text.substr(span.begin, span.end - span.begin);
  }
};

Carried carried(const std::string& text) {
  static const Catalog catalog = [] {
    auto opened = Catalog::open(embedded_data());
    REQUIRE(opened);
    return std::move(*opened);
  }();
  const std::vector<const Launcher*> launchers = catalog.all_described<Launcher>();
  const auto document = read_yaml("job.yaml", text, 0);
  REQUIRE(document);
  Carried made;
  made.text = text;
  const Launcher* carrier = carrier_of(*document, launchers);
  if (carrier == nullptr) return made;
  made.carrier = carrier->id;
  for (const CarriedCommands& unit : unit_commands(*document, *carrier)) {
    const LaunchScript script = read_launches({.path = "job.yaml",
                                               .text = document->text(),
                                               .file = 0,
                                               .launchers = launchers,
                                               .script = unit.script,
                                               .carrier = unit.carrier,
                                               .carrier_flags = unit.flags,
                                               .variables = unit.variables});
    made.launches.insert(made.launches.end(), script.launches.begin(), script.launches.end());
  }
  return made;
}

}  // namespace

TEST_CASE("a task of SkyPilot starts its script with its variables, GPUs and nodes") {
  const Carried found = carried(
      "resources:\n  accelerators: {A100-80GB: 8}\nnum_nodes: 2\nenvs:\n  LR: 2e-5\n"
      "run: |\n  torchrun --nnodes $SKYPILOT_NUM_NODES \\\n"
      "    --nproc_per_node $SKYPILOT_NUM_GPUS_PER_NODE train.py --lr $LR --bs=4\n");
  CHECK(found.carrier == "skypilot");
  CHECK(found.flag("/lr") == "2e-5@2e-5");
  CHECK(found.flag("/bs") == "4@4");
  CHECK(found.around("/num_nodes") == "2@2");
  CHECK(found.around("/resources/accelerators") == "A100-80GB:8@");
  CHECK(found.launches.front().launchers.front().flags->at("/nproc_per_node") != kNoNode);
}

TEST_CASE("the words of a container are one command, and no shell reads them") {
  const Carried found = carried(
      "apiVersion: v1\nkind: ConfigMap\nspec: {}\n---\napiVersion: batch/v1\nkind: Job\nspec:\n"
      "  template:\n    spec:\n      containers:\n      - command: [torchrun, --nproc_per_node=4]\n"
      "        args:\n        - train.py\n        - --lr=$(LR)\n        - --name\n"
      "        - \"a b; c\"\n        - --token=$(SECRET)\n"
      "        env:\n        - {name: LR, value: \"0.5\"}\n        - name: SECRET\n"
      "          valueFrom: {secretKeyRef: {name: a}}\n"
      "        resources: {limits: {nvidia.com/gpu: 4}}\n");
  CHECK(found.carrier == "kubernetes");
  CHECK(found.flag("/lr") == "0.5@0.5");
  CHECK(found.flag("/name") == "a b; c@a b; c");
  CHECK(found.flag("/token").starts_with("???"));
  CHECK(found.around("/resources/limits/nvidia/com~1gpu") == "4@4");
}

TEST_CASE("a shell in a container reads what it is handed, escapes and folds taken away") {
  const Carried found = carried(
      "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nspec:\n  pytorchReplicaSpecs:\n"
      "    Master:\n      replicas: 1\n      template: {spec: {containers: [{command: [bash, -c,"
      " \"cd /x\\npython train.py --name \\\"a b\\\" --lr 0.1\"]}]}}\n"
      "    Worker: {replicas: 3}\n");
  CHECK(found.flag("/name").starts_with("a b@"));
  CHECK(found.flag("/lr") == "0.1@0.1");
  CHECK(found.around("/replicas_together").starts_with("4@"));
}

TEST_CASE("what only the runner of a workflow fills in is unknown") {
  const Carried found = carried(
      "on: [push]\nenv: {LR: 1e-3}\njobs:\n  t:\n    steps:\n    - run: pytest\n    - run: >-\n"
      "        python train.py --bs ${{ matrix.bs }}\n        --lr $LR\n");
  CHECK(found.carrier == "github-workflow");
  CHECK(found.flag("/bs").starts_with("???"));
  CHECK(found.flag("/lr") == "1e-3@1e-3");
}

TEST_CASE("services, stages and lists of commands are read") {
  CHECK(carried("services:\n  a:\n    image: x\n    environment: [LR=3]\n"
                "    command: >\n      python train.py\n      --lr ${LR}\n")
            .flag("/lr") == "3@3");
  CHECK(carried("stages:\n  train: {cmd: python train.py --lr 1}\n").flag("/lr") == "1@1");
  CHECK(carried("type: task\ncommands:\n  - pip install x\n  - python train.py --lr 2\n")
            .flag("/lr") == "2@2");
  CHECK(carried("entrypoint: python train.py --lr 4\nruntime_env: {}\n").flag("/lr") == "4@4");
}

TEST_CASE("a config is no file that carries commands") {
  for (const char* text :
       {"run: {name: a, results_dir: b}\ntrainer: {devices: 8}\n", "command: train\nlr: 0.1\n",
        "services: [a]\n", "- run: python train.py\n", "steps: 10\njobs: 4\n", "{}\n", "a\n"}) {
    CAPTURE(text);
    CHECK(carried(text).carrier.empty());
  }
}
