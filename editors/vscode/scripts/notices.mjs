// dist/LICENSE.txt: our licence, then those of the packages that esbuild put into dist/extension.js.

import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import * as path from "node:path";

const ours = ["LICENSE", "../../LICENSE"].find((file) => existsSync(file));
const parts = ours === undefined ? [] : [readFileSync(ours, "utf8")];
const inputs = Object.keys(JSON.parse(readFileSync("dist/meta.json", "utf8")).inputs);
const packages = new Set(inputs.map((file) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1]).filter(Boolean));
for (const folder of [...packages].sort()) {
  const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
  if (file === undefined) throw new Error(`${folder} has no licence`);
  const { name, version } = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"));
  parts.push(`${name} ${version}, part of dist/extension.js:\n\n${readFileSync(path.join(folder, file), "utf8").trim()}\n`);
}
writeFileSync("dist/LICENSE.txt", parts.join(`\n${"-".repeat(80)}\n\n`));
