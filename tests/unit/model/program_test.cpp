#include "model/interpreter.h"
#include "test_models.h"

#include <doctest/doctest.h>

namespace program_test {

using namespace gpulint;
using namespace gpulint::model;

namespace {

constexpr const char* kHead =
    "dimensions: {width: 8, deep: false}\ninput: {image: [batch, 3, 16, 16]}\nsources: [test]\n";

Result<Tape> run(const std::string& statements, std::int64_t batch = 2) {
  Result<Program> program = program_of(kHead + statements);
  if (!program) return fail(program.error());
  return run_program(*program, {{"batch", batch}}, {}, {});
}

std::string refusal(const std::string& statements) {
  const Result<Tape> tape = run(statements);
  return tape ? "" : tape.error().message;
}

}  // namespace

TEST_CASE("a program runs its statements over one tensor after the other") {
  const Result<Tape> tape =
      run("program:\n"
          "  - {conv: {out: width, kernel: 3, padding: 1, bias: false}}\n"
          "  - repeat: 2\n"
          "    index: i\n"
          "    body: [{conv: {out: width * (i + 1), bias: false}}]\n");
  REQUIRE(tape);
  CHECK(tape->total_bytes(StorageKind::parameter) == 4 * (27 * 8 + 8 * 8 + 8 * 16));
}

TEST_CASE("a definition has parameters of its own and names end with it") {
  CHECK(refusal("define: {unit: {parameters: {planes: ~}, body: [{conv: planes, as: inner}]}}\n"
                "program: [{unit: 4}, {unit: {planes: width}}, {from: inner}]\n") ==
        "no tensor is named \"inner\" here");
}

TEST_CASE("shared weights count once") {
  const Result<Tape> tape =
      run("program:\n"
          "  - {linear: {out: 16, bias: false, shared: weight}}\n"
          "  - {linear: {out: 16, bias: false, shared: weight}}\n");
  REQUIRE(tape);
  CHECK(tape->total_bytes(StorageKind::parameter) == 4 * 16 * 16);
}

TEST_CASE("a checkpointed block keeps its input instead of what its operators save") {
  const std::string text = std::string(kHead) +
                           "program:\n"
                           "  - {conv: 8}\n"
                           "  - {block: one, body: [{conv: 8}, {activation: relu}, {conv: 8}]}\n";
  Result<Program> program = program_of(text);
  REQUIRE(program);
  const Result<Tape> plain = run_program(*program, {{"batch", std::int64_t{1}}}, {}, {});
  const Result<Tape> checkpointed =
      run_program(*program, {{"batch", std::int64_t{1}}}, {.checkpoint_blocks = true}, {});
  REQUIRE(plain);
  REQUIRE(checkpointed);
  const std::int64_t map = 8 * 16 * 16 * 4;
  CHECK(plain->saved_bytes(StorageKind::activation) == 2 * map);
  CHECK(checkpointed->saved_bytes(StorageKind::activation) == map);
  CHECK(plain->blocks().front().saved_bytes == 2 * map);
}

TEST_CASE("a checkpointed block through which no gradient flows keeps nothing") {
  const std::string text = std::string(kHead) +
                           "program:\n"
                           "  - {section: frozen, body: [{conv: 8}, {block: one, body: [{conv: 8}]}]}\n"
                           "  - {conv: 8}\n";
  Result<Program> program = program_of(text);
  REQUIRE(program);
  const Result<Tape> checkpointed =
      run_program(*program, {{"batch", std::int64_t{1}}}, {.checkpoint_blocks = true}, {});
  REQUIRE(checkpointed);
  CHECK(checkpointed->saved_bytes(StorageKind::activation) == 8 * 16 * 16 * 4);
  CHECK_FALSE(checkpointed->blocks().front().recomputed);
}

TEST_CASE("mistakes in a model file are named with what was probably meant") {
  CHECK(refusal("program: [{convv: 8}]\n").find("is not an operator (did you mean \"conv\"?)") !=
        std::string::npos);
  CHECK(refusal("program: [{conv: {out: 8, kernal: 3}}]\n").find("did you mean \"kernel\"?") !=
        std::string::npos);
  CHECK(refusal("program: [{conv: {kernel: 3}}]\n").find("needs the argument \"out\"") !=
        std::string::npos);
  CHECK(refusal("program: [{conv: wdith}]\n") == "out: expected a whole number, found wdith");
  CHECK(refusal("program: [{conv: 8, when: width}]\n") == "when: expected true or false, found 8");
}

TEST_CASE("a definition that calls itself is refused") {
  CHECK(refusal("define: {loop: {body: [{loop: ~}]}}\nprogram: [{loop: ~}]\n") ==
        "loop calls itself without end");
}

TEST_CASE("negative and absent dimensions are refused by name") {
  Result<Program> program = program_of(std::string(kHead) + "program: [{conv: width}]\n");
  REQUIRE(program);
  const auto message = [&](std::map<std::string, expr::Value> dimensions) {
    const Result<Tape> tape = run_program(*program, dimensions, {}, {});
    return tape ? std::string() : tape.error().message;
  };
  CHECK(message({}) == "batch is not known");
  CHECK(message({{"batch", std::int64_t{-1}}}) == "batch: -1 is negative");
  CHECK(message({{"batch", std::int64_t{1}}, {"widht", std::int64_t{4}}}) ==
        "widht is not a dimension of test (did you mean \"width\"?)");
}

TEST_CASE("a dimension of the wrong type is refused before anything is computed with it") {
  Result<Program> program = program_of(std::string(kHead) + "program: [{conv: width * 2}]\n");
  REQUIRE(program);
  const auto message = [&](expr::Value width) {
    const Result<Tape> tape =
        run_program(*program, {{"batch", std::int64_t{1}}, {"width", std::move(width)}}, {}, {});
    return tape ? std::string() : tape.error().message;
  };
  CHECK(message("wide") == "width: expected a number, found wide");
  CHECK(message(expr::List{}) == "width: expected a number, found ");
  CHECK(message(0.5) == "");
  CHECK(message(0.25) == "out: expected a whole number, found 0.5");
}

TEST_CASE("a million operators are refused") {
  CHECK(refusal("program:\n"
                "  - repeat: 10000\n"
                "    body: [{repeat: 10000, body: [{scale: ~}]}]\n") ==
        "the model runs more than 200000 operators");
}

TEST_CASE("empty loops inside loops end") {
  CHECK(refusal("program:\n"
                "  - repeat: 10000\n"
                "    body: [{repeat: 10000, body: [{repeat: 10000, body: []}]}]\n") ==
        "the program runs more than 1000000 statements");
}

}  // namespace program_test
