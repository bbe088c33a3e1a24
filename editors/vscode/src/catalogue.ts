// The GPUs and machines that the program knows.

export interface Entry {
  id: string;
  words: string;
}

/** The table of `gpulint list gpus` or `hosts`: an id, then columns two blanks or more apart. */
export function readTable(text: string): Entry[] {
  const entries: Entry[] = [];
  for (const line of text.split(/\r?\n/)) {
    const [id, ...columns] = line.trim().split(/ {2,}/);
    if (id !== undefined && /^[a-z0-9][a-z0-9.-]*$/.test(id)) entries.push({ id, words: columns.join(" · ") });
  }
  return entries;
}
