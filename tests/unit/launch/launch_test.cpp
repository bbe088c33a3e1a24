#include "launch/launch.h"

#include "catalog/catalog.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace {

using gpulint::Launch;
using gpulint::LauncherStarts;
using gpulint::NodeId;

const gpulint::Catalog& shipped() {
  static const gpulint::Catalog catalog = [] {
    auto opened = gpulint::Catalog::open(gpulint::embedded_data());
    REQUIRE(opened);
    return std::move(*opened);
  }();
  return catalog;
}

std::vector<Launch> launches(std::string_view text) {
  const std::vector<const gpulint::Launcher*> launchers =
      shipped().all_described<gpulint::Launcher>();
  return gpulint::read_launches(
             {.path = "run/train.sh", .text = text, .file = 0, .launchers = launchers})
      .launches;
}

Launch launch(std::string_view text) {
  std::vector<Launch> found = launches(text);
  REQUIRE(found.size() == 1);
  return std::move(found.front());
}

/// Value of a key of a document, "-" where there is none.
std::string value(const gpulint::Document& document, std::string_view pointer) {
  const NodeId node = document.at(pointer);
  return node == gpulint::kNoNode ? "-" : std::string(document.scalar(node));
}

std::string launcher_ids(const Launch& found) {
  std::string ids;
  for (const gpulint::LaunchedBy& by : found.launchers) ids += by.launcher->id + " ";
  return ids;
}

TEST_CASE("flags of the program are keys and flags of its launcher are not") {
  const Launch found =
      launch("torchrun --nproc_per_node 8 --nnodes=2 train.py --lr 1e-4 --batch-size=32 --amp\n");
  CHECK(found.program == "train.py");
  CHECK(found.role == LauncherStarts::training);
  CHECK(value(*found.flags, "/lr") == "1e-4");
  CHECK(value(*found.flags, "/batch-size") == "32");
  CHECK(value(*found.flags, "/amp") == "true");
  CHECK(value(*found.flags, "/nnodes") == "-");
  REQUIRE(found.launchers.size() == 2);
  CHECK(value(*found.launchers.front().flags, "/nproc_per_node") == "8");
  CHECK(value(*found.launchers.front().flags, "/nnodes") == "2");
}

TEST_CASE("a key of sections is spelled with dots or with hashes") {
  CHECK(value(*launch("python train.py --solver.lr 1\n").flags, "/solver/lr") == "1");
  CHECK(value(*launch("python train.py '--solver#lr' 2\n").flags, "/solver/lr") == "2");
}

TEST_CASE("a value stands where the script writes it") {
  const std::string text = "LR=1e-4\npython train.py --lr $LR --epochs 3\n";
  const Launch found = launch(text);
  const auto span = found.flags->span(found.flags->at("/lr"));
  CHECK(text.substr(span.begin, span.end - span.begin) == "1e-4");
  CHECK(span.begin == 3);
  CHECK(found.flags->text_at(found.flags->span(found.flags->at("/epochs"))) == "3");
}

TEST_CASE("directives count in front of the first command, those of a job script for it alone") {
  const std::vector<Launch> found = launches(
      "#!/bin/bash\n#SBATCH --nodes=2\nsrun python train.py --lr 1\n#SBATCH --nodes=8\n"
      "sbatch <<EOF\n#!/bin/bash\n#SBATCH --gres=gpu:4\nsrun python train.py --lr 2\nEOF\n"
      "python train.py --lr 3\n");
  REQUIRE(found.size() == 3);
  const auto asked = [&](const Launch& launch, std::string_view pointer) {
    for (const gpulint::LaunchedBy& by : launch.launchers) {
      if (by.launcher->id == "slurm" && value(*by.flags, pointer) != "-")
        return value(*by.flags, pointer);
    }
    return std::string("-");
  };
  CHECK(asked(found[0], "/nodes") == "2");
  CHECK(asked(found[0], "/gres") == "-");
  CHECK(asked(found[1], "/gres") == "gpu:4");
  CHECK(asked(found[2], "/gres") == "-");
}

TEST_CASE("what is handed to a shell elsewhere is followed") {
  const auto programs = [](std::string_view text) {
    std::string names;
    for (const Launch& each : launches(text)) names += each.program + " ";
    return names;
  };
  CHECK(programs("ssh host \"cd x && python train.py --lr 1\"\n") == "train.py ");
  CHECK(programs("ssh host <<EOF\npython train.py --lr 1\nEOF\n") == "train.py ");
  CHECK(programs("tmux new-session -d -s a \"python train.py --lr 1\"\n") == "train.py ");
  CHECK(programs("kubectl exec pod -- torchrun train.py --lr 1\n") == "train.py ");
  CHECK(programs("seq 3 | xargs -I{} python train.py --lr 1 --seed {}\n") == "train.py ");
  CHECK(programs("parallel -j 4 python train.py --lr 1 --seed {} ::: 1 2\n") == "train.py ");
}

TEST_CASE("what the name of a program begins with says what it does") {
  const auto role = [](const std::string& name) {
    const std::vector<Launch> found = launches("python " + name + ".py --batch-size 8\n");
    return !found.empty() && found.front().role == LauncherStarts::training;
  };
  CHECK(role("train_encoder"));
  CHECK(role("pretrain_decoder"));
  CHECK_FALSE(role("train_tokenizer"));
  CHECK_FALSE(role("encode_train_set"));
  CHECK_FALSE(role("sft_eval"));
}

TEST_CASE("flags of one letter are told apart by case") {
  const Launch found = launch("#SBATCH -n 8 --gres=gpu:4\nsrun -N1 python train.py --lr 1\n");
  CHECK(value(*found.launchers[1].flags, "/N") == "1");
  CHECK(value(*found.launchers[1].flags, "/n") == "-");
  CHECK(value(*found.launchers[2].flags, "/n") == "8");
  CHECK(value(*found.launchers[2].flags, "/N") == "-");
}

TEST_CASE("launchers stand in front of one another") {
  const Launch found = launch(
      "#SBATCH --nodes=2 --gres=gpu:4\n"
      "srun --cpus-per-task=8 singularity exec --nv image.sif python -u -m torch.distributed.run "
      "--nproc_per_node=4 train.py --lr 1\n");
  CHECK(launcher_ids(found) == "torchrun python containers slurm slurm environment ");
  CHECK(value(*found.launchers[4].flags, "/gres") == "gpu:4");
}

TEST_CASE("short switches of Python stand in one word") {
  const Launch found = launch("python -uB train.py --lr 1\n");
  CHECK(found.script.bytes == "train.py");
}

TEST_CASE("variables of a batch system are known from its comments") {
  const Launch found = launch(
      "#SBATCH -N 2\n#SBATCH --ntasks-per-node=4\n"
      "torchrun --nnodes $SLURM_NNODES --nproc_per_node $SLURM_NTASKS_PER_NODE train.py\n");
  CHECK(value(*found.launchers.front().flags, "/nnodes") == "2");
  CHECK(value(*found.launchers.front().flags, "/nproc_per_node") == "4");
}

TEST_CASE("environment variables are what launchers see") {
  const Launch found =
      launch("export OMP_NUM_THREADS=4\nCUDA_VISIBLE_DEVICES=0,1 python train.py\n");
  CHECK(launcher_ids(found) == "python environment ");
  CHECK(value(*found.launchers.front().flags, "/env/OMP_NUM_THREADS") == "4");
  CHECK(value(*found.launchers.front().flags, "/env/CUDA_VISIBLE_DEVICES") == "0,1");
}

TEST_CASE("keys with equal signs change a config and flags do not") {
  const Launch found =
      launch("python train.py --config-name base trainer.devices=4 +a.b='x' ~c model/size=large\n");
  CHECK(value(*found.overrides, "/trainer/devices") == "4");
  CHECK(value(*found.overrides, "/a/b") == "x");
  CHECK(found.removed == std::vector<std::string>{"c"});
  REQUIRE(found.configs.size() == 1);
  CHECK(found.configs.front().name.bytes == "base");
  CHECK(value(*found.all, "/trainer/devices") == "4");
}

TEST_CASE("options of yacs and of mmengine change a config") {
  const Launch yacs = launch("python train_net.py --config-file a.yaml SOLVER.IMS_PER_BATCH 16\n");
  CHECK(value(*yacs.overrides, "/SOLVER/IMS_PER_BATCH") == "16");
  const Launch engine =
      launch("python tools/train.py a.yaml --cfg-options data.batch=2 optim.lr=0.1 --seed 0\n");
  CHECK(value(*engine.overrides, "/optim/lr") == "0.1");
  CHECK(value(*engine.flags, "/seed") == "0");
}

TEST_CASE("a list of values is a list and a negative number is a value") {
  const Launch found =
      launch("python train.py --betas 0.9 0.95 --clip -1 --size 224 configs/a.yaml\n");
  CHECK(value(*found.flags, "/betas/1") == "0.95");
  CHECK(value(*found.flags, "/clip") == "-1");
  CHECK(value(*found.flags, "/size") == "224");
  REQUIRE(found.configs.size() == 1);
  CHECK(found.configs.front().flag.empty());
}

TEST_CASE("a switch that is negated switches off") {
  const Launch found = launch("python train.py --no-pin-memory --lr 1\n");
  CHECK(value(*found.flags, "/pin-memory") == "false");
}

TEST_CASE("what a running shell alone knows is not a value") {
  const Launch found = launch("python train.py --lr $LR --workers $(nproc) $EXTRA --epochs 2\n");
  CHECK(value(*found.flags, "/lr") == "???");
  CHECK(value(*found.flags, "/workers") == "???");
  CHECK(value(*found.flags, "/epochs") == "2");
}

TEST_CASE("what branches differ on is unknown") {
  const Launch found = launch(
      "if [ -f big ]; then B=8; X=--fp16; else B=4; fi\npython train.py --batch $B --lr 1 $X\n");
  CHECK(value(*found.flags, "/batch") == "???");
  CHECK(value(*found.flags, "/fp16") == "???");
  CHECK(value(*found.flags, "/lr") == "1");
}

TEST_CASE("programs that do not train are left out") {
  CHECK(launches("python eval.py --x 1\npython -m vllm.entrypoints.api --x 1\nswift infer --x 1\n"
                 "accelerate config\npython train.py --eval-only\npip install x\nls train.py\n")
            .empty());
}

TEST_CASE("a program whose name says something else is kept as one where its flags train") {
  CHECK(launch("python eval.py --lr 1\n").role == LauncherStarts::other);
}

TEST_CASE("a program whose name says nothing is kept as one") {
  CHECK(launch("python main.py --lr 1\n").role == LauncherStarts::command);
}

TEST_CASE("entry points bring the dialect of their flags") {
  CHECK(launch("swift sft --model a\n").dialect == "hf-trainer");
  CHECK(launch("torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 2\n").dialect ==
        "megatron-args");
  CHECK(launch("python3 -m verl.trainer.main_ppo data.train_batch_size=8\n").dialect == "verl");
  CHECK(launch("python my.py --tensor-model-parallel-size 2 --micro-batch-size 1 --train-iters 5\n")
            .dialect == "megatron-args");
  const Launch found = launch("pretrain_gpt.py --micro-batch-size 2\n");
  CHECK(value(*found.all, "/MODEL_ARGS/--micro-batch-size") == "2");
}

TEST_CASE("each turn of a loop is a run") {
  CHECK(launches("for lr in 1 2 3; do python train.py --lr $lr; done\n").size() == 3);
}

TEST_CASE("a script that starts another is read with its arguments") {
  const std::vector<const gpulint::Launcher*> launchers =
      shipped().all_described<gpulint::Launcher>();
  const auto found = gpulint::read_launches(
      {.path = "a.sh",
       .text = "GPUS=4 srun -p x tools/dist.sh configs/a.yaml --lr 2\n",
       .file = 0,
       .launchers = launchers,
       .open = [](const std::string& path) -> std::optional<gpulint::OpenedScript> {
         if (path != "tools/dist.sh") return std::nullopt;
         return gpulint::OpenedScript{
             "CONFIG=$1\ntorchrun --nproc_per_node ${GPUS:-8} train.py $CONFIG \"${@:2}\"\n", 7,
             path};
       }});
  REQUIRE(found.launches.size() == 1);
  const Launch& first = found.launches.front();
  CHECK(value(*first.flags, "/lr") == "2");
  CHECK(value(*first.launchers.front().flags, "/nproc_per_node") == "4");
  REQUIRE(first.configs.size() == 1);
  CHECK(first.configs.front().name.bytes == "configs/a.yaml");
  CHECK(first.place.begin == 0);
}

TEST_CASE("a script that hands its own arguments on may give a program more options") {
  CHECK(launch("python train.py --lr 2 \"$@\"\n").may_be_more);
  CHECK(launch("ARGS=\"$*\"\npython train.py --lr 2 $ARGS\n").may_be_more);
  CHECK_FALSE(launch("python train.py --lr 2\n").may_be_more);
  CHECK_FALSE(launch("run() { python train.py \"$@\"; }\nrun --lr 2\n").may_be_more);
}

TEST_CASE("a script that starts nothing without an option is read with one") {
  const std::string parses =
      "TRAIN=false\nDRY=false\nN=5\n"
      "parse() {\n  while [[ $# -gt 0 ]]; do\n    case $1 in\n"
      "      --dry) DRY=true; shift ;;\n      --train) TRAIN=true; shift ;;\n"
      "      --n) N=\"$2\"; shift 2 ;;\n      *) exit 1 ;;\n    esac\n  done\n}\n"
      "main() {\n  parse \"$@\"\n";
  const std::string runs =
      "  if [ \"$DRY\" = true ]; then echo no; else python train.py --lr $N; fi\n";
  const std::string asks = "  if [ \"$TRAIN\" = false ]; then echo \"which?\"; exit 1; fi\n";
  CHECK(value(*launch(parses + asks + runs + "}\nmain \"$@\"\n").flags, "/lr") == "5");
  // One that starts something without is not asked for more.
  CHECK(value(*launch(parses + runs + "}\nmain \"$@\"\n").flags, "/lr") == "5");
}

TEST_CASE("a line that a script writes itself is cut into its fields") {
  const auto rate = [](const std::string& line) {
    return value(*launch(line + "\npython train.py --lr $LR\n").flags, "/lr");
  };
  CHECK(rate("ONE='big 0.5 7'\nread -r NAME LR REST <<< \"$ONE\"") == "0.5");
  CHECK(rate("SETS=('big:0.5')\nfor ONE in \"${SETS[@]}\"; do\nIFS=':' read -r NAME LR <<< \"$ONE\"\ndone") ==
        "0.5");
  CHECK(rate("read -r NAME LR <<< \"$ONE\"") != "0.5");
}

TEST_CASE("a text without a launcher is not walked") {
  const std::vector<const gpulint::Launcher*> launchers =
      shipped().all_described<gpulint::Launcher>();
  CHECK_FALSE(gpulint::may_launch("cd build && make install\n", launchers));
  CHECK(gpulint::may_launch("python x.py\n", launchers));
}

}  // namespace
