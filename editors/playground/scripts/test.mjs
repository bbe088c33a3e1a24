// Bundles test/*.test.ts and runs them. What needs the module, the program or a browser says so and is skipped where the
// variables that scripts/playground sets are missing.

import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { spawnSync } from "node:child_process";
import * as esbuild from "esbuild";

rmSync("out", { recursive: true, force: true });
mkdirSync("out");
const names = process.argv.slice(2);
const files = readdirSync("test").filter((file) => file.endsWith(".test.ts") && (names.length === 0 || names.some((name) => file.startsWith(name))));
await esbuild.build({
  entryPoints: files.map((file) => `test/${file}`),
  outdir: "out",
  outExtension: { ".js": ".mjs" },
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  packages: "external",
  logLevel: "warning",
});
const ran = spawnSync(process.execPath, ["--test", "--test-concurrency=1", ...files.map((file) => `out/${file.replace(/ts$/, "mjs")}`)], { stdio: "inherit" });
process.exit(ran.status ?? 1);
