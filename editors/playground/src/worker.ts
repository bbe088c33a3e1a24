// The linter in a thread of its own, so that typing never waits for it. It is sent one request after the other and answers each.

import { Linter } from "./linter.ts";

async function bytesOf(file: string): Promise<Response> {
  const response = await fetch(new URL(file, self.location.href));
  if (!response.ok) throw new Error(`${file} could not be loaded (${response.status})`);
  return response;
}

async function open(): Promise<Linter> {
  const archive = bytesOf("data.bin").then((response) => response.arrayBuffer());
  const program = bytesOf("gpulint.wasm");
  let module: WebAssembly.Module;
  try {
    module = await WebAssembly.compileStreaming(program);
  } catch {
    // A server that does not say application/wasm.
    module = await WebAssembly.compile(await (await bytesOf("gpulint.wasm")).arrayBuffer());
  }
  return Linter.open(module, new Uint8Array(await archive));
}

let linter = open();
linter.catch(() => {}); // whoever asks is told

self.onmessage = async (event: MessageEvent<{ id: number; request: object }>) => {
  const { id, request } = event.data;
  let answer: string;
  try {
    answer = (await linter).ask(request);
  } catch (error) {
    answer = JSON.stringify({ error: error instanceof Error ? error.message : String(error) });
    // A trap leaves the module in no state to be asked again.
    if (error instanceof WebAssembly.RuntimeError) linter = open();
  }
  self.postMessage({ id, answer });
};
