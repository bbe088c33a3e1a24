// What the page does without the linter.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Client, Outdated, type Channel } from "../src/client.ts";
import { applyEdits, linesOf, offsetOf } from "../src/positions.ts";
import { Project } from "../src/project.ts";
import { fromFragment, toFragment } from "../src/share.ts";
import { duration, gibibytes, gigabytes } from "../src/words.ts";

test("columns are code points, offsets UTF-16 units", () => {
  const lines = linesOf("a: 1\nnäme: 😀x # y\nz");
  assert.equal(offsetOf(lines, 2, 7), 11);
  assert.equal(offsetOf(lines, 2, 8), 13);
  assert.equal(offsetOf(lines, 3, 9), lines.line(3).to);
  assert.equal(offsetOf(lines, 9, 1), lines.line(3).to);
});

test("edits of a fix are carried out from the end, so that none moves another", () => {
  const edits = [
    { line: 1, column: 4, end_line: 1, end_column: 5, text: "10" },
    { line: 2, column: 1, end_line: 3, end_column: 1, text: "" },
  ];
  assert.equal(applyEdits("a: 1\nb: 2\nc: 3\n", edits), "a: 10\nc: 3\n");
});

test("a project survives its address, and an address that was cut off says so", async () => {
  const shared = { files: [{ path: "train.yaml", text: "näme: 😀\n".repeat(50) }], gpu: "a10g", host: "", before: [] };
  const fragment = await toFragment(shared);
  assert.match(fragment, /^#1\.[A-Za-z0-9_-]+$/);
  assert.ok(fragment.length < 200);
  assert.deepEqual(await fromFragment(fragment), shared);
  assert.equal(await fromFragment("#keys"), undefined);
  await assert.rejects(fromFragment(fragment.slice(0, 40)), /cut off/);
  await assert.rejects(fromFragment("#1.????"), /cut off/);
});

test("an address that unpacks to more than a page holds is refused", async () => {
  const fragment = await toFragment({ files: [{ path: "a.yaml", text: "x".repeat(5_000_000) }], gpu: "", host: "" });
  assert.ok(fragment.length < 20_000);
  await assert.rejects(fromFragment(fragment));
});

test("an address that is not a project is refused", async () => {
  for (const value of [{}, { files: [] }, { files: [{ path: 1, text: "" }] }, { files: "all" }, null]) {
    const fragment = await toFragment(value as never);
    await assert.rejects(fromFragment(fragment), /holds no files/);
  }
});

class FakeChannel implements Channel {
  sent: { id: number; request: object }[] = [];
  onmessage: Channel["onmessage"] = null;
  postMessage(message: { id: number; request: object }): void {
    this.sent.push(message);
  }
  answer(id: number, answer: object): void {
    this.onmessage?.({ data: { id, answer: JSON.stringify(answer) } } as MessageEvent<{ id: number; answer: string }>);
  }
}

test("of questions on one topic the newest is answered, the others are dropped", async () => {
  const channel = new FakeChannel();
  const client = new Client(channel);
  const first = client.ask<{ n: number }>("check", { n: 1 });
  const second = client.ask<{ n: number }>("check", { n: 2 });
  const other = client.ask<{ n: number }>("fit", { n: 3 });
  const third = client.ask<{ n: number }>("check", { n: 4 });
  await assert.rejects(first, Outdated);
  await assert.rejects(second, Outdated);
  assert.equal(channel.sent.length, 1);
  channel.answer(1, { n: 1 });
  channel.answer(2, { n: 3 });
  channel.answer(3, { n: 4 });
  assert.deepEqual(await other, { n: 3 });
  assert.deepEqual(await third, { n: 4 });
});

test("an answer that is an error is one", async () => {
  const channel = new FakeChannel();
  const asked = new Client(channel).ask("check", {});
  channel.answer(1, { error: "no" });
  await assert.rejects(asked, /^Error: no$/);
});

test("paths outside the folder and names that are taken are refused", () => {
  const project = new Project();
  project.load({ files: [{ path: ".gpulint.yaml", text: "" }, { path: "train.yaml", text: "a: 1" }], gpu: "", host: "" });
  assert.equal(project.active, "train.yaml");
  assert.notEqual(project.refusal("../x.yaml"), "");
  assert.notEqual(project.refusal("/x.yaml"), "");
  assert.notEqual(project.refusal("train.yaml"), "");
  assert.equal(project.refusal("configs/x.yaml"), "");
});

test("a project differs from its base once a file does", () => {
  const project = new Project();
  project.load({ files: [{ path: "train.yaml", text: "a: 1" }], gpu: "", host: "" });
  assert.equal(project.isChanged(), false);
  project.setText("train.yaml", "a: 2");
  assert.equal(project.isChanged(), true);
  assert.deepEqual(project.shared().before, [{ path: "train.yaml", text: "a: 1" }]);
  project.compareFromHere();
  assert.equal(project.isChanged(), false);
});

test("quantities are written as gpulint writes them", () => {
  assert.equal(gibibytes(23684186112), "22.1 GiB");
  assert.equal(gibibytes(9e9), "8.38 GiB");
  assert.equal(gibibytes(102228128), "97.5 MiB");
  assert.equal(gigabytes(63880000000), "63.9 GB");
  assert.equal(duration(0.2886), "289 ms");
  assert.equal(duration(5000), "83.3 min");
});
