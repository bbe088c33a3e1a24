// The page in a browser: GPULINT_SITE is the folder it was built in, CHROMIUM the browser where it is not /usr/bin/chromium.
// Skipped where either is missing.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { type Browser, type BrowserContext, type Page, chromium } from "playwright-core";

const site = process.env["GPULINT_SITE"];
const program = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
const skip = site === undefined ? "GPULINT_SITE is not set" : existsSync(program) ? false : `there is no ${program}`;
const axe = readFileSync(createRequire(`${process.cwd()}/package.json`).resolve("axe-core/axe.min.js"), "utf8");

let browser: Browser;
let url = "";
let asked: string[] = [];
let close = (): void => {};

before(async () => {
  if (skip !== false) return;
  const { serve } = (await import(`${process.cwd()}/scripts/serve.mjs`)) as {
    serve(site: string): Promise<{ url: string; asked: string[]; server: { close(): void; closeAllConnections(): void } }>;
  };
  const served = await serve(site!);
  ({ url, asked } = served);
  close = () => {
    served.server.close();
    served.server.closeAllConnections();
  };
  // Containers have no user namespaces to build a sandbox of.
  browser = await chromium.launch({ executablePath: program, args: ["--no-sandbox"] });
});
after(async () => {
  await browser?.close();
  close();
});

interface Opened {
  page: Page;
  context: BrowserContext;
  complaints: string[];
}

async function open(options: Parameters<Browser["newContext"]>[0] = {}, fragment = ""): Promise<Opened> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.goto(url + fragment);
  await judged(page);
  return { page, context, complaints };
}

async function judged(page: Page): Promise<void> {
  await page.waitForSelector("body[data-judged=yes][data-editable=yes]", { timeout: 60_000 });
}

const text = (page: Page, selector: string): Promise<string> => page.locator(selector).innerText();
const show = async (page: Page, view: string): Promise<void> => {
  await page.locator("#views").getByRole("tab", { name: view }).click();
  await page.waitForFunction(() => document.querySelector("#panel")!.childElementCount > 0 && !document.querySelector("#panel[aria-busy]"));
};

/** The whole text of the editor, typed anew. */
async function write(page: Page, words: string): Promise<void> {
  await page.locator("#editor .cm-content").click();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(words);
}

test("the first example is judged, in place and in one line", { skip }, async () => {
  const { page, context, complaints } = await open();
  assert.match(await text(page, "#verdict"), /needs 11\.4 GiB of 22\.1 GiB on a10g: fits; host RAM 63\.9 GB does not fit · 1 error/);
  assert.match(await text(page, "#panel"), /host-ram-over-budget/);
  assert.equal(await page.locator("#editor .cm-lintRange-error").count(), 1);
  assert.ok((await page.locator("#editor .cm-lint-marker-error").count()) >= 1);
  assert.deepEqual(complaints, []);
  await context.close();
});

test("typing changes findings and bars; the broken text in between is a finding too", { skip }, async () => {
  const { page, context } = await open();
  await write(page, "batch_size: [");
  await page.waitForFunction(() => /syntax-error/.test(document.querySelector("#panel")!.textContent!));
  await write(page, "batch_size: 64\nnum_workers: 8\noptimizer: sgd\nlr: 0.5\nepochs: 3\nprecision: 16-mixed\n");
  await page.waitForFunction(() => /needs \d/.test(document.querySelector("#verdict")!.textContent!) && !/11\.4/.test(document.querySelector("#verdict")!.textContent!));
  await show(page, "Memory");
  assert.match(await text(page, "#panel"), /activations/);
  await context.close();
});

test("a GPU that is chosen counts", { skip }, async () => {
  const { page, context } = await open();
  await page.locator("#gpu").selectOption("rtx-3070");
  await page.waitForFunction(() => /on rtx-3070: does not fit/.test(document.querySelector("#verdict")!.textContent!));
  assert.equal(await page.locator("#verdict").getAttribute("class"), "over");
  await context.close();
});

test("every view of every example shows something and nothing is complained of", { skip }, async () => {
  const { page, context, complaints } = await open();
  const examples = await page.locator("#example option:not([hidden])").count();
  assert.ok(examples >= 6);
  for (let example = 0; example < examples; ++example) {
    await page.evaluate(() => delete document.body.dataset["judged"]);
    await page.locator("#example").selectOption(String(example));
    await judged(page);
    for (const view of ["Findings", "Memory", "Time", "Diff"]) {
      await show(page, view);
      assert.ok((await text(page, "#panel")).length > 20);
    }
  }
  assert.deepEqual(complaints, []);
  await context.close();
});

test("a later version of an example is compared with the first", { skip }, async () => {
  const { page, context } = await open();
  await page.locator("#version").selectOption({ label: "balanced" });
  await show(page, "Diff");
  await page.waitForFunction(() => /Findings that are gone/.test(document.querySelector("#panel")!.textContent!));
  assert.match(await text(page, "#panel"), /host RAM/i);
  await context.close();
});

test("the fit table has every GPU, with settings for the chosen one", { skip }, async () => {
  const { page, context } = await open();
  await show(page, "Fit");
  await page.waitForFunction(() => document.querySelectorAll("#panel tbody tr").length > 40, undefined, { timeout: 30_000 });
  assert.match(await text(page, "#panel"), /fits up to a batch of 363/);
  assert.equal(await page.locator("#panel tr.chosen").count(), 1);
  await context.close();
});

test("a launch script, its config and its DeepSpeed file are one run", { skip }, async () => {
  const { page, context } = await open();
  await page.evaluate(() => delete document.body.dataset["judged"]);
  await page.locator("#example").selectOption({ label: "Llama 2 7B with DeepSpeed" });
  await judged(page);
  assert.equal(await page.locator("#files [role=tab]").count(), 3);
  assert.match(await text(page, "#verdict"), /on a100-sxm4-80gb/);
  await page.locator("#panel .place").first().click();
  assert.equal(await page.locator("#files [aria-selected=true]").getAttribute("aria-controls"), "editor");
  await context.close();
});

test("a fix is applied from the list of findings, and can be undone", { skip }, async () => {
  const { page, context } = await open();
  await page.getByRole("button", { name: /^Apply/ }).first().click();
  await page.waitForFunction(() => !/loader-workers-exceed-cores/.test(document.querySelector("#panel")!.textContent!));
  await page.locator("#editor .cm-content").click();
  await page.keyboard.press("Control+z");
  await page.waitForFunction(() => /loader-workers-exceed-cores/.test(document.querySelector("#panel")!.textContent!));
  await context.close();
});

test("a link holds files, GPU and base, and nothing of it is sent", { skip }, async () => {
  const { page, context } = await open();
  await write(page, "batch_size: 77\n");
  await page.locator("#gpu").selectOption("l4");
  await page.locator("#share").click();
  await page.waitForFunction(() => location.hash.length > 20);
  const link = await page.evaluate(() => location.hash);
  await context.close();
  const other = await open({}, link);
  assert.match(await other.page.locator("#editor .cm-content").innerText(), /batch_size: 77/);
  assert.equal(await other.page.locator("#gpu").inputValue(), "l4");
  await show(other.page, "Diff");
  assert.doesNotMatch(await text(other.page, "#panel"), /Nothing differs/);
  assert.ok(asked.every((name) => !name.includes("77") && !name.includes("#")));
  await other.context.close();
});

test("a link that was cut off says so and shows an example", { skip }, async () => {
  const { page, context } = await open({}, "#1.abcdef");
  await page.waitForSelector("#panel [role=alert]");
  assert.match(await text(page, "#panel"), /cut off/);
  await context.close();
});

test("files are added, renamed and removed", { skip }, async () => {
  const { page, context } = await open();
  await page.locator("#add").click();
  await page.locator("#name").fill("../x.yaml");
  await page.locator("#name-ok").click();
  assert.match(await text(page, "#name-error"), /within the folder/);
  await page.locator("#name").fill("ds.json");
  await page.locator("#name-ok").click();
  assert.equal(await page.locator("#files [role=tab]").count(), 3);
  await page.locator("#rename").click();
  await page.locator("#name").fill("ds_config.json");
  await page.keyboard.press("Enter");
  assert.match(await text(page, "#files"), /ds_config\.json/);
  await page.locator("#remove").click();
  assert.equal(await page.locator("#files [role=tab]").count(), 2);
  await context.close();
});

test("it opens and judges without a network once it was open", { skip }, async () => {
  const { page, context } = await open();
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
  });
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null, undefined, { timeout: 20_000 });
  await context.setOffline(true);
  await page.reload();
  await judged(page);
  assert.match(await text(page, "#verdict"), /a10g/);
  await context.close();
});

test("everything is reached and worked by the keyboard", { skip }, async () => {
  const { page, context } = await open();
  const seen: string[] = [];
  await page.locator("#example").focus();
  for (let step = 0; step < 40 && !seen.includes("panel"); ++step) {
    seen.push(await page.evaluate(() => {
      const active = document.activeElement;
      return active?.id !== "" ? (active?.id ?? "") : (active.tagName ?? "");
    }));
    await page.keyboard.press("Tab");
  }
  for (const id of ["example", "version", "gpu", "host", "share", "files-0", "add", "rename", "remove", "base", "editor", "views-0"]) {
    assert.ok(seen.includes(id), `${id} is not reached: ${seen.join(" ")}`);
  }
  await page.locator("#views-0").focus();
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Memory");
  assert.equal(await page.locator("#views [aria-selected=true]").innerText(), "Memory");
  await page.keyboard.press("End");
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Diff");
  await context.close();
});

for (const colorScheme of ["light", "dark"] as const) {
  for (const width of [1280, 400]) {
    test(`axe finds nothing at ${width} px in ${colorScheme}, and nothing is wider than the page`, { skip }, async () => {
      const { page, context } = await open({ viewport: { width, height: 800 }, colorScheme, bypassCSP: true });
      await page.evaluate(axe);
      for (const view of ["Findings", "Memory", "Time", "Fit", "Diff"]) {
        await show(page, view);
        const found = await page.evaluate(async () => {
          const { axe: tool } = window as unknown as { axe: { run(): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }> } };
          return (await tool.run()).violations.map((each) => `${each.id}: ${each.nodes.map((node) => `${node.html} ${node.failureSummary}`).join("\n")}`);
        });
        assert.deepEqual(found, [], view);
        const [needed, there] = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
        assert.ok(needed! <= there!, `${view} is ${needed} px wide`);
      }
      await context.close();
    });
  }
}
