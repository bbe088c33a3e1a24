#include "shell_test.h"

#include <doctest/doctest.h>

namespace {

using shell_test::command;
using shell_test::commands;

TEST_CASE("quotes are taken away and continued lines are one command") {
  CHECK(command("torchrun --n 8 \\\n  train.py 'a b' \"c d\" e\\ f\n") ==
        "torchrun|--n|8|train.py|a b|c d|e f");
}

TEST_CASE("an unquoted variable is split at blanks and a quoted one is not") {
  CHECK(command("A='--lr 1e-4'\npython x.py $A \"$A\"\n") == "python|x.py|--lr|1e-4|--lr 1e-4");
}

TEST_CASE("an array keeps its items apart, comments between them left out") {
  CHECK(command("A=(\n  --lr 1e-4  # rate\n  \"a b\"\n)\nA+=(--bf16)\npython x.py \"${A[@]}\"\n") ==
        "python|x.py|--lr|1e-4|a b|--bf16");
}

TEST_CASE("an empty list of arguments is not a word") {
  CHECK(command("python x.py \"$@\" ${@:2} end\n") == "python|x.py|end");
}

TEST_CASE("a default counts where the script sets nothing") {
  CHECK(command("B=${BATCH:-32}\npython x.py --b $B --w ${W:=4} --w2 $W --lr ${1:-1e-4}\n") ==
        "python|x.py|--b|32|--w|4|--w2|4|--lr|1e-4");
}

TEST_CASE("what the script does not set stays open and what it cannot know is unknown") {
  CHECK(command("python x.py --lr $LR --n $(nproc) --m $((N * 2))\n") ==
        "python|x.py|--lr|~|--n|?|--m|?");
}

TEST_CASE("operators on parameters cut and replace") {
  CHECK(
      command(
          "P=configs/a.yaml\npython x.py ${P##*/} ${P%.*} ${P%%/*} ${P/a./b.} ${#P} ${P:0:3}\n") ==
      "python|x.py|a.yaml|configs/a|configs|configs/b.yaml|14|con");
}

TEST_CASE("arithmetic is worked out as far as its numbers are known") {
  CHECK(command("G=8\nN=$((G*4 + 2**3))\npython x.py $N $((N % 7)) $((N > 3 ? 1 : 0)) $((X))\n") ==
        "python|x.py|40|5|1|?");
}

TEST_CASE("a division by zero and an overflow are unknown") {
  CHECK(command("python x.py $((1/0)) $((9223372036854775807 + 1))\n") == "python|x.py|?|?");
}

TEST_CASE("paths are put together without running anything") {
  CHECK(
      command(
          "D=$(cd \"$(dirname \"$0\")/..\" && pwd)\npython $D/x.py $(basename a/b.yaml .yaml)\n") ==
      "python|?/run/../x.py|b");
}

TEST_CASE("braces give one word for each alternative") {
  CHECK(command("python x.py a{1,2}b {1..3}\n") == "python|x.py|a1b|a2b|1|2|3");
}

TEST_CASE("a comment inside a command is not a word") {
  CHECK(command("python x.py \\\n  `# model` \\\n  --a 1\n") == "python|x.py|--a|1");
}

TEST_CASE("redirections and comments are not words") {
  CHECK(command("python x.py --a 1 > log.txt 2>&1 # note\n") == "python|x.py|--a|1");
  CHECK(commands("python x.py 2>&1 | tee log\n").size() == 1);
}

TEST_CASE("a here-document assigns what it holds") {
  CHECK(command("read -r -d '' A <<EOF\n--lr 1e-4 \\\n--b $B\nEOF\npython x.py $A\n") ==
        "python|x.py|--lr|1e-4|--b|~");
}

TEST_CASE("every byte of a word knows where it stands") {
  const std::string text = "LR=1e-4\npython x.py --lr $LR\n";
  const gpulint::ShellScript script = gpulint::read_shell({"x.sh", text});
  const gpulint::ShellCommand& found = script.readings.front().commands.front();
  CHECK(found.words[3].origins == std::vector<std::uint32_t>{3, 4, 5, 6});
  CHECK(found.words[2].origins.front() == 20);
  CHECK(text.substr(found.place.begin, 6) == "python");
}

TEST_CASE("a line of a megabyte is read") {
  std::string text = "python x.py";
  for (int i = 0; i < 100'000; ++i) text += " --a" + std::to_string(i % 10);
  CHECK(gpulint::read_shell({"x.sh", text}).readings.front().commands.front().words.size() ==
        100'002);
}

TEST_CASE("a value that doubles without end is given up") {
  std::string text = "A=xxxxxxxxxxxxxxxx\n";
  for (int i = 0; i < 40; ++i) text += "A=$A$A\n";
  CHECK(command(text + "python x.py $A\n").size() < 1'000);
}

}  // namespace
