// Memory and time as bars and a curve. Colours go to names in the order they first appear, so that a term keeps its own in every
// picture of the page.

import type { CurvePoint, Run, Verdict } from "./answers.ts";
import { drawing, element } from "./dom.ts";

const colours = 12;
let width = 640;
const known = new Map<string, number>();

/** Of the place pictures are drawn for, so that their words are as large as those around them. */
export function drawFor(pixels: number): void {
  width = Math.max(260, Math.min(900, Math.round(pixels)));
}

export function colourOf(name: string): string {
  const found = known.get(name) ?? known.size;
  known.set(name, found);
  return `t${found % colours}`;
}

export function verdictClass(verdict: Verdict): string {
  return verdict === "does not fit" ? "over" : verdict;
}

export interface Part {
  name: string;
  amount: number;
  note?: string;
}

export interface Bar {
  label: string;
  parts: Part[];
  /** What there is. */
  limit?: { amount: number; label: string } | undefined;
  /** The interval of the whole. */
  spread?: { low: number; high: number } | undefined;
  words: (amount: number) => string;
}

/** One stacked bar with its limit, its interval, and a list of its parts with their amounts. */
export function bar({ label, parts, limit, spread, words }: Bar): HTMLElement {
  const total = parts.reduce((sum, part) => sum + part.amount, 0);
  const scale = Math.max(total, limit?.amount ?? 0, spread?.high ?? 0) * 1.04 || 1;
  const x = (amount: number): number => (amount / scale) * width;
  const top = 20;
  const height = 30;
  const said = `${label}: ${words(total)}${limit === undefined ? "" : ` of ${words(limit.amount)}`}`;
  const picture = drawing("svg", { viewBox: `0 0 ${width} ${top + height + 12}`, role: "img", "aria-label": said });
  picture.append(drawing("rect", { class: "track", x: 0, y: top, width, height, rx: 4 }));
  let at = 0;
  for (const part of parts) {
    if (part.amount <= 0) continue;  // a correction by what was measured: in the list alone
    picture.append(
      drawing(
        "rect",
        { class: colourOf(part.name), x: x(at).toFixed(1), y: top, width: x(part.amount).toFixed(1), height },
        drawing("title", {}, `${part.name}: ${words(part.amount)}`),
      ),
    );
    at += part.amount;
  }
  if (spread !== undefined && spread.high > spread.low) {
    const y = top + height + 6;
    const [low, high] = [x(spread.low).toFixed(1), x(spread.high).toFixed(1)];
    picture.append(drawing("path", { class: "spread", d: `M${low} ${y - 4}V${y + 4}M${low} ${y}H${high}M${high} ${y - 4}V${y + 4}` }));
  }
  if (limit !== undefined) {
    const line = x(limit.amount);
    picture.append(
      drawing("line", { class: "limit", x1: line, x2: line, y1: top - 4, y2: top + height + 4 }),
      drawing("text", { class: "strong", x: line - 4, y: 13, "text-anchor": line > width / 3 ? "end" : "start" }, limit.label),
    );
  }
  const legend = element(
    "ul",
    { class: "legend" },
    ...parts.map((part) =>
      element(
        "li",
        {},
        drawing("svg", { viewBox: "0 0 8 8", "aria-hidden": "true" }, drawing("rect", { class: colourOf(part.name), width: 8, height: 8 })),
        `${part.name} `,
        element("b", {}, words(part.amount)),
        part.note !== undefined && part.note !== "" && element("span", { class: "faint" }, ` ${part.note}`),
      ),
    ),
  );
  return element("div", {}, picture, legend);
}

/** Memory over one step: forward fills it, backward empties it. */
export function stepCurve(curve: CurvePoint[], run: Run, words: (bytes: number) => string): SVGElement {
  const vram = run.vram!;
  const highest = Math.max(...curve.map((point) => point.bytes));
  // What was there before the step: weights, optimizer, context.
  const base = Math.max(0, (vram.central ?? vram.low) - highest);
  const scale = Math.max(base + highest, vram.usable ?? 0) * 1.05;
  const top = 16;
  const height = 150;
  const y = (bytes: number): number => top + height * (1 - bytes / scale);
  const x = (index: number): number => (index * width) / (curve.length - 1);
  const outline = curve.map((point, index) => `L${x(index).toFixed(1)} ${y(base + point.bytes).toFixed(1)}`).join("");
  const turn = x(Math.max(0, curve.findIndex((point) => point.phase === "backward")));
  const picture = drawing(
    "svg",
    { viewBox: `0 0 ${width} ${top + height + 20}`, role: "img", "aria-label": `memory over one step, highest ${words(base + highest)}` },
    drawing("path", { class: "t0", d: `M0 ${top + height}${outline}L${width} ${top + height}Z` }),
    drawing("rect", { class: "t7", x: 0, y: y(base).toFixed(1), width, height: (top + height - y(base)).toFixed(1) }),
    drawing("line", { class: "axis", x1: turn, x2: turn, y1: top, y2: top + height }),
    drawing("text", { x: 4, y: top + height + 15 }, "forward"),
    drawing("text", { x: Math.min(turn + 4, width - 60), y: top + height + 15 }, "backward"),
  );
  if (vram.usable !== null) {
    const line = y(vram.usable);
    picture.append(
      drawing("line", { class: "limit", x1: 0, x2: width, y1: line, y2: line }),
      drawing("text", { class: "strong", x: width, y: line - 4, "text-anchor": "end" }, `usable ${words(vram.usable)}`),
    );
  }
  return picture;
}

/** Amounts side by side against one limit: the phases of a step. */
export function rows(parts: Part[], limit: number | undefined, words: (amount: number) => string): SVGElement {
  const scale = Math.max(limit ?? 0, ...parts.map((part) => part.amount)) * 1.02 || 1;
  const left = 130;
  const right = 80;
  const room = width - left - right;
  const picture = drawing("svg", {
    viewBox: `0 0 ${width} ${parts.length * 24 + 4}`,
    role: "img",
    "aria-label": parts.map((part) => `${part.name}: ${words(part.amount)}`).join(", "),
  });
  const highest = Math.max(...parts.map((part) => part.amount));
  parts.forEach((part, index) => {
    const y = index * 24 + 2;
    const size = (part.amount / scale) * room;
    picture.append(
      drawing("text", { x: 0, y: y + 14, class: part.amount === highest ? "strong" : undefined }, part.name),
      drawing("rect", { class: "track", x: left, y, width: room, height: 18, rx: 3 }),
      drawing("rect", { class: part.amount === highest ? "t0" : "t4", x: left, y, width: size.toFixed(1), height: 18 }),
      drawing("text", { x: left + room + 8, y: y + 14, class: part.amount === highest ? "strong" : undefined }, words(part.amount)),
    );
  });
  if (limit !== undefined) {
    const line = left + (limit / scale) * room;
    picture.append(drawing("line", { class: "limit", x1: line, x2: line, y1: 0, y2: parts.length * 24 }));
  }
  return picture;
}
