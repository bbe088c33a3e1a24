// What the server is told of the settings: its own keys alone, and none that says nothing.

export interface Settings {
  get<T>(key: string): T | undefined;
}

export type ServerSettings = Record<string, unknown>;

const words = ["gpu", "host"];
const counts = ["gpus", "nodes"];

export function serverSettings(settings: Settings): ServerSettings {
  const result: ServerSettings = {};
  for (const key of words) {
    const value = settings.get<string>(key)?.trim();
    if (value) result[key] = value;
  }
  for (const key of counts) {
    const value = settings.get<number>(key);
    if (typeof value === "number") result[key] = value;
  }
  const facts = settings.get<Record<string, unknown>>("set");
  if (facts !== undefined && facts !== null && Object.keys(facts).length > 0) result.set = { ...facts };
  if (settings.get<boolean>("preview") === true) result.preview = true;
  if (settings.get<boolean>("code") === false) result.code = false;
  return result;
}

/** At the start only: the extension shows the results of commands itself. */
export function startOptions(settings: Settings): ServerSettings {
  return { ...serverSettings(settings), showsResults: true };
}

/** Of the status bar: what is judged for. */
export function targetText(settings: Settings): string {
  const { gpu, host } = serverSettings(settings) as { gpu?: string; host?: string };
  if (gpu && host) return `${gpu} in ${host}`;
  return gpu ?? host ?? "as the config says";
}
