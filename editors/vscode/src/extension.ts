// The client of `xg2lab lsp`: it starts the server and says which texts it is for. All answers are the server's.

import { type ExtensionContext, workspace } from "vscode";
import { LanguageClient } from "vscode-languageclient/node";

let client: LanguageClient | undefined;

export async function activate(context: ExtensionContext): Promise<void> {
  const settings = workspace.getConfiguration("xg2lab");
  const [command = "xg2lab", ...args] = settings.get<string[]>("command", ["xg2lab", "lsp"]);
  const patterns = settings.get<string[]>("files", []);
  client = new LanguageClient(
    "xg2lab",
    "xg2lab",
    { command, args },
    {
      documentSelector: [
        ...["ebnf", "gbnf", "lark"].map((language) => ({ language })),
        ...["json", "jsonc"].flatMap((language) => patterns.map((pattern) => ({ language, pattern }))),
      ],
      initializationOptions: {
        onUnsupported: settings.get("onUnsupported"),
        strict: settings.get("strict"),
        ambiguitySeconds: settings.get("ambiguitySeconds"),
      },
    },
  );
  context.subscriptions.push(client);
  await client.start();
}

export const deactivate = (): Promise<void> | undefined => client?.stop();
