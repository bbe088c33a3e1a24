// The packaged extension in VS Code itself, as code-server brings it to a browser. Skipped unless GPULINT names the program,
// GPULINT_CODE_SERVER the server, GPULINT_BROWSER Chromium and GPULINT_PLAYWRIGHT a folder in which npm installed playwright-core.

import * as assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import * as fs from "node:fs";
import { createRequire } from "node:module";
import * as os from "node:os";
import * as path from "node:path";
import { after, before, test } from "node:test";

/** What is used of playwright-core, which is not among the packages of the extension. */
interface Locator {
  first(): Locator;
  count(): Promise<number>;
  allInnerTexts(): Promise<string[]>;
  click(): Promise<void>;
  dblclick(options?: { timeout: number }): Promise<void>;
  waitFor(options?: { timeout: number }): Promise<void>;
}
interface Frame {
  locator(selector: string): Locator;
}
interface Page extends Frame {
  goto(url: string): Promise<unknown>;
  keyboard: { press(keys: string): Promise<void>; type(text: string): Promise<void> };
  frames(): Frame[];
  screenshot(options: { path: string }): Promise<unknown>;
}
interface Browser {
  newPage(options: { viewport: { width: number; height: number } }): Promise<Page>;
  close(): Promise<void>;
}

const { GPULINT: gpulint, GPULINT_CODE_SERVER: codeServer, GPULINT_BROWSER: chromium, GPULINT_PLAYWRIGHT: playwright } = process.env;
const package_ = path.resolve("gpulint.vsix");
const skip = gpulint && codeServer && chromium && playwright && fs.existsSync(package_) ? false : "code-server, a browser, playwright-core or the package is missing";
const timeout = 90_000;

let folder = "";
let server: ChildProcess | undefined;
let browser: Browser | undefined;
let page: Page;

async function until(condition: () => Promise<boolean>, what: string): Promise<void> {
  const end = Date.now() + timeout;
  while (!(await condition())) {
    if (Date.now() > end) {
      await page.screenshot({ path: path.join(os.tmpdir(), "gpulint-workbench.png") });
      assert.fail(`${what} did not come`);
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

function makeFolders(): string[] {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "gpulint-workbench-"));
  for (const each of ["data/User", "extensions", "workspace/.git"]) fs.mkdirSync(path.join(folder, each), { recursive: true });
  const settings = { "gpulint.path": gpulint, "security.workspace.trust.enabled": false, "workbench.startupEditor": "none" };
  fs.writeFileSync(path.join(folder, "data/User/settings.json"), JSON.stringify(settings));
  const config = "batch_size: 8\nnum_workers: 0\npersistent_workers: true\nmodel: resnet50\nimage_size: 224\n";
  fs.writeFileSync(path.join(folder, "workspace/train.yaml"), config);
  fs.writeFileSync(path.join(folder, "workspace/.gpulint.yaml"), "gpu: a10g\nhost: g5-4xlarge\n");
  return ["--user-data-dir", path.join(folder, "data"), "--extensions-dir", path.join(folder, "extensions"), "--config", path.join(folder, "server.yaml")];
}

/** Its address, once it listens. */
function startServer(words: string[]): Promise<string> {
  const started = spawn(codeServer!, [...words, "--auth", "none", "--bind-addr", "127.0.0.1:0", "--disable-telemetry", "--disable-update-check"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  server = started;
  return new Promise((resolve, reject) => {
    let said = "";
    started.on("error", reject);
    started.stdout.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      const address = /listening on (http:\/\/127\.0\.0\.1:\d+)/.exec(said);
      if (address) resolve(address[1]!);
    });
  });
}

before(async () => {
  if (skip !== false) return;
  const words = makeFolders();
  execFileSync(codeServer!, [...words, "--install-extension", package_], { stdio: "ignore" });
  const address = await startServer(words);
  const { chromium: kind } = createRequire(path.join(path.resolve(playwright!), "package.json"))("playwright-core") as {
    chromium: { launch(options: { executablePath: string; args: string[] }): Promise<Browser> };
  };
  browser = await kind.launch({ executablePath: chromium!, args: ["--no-sandbox"] });
  page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
  await page.goto(`${address}/?folder=${path.join(folder, "workspace")}`);
  await page.locator('.explorer-folders-view [aria-label^="train.yaml"]').first().dblclick({ timeout });
  await page.locator(".monaco-editor .view-line").first().waitFor({ timeout });
});
after(async () => {
  await browser?.close();
  server?.kill();
  if (folder !== "") fs.rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
});

async function command(title: string): Promise<void> {
  await page.keyboard.press("F1");
  await page.locator(".quick-input-widget input").first().waitFor({ timeout });
  await page.keyboard.type(title);
  await page.locator(`.quick-input-list [aria-label*="${title}"]`).first().click();
}

const shows = (selector: string, words: RegExp) => async () => (await page.locator(selector).allInnerTexts()).some((text) => words.test(text.replaceAll("\u00a0", " ")));

test("an open config has squiggles, a lens with the verdict, a hint on the batch and the target in the status bar", { skip }, async () => {
  await until(async () => (await page.locator(".squiggly-error").count()) === 1, "the error");
  await until(shows(".codelens-decoration", /GiB: fits .* on a10g/), "the lens");
  await until(shows(".view-line", /batch_size: 8.*▸ \d+\.\d of \d+\.\d GiB · fits up to \d+/), "the hint");
  await until(shows(".statusbar-item", /as the config says/), "the target");
});

test("what is typed is judged at once", { skip }, async () => {
  await page.locator(".view-line").first().click();
  await page.keyboard.press("Control+End");
  const errors = async (): Promise<number> => page.locator(".squiggly-error").count();
  await page.keyboard.type("num_workers: 4");
  await until(async () => (await errors()) === 0, "the end of the error, now that there are workers,");
  await until(async () => (await page.locator(".squiggly-warning").count()) === 1, "the warning of the key stated twice");
  for (let i = 0; i < "num_workers: 4".length; ++i) await page.keyboard.press("Backspace");
  await until(async () => (await errors()) === 1, "the error again");
});

test("the memory view draws the bars of the config and asks for another batch", { skip }, async () => {
  await command("Show the Memory of This Config");
  const within = async (selector: string): Promise<string[]> => (await Promise.all(page.frames().map((frame) => frame.locator(selector).allInnerTexts()))).flat();
  await until(async () => (await within("body")).some((text) => /activations/.test(text) && /22\.1 GiB/.test(text)), "the view");
});
