// Runs the checker under Node as worker.js does in a browser: requests, a line each, from
// standard input, answers to standard output. Arguments: wasm_exec.js and the module.
"use strict";
const fs = require("fs");
delete globalThis.fs; // as in a browser
require(process.argv[2]);
const requests = fs.readFileSync(0, "utf8").trim().split("\n");
const begin = performance.now();
globalThis.fencepostReady = async () => {
  const loaded = performance.now() - begin;
  for (const request of requests) {
    const asked = performance.now();
    let lines = 0;
    const answer = await new Promise((done) => globalThis.fencepost(request, () => lines++, done));
    console.log(JSON.stringify({ ms: performance.now() - asked, loaded, progress: lines, answer: JSON.parse(answer) }));
  }
  process.exit(0);
};
const go = new Go();
WebAssembly.instantiate(fs.readFileSync(process.argv[3]), go.importObject).then((r) => go.run(r.instance));
