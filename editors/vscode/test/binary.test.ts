import * as assert from "node:assert/strict";
import { test } from "node:test";

import { candidates, findBinary, missingText, Places } from "../src/binary";

const places: Places = {
  setting: "",
  folder: "/home/user/project",
  python: undefined,
  environment: { PATH: "/usr/local/bin:/usr/bin" },
  platform: "linux",
  home: "/home/ada",
  trusted: true,
};
const files = (given: Partial<Places>) => candidates({ ...places, ...given }).map((each) => each.file);

test("the setting alone decides where it is set", () => {
  assert.deepEqual(files({ setting: "/opt/gpulint", python: "/venv/bin/python" }), ["/opt/gpulint"]);
});

test("a setting may begin with the home folder or lie in the workspace", () => {
  assert.deepEqual(files({ setting: "~/bin/gpulint" }), ["/home/ada/bin/gpulint"]);
  assert.deepEqual(files({ setting: "build/release/gpulint" }), ["/home/user/project/build/release/gpulint"]);
});

test("the wheel of the active Python environment comes before the PATH", () => {
  assert.deepEqual(files({ python: "/venv/bin/python3.11" }), [
    "/venv/bin/gpulint",
    "/usr/local/bin/gpulint",
    "/usr/bin/gpulint",
  ]);
});

test("an environment may be named by its folder", () => {
  assert.deepEqual(files({ python: "/opt/conda/envs/train", environment: {} }), ["/opt/conda/envs/train/bin/gpulint"]);
  assert.deepEqual(files({ environment: { VIRTUAL_ENV: "/venv", CONDA_PREFIX: "/conda" } }), [
    "/venv/bin/gpulint",
    "/conda/bin/gpulint",
  ]);
});

test("on Windows programs lie in Scripts and end on .exe", () => {
  const windows = { platform: "win32", environment: { Path: "C:\\tools;D:\\more" } };
  assert.deepEqual(files({ ...windows, python: "C:\\venv\\Scripts\\python.exe" }), [
    "C:\\venv\\Scripts\\gpulint.exe",
    "C:\\tools\\gpulint.exe",
    "D:\\more\\gpulint.exe",
  ]);
  assert.deepEqual(files({ ...windows, environment: {}, python: "C:\\Python311\\python.exe" }), [
    "C:\\Python311\\Scripts\\gpulint.exe",
  ]);
});

test("nothing of an untrusted workspace is started", () => {
  assert.deepEqual(files({ trusted: false, python: "/home/user/project/.venv/bin/python" }), [
    "/usr/local/bin/gpulint",
    "/usr/bin/gpulint",
  ]);
  assert.deepEqual(files({ trusted: false, setting: "tools/gpulint" }), []);
});

test("empty and relative entries of the PATH are passed over", () => {
  assert.deepEqual(files({ environment: { PATH: ":.:bin:/usr/bin" } }), ["/usr/bin/gpulint"]);
});

test("the first candidate that is a program is taken", () => {
  const found = findBinary({ ...places, python: "/venv/bin/python" }, (file) => file === "/usr/bin/gpulint");
  assert.deepEqual(found, { file: "/usr/bin/gpulint", origin: "PATH" });
  assert.equal(findBinary(places, () => false), undefined);
});

test("a missing program is said with what to do", () => {
  assert.match(missingText(places), /pip install gpulint/);
  assert.match(missingText({ ...places, setting: "/opt/x" }), /"\/opt\/x" of the setting gpulint.path is no program/);
});
