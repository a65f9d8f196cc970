// A worker with the checker in it. It gets the compiled module first, and then requests.
"use strict";
importScripts("wasm_exec.js");
let ready;
const started = new Promise((resolve) => { ready = resolve; });
self.fencepostReady = () => ready();
self.onmessage = async ({ data }) => {
  if (data.module) {
    try {
      const go = new Go();
      const instance = await WebAssembly.instantiate(data.module, go.importObject);
      go.run(instance).then(() => self.postMessage({ dead: "the checker has ended" }), (e) => self.postMessage({ dead: String(e) }));
      await started;
      self.postMessage({ ready: true });
    } catch (e) {
      self.postMessage({ dead: String(e) });
    }
    return;
  }
  await started;
  self.fencepost(data.request,
    (line) => self.postMessage({ id: data.id, progress: line }),
    (answer) => self.postMessage({ id: data.id, answer }));
};
