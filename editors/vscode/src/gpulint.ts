// The extension without its language client, which is given to it: finds the program, starts and restarts the server,
// shows results and the target.

import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import * as vscode from "vscode";

import { findBinary, missingText, Places } from "./binary";
import { readTable } from "./catalogue";
import { memoryPage } from "./memoryPage";
import { serverSettings, ServerSettings, startOptions, targetText } from "./settings";

export const languages = ["yaml", "json", "jsonc", "toml", "python", "shellscript"];
export const resultScheme = "gpulint-result";

/** The language client as far as this file knows it. */
export interface Server {
  start(): Promise<void>;
  stop(): Promise<void>;
  execute(command: string, uri: string, facts?: Record<string, string>): Promise<unknown>;
}

export interface Start {
  program: string;
  options: ServerSettings;
  output: vscode.OutputChannel;
  /** The settings of a document or folder, as the server asks for them. */
  settingsOf(scope: vscode.Uri | undefined): ServerSettings;
  /** Shows what a command printed. */
  show(command: string, text: string): Promise<void>;
}

export type StartServer = (start: Start) => Server;

interface PythonApi {
  environments?: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { path: string };
    onDidChangeActiveEnvironmentPath?: vscode.Event<unknown>;
  };
}

function isProgram(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

/** What a program prints; a report of a whole workspace may take its time. */
function run(program: string, words: string[], folder?: string): Promise<string> {
  return new Promise((resolve, reject) =>
    execFile(program, words, { cwd: folder, timeout: 300_000, maxBuffer: 1 << 26 }, (error, text, said) =>
      error ? reject(new Error(said || error.message)) : resolve(text),
    ),
  );
}

function targetOptions(settings: ServerSettings): string[] {
  return ["gpu", "host", "gpus", "nodes"].flatMap((name) => (settings[name] === undefined ? [] : [`--${name}`, String(settings[name])]));
}

export class Gpulint implements vscode.Disposable {
  private readonly output = vscode.window.createOutputChannel("gpulint");
  private readonly status = vscode.window.createStatusBarItem(vscode.StatusBarAlignment.Right, 90);
  private readonly results = new Map<string, string>();
  private readonly resultChanged = new vscode.EventEmitter<vscode.Uri>();
  private readonly owned: vscode.Disposable[] = [];
  private server: Server | undefined;
  private program: string | undefined;
  /** Starts and stops follow one another. */
  private last: Promise<void> = Promise.resolve();

  constructor(private readonly startServer: StartServer) {
    this.status.command = "gpulint.chooseGpu";
    const commands: [string, (...given: string[]) => unknown][] = [
      ["gpulint.chooseGpu", () => this.choose("gpu", "gpus")],
      ["gpulint.chooseHost", () => this.choose("host", "hosts")],
      ["gpulint.estimateFile", () => this.showOf("gpulint.estimate")],
      ["gpulint.fitFile", () => this.showOf("gpulint.fit")],
      ["gpulint.showMemory", () => this.showMemory()],
      ["gpulint.showFleet", () => this.showFleet()],
      ["gpulint.diffFile", () => this.showDiff()],
      ["gpulint.restart", () => this.restart()],
      ["gpulint.showOutput", () => this.output.show()],
    ];
    this.owned.push(
      this.output,
      this.status,
      this.resultChanged,
      ...commands.map(([name, action]) => vscode.commands.registerCommand(name, action)),
      vscode.workspace.registerTextDocumentContentProvider(resultScheme, {
        onDidChange: this.resultChanged.event,
        provideTextDocumentContent: (uri) => this.results.get(uri.path) ?? "",
      }),
      vscode.workspace.onDidChangeConfiguration((event) => this.settingsChanged(event)),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.restart()),
    );
    this.showTarget();
  }

  /** Follows the choice of a Python environment, where the Python extension is there. */
  async begin(): Promise<void> {
    const changed = (await this.pythonApi())?.environments?.onDidChangeActiveEnvironmentPath;
    if (changed !== undefined) this.owned.push(changed(() => this.environmentChanged()));
    await this.restart();
  }

  restart(): Promise<void> {
    this.last = this.last.then(() => this.startAnew());
    return this.last;
  }

  async stop(): Promise<void> {
    await this.last;
    await this.server?.stop();
    this.server = undefined;
  }

  dispose(): void {
    for (const each of this.owned) each.dispose();
  }

  private settings(scope?: vscode.Uri): vscode.WorkspaceConfiguration {
    return vscode.workspace.getConfiguration("gpulint", scope);
  }

  private async startAnew(): Promise<void> {
    await this.server?.stop();
    this.server = undefined;
    const places = await this.places();
    const found = findBinary(places, isProgram);
    this.program = found?.file;
    if (found === undefined) {
      this.output.appendLine(missingText(places));
      void vscode.window.showWarningMessage(missingText(places));
      return;
    }
    this.output.appendLine(`gpulint: ${found.file} (${found.origin})`);
    const server = this.startServer({
      program: found.file,
      options: startOptions(this.settings()),
      output: this.output,
      settingsOf: (scope) => serverSettings(this.settings(scope)),
      show: (command, text) => this.show(command, text),
    });
    try {
      await server.start();
      this.server = server;
    } catch (error) {
      this.output.appendLine(String(error));
      void vscode.window.showErrorMessage(`gpulint: ${found.file} does not start as a language server.`);
    }
  }

  private async places(): Promise<Places> {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    return {
      setting: this.settings(folder).get<string>("path") ?? "",
      folder: folder?.fsPath,
      python: (await this.pythonApi())?.environments?.getActiveEnvironmentPath(folder).path,
      environment: process.env,
      platform: process.platform,
      home: os.homedir(),
      trusted: vscode.workspace.isTrusted,
    };
  }

  private async pythonApi(): Promise<PythonApi | undefined> {
    const extension = vscode.extensions.getExtension<PythonApi>("ms-python.python");
    try {
      return extension?.isActive ? extension.exports : await extension?.activate();
    } catch {
      return undefined; // a broken Python extension leaves the PATH
    }
  }

  /** Another program there means another server; the same one runs on. */
  private async environmentChanged(): Promise<void> {
    const found = findBinary(await this.places(), isProgram);
    if (found?.file !== this.program) await this.restart();
  }

  private settingsChanged(event: vscode.ConfigurationChangeEvent): void {
    if (event.affectsConfiguration("gpulint.path")) void this.restart();
    if (event.affectsConfiguration("gpulint")) this.showTarget();
  }

  private showTarget(): void {
    this.status.text = `$(chip) ${targetText(this.settings())}`;
    this.status.tooltip = "gpulint: the GPU and machine that configs are judged for";
    this.status.show();
  }

  private async choose(setting: "gpu" | "host", list: string): Promise<void> {
    if (this.program === undefined) return;
    const known = readTable(await run(this.program, ["list", list]));
    const items = [
      { label: "as the config says", description: "or .gpulint.yaml", id: "" },
      ...known.map((each) => ({ label: each.id, description: each.words, id: each.id })),
    ];
    const chosen = await vscode.window.showQuickPick(items, { matchOnDescription: true });
    if (chosen === undefined) return;
    const target = vscode.workspace.workspaceFolders ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global;
    await this.settings().update(setting, chosen.id === "" ? undefined : chosen.id, target);
  }

  private async showOf(command: string): Promise<void> {
    const document = vscode.window.activeTextEditor?.document;
    if (this.server === undefined || document === undefined) return;
    const text = await this.server.execute(command, document.uri.toString());
    if (typeof text === "string") await this.show(command, text);
  }

  /** Bars by term with controls; what they ask, the server answers. */
  private async showMemory(): Promise<void> {
    const document = vscode.window.activeTextEditor?.document;
    if (this.server === undefined || document === undefined) return;
    const panel = vscode.window.createWebviewPanel("gpulint.memory", `Memory: ${path.basename(document.uri.path)}`, vscode.ViewColumn.Beside, {
      enableScripts: true,
      retainContextWhenHidden: true,
    });
    const uri = document.uri.toString();
    const answer = async (facts?: Record<string, string>) => {
      try {
        const found = await this.server?.execute("gpulint.whatIf", uri, facts ?? {});
        if (typeof found === "object" && found !== null) await panel.webview.postMessage({ ...found, changed: facts });
      } catch (error) {
        void vscode.window.showWarningMessage(`gpulint: ${error instanceof Error ? error.message : String(error)}`);
      }
    };
    const listening = [
      panel.webview.onDidReceiveMessage((message: { facts?: Record<string, string> }) => answer(message.facts)),
      vscode.workspace.onDidSaveTextDocument((saved) => (saved.uri.toString() === uri ? answer() : undefined)),
    ];
    panel.onDidDispose(() => listening.forEach((each) => each.dispose()));
    panel.webview.html = memoryPage(randomUUID());
  }

  /** Every config of the folder on every common GPU: gpulint's own page, which runs nothing. */
  private async showFleet(): Promise<void> {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    if (this.program === undefined || folder === undefined) return;
    const words = ["check", "--exit-zero", "--quiet", "--output", "html", ...targetOptions(serverSettings(this.settings(folder))), "."];
    try {
      const page = await run(this.program, words, folder.fsPath);
      const panel = vscode.window.createWebviewPanel("gpulint.fleet", "gpulint: configs and GPUs", vscode.ViewColumn.Active, {});
      panel.webview.html = page;
    } catch (error) {
      void vscode.window.showWarningMessage(`gpulint: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  /** What the file on disk changes against the last commit. */
  private async showDiff(): Promise<void> {
    const document = vscode.window.activeTextEditor?.document;
    if (this.program === undefined || document === undefined) return;
    const file = document.uri.fsPath;
    const words = ["diff", "HEAD", "--fail-on", "never", ...targetOptions(serverSettings(this.settings(document.uri))), "--", file];
    try {
      await this.show("gpulint.diff", await run(this.program, words, path.dirname(file)));
    } catch (error) {
      void vscode.window.showWarningMessage(`gpulint: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  /** Beside the config, in a document that nobody has to save. */
  private async show(command: string, text: string): Promise<void> {
    const uri = vscode.Uri.from({ scheme: resultScheme, path: `/${command}.txt` });
    this.results.set(uri.path, text);
    this.resultChanged.fire(uri);
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true, preview: true });
  }
}
