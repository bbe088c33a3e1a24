// The files of the page, the version they are compared with, and what is chosen besides.

import type { Finding, PageFile } from "./answers.ts";
import { applyEdits } from "./positions.ts";
import type { Shared } from "./share.ts";

export class Project {
  files: PageFile[] = [];
  before: PageFile[] = [];
  active = "";
  gpu = "";
  host = "";

  load(shared: Shared): void {
    this.files = shared.files.map((file) => ({ ...file }));
    this.before = (shared.before ?? shared.files).map((file) => ({ ...file }));
    this.gpu = shared.gpu;
    this.host = shared.host;
    this.active = (this.files.find((file) => !file.path.startsWith(".")) ?? this.files[0])?.path ?? "";
  }

  shared(): Shared {
    const shared: Shared = { files: this.files, gpu: this.gpu, host: this.host };
    if (this.isChanged()) shared.before = this.before;
    return shared;
  }

  isChanged(): boolean {
    return (
      this.before.length !== this.files.length ||
      this.files.some((file) => this.before.find((old) => old.path === file.path)?.text !== file.text)
    );
  }

  compareFromHere(): void {
    this.before = this.files.map((file) => ({ ...file }));
  }

  text(path: string): string | undefined {
    return this.files.find((file) => file.path === path)?.text;
  }

  setText(path: string, text: string): void {
    const file = this.files.find((each) => each.path === path);
    if (file !== undefined) file.text = text;
  }

  /** What keeps a path from being used; "" = nothing. */
  refusal(path: string): string {
    if (path === "" || path.endsWith("/")) return "Write a name.";
    if (path.startsWith("/") || path.split("/").some((part) => part === ".." || part === "" || part === ".")) {
      return "Write a path within the folder, such as configs/train.yaml.";
    }
    return this.text(path) === undefined ? "" : `There is a ${path} already.`;
  }

  add(path: string): void {
    this.files.push({ path, text: "" });
    this.active = path;
  }

  rename(path: string): void {
    const file = this.files.find((each) => each.path === this.active);
    if (file === undefined) return;
    file.path = path;
    this.active = path;
  }

  remove(): void {
    const index = this.files.findIndex((file) => file.path === this.active);
    this.files.splice(index, 1);
    this.active = (this.files[index] ?? this.files[index - 1])?.path ?? "";
  }

  /** Carries out a fix, in as many files as it has edits for. */
  apply(finding: Finding): void {
    const edits = finding.fix?.edits ?? [];
    for (const file of this.files) {
      const own = edits.filter((edit) => edit.path === file.path);
      if (own.length > 0) file.text = applyEdits(file.text, own);
    }
  }

  /** The members of every request. */
  request(): { files: PageFile[]; gpu: string | null; host: string | null; today: string } {
    return {
      files: this.files,
      gpu: this.gpu === "" ? null : this.gpu,
      host: this.host === "" ? null : this.host,
      today: new Date().toISOString().slice(0, 10),
    };
  }
}
