// The page of the memory view: bars by term, and controls that ask the server what would be. It computes nothing of memory.

/** What a control changes, as a fact of gpulint; `choices` in the order they are offered. */
export interface Control {
  fact: string;
  label: string;
  /** Of a slider: values double from step to step. */
  doubles?: boolean;
  choices?: string[];
}

export const controls: Control[] = [
  { fact: "per_device_batch_size", label: "batch per device", doubles: true },
  { fact: "sequence_length", label: "sequence length", doubles: true },
  { fact: "activation_checkpointing", label: "activation checkpointing", choices: ["none", "selective", "full"] },
  { fact: "sharding_stage", label: "sharding stage (ZeRO)", choices: ["0", "1", "2", "3"] },
  { fact: "mixed_precision", label: "mixed precision", choices: ["none", "bf16", "fp16"] },
];

/** One colour per term, those of gpulint's reports. */
export const colors: Record<string, string> = {
  weights: "#0072b2",
  "optimizer state": "#e69f00",
  "optimizer step temporaries": "#e69f00",
  gradients: "#009e73",
  activations: "#56b4e9",
  "logits and loss": "#cc79a7",
  "input batch": "#d55e00",
  "autocast weight copies": "#7a5195",
  "gathered layers": "#7a5195",
  "allocator slack": "#b8ad1c",
  "rounding of blocks": "#b8ad1c",
  "CUDA context": "#8a94a0",
  "cuBLAS workspaces": "#8a94a0",
  "convolution workspace": "#8a94a0",
};

const style = `
body{font-family:var(--vscode-font-family,system-ui,sans-serif);font-size:13px;padding:0 1rem 2rem;color:var(--vscode-foreground,#1a1d21);background:var(--vscode-editor-background,#fff)}
h1{font-size:1.1rem}.bar{position:relative;display:flex;height:1.6rem;margin:1.4rem 0 .6rem;border:1px solid var(--vscode-panel-border,#8a94a0)}
.bar>span{height:100%}.bar>i{position:absolute;top:-.3rem;bottom:-.3rem;border-left:2px solid currentColor}
.bar>i>b{position:absolute;top:-1rem;right:.2rem;white-space:nowrap;font-weight:400;font-style:normal}ul{list-style:none;padding:0;display:flex;flex-wrap:wrap;gap:.2rem 1.2rem}
li>i{display:inline-block;width:.8rem;height:.8rem;margin-right:.35rem;vertical-align:-.1rem}
.controls{display:grid;grid-template-columns:max-content minmax(8rem,20rem) max-content;gap:.4rem .8rem;align-items:center;margin:1rem 0}
.controls select{font:inherit;color:inherit;background:var(--vscode-input-background,#fff)}
.over{font-weight:600;text-decoration:underline}button{font:inherit}
@media(max-width:32rem){.controls{grid-template-columns:1fr max-content}.controls label{grid-column:1/-1}}`;

/** Runs in the page; everything it needs is in its arguments. */
function inPage(controls: Control[], colors: Record<string, string>): void {
  interface Term {
    name: string;
    bytes: number;
  }
  interface State {
    stated: Record<string, string>;
    changed: Record<string, string>;
  }
  const api = (globalThis as unknown as { acquireVsCodeApi(): { postMessage(message: unknown): void } }).acquireVsCodeApi();
  const state: State = { stated: {}, changed: {} };
  const at = (id: string) => document.getElementById(id)!;
  const make = (name: string, words = "") => Object.assign(document.createElement(name), { textContent: words });
  const gib = (bytes: number) => (bytes < 2 ** 30 ? `${Math.round(bytes / 2 ** 20)} MiB` : `${(bytes / 2 ** 30).toPrecision(3)} GiB`);

  function bar(terms: Term[], usable: number | null, title: string): HTMLElement {
    const sum = terms.reduce((all, term) => all + term.bytes, 0);
    const scale = 100 / (1.06 * Math.max(sum, usable ?? 0, 1));
    const bar = make("div");
    bar.className = "bar";
    bar.setAttribute("role", "img");
    bar.setAttribute("aria-label", title);
    for (const term of terms) {
      const part = make("span");
      part.style.width = `${term.bytes * scale}%`;
      part.style.background = colors[term.name] ?? "#4f6d2f";
      part.title = `${term.name}: ${gib(term.bytes)}`;
      bar.append(part);
    }
    if (usable !== null) {
      const line = make("i");
      line.style.left = `${usable * scale}%`;
      line.append(make("b", `usable ${gib(usable)}`));
      bar.append(line);
    }
    return bar;
  }

  function ask(): void {
    api.postMessage({ facts: state.changed });
  }

  function set(fact: string, value: string): void {
    if (value === (state.stated[fact] ?? "")) delete state.changed[fact];
    else state.changed[fact] = value;
    ask();
  }

  function slider(control: Control, stated: number): HTMLElement[] {
    const input = make("input") as HTMLInputElement;
    const shown = make("output", String(stated));
    Object.assign(input, { type: "range", min: "-4", max: "4", step: "1", id: control.fact });
    const now = Number(state.changed[control.fact] ?? stated);
    input.value = String(Math.round(Math.log2(now / stated)));
    shown.textContent = String(now);
    input.oninput = () => {
      const value = Math.max(1, Math.round(stated * 2 ** Number(input.value)));
      shown.textContent = String(value);
      set(control.fact, String(value));
    };
    return [input, shown];
  }

  function choice(control: Control): HTMLElement[] {
    const select = make("select") as HTMLSelectElement;
    select.id = control.fact;
    const stated = state.stated[control.fact];
    const words = control.choices ?? [];
    select.append(new Option(stated === undefined ? "as the config leaves it" : `${stated} (as the config says)`, stated ?? ""));
    for (const word of words) if (word !== stated) select.append(new Option(word, word));
    select.value = state.changed[control.fact] ?? stated ?? "";
    select.onchange = () => set(control.fact, select.value);
    return [select, make("span")];
  }

  function drawControls(): void {
    const rows = controls.flatMap((control) => {
      const stated = Number(state.stated[control.fact]);
      if (control.doubles && !(stated > 0)) return [];
      const label = make("label", control.label) as HTMLLabelElement;
      label.htmlFor = control.fact;
      return [label, ...(control.doubles ? slider(control, stated) : choice(control))];
    });
    at("controls").replaceChildren(...rows);
  }

  function drawEstimate(estimate: any): void {
    const vram = estimate?.vram;
    const verdict = at("verdict");
    at("target").textContent = [estimate?.gpu, estimate?.host].filter(Boolean).join(", ") || "no target: choose a GPU in the status bar";
    if (!vram) {
      verdict.textContent = `memory is unknown; ${(estimate?.unknown ?? []).join(", ")}`;
      at("bars").replaceChildren();
      at("legend").replaceChildren();
      return;
    }
    const known = vram.needed !== null;
    const need = known ? `${gib(vram.needed)} (${gib(vram.needed_low)} to ${gib(vram.needed_high)})` : `at least ${gib(vram.needed_low)}`;
    verdict.textContent = `VRAM: ${need}${vram.usable === null ? "" : ` of ${gib(vram.usable)}: ${vram.verdict}`}`;
    verdict.className = vram.verdict === "does not fit" ? "over" : "";
    at("bars").replaceChildren(bar(vram.terms, vram.usable, verdict.textContent));
    at("legend").replaceChildren(
      ...vram.terms.map((term: Term) => {
        const item = make("li", `${term.name} ${gib(term.bytes)}`);
        const swatch = make("i");
        swatch.style.background = colors[term.name] ?? "#4f6d2f";
        item.prepend(swatch);
        return item;
      }),
    );
    const rate = estimate.throughput?.central ?? estimate.throughput?.samples_per_second?.central;
    at("time").textContent = typeof rate === "number" ? `${rate.toPrecision(3)} samples/s predicted` : "";
  }

  window.addEventListener("message", (event) => {
    const { path, facts, estimate, changed } = event.data;
    at("path").textContent = path;
    // An answer to an older question must not move the controls back.
    if (changed !== undefined && JSON.stringify(changed) !== JSON.stringify(state.changed)) return;
    if (changed === undefined) {
      state.stated = facts;
      state.changed = {};
      drawControls();
    }
    drawEstimate(Array.isArray(estimate) ? estimate[0] : estimate);
  });
  at("reset").onclick = () => {
    state.changed = {};
    drawControls();
    ask();
  };
  api.postMessage({ ready: true });
}

export function memoryPage(nonce: string): string {
  return `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>gpulint: memory</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-${nonce}'">
<meta name="viewport" content="width=device-width, initial-scale=1"><style>${style}</style></head><body><main>
<h1 id="path"></h1><p id="target"></p><p id="verdict" aria-live="polite"></p><div id="bars"></div><ul id="legend"></ul><p id="time"></p>
<div id="controls" class="controls"></div><button id="reset">As the config says</button></main>
<script nonce="${nonce}">(${inPage.toString()})(${JSON.stringify(controls)},${JSON.stringify(colors)})</script></body></html>`;
}
