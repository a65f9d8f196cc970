// The extension begins "fencepost lsp" and leaves everything to it.
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = async function (context) {
  const settings = vscode.workspace.getConfiguration("fencepost");
  const server = { command: settings.get("path"), args: ["lsp"] };
  const languages = ["imp", "litmus"].concat(settings.get("c") ? ["c"] : []);
  client = new LanguageClient("fencepost", "Fencepost", server, {
    documentSelector: languages.map((language) => ({ scheme: "file", language })),
  });
  const about = (command) => () => {
    const editor = vscode.window.activeTextEditor;
    if (editor) {
      return client.sendRequest("workspace/executeCommand", {
        command,
        arguments: [editor.document.uri.toString()],
      });
    }
  };
  context.subscriptions.push(
    vscode.commands.registerCommand("fencepost.checkThis", about("fencepost.check")),
    vscode.commands.registerCommand("fencepost.fencesThis", about("fencepost.fences")),
  );
  await client.start();
};

exports.deactivate = () => client && client.stop();
