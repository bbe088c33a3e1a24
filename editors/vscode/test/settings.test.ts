import * as assert from "node:assert/strict";
import { test } from "node:test";

import { readTable } from "../src/catalogue";
import { serverSettings, startOptions, targetText } from "../src/settings";

const settings = (values: Record<string, unknown>) => ({ get: <T>(key: string) => values[key] as T | undefined });

test("settings that say nothing are not sent", () => {
  const defaults = { path: "", gpu: "", host: " ", gpus: null, nodes: null, set: {}, preview: false, code: true };
  assert.deepEqual(serverSettings(settings(defaults)), {});
});

test("the server is told of its own settings alone", () => {
  const given = { path: "/x", "trace.server": "off", gpu: "a10g", host: "g5-4xlarge", gpus: 4, nodes: 2, set: { seed: 1 }, preview: true, code: false };
  assert.deepEqual(serverSettings(settings(given)), {
    gpu: "a10g",
    host: "g5-4xlarge",
    gpus: 4,
    nodes: 2,
    set: { seed: 1 },
    preview: true,
    code: false,
  });
});

test("the extension shows the results of commands itself", () => {
  assert.deepEqual(startOptions(settings({ gpu: "a10g" })), { gpu: "a10g", showsResults: true });
});

test("the status bar names the target", () => {
  assert.equal(targetText(settings({})), "as the config says");
  assert.equal(targetText(settings({ gpu: "a10g" })), "a10g");
  assert.equal(targetText(settings({ gpu: "a10g", host: "g5-4xlarge" })), "a10g in g5-4xlarge");
});

test("a table of the program gives ids with their words", () => {
  const text = "a10                NVIDIA A10             22.0 GiB - 22.3 GiB usable  Ampere\nh100-pcie  NVIDIA H100 PCIe\n\n3 GPUs\n";
  assert.deepEqual(readTable(text), [
    { id: "a10", words: "NVIDIA A10 · 22.0 GiB - 22.3 GiB usable · Ampere" },
    { id: "h100-pcie", words: "NVIDIA H100 PCIe" },
  ]);
});
