// The real server as the extension starts it. GPULINT names the program; without it these are skipped.

import * as assert from "node:assert/strict";
import { ChildProcess, spawn } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { createMessageConnection, MessageConnection, StreamMessageReader, StreamMessageWriter } from "vscode-jsonrpc/node";

import { startOptions } from "../src/settings";

const program = process.env.GPULINT;
const skip = program ? false : "GPULINT names no program";
const text = "batch_size: 8\nnum_workers: 0\npersistent_workers: true\nmodel: resnet50\nimage_size: 224\nlearning_rate: 0.1\n";

interface Published {
  uri: string;
  diagnostics: { code: string; message: string }[];
}

let server: ChildProcess;
let connection: MessageConnection;
let folder: string;
let asked = 0;
const warnings: string[] = [];
let arrived: (published: Published) => void = () => {};

before(async () => {
  if (!program) return;
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "gpulint-vscode-"));
  fs.mkdirSync(path.join(folder, ".git"));
  server = spawn(program, ["lsp", "--stdio"]);
  connection = createMessageConnection(new StreamMessageReader(server.stdout!), new StreamMessageWriter(server.stdin!));
  const options = startOptions({ get: <T>(key: string) => ({ gpu: "a10g" })[key] as T | undefined });
  connection.onNotification("textDocument/publishDiagnostics", (published: Published) => arrived(published));
  connection.onNotification("window/showMessage", (shown: { message: string }) => void warnings.push(shown.message));
  connection.onRequest("client/registerCapability", () => null);
  connection.onRequest("workspace/configuration", () => {
    asked++;
    return [{ gpu: "a10g" }];
  });
  connection.listen();
  await connection.sendRequest("initialize", {
    processId: process.pid,
    capabilities: { workspace: { configuration: true } },
    rootUri: pathToFileURL(folder).href,
    initializationOptions: options,
  });
  await connection.sendNotification("initialized", {});
});

after(async () => {
  if (!program) return;
  await connection.sendRequest("shutdown");
  await connection.sendNotification("exit");
  connection.dispose();
  fs.rmSync(folder, { recursive: true });
});

test("a config that is opened gets its findings, for the GPU of the settings", { skip }, async () => {
  const uri = pathToFileURL(path.join(folder, "train.yaml")).href;
  const published = new Promise<Published>((resolve) => {
    arrived = (each) => each.uri === uri && each.diagnostics.length > 0 && resolve(each);
  });
  await connection.sendNotification("textDocument/didOpen", { textDocument: { uri, languageId: "yaml", version: 1, text } });
  const codes = (await published).diagnostics.map((each) => each.code);
  assert.ok(codes.includes("persistent-workers-without-workers"), String(codes));
  assert.ok(asked > 0, "the server asks for its settings");
  assert.deepEqual(warnings, [], "the server knows every setting it was sent");
});

test("the memory view gets figures, and others for other facts", { skip }, async () => {
  const uri = pathToFileURL(path.join(folder, "train.yaml")).href;
  const ask = (facts: object): Promise<any> => connection.sendRequest("workspace/executeCommand", { command: "gpulint.whatIf", arguments: [uri, facts] });
  const stated = await ask({});
  assert.equal(stated.facts.per_device_batch_size, "8");
  const more = await ask({ per_device_batch_size: "64" });
  assert.ok(more.estimate.vram.needed_low > stated.estimate.vram.needed_low);
  await assert.rejects(ask({ per_device_batch_size: "lots" }));
});

test("the commands of the extension answer with text", { skip }, async () => {
  const uri = pathToFileURL(path.join(folder, "train.yaml")).href;
  for (const command of ["gpulint.estimate", "gpulint.fit"]) {
    const answer = await connection.sendRequest("workspace/executeCommand", { command, arguments: [uri] });
    assert.match(String(answer), /GiB/);
  }
  assert.deepEqual(warnings, [], "no second copy comes as a message");
});
