// What a batch system or a container gives a job of its node.

#include "unit/lint/code_project.h"

#include <doctest/doctest.h>

#include <string>

namespace job_limits_test {

using namespace gpulint;

namespace {

constexpr const char* kCommand = "python train.py --batch-size 8 --lr 0.1 --epochs 3\n";

std::string fact(const std::string& name, const std::string& before,
                 const std::string& command = kCommand) {
  const Project project(
      {{".git/HEAD", ""}, {"run.sh", "#!/bin/bash\n" + before + command}, {"train.py", ""}},
      "run.sh");
  return project.fact(name);
}

}  // namespace

TEST_CASE("the CPUs of a Slurm task are the cores of its node") {
  CHECK(fact("cpu_cores", "#SBATCH --cpus-per-task=4\n") == "4 stated run.sh:2");
  CHECK(fact("cpu_cores", "#SBATCH -n 1\n#SBATCH -c 4\n") == "4 stated run.sh:3");
  CHECK(fact("cpu_cores", "#SBATCH --ntasks-per-node=4\n#SBATCH --cpus-per-task=8\n")
            .starts_with("32 "));
  CHECK(fact("cpu_cores", "#SBATCH --cpus-per-task=4\n", "srun " + std::string(kCommand)) ==
        "4 stated run.sh:2");
  // The command is read twice, once for each side of a condition.
  CHECK(fact("cpu_cores", "#SBATCH -c 4\nLAST=$(ls *.pt)\nif [ -n \"$LAST\" ]; then R=$LAST; fi\n",
             "srun " + std::string(kCommand)) == "4 stated run.sh:2");
  // Eight tasks lie on one node or on eight.
  CHECK(fact("cpu_cores", "#SBATCH --ntasks=8\n#SBATCH --cpus-per-task=4\n") == "unknown");
  CHECK(fact("cpu_cores", "#SBATCH --cpus-per-task=$CPUS\n") == "unknown");
}

TEST_CASE("the memory of a Slurm job is that of its node") {
  CHECK(fact("ram", "#SBATCH --mem=128G\n") == fact("ram", "#SBATCH --mem=131072\n"));
  CHECK(fact("ram", "#SBATCH --mem=128G\n").ends_with(" stated run.sh:2"));
  CHECK(fact("ram", "#SBATCH --mem=0\n") == "unknown");
}

TEST_CASE("a GPU that a job asks for by a name with one meaning is the target") {
  CHECK(fact("gpu", "#SBATCH --gres=gpu:L40S:2\n") == "l40s stated run.sh:2");
  CHECK(fact("gpu", "#SBATCH --gpus=a100_80gb:1\n") == "a100-sxm4-80gb stated run.sh:2");
  CHECK(fact("gpu", "#SBATCH --gres=gpu:2\n") == "unknown");
  CHECK(fact("gpu", "#SBATCH --gres=gpu:a100:2\n") == "unknown");
  CHECK(fact("gpu", "#SBATCH --gpus=nvidia_h100_80gb_hbm3_3g.40gb:1\n") == "unknown");
}

TEST_CASE("a container has as much shared memory as it is started with") {
  const auto shm = [](const std::string& options) {
    return fact("shm", "", "docker run --gpus all " + options + "image:1 " + kCommand);
  };
  CHECK(shm("").ends_with(" dialect default"));
  CHECK(shm("--shm-size=8g ").ends_with(" stated run.sh:2"));
  CHECK(shm("--shm-size=8g ") == shm("--shm-size 8192m "));
  CHECK(shm("--ipc=host ") == "unknown");
  CHECK(shm("-v /dev/shm:/dev/shm -v /data:/data ") == "unknown");
  CHECK(shm("-v /data:/data --shm-size=8g ").ends_with(" stated run.sh:2"));
  CHECK(fact("shm", "", "singularity exec --nv image.sif " + std::string(kCommand)) == "unknown");
}

}  // namespace job_limits_test
