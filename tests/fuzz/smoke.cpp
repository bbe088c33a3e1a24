// Mutates a few seeds with a fixed random sequence and hands them to every fuzz target: what a test
// run can afford of fuzzing. The first argument is the number of rounds per seed and target.

#include "fuzz/targets.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>

namespace {

constexpr std::array<std::string_view, 16> kSeeds{
    "# c\n[a.b]\nx = 1_0 # d\n\"y z\" = ['s', {t = 5e-4}]\n[[a.c]]\nd.e = true\n[[a.c]]\nt = "
    "\"\"\"\n\\u00e9\"\"\"\n",
    "a: 1 # c\nb:\n  - {x: [1, 2], y: null}\n  - &a !!str \"q\\n\"\n  - *a\n? k\n: v\n",
    "base: &b {lr: 1e-4}\nrun:\n  <<: *b\n  lr: ${base.lr}\n  t: |\n    text # no\n  u: >-\n    "
    "x\n",
    "---\n- 'it''s'\n- \"\\u00e9\"\n...\n--- !t\nk: plain\n  folded\n",
    "{a, b: , \"c\":1, [x]: y}\n",
    "\xef\xbb\xbf"
    "a: 1\r\nb: \xc3\xa9\r\n",
    "{\"a\": [1, -2.5e3, true, null, \"x\\u0041\\ud83d\\ude00\"], \"a\": {\"b\": {}}}",
    "{\"a\": NaN, // c\n \"b\": [1,], /* x */ # y\n}",
    "export A=1 # c\nB=\"x y\"; C='z'\nD=$(f \"(\")\ncat <<EOF\nE=1\nEOF\n",
    "a: ${b}\nb: [${.1}, \"${oc.env:X,${a}}\", ${c.${d}}]\nc: {k: ${oc.select:x,1}}\nd: k\n",
    "A=(--x 1 \"$B\")\nif [[ -z ${C:-} ]]; then D=$((2*3)); else D=`f`; fi\nX=1 python t.py "
    "\"${A[@]}\" "
    "${D%/*} \\\n  --lr 1 2>&1 | tee l &\n",
    "for i in {1..3} a; do case $i in a|b*) f() { local x=$1; python $x; }; f $i ;; *) break ;; "
    "esac; done\nwhile read x; do ((x++)); done <<< \"$y\"\n",
    "#SBATCH -N 2 # n\ncat <<'E' > j\n#SBATCH -n\nE\neval \"$C ${!D} ${#E[@]} ${F/a/b}\"\nbash -c "
    "\"srun p $((1?2:3))\"\n",
    "class A(B):\n  x: int = 1\n  def f(self, a, *b, k=2, **c):\n    return [i ** 2 for i in b if "
    "i] or "
    "{**c, 'z': f'{a}{k!r}'}\nx = A().f(1, 2, k=3)\n",
    "if a and (b := 1) not in [2, 3]:\n  for i, j in enumerate(x[1:]):\n    y += i\n  else: pass\n"
    "while 1 < 2 <= z: break\ntry:\n  import q.r as s\nexcept E as e: raise\n",
    "d = dict(a=1, b={'c': [1, 2.5e-3, None, True]})\nd['b']['c'][0] = "
    "-d['a']\nd.update(e='''x\n''' "
    "r\"\\y\")\nwith open(p) as f, g(): d.h = lambda *v: v\n@w\nasync def m(): yield await n\n"};

constexpr std::string_view kPieces = "{}[]:,-?&*!|>'\"%@`#\n\r\t \\~<>=$01ae.\xc3\xa9\xff";

std::string mutated(std::string text, std::mt19937& random) {
  const auto below = [&](std::size_t limit) { return limit == 0 ? 0 : random() % limit; };
  for (std::size_t edits = 1 + below(4); edits > 0; --edits) {
    const std::size_t at = below(text.size() + 1);
    switch (below(4)) {
      case 0:
        text.insert(at, 1, kPieces[below(kPieces.size())]);
        break;
      case 1:
        text.erase(at, 1 + below(3));
        break;
      case 2:
        text.insert(at, text.substr(below(text.size()), below(12)));
        break;
      default:
        if (at < text.size()) text[at] = kPieces[below(kPieces.size())];
    }
  }
  return text;
}

}  // namespace

int main(int count, char** arguments) {
  const int rounds = count > 1 ? std::atoi(arguments[1]) : 400;
  std::mt19937 random(20250101);  // NOLINT: the same inputs every time
  for (const std::string_view seed : kSeeds) {
    for (int round = 0; round < rounds; ++round) {
      const std::string text = mutated(std::string(seed), random);
      const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());  // NOLINT
      fuzz_yaml(bytes, text.size());
      fuzz_json(bytes, text.size());
      fuzz_toml(bytes, text.size());
      fuzz_env(bytes, text.size());
      fuzz_shell(bytes, text.size());
      fuzz_python(bytes, text.size());
    }
  }
  std::printf("%zu seeds, %d rounds each\n", kSeeds.size(), rounds);
  return 0;
}
