import * as vscode from "vscode";
import { ConfigurationParams, LanguageClient, LanguageClientOptions } from "vscode-languageclient/node";

import { Gpulint, languages, Server, Start } from "./gpulint";

function clientOptions(start: Start): LanguageClientOptions {
  return {
    documentSelector: languages.map((language) => ({ scheme: "file", language })),
    initializationOptions: start.options,
    outputChannel: start.output,
    synchronize: { configurationSection: "gpulint" },
    middleware: {
      executeCommand: async (command, given, next) => {
        const text: unknown = await next(command, given);
        if (typeof text === "string") await start.show(command, text);
        return text;
      },
      workspace: {
        // The server is told of its own settings alone; it warns of those it does not know.
        configuration: (params: ConfigurationParams) =>
          params.items.map((item) => start.settingsOf(item.scopeUri === undefined ? undefined : vscode.Uri.parse(item.scopeUri))),
      },
    },
  };
}

function startServer(start: Start): Server {
  const options = clientOptions(start);
  const client = new LanguageClient("gpulint", "gpulint", { command: start.program, args: ["lsp"] }, options);
  return {
    start: () => client.start(),
    stop: () => client.stop(),
    execute: (command, uri, facts) =>
      client.sendRequest("workspace/executeCommand", { command, arguments: facts === undefined ? [uri] : [uri, facts] }),
  };
}

let gpulint: Gpulint | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  gpulint = new Gpulint(startServer);
  context.subscriptions.push(gpulint);
  await gpulint.begin();
}

export async function deactivate(): Promise<void> {
  await gpulint?.stop();
}
