// Puts the page together in the folder GPULINT_SITE: GPULINT_MODULE and GPULINT_DATA are gpulint.wasm and data.bin, GPULINT_ROOT
// is the repository. Each file lies there as it is and under Brotli, for servers that send it so.

import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import * as path from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import * as esbuild from "esbuild";

const needed = (name) => {
  if (!process.env[name]) throw new Error(`${name} is not set; scripts/playground sets it`);
  return process.env[name];
};
const site = needed("GPULINT_SITE");
const root = needed("GPULINT_ROOT");
rmSync(site, { recursive: true, force: true });
mkdirSync(site, { recursive: true });

const common = { bundle: true, format: "esm", target: "es2022", minify: true, legalComments: "none", logLevel: "warning" };
const bundled = await esbuild.build({
  ...common,
  entryPoints: ["src/main.ts", "src/worker.ts"],
  splitting: true,
  chunkNames: "[name]-[hash]",
  outdir: site,
  metafile: true,
});

await esbuild.build({ ...common, format: "iife", entryPoints: ["src/start.ts"], outdir: site });

// What of others is in the page, with its licence.
const packages = new Set(
  Object.keys(bundled.metafile.inputs)
    .map((file) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1])
    .filter(Boolean),
);
const licences = [readFileSync(path.join(root, "LICENSE"), "utf8")];
for (const folder of [...packages].sort()) {
  const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
  if (file === undefined) throw new Error(`${folder} has no licence`);
  const { name, version } = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"));
  licences.push(`${name} ${version}, part of the editor:\n\n${readFileSync(path.join(folder, file), "utf8").trim()}\n`);
}
const linked = path.join(root, "packaging/licenses");
for (const file of existsSync(linked) ? readdirSync(linked).sort() : []) {
  licences.push(`${file}, part of gpulint.wasm:\n\n${readFileSync(path.join(linked, file), "utf8").trim()}\n`);
}
writeFileSync(path.join(site, "licenses.txt"), licences.join(`\n${"-".repeat(80)}\n\n`));

for (const file of readdirSync("page")) copyFileSync(path.join("page", file), path.join(site, file));

// The examples as the page shows them: files, and the GPU to choose.
const read = (folder, file) => readFileSync(path.join(folder, file), "utf8");
const examples = JSON.parse(readFileSync("examples.json", "utf8")).map((example) => {
  const folder = path.join(root, example.own ? "editors/playground/examples" : "examples", example.folder);
  if (example.own) {
    const files = example.files.map((file) => ({ path: file, text: read(folder, file) }));
    return { title: example.title, versions: [{ title: "as it is", files, gpu: example.gpu }] };
  }
  const project = { path: ".gpulint.yaml", text: read(folder, ".gpulint.yaml") };
  return {
    title: example.title,
    versions: example.versions.map(({ file, title, config }) => ({
      title,
      files: [{ path: config ?? example.config, text: read(folder, file) }, project],
      gpu: "",
    })),
  };
});
writeFileSync(path.join(site, "examples.json"), JSON.stringify(examples));

copyFileSync(needed("GPULINT_DATA"), path.join(site, "data.bin"));
writeFileSync(path.join(site, "gpulint.wasm"), readFileSync(needed("GPULINT_MODULE")));

const files = readdirSync(site).sort();
const hash = createHash("sha256");
for (const file of files) hash.update(file).update(readFileSync(path.join(site, file)));
await esbuild.build({
  ...common,
  entryPoints: ["src/offline.ts"],
  outfile: path.join(site, "offline.js"),
  define: {
    FILES: JSON.stringify(["./", ...files.filter((file) => file !== "licenses.txt")]),
    VERSION: JSON.stringify(hash.digest("hex").slice(0, 12)),
  },
});

let total = 0;
const sizes = [];
for (const file of readdirSync(site).sort()) {
  const bytes = readFileSync(path.join(site, file));
  const packed = brotliCompressSync(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 11,
      [constants.BROTLI_PARAM_LGWIN]: 24,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  });
  writeFileSync(path.join(site, `${file}.br`), packed);
  sizes.push([file, bytes.length, packed.length]);
  if (file !== "licenses.txt") total += packed.length;
}
for (const [file, plain, packed] of sizes) console.log(`${file.padEnd(16)} ${String(plain).padStart(9)} ${String(packed).padStart(9)}`);
console.log(`${"under Brotli".padEnd(16)} ${String(total).padStart(19)} bytes`);
const most = 4_000_000;
if (total > most) throw new Error(`the page is larger than ${most} bytes`);
