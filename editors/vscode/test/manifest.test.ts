import "./mock";

import * as assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { test } from "node:test";

import { Gpulint, languages } from "../src/gpulint";
import { recorded } from "./vscode";

const root = path.join(__dirname, "../..");
const manifest = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"));

test("every command of the manifest is there, and no other", () => {
  const gpulint = new Gpulint(() => ({ start: async () => {}, stop: async () => {}, execute: async () => "" }));
  const declared = manifest.contributes.commands.map((each: { command: string }) => each.command);
  assert.deepEqual([...recorded.commands.keys()].sort(), [...declared].sort());
  gpulint.dispose();
  assert.equal(recorded.commands.size, 0);
});

test("the extension wakes for languages it serves", () => {
  const woken = manifest.activationEvents.filter((each: string) => each.startsWith("onLanguage:"));
  for (const event of woken) assert.ok(languages.includes(event.slice("onLanguage:".length)), event);
});

test("the settings that name a program are not taken from an untrusted workspace", () => {
  assert.deepEqual(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations, ["gpulint.path"]);
});

test("the version is that of the program", () => {
  const cmake = fs.readFileSync(path.join(root, "../../CMakeLists.txt"), "utf8");
  assert.equal(manifest.version, /project\(gpulint VERSION ([\d.]+)/.exec(cmake)?.[1]);
});
