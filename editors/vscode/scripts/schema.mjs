// The schema of .gpulint.yaml as the program prints it: GPULINT names the program, else the one on the PATH is asked.

import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";

const text = execFileSync(process.env.GPULINT ?? "gpulint", ["schema", "project"], { encoding: "utf8", maxBuffer: 1 << 24 });
JSON.parse(text);
mkdirSync("schemas", { recursive: true });
writeFileSync("schemas/gpulint.schema.json", text);
