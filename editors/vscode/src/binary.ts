// Where the program is: what the settings say, else the wheel of the active Python environment, else the PATH.

import * as path from "node:path";

export type Origin = "setting" | "python" | "PATH";

export interface Places {
  /** `gpulint.path`; "" = not set. */
  setting: string;
  /** The folder that a relative setting counts from. */
  folder?: string;
  /** The interpreter, or the folder, of the active Python environment. */
  python?: string;
  environment: Record<string, string | undefined>;
  platform: string;
  home: string;
  /** A program of the workspace may be started. */
  trusted: boolean;
}

export interface Candidate {
  file: string;
  origin: Origin;
}

/** The folders that a Python environment keeps its programs in, by its interpreter or its own folder. */
function programFolders(python: string, windows: boolean): string[] {
  const paths = windows ? path.win32 : path.posix;
  const scripts = windows ? "Scripts" : "bin";
  if (/^python[\d.]*(\.exe)?$/i.test(paths.basename(python))) {
    const folder = paths.dirname(python);
    return windows && paths.basename(folder).toLowerCase() !== "scripts" ? [paths.join(folder, scripts)] : [folder];
  }
  return [paths.join(python, scripts)];
}

/** What a setting names: `~` is the home folder, and a relative path lies in the workspace. */
function settingFile(places: Places, windows: boolean): string | undefined {
  const paths = windows ? path.win32 : path.posix;
  const setting = places.setting.trim();
  if (setting === "") return undefined;
  if (setting === "~" || setting.startsWith("~/")) return paths.join(places.home, setting.slice(1));
  if (paths.isAbsolute(setting)) return setting;
  return places.folder !== undefined && places.trusted ? paths.join(places.folder, setting) : undefined;
}

/** In the order in which they are tried. A setting is the only candidate: another program would be a surprise. */
export function candidates(places: Places): Candidate[] {
  const windows = places.platform === "win32";
  const paths = windows ? path.win32 : path.posix;
  const program = windows ? "gpulint.exe" : "gpulint";
  const file = settingFile(places, windows);
  if (places.setting.trim() !== "") return file === undefined ? [] : [{ file, origin: "setting" }];
  const found: Candidate[] = [];
  if (places.trusted) {
    const { VIRTUAL_ENV, CONDA_PREFIX } = places.environment;
    for (const python of [places.python, VIRTUAL_ENV, CONDA_PREFIX]) {
      for (const folder of python ? programFolders(python, windows) : []) {
        found.push({ file: paths.join(folder, program), origin: "python" });
      }
    }
  }
  const search = places.environment.PATH ?? places.environment.Path ?? "";
  for (const folder of search.split(paths.delimiter)) {
    // An empty or relative entry means the working directory, which holds files of others.
    if (paths.isAbsolute(folder)) found.push({ file: paths.join(folder, program), origin: "PATH" });
  }
  return found;
}

export function findBinary(places: Places, isProgram: (file: string) => boolean): Candidate | undefined {
  return candidates(places).find((each) => isProgram(each.file));
}

/** What to do where there is none. */
export function missingText(places: Places): string {
  if (places.setting.trim() !== "") return `gpulint: "${places.setting}" of the setting gpulint.path is no program.`;
  return "gpulint was not found. Install it into your Python environment (pip install gpulint), or name it in the setting gpulint.path.";
}
