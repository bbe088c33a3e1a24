// Stands in for the module that VS Code gives to extensions: what the extension asks of it is recorded in `recorded`.

type Listener = (event: unknown) => unknown;

export class EventEmitter {
  private readonly listeners: Listener[] = [];
  event = (listener: Listener) => {
    this.listeners.push(listener);
    return { dispose: () => this.listeners.splice(this.listeners.indexOf(listener), 1) };
  };
  fire(event: unknown) {
    return Promise.all(this.listeners.map((each) => each(event)));
  }
  dispose() {}
}

export class Uri {
  private constructor(
    readonly scheme: string,
    readonly path: string,
  ) {}
  get fsPath() {
    return this.path;
  }
  static from(parts: { scheme: string; path: string }) {
    return new Uri(parts.scheme, parts.path);
  }
  static file(path: string) {
    return new Uri("file", path);
  }
  toString() {
    return `${this.scheme}://${this.path}`;
  }
}

export const StatusBarAlignment = { Left: 1, Right: 2 };
export const ViewColumn = { Beside: -2, Active: -1 };

/** A page beside the editor: what it was given, and what it says. */
export class Panel {
  readonly posted: any[] = [];
  readonly said = new EventEmitter();
  readonly disposed = new EventEmitter();
  onDidDispose = this.disposed.event;
  webview = {
    html: "",
    onDidReceiveMessage: this.said.event,
    postMessage: async (message: unknown) => void this.posted.push(message),
  };
  constructor(
    readonly kind: string,
    readonly title: string,
  ) {}
}
export const ConfigurationTarget = { Global: 1, Workspace: 2 };

/** What a test sets, and what it finds. */
export const recorded = {
  settings: {} as Record<string, unknown>,
  updates: [] as { key: string; value: unknown; target: number }[],
  commands: new Map<string, (...given: unknown[]) => unknown>(),
  messages: [] as string[],
  output: [] as string[],
  status: { text: "", tooltip: "", command: "", show() {}, dispose() {} },
  provider: undefined as { provideTextDocumentContent(uri: Uri): string } | undefined,
  shown: [] as string[],
  panels: [] as Panel[],
  saved: new EventEmitter(),
  choices: [] as { label: string; id: string }[],
  choose: (items: { label: string; id: string }[]): { label: string; id: string } | undefined => items[0],
  python: undefined as unknown,
  configurationChanged: new EventEmitter(),
  trustGranted: new EventEmitter(),
};

export const window = {
  activeTextEditor: undefined as { document: { uri: Uri } } | undefined,
  createOutputChannel: () => ({ appendLine: (line: string) => recorded.output.push(line), show() {}, dispose() {} }),
  createStatusBarItem: () => recorded.status,
  showWarningMessage: async (text: string) => void recorded.messages.push(text),
  showErrorMessage: async (text: string) => void recorded.messages.push(text),
  showQuickPick: async (items: { label: string; id: string }[]) => {
    recorded.choices = items;
    return recorded.choose(items);
  },
  createWebviewPanel: (kind: string, title: string) => {
    const panel = new Panel(kind, title);
    recorded.panels.push(panel);
    return panel;
  },
  showTextDocument: async (document: { text: string }) => void recorded.shown.push(document.text),
};

export const workspace = {
  isTrusted: true,
  workspaceFolders: undefined as { uri: Uri }[] | undefined,
  getConfiguration: () => ({
    get: (key: string) => recorded.settings[key],
    update: async (key: string, value: unknown, target: number) => void recorded.updates.push({ key, value, target }),
  }),
  registerTextDocumentContentProvider: (_: string, provider: { provideTextDocumentContent(uri: Uri): string }) => {
    recorded.provider = provider;
    return { dispose() {} };
  },
  onDidChangeConfiguration: recorded.configurationChanged.event,
  onDidSaveTextDocument: recorded.saved.event,
  onDidGrantWorkspaceTrust: recorded.trustGranted.event,
  openTextDocument: async (uri: Uri) => ({ text: recorded.provider?.provideTextDocumentContent(uri) ?? "" }),
};

export const commands = {
  registerCommand: (name: string, action: (...given: unknown[]) => unknown) => {
    recorded.commands.set(name, action);
    return { dispose: () => recorded.commands.delete(name) };
  },
};

export const extensions = { getExtension: () => recorded.python };
