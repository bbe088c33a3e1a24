// Reports count lines and code points from 1; an editor counts UTF-16 units from 0.

export interface Lines {
  readonly lines: number;
  line(number: number): { from: number; to: number; text: string };
}

export function offsetOf(document: Lines, line: number, column: number): number {
  if (line > document.lines) return document.line(document.lines).to;
  const { from, to, text } = document.line(Math.max(1, line));
  let offset = from;
  let left = column - 1;
  for (const character of text) {
    if (left-- <= 0) break;
    offset += character.length;
  }
  return Math.min(offset, to);
}

/** The lines of a text that is in no editor. */
export function linesOf(text: string): Lines {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return {
    lines: starts.length,
    line(number: number) {
      const from = starts[number - 1] ?? text.length;
      const next = starts[number];
      const to = next === undefined ? text.length : next - 1;
      return { from, to, text: text.slice(from, to) };
    },
  };
}

/** `text` after the edits, which must not overlap. */
export function applyEdits(
  text: string,
  edits: { line: number; column: number; end_line: number; end_column: number; text: string }[],
): string {
  const lines = linesOf(text);
  const places = edits
    .map((edit) => ({
      from: offsetOf(lines, edit.line, edit.column),
      to: offsetOf(lines, edit.end_line, edit.end_column),
      text: edit.text,
    }))
    .sort((a, b) => b.from - a.from);
  for (const { from, to, text: insert } of places) text = text.slice(0, from) + insert + text.slice(to);
  return text;
}
