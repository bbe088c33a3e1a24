// Quantities as gpulint writes them.

function significant(value: number): string {
  if (value >= 99.95) return value.toFixed(0);
  return value >= 9.995 ? value.toFixed(1) : value.toFixed(2);
}

/** GPU memory, as drivers count it. */
export function gibibytes(bytes: number): string {
  if (bytes < 0) return `-${gibibytes(-bytes)}`;
  const sizes: [number, string][] = [
    [2 ** 40, "TiB"],
    [2 ** 30, "GiB"],
    [2 ** 20, "MiB"],
    [2 ** 10, "KiB"],
  ];
  for (const [size, unit] of sizes) if (bytes >= size) return `${significant(bytes / size)} ${unit}`;
  return `${bytes} B`;
}

/** Host memory, as it is sold. */
export function gigabytes(bytes: number): string {
  const sizes: [number, string][] = [
    [1e12, "TB"],
    [1e9, "GB"],
    [1e6, "MB"],
    [1e3, "kB"],
  ];
  for (const [size, unit] of sizes) if (bytes >= size) return `${significant(bytes / size)} ${unit}`;
  return `${bytes} B`;
}

export function duration(seconds: number): string {
  if (seconds >= 2 * 86400) return `${significant(seconds / 86400)} days`;
  if (seconds >= 2 * 3600) return `${significant(seconds / 3600)} h`;
  if (seconds >= 120) return `${significant(seconds / 60)} min`;
  if (seconds >= 1) return `${significant(seconds)} s`;
  if (seconds >= 1e-3) return `${significant(seconds * 1e3)} ms`;
  return `${significant(seconds * 1e6)} µs`;
}

export function rate(perSecond: number): string {
  return `${perSecond >= 100 ? Math.round(perSecond).toLocaleString("en") : significant(perSecond)} samples/s`;
}

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** `per_device_batch_size: 128, gradient_accumulation_steps: 2` */
export function facts(change: Record<string, unknown>): string {
  return Object.entries(change)
    .map(([name, value]) => `${name}: ${String(value)}`)
    .join(", ");
}
