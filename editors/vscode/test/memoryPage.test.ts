// The page of the memory view in a browser, where GPULINT_BROWSER names one (Chromium); without it the markup alone.

import * as assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { test } from "node:test";

import { controls, memoryPage } from "../src/memoryPage";

const browser = process.env.GPULINT_BROWSER;

test("the page runs its own script alone and names every control", () => {
  const page = memoryPage("n0nce");
  assert.match(page, /default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-n0nce'/);
  for (const control of controls) assert.ok(page.includes(control.fact), control.fact);
});

/** The page after `script` ran in it, as the browser sees it. */
function drawn(script: string): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "gpulint-page-"));
  const file = path.join(folder, "page.html");
  const stub = "<script nonce=x>const said=[];globalThis.acquireVsCodeApi=()=>({postMessage:(m)=>said.push(m)})</script>";
  fs.writeFileSync(file, memoryPage("x").replace("<main>", `${stub}<main>`).replace("</body>", `<script nonce=x>${script}</script></body>`));
  const words = ["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=2000", "--dump-dom", `file://${file}`];
  const page = execFileSync(browser!, words, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  fs.rmSync(folder, { recursive: true });
  return page;
}

test("bars, legend and verdict are drawn, and a slider asks for another batch", { skip: browser ? false : "GPULINT_BROWSER names no browser" }, () => {
  const estimate = {
    gpu: "a10g",
    vram: { needed: 2 ** 34, needed_low: 2 ** 33, needed_high: 2 ** 34, usable: 2 ** 34, verdict: "thin", terms: [{ name: "weights", bytes: 2 ** 33 }] },
  };
  const facts = { per_device_batch_size: "8" };
  const page = drawn(`
    window.dispatchEvent(new MessageEvent("message", {data: ${JSON.stringify({ path: "train.yaml", facts, estimate })}}));
    setTimeout(() => {
      const slider = document.getElementById("per_device_batch_size");
      slider.value = "1";
      slider.oninput();
      document.body.dataset.said = JSON.stringify(said);
    }, 200);`);
  assert.match(page, /VRAM: 16.0 GiB \(8.00 GiB to 16.0 GiB\) of 16.0 GiB: thin/);
  assert.match(page, /weights 8.00 GiB/);
  assert.ok(page.includes("{&quot;ready&quot;:true},{&quot;facts&quot;:{&quot;per_device_batch_size&quot;:&quot;16&quot;}}"), page);
});
