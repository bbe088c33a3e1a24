// gpulint.wasm from JavaScript: a page and Node alike. It has no files, no clock and no network; the few calls of WASI that its
// C library is linked with are answered here.

const success = 0;
const badDescriptor = 8;

interface Exports {
  memory: WebAssembly.Memory;
  _initialize(): void;
  gpulint_room(size: number): number;
  gpulint_free(room: number): void;
  gpulint_open(archive: number, size: number): number;
  gpulint_ask(request: number, size: number): void;
  gpulint_answer(): number;
  gpulint_answer_size(): number;
}

/** What the module may ask of its surroundings: to write on standard error, and little else. */
function surroundings(memory: () => WebAssembly.Memory, say: (text: string) => void): WebAssembly.ModuleImports {
  const empty = (count: number, size: number): number => {
    const view = new DataView(memory().buffer);
    view.setUint32(count, 0, true);
    view.setUint32(size, 0, true);
    return success;
  };
  const known: Record<string, (...values: number[]) => number> = {
    args_get: () => success,
    args_sizes_get: empty as (...values: number[]) => number,
    environ_get: () => success,
    environ_sizes_get: empty as (...values: number[]) => number,
    // Nobody may read a clock: what an answer depends on stands in the request.
    clock_time_get: (...values) => {
      new DataView(memory().buffer).setBigUint64(values[2] ?? 0, 0n, true);
      return success;
    },
    fd_write: (...values) => {
      const [, lists = 0, count = 0, written = 0] = values;
      const view = new DataView(memory().buffer);
      let size = 0;
      let text = "";
      for (let i = 0; i < count; ++i) {
        const length = view.getUint32(lists + 8 * i + 4, true);
        text += new TextDecoder().decode(new Uint8Array(memory().buffer, view.getUint32(lists + 8 * i, true), length));
        size += length;
      }
      say(text);
      view.setUint32(written, size, true);
      return success;
    },
    proc_exit: (code) => {
      throw new Error(`gpulint ended with ${code}`);
    },
  };
  return new Proxy(known, { get: (table, name: string) => table[name] ?? (() => badDescriptor) });
}

export class Linter {
  private constructor(private readonly calls: Exports) {}

  /** `archive`: the bytes of data.bin. */
  static async open(module: WebAssembly.Module, archive: Uint8Array, say: (text: string) => void = () => {}): Promise<Linter> {
    let calls: Exports | undefined;
    const wasi = surroundings(() => calls!.memory, say);
    const needed: WebAssembly.ModuleImports = {};
    for (const each of WebAssembly.Module.imports(module)) needed[each.name] = wasi[each.name]!;
    const instance = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: needed });
    calls = instance.exports as unknown as Exports;
    calls._initialize();
    const linter = new Linter(calls);
    const room = calls.gpulint_room(archive.length);
    if (room === 0) throw new Error("there is no memory for the data");
    new Uint8Array(calls.memory.buffer, room, archive.length).set(archive);
    if (calls.gpulint_open(room, archive.length) === 0) throw new Error(linter.answer());
    return linter;
  }

  /** The answer is JSON; what is wrong with the request is its `error`. */
  ask(request: object): string {
    const text = new TextEncoder().encode(JSON.stringify(request));
    const room = this.calls.gpulint_room(text.length);
    if (room === 0) throw new Error("there is no memory for the request");
    new Uint8Array(this.calls.memory.buffer, room, text.length).set(text);
    try {
      this.calls.gpulint_ask(room, text.length);
    } finally {
      this.calls.gpulint_free(room);
    }
    return this.answer();
  }

  get memoryBytes(): number {
    return this.calls.memory.buffer.byteLength;
  }

  private answer(): string {
    const bytes = new Uint8Array(this.calls.memory.buffer, this.calls.gpulint_answer(), this.calls.gpulint_answer_size());
    return new TextDecoder().decode(bytes);
  }
}
