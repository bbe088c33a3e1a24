// A project in the part of an address that browsers keep to themselves: what stands behind # is sent to no server.

import type { PageFile } from "./answers.ts";

export interface Shared {
  files: PageFile[];
  gpu: string;
  host: string;
  /** The version the files are compared with, where it is another one. */
  before?: PageFile[];
}

const mark = "#1.";
/** Of the text behind a fragment: what nobody typed in is not unpacked. */
const mostCharacters = 4_000_000;

async function through(bytes: Uint8Array, stream: CompressionStream | DecompressionStream): Promise<Uint8Array> {
  const source = new Blob([bytes as BlobPart]).stream();
  const parts: Uint8Array[] = [];
  let size = 0;
  const reader = source.pipeThrough(stream as unknown as ReadableWritablePair<Uint8Array, Uint8Array>).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > mostCharacters) throw new Error("the address holds too much");
    parts.push(value);
  }
  const joined = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

function isFiles(value: unknown): value is PageFile[] {
  return (
    Array.isArray(value) &&
    value.length <= 64 &&
    value.every((each: unknown) => {
      const file = each as Partial<PageFile> | null;
      return typeof file === "object" && file !== null && typeof file.path === "string" && typeof file.text === "string";
    })
  );
}

export async function toFragment(shared: Shared): Promise<string> {
  const packed = await through(new TextEncoder().encode(JSON.stringify(shared)), new CompressionStream("deflate-raw"));
  let text = "";
  for (const byte of packed) text += String.fromCharCode(byte);
  return mark + btoa(text).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

/** undefined where the fragment is no project; throws where it is one that cannot be read. */
export async function fromFragment(fragment: string): Promise<Shared | undefined> {
  if (!fragment.startsWith(mark)) return undefined;
  let value: Partial<Shared>;
  try {
    const text = atob(fragment.slice(mark.length).replace(/-/g, "+").replace(/_/g, "/"));
    const packed = Uint8Array.from(text, (character) => character.charCodeAt(0));
    value = JSON.parse(new TextDecoder().decode(await through(packed, new DecompressionStream("deflate-raw")))) as Partial<Shared>;
  } catch {
    throw new Error("this address holds no files that can be read; was it cut off?");
  }
  if (typeof value !== "object" || value === null || !isFiles(value.files) || value.files.length === 0) {
    throw new Error("this address holds no files that can be read");
  }
  const shared: Shared = {
    files: value.files,
    gpu: typeof value.gpu === "string" ? value.gpu : "",
    host: typeof value.host === "string" ? value.host : "",
  };
  if (isFiles(value.before)) shared.before = value.before;
  return shared;
}
