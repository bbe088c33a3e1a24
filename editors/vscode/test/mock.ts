// Imported first: `vscode` is the stand-in of vscode.ts, as there is no editor around a test.

import Module from "node:module";
import * as path from "node:path";

type Resolve = (request: string, ...rest: unknown[]) => string;
const loader = Module as unknown as { _resolveFilename: Resolve };
const resolve = loader._resolveFilename;
loader._resolveFilename = function (request, ...rest) {
  return request === "vscode" ? path.join(__dirname, "vscode.js") : resolve.call(this, request, ...rest);
};
