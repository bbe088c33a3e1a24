import "./mock";

import * as assert from "node:assert/strict";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { afterEach, beforeEach, test } from "node:test";

import { Gpulint, Server, Start } from "../src/gpulint";
import { ConfigurationTarget, EventEmitter, recorded, Uri, window, workspace } from "./vscode";

let folder: string;
let started: Start[];
let stopped: number;
let asked: (Record<string, string> | undefined)[];
let gpulint: Gpulint;

const server = (start: Start): Server => {
  started.push(start);
  return {
    start: async () => {},
    stop: async () => void stopped++,
    execute: async (command, uri, facts) => {
      asked.push(facts);
      if (command === "gpulint.whatIf") return { path: uri, facts: { per_device_batch_size: "8" }, estimate: {} };
      return `${command} of ${uri}`;
    },
  };
};

/** A program that prints what it was started with. */
function program(name: string): string {
  const file = path.join(folder, name, "gpulint");
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, '#!/bin/sh\necho "$2-one  The first of $2"\necho "$2-two  The second"\n', { mode: 0o755 });
  return file;
}

const change = (...keys: string[]) =>
  recorded.configurationChanged.fire({ affectsConfiguration: (key: string) => keys.some((each) => each === key || each.startsWith(`${key}.`)) });
const settled = () => new Promise((resolve) => setTimeout(resolve, 20));

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "gpulint-vscode-"));
  started = [];
  stopped = 0;
  asked = [];
  recorded.panels = [];
  recorded.settings = { path: program("bin") };
  recorded.messages = [];
  recorded.shown = [];
  recorded.updates = [];
  recorded.python = undefined;
  recorded.choose = (items) => items[0];
  workspace.isTrusted = true;
  workspace.workspaceFolders = undefined;
  window.activeTextEditor = undefined;
  gpulint = new Gpulint(server);
});

afterEach(async () => {
  await gpulint.stop();
  gpulint.dispose();
  fs.rmSync(folder, { recursive: true });
});

test("starts the program of the setting with the settings of the server", async () => {
  recorded.settings.gpu = "a10g";
  await gpulint.begin();
  assert.equal(started.length, 1);
  assert.equal(started[0].program, path.join(folder, "bin/gpulint"));
  assert.deepEqual(started[0].options, { gpu: "a10g", showsResults: true });
  assert.deepEqual(started[0].settingsOf(undefined), { gpu: "a10g" });
});

test("starts the wheel of the active Python environment, and another one when it changes", async () => {
  const changed = new EventEmitter();
  let active = path.dirname(program("first/bin"));
  program("second/bin");
  recorded.settings.path = "";
  recorded.python = {
    isActive: true,
    exports: {
      environments: {
        getActiveEnvironmentPath: () => ({ path: path.join(active, "python") }),
        onDidChangeActiveEnvironmentPath: changed.event,
      },
    },
  };
  await gpulint.begin();
  await changed.fire({});
  assert.equal(started.length, 1, "the same program runs on");
  active = path.join(folder, "second/bin");
  await changed.fire({});
  assert.deepEqual(
    started.map((each) => each.program),
    [path.join(folder, "first/bin/gpulint"), path.join(folder, "second/bin/gpulint")],
  );
  assert.equal(stopped, 1);
});

test("a Python extension that fails leaves the PATH", async () => {
  recorded.settings.path = "";
  recorded.python = {
    isActive: false,
    activate: async () => {
      throw new Error("broken");
    },
  };
  const before = process.env.PATH;
  process.env.PATH = path.dirname(program("onpath"));
  try {
    await gpulint.begin();
  } finally {
    process.env.PATH = before;
  }
  assert.deepEqual(started.map((each) => each.program), [path.join(folder, "onpath/gpulint")]);
});

test("a program that is not there is said once, and no server runs", async () => {
  recorded.settings.path = path.join(folder, "nothing");
  await gpulint.begin();
  assert.equal(started.length, 0);
  assert.equal(recorded.messages.length, 1);
  assert.match(recorded.messages[0], /of the setting gpulint.path is no program/);
});

test("a server that does not start is said", async () => {
  gpulint.dispose();
  gpulint = new Gpulint(() => ({ start: () => Promise.reject(new Error("no")), stop: async () => {}, execute: async () => "" }));
  await gpulint.begin();
  assert.match(recorded.messages[0], /does not start as a language server/);
});

test("another program in the settings starts another server", async () => {
  await gpulint.begin();
  recorded.settings.path = program("other");
  await change("gpulint.path");
  await settled();
  assert.equal(stopped, 1);
  assert.equal(started[1].program, path.join(folder, "other/gpulint"));
});

test("another target shows in the status bar and needs no new server", async () => {
  await gpulint.begin();
  recorded.settings.gpu = "h100-pcie";
  await change("gpulint.gpu");
  await settled();
  assert.equal(recorded.status.text, "$(chip) h100-pcie");
  assert.equal(started.length, 1);
});

test("a GPU is chosen from those the program knows", async () => {
  await gpulint.begin();
  recorded.choose = (items) => items.find((each) => each.id === "gpus-two");
  await recorded.commands.get("gpulint.chooseGpu")!();
  assert.deepEqual(recorded.choices.map((each) => each.label), ["as the config says", "gpus-one", "gpus-two"]);
  assert.deepEqual(recorded.updates, [{ key: "gpu", value: "gpus-two", target: ConfigurationTarget.Global }]);
});

test("leaving the target to the config takes the setting of the workspace away", async () => {
  workspace.workspaceFolders = [{ uri: Uri.file(folder) }];
  await gpulint.begin();
  await recorded.commands.get("gpulint.chooseHost")!();
  assert.deepEqual(recorded.updates, [{ key: "host", value: undefined, target: ConfigurationTarget.Workspace }]);
});

test("what a command prints is shown beside the config", async () => {
  await gpulint.begin();
  window.activeTextEditor = { document: { uri: Uri.file("/home/user/train.yaml") } };
  await recorded.commands.get("gpulint.estimateFile")!();
  assert.deepEqual(recorded.shown, ["gpulint.estimate of file:///home/user/train.yaml"]);
});

test("commands without a server do nothing", async () => {
  recorded.settings.path = path.join(folder, "nothing");
  await gpulint.begin();
  window.activeTextEditor = { document: { uri: Uri.file("/home/user/train.yaml") } };
  await recorded.commands.get("gpulint.fitFile")!();
  await recorded.commands.get("gpulint.chooseGpu")!();
  assert.deepEqual([recorded.shown, recorded.updates], [[], []]);
});

test("trust that is granted starts the server anew", async () => {
  recorded.settings.path = "bin/gpulint";
  workspace.workspaceFolders = [{ uri: Uri.file(folder) }];
  workspace.isTrusted = false;
  await gpulint.begin();
  assert.equal(started.length, 0);
  workspace.isTrusted = true;
  await recorded.trustGranted.fire(undefined);
  assert.equal(started[0].program, path.join(folder, "bin/gpulint"));
});

test("the memory view asks the server, with what its controls change", async () => {
  await gpulint.begin();
  window.activeTextEditor = { document: { uri: Uri.file("/p/train.yaml") } };
  await recorded.commands.get("gpulint.showMemory")!();
  const [panel] = recorded.panels;
  assert.match(panel.webview.html, /script-src 'nonce-[0-9a-f-]+'/);
  await panel.said.fire({ ready: true });
  await panel.said.fire({ facts: { per_device_batch_size: "16" } });
  assert.deepEqual(asked, [{}, { per_device_batch_size: "16" }]);
  assert.equal(panel.posted[0].changed, undefined);
  assert.deepEqual(panel.posted[1].changed, { per_device_batch_size: "16" });
  await recorded.saved.fire({ uri: Uri.file("/p/train.yaml") });
  assert.equal(panel.posted.length, 3, "a saved file is asked for anew");
  await panel.disposed.fire(undefined);
  await recorded.saved.fire({ uri: Uri.file("/p/train.yaml") });
  assert.equal(panel.posted.length, 3, "a closed view asks nothing");
});

test("the matrix is the program's own page, for the target of the settings", async () => {
  recorded.settings.gpu = "a10g";
  workspace.workspaceFolders = [{ uri: Uri.file(folder) }];
  fs.writeFileSync(path.join(folder, "bin/gpulint"), '#!/bin/sh\necho "<html>$*</html>"\n', { mode: 0o755 });
  await gpulint.begin();
  await recorded.commands.get("gpulint.showFleet")!();
  assert.equal(recorded.panels[0].webview.html, "<html>check --exit-zero --quiet --output html --gpu a10g .</html>\n");
});

test("what a file changes is what the program prints, and a failure is said", async () => {
  fs.writeFileSync(path.join(folder, "bin/gpulint"), '#!/bin/sh\n[ "$1" = diff ] && echo "$*"\n', { mode: 0o755 });
  await gpulint.begin();
  const file = path.join(folder, "train.yaml");
  window.activeTextEditor = { document: { uri: Uri.file(file) } };
  await recorded.commands.get("gpulint.diffFile")!();
  assert.deepEqual(recorded.shown, [`diff HEAD --fail-on never -- ${file}\n`]);
  fs.writeFileSync(path.join(folder, "bin/gpulint"), '#!/bin/sh\necho "no repository" >&2; exit 2\n', { mode: 0o755 });
  await recorded.commands.get("gpulint.diffFile")!();
  assert.match(recorded.messages.at(-1)!, /no repository/);
});
