// How launch scripts lead to what they start: settings they source, copies, folders of other
// machines, and programs with several configs.

#include "unit/lint/code_project.h"

#include <doctest/doctest.h>

namespace launch_idioms_test {

using namespace gpulint;
using Files = MemoryReader::Files;

const std::string kTrain =
    "import argparse, yaml, torch\n"
    "if __name__ == '__main__':\n"
    "    parser = argparse.ArgumentParser()\n    parser.add_argument('--config')\n"
    "    h = yaml.safe_load(open(parser.parse_args().config))\n"
    "    torch.utils.data.DataLoader(make('train'), h['batch_size'], "
    "num_workers=h['num_workers'])\n"
    "    torch.optim.SGD(model(), lr=h['lr'])\n";

TEST_CASE("a script takes its settings from the file of variables that it sources") {
  const Project project({{".git/HEAD", ""},
                         {"conf/stage.env", "STAGE_BATCH=64\nSTAGE_RATE=\"${RATE:-3e-4}\"\n"},
                         {"train.py",
                          "import argparse, torch\n"
                          "if __name__ == '__main__':\n"
                          "    parser = argparse.ArgumentParser()\n"
                          "    parser.add_argument('--batch-size', type=int)\n"
                          "    parser.add_argument('--rate', type=float)\n"
                          "    args = parser.parse_args()\n"
                          "    torch.utils.data.DataLoader(make('train'), args.batch_size)\n"
                          "    torch.optim.SGD(model(), lr=args.rate)\n"},
                         {"run/train.sh",
                          "ROOT=\"$(cd \"$(dirname \"$0\")/..\" && pwd)\"\n"
                          "source \"${CONFIG:-$ROOT/conf/stage.env}\"\n"
                          "python $ROOT/train.py --batch-size $STAGE_BATCH --rate $STAGE_RATE\n"}},
                        "run/train.sh");
  CHECK(project.fact("per_device_batch_size") == "64 stated conf/stage.env:1");
  CHECK(project.fact("learning_rate") == "0.0003 stated conf/stage.env:2");
}

TEST_CASE("LSF is asked for GPUs of each host") {
  const auto gpus = [](const std::string& asked) {
    return Project({{".git/HEAD", ""},
                    {"run.sh", "#!/bin/bash\n#BSUB -q long\n#BSUB -gpu " + asked +
                                   "\npython train.py --lr 0.1 --epochs 3\n"}},
                   "run.sh")
        .fact("gpus_per_node");
  };
  CHECK(gpus("\"num=2:mode=exclusive_process\"") == "2 stated run.sh:3");
  CHECK(gpus("num=1") == "1 stated run.sh:3");
  CHECK(gpus("\"num=2/task\"") == "unknown");
}

TEST_CASE("a launch file beside the script is read, wherever the script is started from") {
  const auto stage = [](const std::string& folder, const std::string& file) {
    const Project project({{".git/HEAD", ""},
                           {"jobs/launch.yaml",
                            "compute_environment: LOCAL_MACHINE\ndistributed_type: FSDP\n"
                            "fsdp_config:\n  fsdp_sharding_strategy: FULL_SHARD\n"
                            "num_processes: 8\nmixed_precision: bf16\n"},
                           {"jobs/train.sh",
                            "HERE=" + folder + "\naccelerate launch --config_file \"" + file +
                                "\" train.py --model_name_or_path Qwen/Qwen2.5-7B "
                                "--per_device_train_batch_size 4\n"}},
                          "jobs/train.sh");
    return project.fact("sharding_stage");
  };
  const std::string folder = "\"$(cd \"$(dirname \"${BASH_SOURCE[0]}\")\" && pwd)\"";
  CHECK(stage(folder, "${HERE}/launch.yaml").starts_with("3 stated jobs/launch.yaml"));
  CHECK(stage("$(dirname $0)", "$HERE/launch.yaml").starts_with("3 stated jobs/launch.yaml"));
  CHECK(stage("\"$(dirname \"$0\")/..\"", "$HERE/jobs/launch.yaml").starts_with("3 stated"));
  CHECK(stage("$SOMEWHERE", "$HERE/launch.yaml") == "unknown");
}

TEST_CASE("a loop of the project's own may have a switch called as the Trainer's") {
  const auto rules = [](const std::string& body) {
    const Project project(
        {{".git/HEAD", ""},
         {"launch.yaml",
          "compute_environment: LOCAL_MACHINE\ndistributed_type: FSDP\nfsdp_config:\n"
          "  fsdp_sharding_strategy: FULL_SHARD\n  fsdp_activation_checkpointing: true\n"
          "num_processes: 8\nmixed_precision: bf16\n"},
         {"train.py", body},
         {"a.sh", "accelerate launch --config_file launch.yaml train.py --model_name_or_path "
                  "Qwen/Qwen2.5-7B --per_device_train_batch_size 4 --learning_rate 1e-5 "
                  "--gradient_checkpointing\n"}},
        "a.sh");
    int count = 0;
    for (const Finding& each : project.result.findings)
      count += each.rule == "two-checkpointing-switches" ? 1 : 0;
    return count;
  };
  CHECK(rules("from transformers import Trainer, TrainingArguments, HfArgumentParser\n"
              "args, = HfArgumentParser(TrainingArguments).parse_args_into_dataclasses()\n"
              "Trainer(model(), args).train()\n") == 1);
  CHECK(rules("import argparse, torch\n"
              "if __name__ == '__main__':\n"
              "    parser = argparse.ArgumentParser()\n"
              "    parser.add_argument('--per_device_train_batch_size', type=int)\n"
              "    parser.add_argument('--gradient_checkpointing', action='store_true')\n"
              "    parser.add_argument('--learning_rate', type=float)\n"
              "    parser.add_argument('--model_name_or_path')\n"
              "    args = parser.parse_args()\n"
              "    torch.utils.data.DataLoader(rows(), args.per_device_train_batch_size)\n"
              "    torch.optim.AdamW(model().parameters(), lr=args.learning_rate)\n") == 0);
}

TEST_CASE("ranks that an engine's group splits a model over are no replicas") {
  const Project project(
      {{".git/HEAD", ""},
       {"a.sh",
        "torchrun --nnodes=1 --nproc_per_node=16 -m verl.trainer.sft_trainer "
        "data.train_batch_size=1 data.micro_batch_size_per_gpu=1 data.max_length=4096 model.path=Qwen/Qwen3-8B "
        "engine=megatron engine.tensor_model_parallel_size=4 engine.context_parallel_size=2 "
        "engine.pipeline_model_parallel_size=2 trainer.nnodes=1 trainer.n_gpus_per_node=16\n"}},
      "a.sh");
  CHECK(project.fact("data_parallel_size").starts_with("1 derived"));
  CHECK(project.fact("sharding_engine").starts_with("megatron"));
  for (const Finding& each : project.result.findings) CHECK(each.rule != "global-batch-mismatch");
}

TEST_CASE("any text is true for an option whose type is bool") {
  const Project project({{".git/HEAD", ""},
                         {"train.py",
                          "import argparse, torch\n"
                          "if __name__ == '__main__':\n"
                          "    parser = argparse.ArgumentParser()\n"
                          "    parser.add_argument('--batch-size', type=int)\n"
                          "    parser.add_argument('--pin', type=bool, default=False)\n"
                          "    args = parser.parse_args()\n"
                          "    torch.utils.data.DataLoader(make('train'), args.batch_size, "
                          "pin_memory=args.pin)\n"
                          "    torch.optim.SGD(model(), lr=0.1)\n"},
                         {"run.sh", "python train.py --batch-size 8 --pin False\n"}},
                        "run.sh");
  CHECK(project.fact("pin_memory") == "true code run.sh:1");
}

TEST_CASE("a program may be started for what it prints") {
  const Project project(
      {{".git/HEAD", ""},
       {"train.py", kTrain},
       {"c.yaml", "batch_size: 2\nlr: 0.1\nnum_workers: 3\n"},
       {"run.sh",
        "RATE=2e-4\nfolder=$(python train.py --learning_rate $RATE --epochs 3 \\\n"
        "  --per_device_train_batch_size 4 | tail -n 1)\npython test.py --model \"$folder\"\n"}},
      "run.sh");
  CHECK(project.fact("learning_rate") == "0.0002 stated run.sh:1");
  REQUIRE(project.result.files.size() == 1);
  CHECK(project.result.files.front().plans.size() == 1);
}

TEST_CASE("a launch file that a command names brings the DeepSpeed file that it names") {
  const Project project(
      {{".git/HEAD", ""},
       {"launch/four.yaml",
        "compute_environment: LOCAL_MACHINE\ndistributed_type: DEEPSPEED\nnum_machines: 1\n"
        "num_processes: 4\ndeepspeed_config:\n  deepspeed_config_file: launch/two.json\n"},
       {"launch/two.json",
        "{\"zero_optimization\": {\"stage\": 2, \"offload_optimizer\": {\"device\": \"cpu\"}},\n"
        " \"train_micro_batch_size_per_gpu\": \"auto\"}\n"},
       {"run.sh",
        "accelerate launch --config_file launch/four.yaml train.py --output_dir out \\\n"
        "  --per_device_train_batch_size 3 --num_train_epochs 4 --learning_rate 1e-4\n"}},
      "run.sh");
  CHECK(project.fact("world_size") == "4 stated launch/four.yaml:4");
  CHECK(project.fact("sharding_stage") == "2 stated launch/two.json:1");
  CHECK(project.fact("offload_optimizer") == "cpu stated launch/two.json:1");
}

TEST_CASE("files of a launcher are found from the end of a path of another machine") {
  const auto project = [](const std::string& named, const std::string& path) {
    return Project(
        {{".git/HEAD", ""},
         {"launch/four.yaml",
          "compute_environment: LOCAL_MACHINE\ndistributed_type: DEEPSPEED\nnum_machines: 1\n"
          "num_processes: 4\ndeepspeed_config:\n"
          "  deepspeed_config_file: /home/somebody/clone/launch/two.json\n"},
         {"launch/two.json",
          "{\"zero_optimization\": {\"stage\": 2},\n"
          " \"train_micro_batch_size_per_gpu\": \"auto\"}\n"},
         {"jobs/run.sh",
          "accelerate launch --config_file \"" + named +
              "\" \"${CLONE}/train.py\" --output_dir out \\\n"
              "  --per_device_train_batch_size 3 --num_train_epochs 4 --learning_rate 1e-4\n"}},
        path);
  };
  for (const char* path : {"jobs/run.sh", "launch/four.yaml", "launch/two.json"}) {
    CAPTURE(path);
    const Project each = project("${CLONE}/launch/four.yaml", path);
    CHECK(each.fact("world_size") == "4 stated launch/four.yaml:4");
    CHECK(each.fact("sharding_stage") == "2 stated launch/two.json:1");
    CHECK(each.fact("per_device_batch_size") == "3 stated jobs/run.sh:2");
  }
  CHECK(project("${CLONE}/four.yaml", "jobs/run.sh").fact("world_size") == "unknown");
  const Project absent = project("${CLONE}/other/four.yaml", "jobs/run.sh");
  CHECK(absent.fact("world_size") == "unknown");
  for (const Finding& each : absent.result.findings) CHECK(each.rule != "base-cannot-be-read");
}

TEST_CASE("configs of a Hydra program may lie below the folder that is looked for as the root") {
  const auto rate = [](const std::string& library, const std::string& folder) {
    const Project project(
        {{".git/HEAD", ""},
         {"tool/src/fit.py",
          "import hydra, torch, " + library + "\nroot = " + library +
              ".setup_root(search_from=__file__, indicator='.project-root')\n"
              "@hydra.main(config_path=" +
              folder +
              ", config_name='base.yaml')\n"
              "def main(cfg):\n"
              "    loader = torch.utils.data.DataLoader(make('train'), cfg.batch_size)\n"
              "    torch.optim.SGD(model(), lr=cfg.lr)\n"
              "if __name__ == '__main__':\n    main()\n"},
         {"tool/configs/base.yaml", "defaults:\n  - speed: slow\n  - _self_\nbatch_size: 4\n"},
         {"tool/configs/speed/slow.yaml", "# @package _global_\nlr: 0.1\n"},
         {"tool/configs/speed/fast.yaml", "# @package _global_\nlr: 0.5\n"},
         {"tool/run.sh", "python src/fit.py speed=fast\n"}},
        "tool/run.sh");
    return project.fact("learning_rate");
  };
  CHECK(rate("rootutils", "f'{root}/configs'") == "0.5 stated tool/configs/speed/fast.yaml:2");
  CHECK(rate("pyrootutils", "str(root / 'configs')") ==
        "0.5 stated tool/configs/speed/fast.yaml:2");
}

TEST_CASE("a run on all GPUs that there are has as many as the batch system gives it") {
  const auto gpus = [](const std::string& devices) {
    const Project project(
        {{".git/HEAD", ""},
         {"conf/fit.yaml",
          "trainer:\n  accelerator: gpu\n  devices: " + devices + "\n  max_epochs: 3\n"},
         {"train.py",
          "import hydra\n@hydra.main(config_path='conf', config_name='fit.yaml')\n"
          "def main(cfg):\n    pass\nif __name__ == '__main__':\n    main()\n"},
         {"job.sh",
          "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --gres=gpu:4\n"
          "srun python train.py trainer.max_epochs=5\n"}},
        "job.sh");
    return project.fact("gpus_per_node");
  };
  CHECK(gpus("auto") == "4 stated job.sh:3");
  CHECK(gpus("-1") == "4 stated job.sh:3");
  CHECK(gpus("2") == "2 stated conf/fit.yaml:3");
}

TEST_CASE("options of a recipe's script set its variables") {
  const std::string parse =
      "while true; do\n  [ -z \"${1:-}\" ] && break;\n  case \"$1\" in\n"
      "  --*) name=`echo \"$1\" | sed s/^--// | sed s/-/_/g`;\n"
      "    eval $name=\\\"$2\\\";\n    shift 2;\n    ;;\n  *) break;\n  esac\ndone\n";
  const Project project(
      {{".git/HEAD", ""},
       {"utils/parse_options.sh", parse},
       {"scripts/train.sh",
        "epochs=100\nbatch_size=64\n. ./utils/parse_options.sh || exit 1\ndata=$1\n"
        "python train.py --learning_rate 1e-3 --num_train_epochs $epochs "
        "--per_device_train_batch_size $batch_size --data $data\n"},
       {"run.sh",
        "am_epochs=70\n. ./utils/parse_options.sh\n"
        "./scripts/train.sh --epochs $am_epochs --batch-size 96 am\n"}},
      "run.sh");
  CHECK(project.fact("epochs") == "70 stated run.sh:1");
  CHECK(project.fact("per_device_batch_size") == "96 stated run.sh:3");
}

TEST_CASE("a config whose folder nobody knows is the one of that name beside the script") {
  const auto project = [](const std::string& config) {
    return Project({{".git/HEAD", ""},
                    {"src/train.py", kTrain},
                    {"runs/first/sige.yaml", "batch_size: 32\nnum_workers: 4\nlr: 0.1\n"},
                    {"runs/first/go.sh",
                     "HERE=$SCRATCH/experiments/first\nCODE=$HOME/code/src\n"
                     "srun python $CODE/train.py --config " +
                         config + "\n"}},
                   "runs/first/go.sh");
  };
  const Project copied = project("$HERE/sige.yaml");
  CHECK(copied.fact("per_device_batch_size") == "32 stated runs/first/sige.yaml:1");
  CHECK(copied.fact("num_workers") == "4 stated runs/first/sige.yaml:2");
  CHECK(project("$HERE/other.yaml").fact("per_device_batch_size") == "unknown");
}

TEST_CASE(
    "of a program's several configs, the file takes the place of the one it is called after") {
  const Files files = {
      {".git/HEAD", ""},
      {"conf/data_small.yaml", "batch_size: 4\nnum_workers: 2\n"},
      {"conf/training_usual.yaml", "lr: 0.5\nepochs: 9\n"},
      {"conf/training_long.yaml", "lr: 0.1\nepochs: 90\n"},
      {"train.py",
       "import argparse, yaml, torch\n"
       "if __name__ == '__main__':\n"
       "    parser = argparse.ArgumentParser()\n"
       "    parser.add_argument('--config-data', default='conf/data_small.yaml')\n"
       "    parser.add_argument('--config-training', default='conf/training_usual.yaml')\n"
       "    args = parser.parse_args()\n"
       "    data = yaml.safe_load(open(args.config_data))\n"
       "    training = yaml.safe_load(open(args.config_training))\n"
       "    torch.utils.data.DataLoader(make('train'), data['batch_size'], "
       "num_workers=data['num_workers'])\n"
       "    torch.optim.SGD(model(), lr=training['lr'])\n"}};
  const Project other(files, "conf/training_long.yaml");
  CHECK(other.fact("learning_rate") == "0.1 stated conf/training_long.yaml:1");
  CHECK(other.fact("per_device_batch_size") == "4 stated conf/data_small.yaml:1");
  CHECK(Project(files, "conf/data_small.yaml").fact("learning_rate") ==
        "0.5 stated conf/training_usual.yaml:1");
}

TEST_CASE(
    "a script that changes to a folder of another machine starts the program of that folder") {
  const auto program = [](const std::string& rate) {
    return "import torch\ntorch.optim.SGD(model(), lr=" + rate + ")\nloss.backward()\n";
  };
  const Project project({{".git/HEAD", ""},
                         {"scripts/train.py", program("0.5")},
                         {"refs/theirs/train.py", program("0.1")},
                         {"scripts/run.sh", "cd /home/me/project/refs/theirs\npython train.py\n"}},
                        "scripts/run.sh");
  CHECK(project.fact("learning_rate") == "0.1 code refs/theirs/train.py:2");
}

TEST_CASE(
    "an option of a group that a command chooses and that is not there is told in the script") {
  const Project project(
      {{".git/HEAD", ""},
       {"conf/config.yaml", "defaults:\n  - model: small\n  - _self_\nlr: 0.1\nepochs: 9\n"},
       {"conf/model/small.yaml", "width: 64\n"},
       {"train.py",
        "import hydra, torch\n"
        "@hydra.main(config_path='conf', config_name='config')\n"
        "def main(cfg):\n"
        "    torch.optim.SGD(model(cfg.model.width), lr=cfg.lr)\n"
        "if __name__ == '__main__':\n    main()\n"},
       {"run.sh", "set -e\npython train.py model=large lr=0.2\n"}},
      "run.sh");
  std::string places;
  for (const Finding& finding : project.result.findings) {
    const SourceText& source = project.result.sources[finding.span.file];
    places += finding.rule + " " + source.path + ":" +
              std::to_string(source.lines.at(source.text, finding.span.begin).line) + "\n";
  }
  CHECK(places == "option-not-in-group run.sh:2\n");
}

TEST_CASE("a list that a command sets is a list to the code") {
  const auto parameters = [](const std::string& words) {
    const Project project({{".git/HEAD", ""},
                           {"conf/config.yaml", "lr: 0.1\nwidths: [5, 6]\nrounds: 9\n"},
                           {"train.py",
                            "import hydra, torch\n"
                            "@hydra.main(config_path='conf', config_name='config')\n"
                            "def main(cfg):\n"
                            "    net = torch.nn.Linear(cfg.widths[0], len(cfg.widths))\n"
                            "    opt = torch.optim.SGD(net.parameters(), lr=cfg.lr)\n"
                            "    for x in torch.utils.data.DataLoader(data(), batch_size=8):\n"
                            "        net(x).mean().backward()\n        opt.step()\n"
                            "if __name__ == '__main__':\n    main()\n"},
                           {"run.sh", "python train.py rounds=3 " + words + "\n"}},
                          "run.sh");
    const auto& files = project.result.files;
    if (files.empty() || files.front().plans.empty()) return std::int64_t{-1};
    const PlanReport& report = files.front().plans.front();
    const auto& counted = report.run ? report.run->facts().parameters : report.plan->facts.parameters;
    return counted ? counted->value : std::int64_t{0};
  };
  CHECK(parameters("") == (5 + 1) * 2);
  CHECK(parameters("widths='[3, 2,1]'") == (3 + 1) * 3);
  CHECK(parameters("widths=[7]") == 7 + 1);
}

TEST_CASE("the config that a flag names is the run's whatever its keys") {
  const auto rate = [](const std::string& flag) {
    return Project({{".git/HEAD", ""},
                    {"settings/a.yaml", "speed: 0.25\nwidth: 5\n"},
                    {"train.py",
                     "import argparse, torch, yaml\n"
                     "def main():\n"
                     "    parser = argparse.ArgumentParser()\n"
                     "    parser.add_argument('--config')\n"
                     "    parser.add_argument('--rounds', type=int)\n"
                     "    cfg = yaml.safe_load(open(parser.parse_args().config))\n"
                     "    net = torch.nn.Linear(cfg['width'], 2)\n"
                     "    opt = torch.optim.SGD(net.parameters(), lr=cfg['speed'])\n"
                     "    for x in data():\n"
                     "        net(x).mean().backward()\n        opt.step()\n"
                     "if __name__ == '__main__':\n    main()\n"},
                    {"run.sh", "python train.py --rounds 3 " + flag + "\n"}},
                   "run.sh")
        .fact("learning_rate");
  };
  CHECK(rate("--config settings/a.yaml") == "0.25 stated settings/a.yaml:1");
  CHECK(rate("--config $1") == "unknown");
}

TEST_CASE("more ranks than the GPUs that are reserved do not make a second node") {
  const auto nodes = [](const std::string& gpus) {
    return Project({{".git/HEAD", ""},
                    {"run.sh", "#!/bin/bash\n#SBATCH --gres=gpu:" + gpus +
                                   "\naccelerate launch --num_processes=2 train.py "
                                   "--per_device_train_batch_size 4 --learning_rate 1e-4\n"},
                    {"train.py", ""}},
                   "run.sh")
        .fact("nodes");
  };
  CHECK(nodes("1") == "unknown");
  CHECK(nodes("2") == "1 derived");
}

TEST_CASE("tasks of Slurm are ranks where it starts the program itself, and never nodes") {
  const auto started = [](const std::string& script) {
    const Project project({{".git/HEAD", ""}, {"run.sh", "#!/bin/bash\n" + script}}, "run.sh");
    return project.fact("world_size") + ", " + project.fact("nodes");
  };
  const std::string program = " train.py --batch-size 8 --lr 0.1\n";
  CHECK(started("srun -n8 --ntasks-per-node=8 --gres=gpu:8 python" + program) ==
        "8 stated run.sh:2, unknown");
  CHECK(started("#SBATCH -n 16 --gres=gpu:8\nsrun python" + program) ==
        "16 stated run.sh:2, unknown");
  CHECK(started("#SBATCH -n 16 --gres=gpu:8\npython" + program) == "unknown, unknown");
  CHECK(started("#SBATCH -n 2 -N 2 --gres=gpu:8\nsrun torchrun --nproc_per_node 8 --nnodes 2" +
                program) == "16 derived, 2 stated run.sh:3");
}

TEST_CASE("a module of settings that a command names is judged by the run that imports it") {
  const Files files = {
      {".git/HEAD", ""},
      {"settings/small.py", "class Settings:\n    rate = 0.25\n    batch = 8\n"},
      {"train.py",
       "import argparse, importlib.util, torch\np = argparse.ArgumentParser()\n"
       "p.add_argument('--config')\nargs = p.parse_args()\n"
       "spec = importlib.util.spec_from_file_location('settings', args.config)\n"
       "made = importlib.util.module_from_spec(spec)\nspec.loader.exec_module(made)\n"
       "cfg = made.Settings\nnet = torch.nn.Linear(2, 2)\n"
       "opt = torch.optim.SGD(net.parameters(), lr=cfg.rate)\n"
       "for x in torch.utils.data.DataLoader(data(), batch_size=cfg.batch):\n"
       "    net(x).backward()\n    opt.step()\n"},
      {"run.sh", "torchrun --nproc_per_node 4 train.py --config settings/small.py\n"}};
  const Project project(files, "settings/small.py");
  CHECK(project.fact("learning_rate") == "0.25 code settings/small.py:2");
  CHECK(project.fact("gpus_per_node") == "4 stated run.sh:1");
}

TEST_CASE("a program at the root of the project is found by the path that it had elsewhere") {
  const auto optimizer = [](const std::string& path, const std::string& another) {
    const Project project(
        {{".git/HEAD", ""},
         {"jobs/run.sh", "python " + path + " --batch_size 8 --lr 0.1\n"},
         {another, "import torch\nif __name__ == '__main__':\n  torch.optim.SGD([], lr=1)\n"},
         {"fit.py",
          "import argparse\nimport torch\nif __name__ == '__main__':\n"
          "  parser = argparse.ArgumentParser()\n"
          "  parser.add_argument('--lr', type=float)\n"
          "  parser.add_argument('--batch_size', type=int)\n"
          "  args = parser.parse_args()\n  net = torch.nn.Linear(2, 2)\n"
          "  torch.optim.AdamW(net.parameters(), lr=args.lr)\n"}},
        "jobs/run.sh");
    return project.fact("optimizer");
  };
  CHECK(optimizer("/home/me/clone/fit.py", "b/other.py") == "adamw code fit.py:9");
  CHECK(optimizer("/home/me/clone/fit.py", "b/fit.py") == "unknown");
  CHECK(optimizer("/home/me/clone/fits.py", "b/other.py") == "unknown");
}

TEST_CASE("a program that has moved is found by its name and its options") {
  const auto optimizer = [](const std::string& options, const std::string& another) {
    const Project project(
        {{".git/HEAD", ""},
         {"jobs/run.sh", "python /home/me/clone/fit.py --batch_size 8 --lr 0.1" + options + "\n"},
         {another, "import torch\nif __name__ == '__main__':\n  torch.optim.SGD([], lr=1)\n"},
         {"src/fit.py",
          "import argparse\nimport torch\nif __name__ == '__main__':\n"
          "  parser = argparse.ArgumentParser()\n"
          "  parser.add_argument('--lr', type=float)\n"
          "  parser.add_argument('--batch_size', type=int)\n"
          "  parser.add_argument('--seed', type=int)\n"
          "  args = parser.parse_args()\n  net = torch.nn.Linear(2, 2)\n"
          "  torch.optim.AdamW(net.parameters(), lr=args.lr)\n"}},
        "jobs/run.sh");
    return project.fact("optimizer");
  };
  CHECK(optimizer(" --seed 1", "b/other.py") == "adamw code src/fit.py:10");
  CHECK(optimizer(" --seed 1", "b/fit.py") == "unknown");
  CHECK(optimizer(" --epochs 1", "b/other.py") == "unknown");
  CHECK(optimizer("", "b/other.py") == "unknown");
}

TEST_CASE("a program is found below the folder that the project was cloned into") {
  const auto optimizer = [](const std::string& path, const std::string& another) {
    return Project({{".git/HEAD", ""},
                    {"jobs/run.sh", "python " + path + " --batch_size 8 --lr 0.1\n"},
                    {another, ""},
                    {"src/fit.py",
                     "import torch\nif __name__ == '__main__':\n  net = torch.nn.Linear(2, 2)\n"
                     "  torch.optim.AdamW(net.parameters(), lr=1)\n"}},
                   "jobs/run.sh")
        .fact("optimizer");
  };
  CHECK(optimizer("project/src/fit.py", "b/x.txt") == "adamw code src/fit.py:4");
  CHECK(optimizer("b/src/fit.py", "b/x.txt") == "unknown");  // that folder is the project's own
  CHECK(optimizer("../project/src/fit.py", "b/x.txt") == "unknown");
}

TEST_CASE("a program that lies nowhere around is the only one of its name in the project") {
  const auto optimizer = [](const std::string& another) {
    const std::string code =
        "import torch\nif __name__ == '__main__':\n  net = torch.nn.Linear(2, 2)\n"
        "  torch.optim.AdamW(net.parameters(), lr=1)\n";
    return Project({{".git/HEAD", ""},
                    {"jobs/run.sh",
                     "#SBATCH --chdir=/data/me/code\npython fit.py --batch_size 8\n"},
                    {"code/fit.py", code},
                    {another, code}},
                   "jobs/run.sh")
        .fact("optimizer");
  };
  CHECK(optimizer("code/other.py") == "adamw code code/fit.py:4");
  CHECK(optimizer("older/fit.py") == "unknown");
}

TEST_CASE("of several programs of a name the one is meant that lies in the script's part") {
  const std::string program = "import torch\nloader = torch.utils.data.DataLoader(d, num_workers=";
  const std::string rest =
      ")\noptimizer = torch.optim.SGD(model(), lr=0.1)\nfor epoch in range(3):\n  for x in "
      "loader:\n    loss(x).backward()\n    optimizer.step()\n";
  const auto workers = [&](const std::string& script) {
    return Project({{".git/HEAD", ""},
                    {"before/code/main.py", program + "1" + rest},
                    {"after/code/main.py", program + "2" + rest},
                    {"before/shell/run.sh", "python main.py\n"},
                    {"jobs/run.sh", "python main.py\n"}},
                   script)
        .fact("num_workers");
  };
  CHECK(workers("before/shell/run.sh") == "1 code before/code/main.py:2");
  CHECK(workers("jobs/run.sh") == "no run");
}

TEST_CASE("a launcher of several processes gives each its rank, whatever the option's default") {
  const auto ranks = [](const std::string& launcher) {
    const std::string code =
        "import argparse, torch\np = argparse.ArgumentParser()\n"
        "p.add_argument('--local_rank', type=int, default=-1)\nargs = p.parse_args()\n"
        "if args.local_rank != -1:\n  torch.distributed.init_process_group('nccl')\n"
        "optimizer = torch.optim.SGD(model(), lr=0.1)\n"
        "for epoch in range(3):\n  for x in torch.utils.data.DataLoader(d, batch_size=8):\n"
        "    loss(x).backward()\n    optimizer.step()\n";
    return Project({{".git/HEAD", ""},
                    {"run.sh", "python " + launcher + "train.py\n"},
                    {"train.py", code}},
                   "run.sh")
        .fact("world_size");
  };
  CHECK(ranks("-m torch.distributed.launch --nproc_per_node 4 ").starts_with("4 "));
  CHECK(ranks("").starts_with("1 "));
}

TEST_CASE("a program is found below a variable that ends in a slash as well") {
  const std::string program =
      "import torch\noptimizer = torch.optim.SGD(model(), lr=0.1)\nfor epoch in range(3):\n  for "
      "x in torch.utils.data.DataLoader(d, batch_size=8):\n    loss(x).backward()\n"
      "    optimizer.step()\n";
  const Project project({{".git/HEAD", ""},
                         {"chem/tune.py", program},
                         {"chem/run.sh", "here='./'\npython ${here}/tune.py --lr 0.1\n"}},
                        "chem/run.sh");
  CHECK(project.fact("optimizer") == "sgd code chem/tune.py:2");
}

TEST_CASE("a config that is a Python file is found where a command names it") {
  const auto rate = [](const std::string& words) {
    return Project({{".git/HEAD", ""},
                    {"configs/_base_/schedule.py", "optimizer = dict(type='AdamW', lr=0.0002)\n"},
                    {"configs/net.py",
                     "_base_ = ['_base_/schedule.py']\n"
                     "data = dict(samples_per_gpu=4, workers_per_gpu=2)\n"
                     "model = dict(type='EncoderDecoder')\n"
                     "runner = dict(type='IterBasedRunner', max_iters=800)\n"},
                    {"configs/words.py", "WORDS = ['a', 'b']\n"},
                    {"train.py", ""},
                    {"scripts/run.sh", "python -m torch.distributed.launch --nproc_per_node=8 " +
                                           words + " --launcher pytorch\n"}},
                   "scripts/run.sh")
        .fact("learning_rate");
  };
  CHECK(rate("train.py configs/net.py") == "0.0002 stated configs/_base_/schedule.py:1");
  CHECK(rate("train.py --config configs/net.py") == "0.0002 stated configs/_base_/schedule.py:1");
  CHECK(rate("train.py configs/words.py") == "unknown");
}

TEST_CASE("loaders that Hydra builds are no config of a framework with sections of that name") {
  const Project project({{".git/HEAD", ""},
                         {"conf/a.yaml", "train_dataloader:\n  _target_: torch.utils.data.DataLoader\n"
                                         "  batch_size: 4\n  num_workers: 2\nlr: 0.1\nepochs: 3\n"}},
                        "conf/a.yaml");
  CHECK(project.fact("learning_rate") == "0.1 stated conf/a.yaml:5");
}

TEST_CASE("a program that provides a network of its own is not the one that its flags describe") {
  const auto parameters = [](const std::string& provider) {
    const Project project(
        {{".git/HEAD", ""},
         {"pretrain_own.py",
          "from megatron.training import pretrain\n" + provider +
              "if __name__ == '__main__':\n    pretrain(data, model_provider)\n"},
         {"train.sh",
          "torchrun --nproc_per_node 8 pretrain_own.py --num-layers 24 --hidden-size 896 "
          "--num-attention-heads 14 --ffn-hidden-size 4864 --seq-length 4096 "
          "--max-position-embeddings 4096 --vocab-size 151936 --micro-batch-size 2 "
          "--global-batch-size 16 --tensor-model-parallel-size 1 --train-iters 100 --lr 1e-4 "
          "--bf16\n"}},
        "train.sh");
    CHECK(project.fact("num_hidden_layers") == "24 stated train.sh:1");
    const auto& files = project.result.files;
    if (files.empty() || files.front().plans.empty()) return std::string("no run");
    const auto& models = files.front().plans.front().models;
    return std::string(models && models->network() ? "described" : "unknown");
  };
  CHECK(parameters("from model import model_provider\n") == "described");
  CHECK(parameters("def model_provider(pre_process=True, post_process=True):\n"
                   "    return GPTModel(config(), pre_process)\n") == "described");
  CHECK(parameters("def model_provider(pre_process=True, post_process=True):\n"
                   "    return FrozenEncoderWithHead()\n") == "unknown");
}

TEST_CASE("a config that a script copies to the folder of its run lies in the folder of configs") {
  const auto workers = [](const std::string& other) {
    Files files = {{".git/HEAD", ""},
                   {"train.py", kTrain},
                   {"config/tiny.yaml", "batch_size: 2\nlr: 0.1\nnum_workers: 3\n"},
                   {"run.sh",
                    "NAME=tiny.yaml\nmkdir -p log/$1\ncp config/$NAME log/$1\n"
                    "python train.py --config log/$1/tiny.yaml\n"}};
    if (!other.empty()) files[other] = "batch_size: 2\nlr: 0.1\nnum_workers: 5\n";
    return Project(files, "run.sh").fact("num_workers");
  };
  CHECK(workers("") == "3 stated config/tiny.yaml:3");
  CHECK(workers("configs/tiny.yaml") == "unknown");
}

namespace {

/// The rate of a run that this starts.
std::string rate_under(const std::string& python) {
  const Project project({{".git/HEAD", ""},
                         {"train.py", kTrain},
                         {"c.yaml", "batch_size: 2\nlr: 0.1\nnum_workers: 3\n"},
                         {"run.sh", python + " train.py --config c.yaml\n"}},
                        "run.sh");
  return project.fact("learning_rate");
}

}  // namespace

TEST_CASE("Windows' own launcher starts programs of Python") {
  for (const char* python : {"py", "py -3", "py -u"}) {
    CAPTURE(python);
    CHECK(rate_under(python) == "0.1 stated c.yaml:2");
  }
}

TEST_CASE("a command that names the release of Python starts its program") {
  CHECK(rate_under("python3.10") == "0.1 stated c.yaml:2");
  CHECK(rate_under("SEES=1 /usr/bin/python3.8 -u") == "0.1 stated c.yaml:2");
}

TEST_CASE("a command that sees one GPU runs on one node, unless its launcher says otherwise") {
  const auto nodes = [](const std::string& lines) {
    return Project({{".git/HEAD", ""},
                    {"train.py", kTrain},
                    {"c.yaml", "batch_size: 2\nlr: 0.1\nnum_workers: 3\n"},
                    {"run.sh", lines + " train.py --config c.yaml\n"}},
                   "run.sh")
        .fact("nodes");
  };
  CHECK(nodes("export CUDA_VISIBLE_DEVICES=3\npython").starts_with("1 "));
  CHECK(nodes("CUDA_VISIBLE_DEVICES=3 torchrun --nproc_per_node 1 --nnodes 2").starts_with("2 "));
  CHECK(nodes("CUDA_VISIBLE_DEVICES=3 torchrun --nproc_per_node 1 --nnodes $N") == "unknown");
  CHECK(nodes("CUDA_VISIBLE_DEVICES=$1 python") == "unknown");
}

TEST_CASE("code that asks for its rank runs as its launcher starts it") {
  const std::string script =
      "import os, sys, torch, yaml\nfrom torch.nn.parallel import DistributedDataParallel\n"
      "from torch.utils.data import DataLoader\nif __name__ == '__main__':\n"
      "  cfg = yaml.safe_load(open(sys.argv[2]))\n  micro = cfg['rounds']\n"
      "  if 'RANK' in os.environ and 'WORLD_SIZE' in os.environ:\n"
      "    world = int(os.environ['WORLD_SIZE'])\n    net = DistributedDataParallel(net)\n"
      "  else:\n    world = 1\n  micro //= world\n"
      "  loader = DataLoader(data, batch_size=cfg['batch_size'],\n"
      "                      num_workers=int(os.getenv('WORKERS', 2)))\n"
      "  opt = torch.optim.SGD(net.parameters(), lr=cfg['lr'])\n"
      "  while True:\n    for step in range(micro):\n"
      "      loss(step).backward()\n    opt.step()\n";
  const auto run = [&](const std::string& line) {
    return Project({{".git/HEAD", ""},
                    {"train.py", script},
                    {"c.yaml", "batch_size: 2\nlr: 0.1\nrounds: 40\n"},
                    {"run.sh", line + " train.py --config c.yaml\n"}},
                   "run.sh");
  };
  const Project many = run("torchrun --nproc_per_node 8");
  CHECK(many.fact("gradient_accumulation_steps").starts_with("5 derived"));
  CHECK(many.fact("global_batch_size").starts_with("80 derived"));
  CHECK(many.fact("sharding_engine").starts_with("ddp "));
  const Project unknown = run("torchrun --nproc_per_node $N");
  CHECK(unknown.fact("gradient_accumulation_steps") == "unknown");
  CHECK(unknown.fact("global_batch_size").starts_with("80 derived"));
  const Project alone = run("WORKERS=7 python");
  CHECK(alone.fact("gradient_accumulation_steps") == "40 code c.yaml:3");
  CHECK(alone.fact("sharding_engine") == "unknown");
  CHECK(alone.fact("num_workers").starts_with("7 stated run.sh:1"));
  CHECK(run("python").fact("num_workers") == "2 code train.py:14");
}

TEST_CASE("the agent of a sweep starts its program with the values of a run") {
  const auto fact = [](const std::string& sweep, const std::string& name) {
    return Project({{".git/HEAD", ""},
                    {"tune.py",
                     "import argparse, torch\nif __name__ == '__main__':\n"
                     "  p = argparse.ArgumentParser()\n  p.add_argument('--rows', type=int)\n"
                     "  p.add_argument('--rate', type=float)\n"
                     "  p.add_argument('--decay', type=float, default=0.3)\n"
                     "  a = p.parse_args()\n"
                     "  loader = torch.utils.data.DataLoader(data, batch_size=a.rows)\n"
                     "  opt = torch.optim.SGD(net.parameters(), lr=a.rate,\n"
                     "                        weight_decay=a.decay)\n"
                     "  for x in loader:\n    net(x).backward()\n    opt.step()\n"},
                    {"sweeps/a.yaml", sweep}},
                   "sweeps/a.yaml")
        .fact(name);
  };
  const std::string parameters =
      "method: grid\nparameters:\n  rows: {value: 6}\n  decay: {values: [0.1, 0.2]}\n"
      "  rate: {values: [0.5]}\n";
  const std::string own = parameters + "program: tune.py\n";
  CHECK(fact(own, "per_device_batch_size") == "6 stated sweeps/a.yaml:3");
  CHECK(fact(own, "learning_rate") == "0.5 stated sweeps/a.yaml:5");
  CHECK(fact(own, "weight_decay") == "unknown");
  const std::string words =
      "program: tune.py\nmethod: grid\nparameters: {decay: {value: 0.2}}\n"
      "command: ['${env}', '${interpreter}', '${program}', '--rows=7', '${args}']\n";
  CHECK(fact(words, "per_device_batch_size") == "7 stated sweeps/a.yaml:4");
  CHECK(fact(words, "weight_decay") == "0.2 stated sweeps/a.yaml:3");
}

TEST_CASE("a batch script is read as one that the batch system started") {
  const auto rate = [](const std::string& head) {
    return Project({{".git/HEAD", ""},
                    {"train.py",
                     "import argparse, torch\nfrom torch.utils.data import DataLoader\n"
                     "p = argparse.ArgumentParser()\np.add_argument('--lr', type=float)\n"
                     "p.add_argument('--rows', type=int)\nargs = p.parse_args()\n"
                     "loader = DataLoader(make('train'), batch_size=args.rows)\n"
                     "opt = torch.optim.SGD(model.parameters(), lr=args.lr)\n"
                     "for x in loader:\n  model(x).backward()\n  opt.step()\n"},
                    {"run.sh", head +
                                   "if [ ! -z $SLURM_JOB_NODELIST ]; then\n"
                                   "  N=$(scontrol show hostnames | wc -l)\n"
                                   "else\n  N=1\nfi\n"
                                   "python train.py --rows 8 --lr ${N}e-4\n"}},
                   "run.sh")
        .fact("learning_rate");
  };
  CHECK(rate("#!/bin/bash\n") == "0.0001 stated run.sh:5");
  CHECK(rate("#!/bin/bash\n#SBATCH -N 6\n") == "unknown");
}

TEST_CASE("options stand in a file that a loop of the script reads by lines") {
  const auto fact = [](const std::string& loop, const std::string& name) {
    return Project({{".git/HEAD", ""},
                    {"train.py", "import argparse, torch\np = argparse.ArgumentParser()\n"
                                 "p.add_argument('--lr', type=float, default=0.5)\n"
                                 "p.add_argument('--decay', type=float, default=0.25)\n"
                                 "args = p.parse_args()\n"
                                 "opt = torch.optim.SGD(model.parameters(), lr=args.lr, "
                                 "weight_decay=args.decay)\n"
                                 "for x in data():\n  model(x).backward()\n  opt.step()\n"},
                    {"jobs/runs.txt", "# the best\n--lr 0.125\n"},
                    {"jobs/run.sh", "LIST=jobs/runs.txt\n" + loop}},
                   "jobs/run.sh")
        .fact(name);
  };
  const std::string known =
      "grep -v '^#' $LIST | while read -r ARGS; do\n  python train.py $ARGS --epochs 3\ndone\n";
  CHECK(fact(known, "learning_rate") == "0.125 stated jobs/runs.txt:2");
  CHECK(fact(known, "weight_decay") == "0.25 code train.py:4");
  const std::string unknown =
      "while read -r ARGS; do\n  python train.py $ARGS --epochs 3\ndone < other.txt\n";
  CHECK(fact(unknown, "optimizer") == "sgd code train.py:6");
  CHECK(fact(unknown, "learning_rate") == "unknown");
  CHECK(fact(unknown, "weight_decay") == "unknown");
  // What the script is started with is nothing, mostly.
  CHECK(fact("python train.py --epochs 3 $EXTRA \"$@\"\n", "weight_decay") ==
        "0.25 code train.py:4");
}

TEST_CASE("a line that scales the rate counts for the program that a command starts") {
  const std::string loop =
      "loader = DataLoader(make('train'), batch_size=8)\n"
      "for x in loader:\n  model(x).backward()\n  opt.step()\n";
  const std::string head =
      "import argparse, torch\nfrom torch.utils.data import DataLoader\n"
      "p = argparse.ArgumentParser()\np.add_argument('--lr', type=float, default=0.5)\n"
      "args = p.parse_args()\n";
  const std::string opt = "opt = torch.optim.SGD(model.parameters(), lr=args.lr)\n";
  const auto scaling = [&](const std::string& program) {
    return Project({{".git/HEAD", ""},
                    {"one/train.py", head + opt + loop},
                    {"two/train.py",
                     head + "args.lr = args.lr * total_batch_size / 256\n" + opt + loop},
                    {"run.sh", "python " + program + " --lr 0.1\n"}},
                   "run.sh")
        .fact("learning_rate_scaling");
  };
  CHECK(scaling("one/train.py") == "unknown");
  CHECK(scaling("two/train.py").starts_with("linear"));
}

}  // namespace launch_idioms_test
