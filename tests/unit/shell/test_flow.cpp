#include "shell_test.h"

#include <doctest/doctest.h>

#include <set>

namespace {

using shell_test::command;
using shell_test::commands;

/// What all readings start, each once.
std::set<std::string> all_commands(std::string_view text) {
  std::set<std::string> lines;
  for (const gpulint::ShellReading& reading :
       gpulint::read_shell({"run/train.sh", text}).readings) {
    for (const gpulint::ShellCommand& each : reading.commands)
      lines.insert(shell_test::shown(each));
  }
  return lines;
}

TEST_CASE("a condition over known values takes its branch") {
  CHECK(command("S=2\nif [ $S == 1 ]; then N=8; elif [[ $S -eq 2 ]]; then N=16; else N=32; fi\n"
                "python x.py $N\n") == "python|x.py|16");
}

TEST_CASE("a condition nobody can decide is read both ways") {
  CHECK(all_commands("if [ -f data ]; then N=8; else N=16; fi\npython x.py $N\n") ==
        std::set<std::string>{"python|x.py|8", "python|x.py|16"});
}

TEST_CASE("each of several open conditions is turned alone") {
  const auto lines =
      all_commands("A=1\nB=1\n[ -f a ] && A=2\nif grep -q x y; then B=2; fi\npython x.py $A $B\n");
  CHECK(lines.count("python|x.py|2|1") + lines.count("python|x.py|1|1") >= 1);
  CHECK(lines.count("python|x.py|2|2") + lines.count("python|x.py|1|2") >= 1);
}

TEST_CASE("a check that ends the script is taken to pass") {
  CHECK(command("if [ $# -lt 2 ]; then echo usage; exit 1; fi\n[ -f d ] || { echo no; exit 1; }\n"
                "python x.py\n") == "python|x.py");
}

TEST_CASE("a script that leaves unless something is set is started with it") {
  CHECK(command("if [ ! -z $JOB ]; then D=a; else exit 1; fi\npython t.py $D\n") ==
        "python|t.py|a");
  CHECK(command("if [ -n \"$1\" ]; then C=$1; else echo usage; exit 1; fi\npython t.py $C\n") ==
        "python|t.py|~");
  CHECK(commands("if false; then D=a; else exit 1; fi\npython t.py $D\n").empty());
}

TEST_CASE("a script that counts its arguments keeps its defaults where it has none") {
  CHECK(command("C=a.json\nif [ $# -eq 1 ]; then C=\"$1\"; fi\npython x.py $C\n") ==
        "python|x.py|a.json");
  CHECK(command("C=a.json\nif [[ $# == 0 ]]; then C=b.json; fi\npython x.py $C\n") ==
        "python|x.py|b.json");
  CHECK(command("if [ $# -gt 0 ]; then N=$1; else N=4; fi\npython x.py $N\n") == "python|x.py|4");
}

TEST_CASE("a script is started without arguments") {
  CHECK(command("while [ $# -gt 0 ]; do case $1 in --b) B=$2; shift 2;; esac; done\n"
                "python x.py ${B:-4}\n") == "python|x.py|4");
  CHECK(command("if [ -z \"$1\" ]; then M=small; else M=$1; fi\npython x.py $M\n") ==
        "python|x.py|small");
}

TEST_CASE("a script that only does what an argument asks for is read for each of them") {
  const std::string way = "if [ $1 = \"train\" ]; then\n  python x.py --a\n";
  CHECK(all_commands(way + "elif [ $1 = test ]; then\n  python y.py\nfi\n") ==
        std::set<std::string>{"python|x.py|--a", "python|y.py"});
  // One way alone is left out, as a script is started without arguments.
  CHECK(commands(way + "fi\npython z.py\n") == std::vector<std::string>{"python|z.py"});
}

TEST_CASE("what is printed for a shell is a script") {
  CHECK(command("cmd=\"python x.py --rows=4\n--run=$i\"\necho \"run: $cmd\"\necho $cmd | sh\n") ==
        "python|x.py|--rows=4|--run=~");
  CHECK(commands("echo python x.py | tee log\n").empty());
}

TEST_CASE("case takes the arm whose pattern matches") {
  CHECK(command("M=base-2\ncase $M in\n  small) N=1 ;;\n  base*|big) N=2 ;;\n  *) exit 1 ;;\nesac\n"
                "python x.py $N\n") == "python|x.py|2");
}

TEST_CASE("each item of a loop is a run") {
  CHECK(commands("for lr in 1e-4 2e-4; do\n  for s in 1 2; do python x.py $lr $s; done\ndone\n") ==
        std::vector<std::string>{"python|x.py|1e-4|1", "python|x.py|1e-4|2", "python|x.py|2e-4|1",
                                 "python|x.py|2e-4|2"});
}

TEST_CASE("a counted loop counts") {
  CHECK(commands("for ((i=0; i<3; i++)); do python x.py $i; done\n").size() == 3);
  CHECK(commands("i=0\nwhile [ $i -lt 2 ]; do python x.py $i; i=$((i+1)); done\n").size() == 2);
}

TEST_CASE("a function gets its arguments") {
  CHECK(command("run() {\n  local lr=$1\n  python x.py --lr $lr \"${@:2}\"\n}\nrun 1e-4\n") ==
        "python|x.py|--lr|1e-4");
}

TEST_CASE("variables before a command hold for it alone") {
  CHECK(commands("A=1 python x.py\npython y.py $A\n") ==
        std::vector<std::string>{"A=1 python|x.py", "python|y.py|~"});
}

TEST_CASE("exported variables reach the commands behind them") {
  const auto script = gpulint::read_shell({"x.sh", "export N=8 M=2\nK=1\npython x.py\n"});
  const auto& environment = *script.readings.front().commands.front().environment;
  REQUIRE(environment.size() == 2);
  CHECK(environment[0].first == "M");
  CHECK(environment[1].second.bytes == "8");
}

TEST_CASE("a command held in a variable is read when it is evaluated") {
  CHECK(command("E='NCCL_DEBUG=info X=1'\nC=\"$E deepspeed train.py $@\"\necho $C\neval $C\n") ==
        "NCCL_DEBUG=info X=1 deepspeed|train.py");
}

TEST_CASE("a script inside a word keeps what stands before it") {
  CHECK(command("srun -n 4 bash -c \"export A=1; python x.py 'a b'\"\n") ==
        "srun|-n|4|python|x.py|a b");
  CHECK(command("sbatch --nodes=2 --wrap=\"python x.py --lr 1\"\n") ==
        "sbatch|--nodes=2|python|x.py|--lr|1");
}

TEST_CASE("variables before a function or behind env hold for what is started there") {
  CHECK(commands("go() { python x.py $A; }\nA=1 go\ngo\n") ==
        std::vector<std::string>{"python|x.py|1", "python|x.py|~"});
  const auto started = [](const std::string& text) {
    gpulint::ShellRequest request{"x.sh", text};
    request.open = [](const gpulint::ShellText& path) -> std::optional<gpulint::SourcedText> {
      if (!path.bytes.ends_with("run.sh")) return std::nullopt;
      return gpulint::SourcedText{": \"${LR:=0.1}\"\npython x.py $LR\n", 1000, "run.sh"};
    };
    const auto script = gpulint::read_shell(request);
    return script.readings.front().commands.front().words.back().bytes;
  };
  CHECK(started("env -u B LR=0.5 bash run.sh\n") == "0.5");
  CHECK(started("go() {\n  env A=1 \"$@\" bash run.sh\n}\ngo LR=0.5\n") == "0.5");
  CHECK(started("env A=1 bash run.sh LR=0.5\n") == "0.1");
}

TEST_CASE("a job script written as a here-document is read") {
  CHECK(
      command(
          "N=3\ncat > job.sh <<EOF\n#!/bin/bash\n#SBATCH --nodes=2\npython x.py $N \\$M\nEOF\n") ==
      "python|x.py|3|~");
}

TEST_CASE("a sourced script sets what follows") {
  gpulint::ShellRequest request{"x.sh", "source common.sh\npython x.py $LR\n"};
  request.open = [](const gpulint::ShellText& path) -> std::optional<gpulint::SourcedText> {
    if (path.bytes != "common.sh") return std::nullopt;
    return gpulint::SourcedText{"LR=1e-4\n", 1000};
  };
  const auto script = gpulint::read_shell(request);
  const auto& found = script.readings.front().commands.front();
  CHECK(found.words[2].bytes == "1e-4");
  CHECK(found.words[2].origins.front() == 1003);
}

TEST_CASE("a script that a program is handed as a command is read with its arguments") {
  gpulint::ShellRequest request{"x.sh", "python job.py --gpus 2 -- sh run.sh 4 a.yaml\n"};
  request.open = [](const gpulint::ShellText& path) -> std::optional<gpulint::SourcedText> {
    if (path.bytes != "run.sh") return std::nullopt;
    return gpulint::SourcedText{"torchrun --nproc_per_node $1 train.py $2\n", 1000, "run.sh"};
  };
  const auto script = gpulint::read_shell(request);
  CHECK(shell_test::shown(script.readings.front().commands.front()) ==
        "python|job.py|--gpus|2|--|torchrun|--nproc_per_node|4|train.py|a.yaml");
}

TEST_CASE("a loop over the lines of a file has a turn for each") {
  const auto read = [](const std::string& text) {
    const gpulint::ShellScript script = gpulint::read_shell(
        {.path = "run/train.sh",
         .text = text,
         .lines = [](const gpulint::ShellText& path) -> std::optional<gpulint::SourcedText> {
           if (path.bytes != "runs.txt") return std::nullopt;
           return gpulint::SourcedText{"# lr\n\n--lr 1\r\n  --lr 2 --b,3", 1'000};
         }});
    std::string all;
    for (const gpulint::ShellCommand& each : script.readings.front().commands)
      all += shell_test::shown(each) + ";";
    return all;
  };
  const std::string start = "; do python x.py $A; done";
  const std::string pipe = " runs.txt | while IFS= read -r A" + start + "\n";
  CHECK(read("grep -vE '^\\s*#|^\\s*$'" + pipe) == "python|x.py|--lr|1;python|x.py|--lr|2|--b,3;");
  CHECK(read("grep -v ^#" + pipe) == "python|x.py|--lr|1;python|x.py|--lr|2|--b,3;");
  CHECK(read("cat" + pipe) ==
        "python|x.py|#|lr;python|x.py;python|x.py|--lr|1;python|x.py|--lr|2|--b,3;");
  CHECK(read("while read -r A; do [[ -z \"$A\" || $A == \\#* ]] && continue; python x.py \"$A\"; "
             "done < runs.txt\n") == "python|x.py|--lr 1;python|x.py|--lr 2 --b,3;");
  CHECK(read("while IFS=, read -r B A || [ -n \"$B\" ]" + start + " < runs.txt\n") ==
        "python|x.py;python|x.py;python|x.py;python|x.py|3;");
  CHECK(read("grep -v --lr" + pipe) == "python|x.py|?;");
  CHECK(read("while read -r A" + start + " < other.txt\n") == "python|x.py|?;");
}

TEST_CASE("directives of a batch system are comments with flags") {
  const auto found = gpulint::shell_directives(
      "#!/bin/bash\n#SBATCH --nodes=4 --gres=gpu:8\n# SBATCH --x\n#PBS -l select=1 # note\n");
  REQUIRE(found.size() == 2);
  CHECK(found[0].mark == "#SBATCH");
  CHECK(found[0].words[1].bytes == "--gres=gpu:8");
  CHECK(found[1].words.size() == 2);
}

TEST_CASE("broken scripts are read as far as they make sense") {
  CHECK(command("python x.py 'never closed\n--a\n") == "python|x.py|never closed\n--a\n");
  CHECK(command("fi\ndone\n)\npython x.py\n}\n") == "python|x.py");
  CHECK(command("if true; then python x.py\n") == "python|x.py");
  CHECK(commands("for x in a b; do python $x\n").size() == 2);
  CHECK(commands("case x in\n").empty());
  CHECK(commands("<<EOF\n").empty());
  CHECK(commands("((\n[[\n$(\n${\n`\n").empty());
}

TEST_CASE("limits are named") {
  const auto script =
      gpulint::read_shell({"x.sh", "while true; do for i in {1..200}; do python $i; done; done\n"});
  REQUIRE(script.limits.size() == 1);
  CHECK(script.limits.front().find("the rest was left out") != std::string::npos);
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += "if true; then ";
  CHECK(gpulint::read_shell({"x.sh", deep}).limits.size() == 1);
}

}  // namespace
