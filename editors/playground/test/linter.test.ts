// gpulint.wasm says what the program says. GPULINT_MODULE, GPULINT_DATA and GPULINT_ROOT lead to the module, its data and the
// repository, GPULINT to the program; where one is missing, the tests that need it are skipped.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import * as path from "node:path";
import { before, test } from "node:test";
import type { CheckAnswer, EstimateAnswer, FitAnswer, PageFile } from "../src/answers.ts";
import { Linter } from "../src/linter.ts";

const { GPULINT, GPULINT_MODULE, GPULINT_DATA, GPULINT_ROOT } = process.env;
const ready = GPULINT_MODULE !== undefined && GPULINT_DATA !== undefined && GPULINT_ROOT !== undefined;
const skip = ready ? false : "GPULINT_MODULE, GPULINT_DATA and GPULINT_ROOT are not set";
const skipNative = ready && GPULINT !== undefined ? false : "GPULINT is not set";

let linter: Linter;
before(async () => {
  if (!ready) return;
  linter = await Linter.open(await WebAssembly.compile(readFileSync(GPULINT_MODULE)), readFileSync(GPULINT_DATA));
});

function ask<Answer>(request: object): Answer {
  const answer = JSON.parse(linter.ask({ today: new Date().toISOString().slice(0, 10), ...request })) as Answer & { error?: string };
  assert.equal(answer.error, undefined);
  return answer;
}

function native(folder: string, ...words: string[]): unknown {
  const ran = spawnSync(GPULINT!, words, { cwd: folder, encoding: "utf8", maxBuffer: 1 << 26 });
  assert.ok(ran.status === 0 || ran.status === 1, ran.stderr);
  return JSON.parse(ran.stdout);
}

/** Numbers of two C libraries may differ in their last digits. */
function assertClose(actual: unknown, expected: unknown, at = ""): void {
  if (typeof actual === "number" && typeof expected === "number") {
    assert.ok(Math.abs(actual - expected) <= 1e-9 * Math.max(Math.abs(actual), Math.abs(expected)), `${at}: ${actual} is not ${expected}`);
  } else if (typeof actual === "object" && actual !== null && typeof expected === "object" && expected !== null) {
    assert.deepEqual(Object.keys(actual), Object.keys(expected), at);
    for (const [key, value] of Object.entries(expected)) assertClose((actual as Record<string, unknown>)[key], value, `${at}/${key}`);
  } else {
    assert.equal(actual, expected, at);
  }
}

const examples = ready
  ? readdirSync(path.join(GPULINT_ROOT, "examples")).flatMap((folder) =>
      readdirSync(path.join(GPULINT_ROOT, "examples", folder))
        .filter((file) => /\.(yaml|env)$/.test(file) && !file.startsWith("."))
        .map((file) => ({ folder: path.join(GPULINT_ROOT, "examples", folder), file })),
    )
  : [];

function filesOf(folder: string, file: string): PageFile[] {
  return [file, ".gpulint.yaml"].map((name) => ({ path: name, text: readFileSync(path.join(folder, name), "utf8") }));
}

test("findings over the examples are those of the program", { skip: skipNative }, () => {
  for (const { folder, file } of examples) {
    const { report, errors } = ask<CheckAnswer>({ ask: "check", files: filesOf(folder, file) });
    assert.deepEqual(errors, []);
    const expected = native(folder, "check", file, "--output", "json") as CheckAnswer["report"];
    assertClose(report, expected, `${folder}/${file}`);
  }
  assert.ok(examples.length >= 14);
});

test("estimates over the examples are those of the program", { skip: skipNative }, () => {
  for (const { folder, file } of examples) {
    const { report } = ask<EstimateAnswer>({ ask: "estimate", files: filesOf(folder, file) });
    assertClose(report, native(folder, "estimate", file, "--output", "json"), `${folder}/${file}`);
  }
});

test("what fits on every GPU is what the program says", { skip: skipNative }, () => {
  const { folder, file } = examples.find((each) => each.folder.endsWith("a10g-resnet50"))!;
  const { report } = ask<FitAnswer>({ ask: "fit", files: filesOf(folder, file) });
  assertClose(report, native(folder, "fit", file, "--output", "json"));
});

test("exceptions are caught inside of the module: broken YAML is a finding with its place", { skip }, () => {
  for (const text of ["a: [\n", "a: *b\n", "\t- a: b: c\n", "a: 'x\n", "%YAML 3.0\n---\n{", "\u0000\u0001"]) {
    const { report } = ask<CheckAnswer>({ ask: "check", files: [{ path: "train.yaml", text }] });
    for (const finding of report.findings) assert.equal(finding.rule, "syntax-error");
  }
  const { report } = ask<CheckAnswer>({ ask: "check", files: [{ path: "train.yaml", text: "lr: 1\na: [\n" }] });
  assert.equal(report.findings.length, 1);
});

test("memory does not grow over a thousand edits", { skip }, () => {
  const [config, project] = filesOf(examples[0]!.folder, "before.yaml");
  const edit = (round: number): void => {
    ask({ ask: "check", files: [{ path: "train.yaml", text: `${config!.text}# ${round}\n` }, project] });
  };
  for (let round = 0; round < 200; ++round) edit(round);
  const settled = linter.memoryBytes;
  for (let round = 200; round < 1000; ++round) edit(round);
  assert.ok(linter.memoryBytes <= settled * 1.1, `${settled} bytes became ${linter.memoryBytes}`);
});

test("a request with a mistake is answered, and the next one as ever", { skip }, () => {
  assert.match(linter.ask({ ask: "everything" }), /expected catalogue/);
  assert.match(linter.ask({ ask: "check", gpu: "a100x" }), /is not a known GPU/);
  assert.equal(ask<CheckAnswer>({ ask: "check", files: [] }).report.findings.length, 0);
});
