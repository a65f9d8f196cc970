// The page: an editor, the questions, and two workers with the checker: one that says what is
// wrong with the text as it is typed, and one that works on questions and can be stopped.
"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const { view, theme, h } = Fencepost;
  const text = $("text"), paint = $("paint"), state = $("state");
  const asks = ["check", "fences", "robust", "explain"];
  const say = (what) => { state.textContent = what; };
  let module, about, problem = null, busy = null, warm = false;

  // A helper is a worker that answers requests, as soon as it has the module.
  class Helper {
    constructor() { this.start(); }
    start() {
      this.waiting = new Map();
      this.next = 0;
      this.worker = new Worker("worker.js");
      this.ready = new Promise((resolve, reject) => {
        this.worker.onmessage = ({ data }) => {
          if (data.ready) return resolve();
          if (data.dead) { for (const w of this.waiting.values()) w.reject(new Error(data.dead)); this.waiting.clear(); return reject(new Error(data.dead)); }
          const w = this.waiting.get(data.id);
          if (!w) return;
          if (data.progress !== undefined) return w.progress(data.progress);
          this.waiting.delete(data.id);
          w.resolve(JSON.parse(data.answer));
        };
        this.worker.onerror = (e) => reject(new Error(e.message));
      });
      const { worker } = this, stopped = new Promise((_, reject) => { this.end = () => reject(new Error("stopped")); });
      this.ready = Promise.all([Promise.race([this.ready, stopped]), module.then((m) => worker.postMessage({ module: m }))]);
      this.ready.catch(() => {});
    }
    ask(request, progress = () => {}) {
      return this.ready.then(() => new Promise((resolve, reject) => {
        const id = this.next++;
        this.waiting.set(id, { resolve, reject, progress });
        this.worker.postMessage({ id, request: JSON.stringify(request) });
      }));
    }
    // stop ends the worker, whatever it does, and starts another.
    stop() {
      this.worker.terminate();
      this.end();
      for (const w of this.waiting.values()) w.reject(new Error("stopped"));
      this.start();
    }
  }

  // load fetches the checker, which is compressed: hosts need not know how, and those that do have
  // decompressed it. It is compiled while it comes.
  async function load() {
    const got = await fetch("fencepost.wasm.gz");
    if (!got.ok) throw new Error(`the checker cannot be loaded: ${got.status}`);
    const all = +got.headers.get("Content-Length"), reader = got.body.getReader();
    const next = async () => {
      const { done, value } = await reader.read();
      if (!done && !warm && !busy) loaded(value.length, all);
      return done ? null : value;
    };
    const first = await next();
    let stream = new ReadableStream({
      start(c) { if (first) c.enqueue(first); },
      async pull(c) { const more = await next(); if (more) c.enqueue(more); else c.close(); },
    });
    if (first && first[0] === 0x1f && first[1] === 0x8b) stream = stream.pipeThrough(new DecompressionStream("gzip"));
    return WebAssembly.compileStreaming(new Response(stream, { headers: { "Content-Type": "application/wasm" } }));
  }
  let have = 0;
  function loaded(more, all) {
    have += more;
    const mb = (n) => (n / 1e6).toFixed(1);
    say("loading the checker: " + mb(have) + (all >= have ? " of " + mb(all) : "") + " MB");
  }

  const words = {
    ".imp": "program const variables local process begin end while do od if then elif else fi skip goto assert assume fence lfence sfence atomic cas xchg fetch_add lock unlock forbid exists forall true false any cycle break bool int8 int16 int32 int64 deadlock await",
    ".c": "auto break case char const continue default do double else enum extern float for goto if inline int long register return short signed sizeof static struct switch typedef union unsigned void volatile while _Atomic atomic_int bool true false NULL #include #define #if #ifdef #ifndef #else #endif pthread_t thrd_t assert",
    ".litmus": "exists forall locations mfence lwsync sync isync dmb fence movq movl mov xchg lock filter",
    ".asm": "thread goal memory_size initial transition end write read mfence arw lock unlock noop check local and or not",
  };
  const tokens = /((?:\/\/|#(?=[ \n]))[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|\(\*[\s\S]*?(?:\*\)|$))|("(?:[^"\\\n]|\\.)*"?)|(#?[A-Za-z_][A-Za-z_0-9]*)|(\b\d[\w]*)|([\s\S])/g;

  // repaint colours the text, and marks the place of the problem.
  function repaint() {
    const known = new Set((words[$("language").value] || "").split(" "));
    const spans = document.createDocumentFragment();
    let at = 0, from = -1, to = -1, plain = "";
    if (problem && problem.line) {
      const lines = text.value.split("\n");
      const line = lines[problem.line - 1] || "";
      const skip = new TextDecoder().decode(new TextEncoder().encode(line).slice(0, Math.max(0, problem.column - 1))).length;
      from = lines.slice(0, problem.line - 1).join("\n").length + (problem.line > 1 ? 1 : 0) + skip;
      to = from + (/^[\w$]+|^[^\s\w]+/.exec(line.slice(skip)) || [" "])[0].length;
    }
    const flush = () => { if (plain) spans.append(plain); plain = ""; };
    const put = (s, cls) => {
      for (const [part, bad] of from < 0 || at + s.length <= from || at >= to ? [[s, false]] :
        [[s.slice(0, Math.max(0, from - at)), false], [s.slice(Math.max(0, from - at), to - at), true], [s.slice(to - at), false]]) {
        if (!part) continue;
        const c = [cls, bad ? "pg-bad" : ""].filter(Boolean).join(" ");
        if (!c) { plain += part; continue; }
        flush();
        spans.append(h("span", { class: c }, part));
      }
      at += s.length;
    };
    for (const [s, comment, string, word, number] of text.value.matchAll(tokens))
      put(s, comment && (s[0] !== "#" || $("language").value === ".asm") ? "pg-comment" : string ? "pg-string" : word && known.has(word) ? "pg-word" : number ? "pg-number" : "");
    flush();
    spans.append("\n");
    paint.replaceChildren(spans);
  }

  // fit gives a program that is new the room that it takes, as far as that leaves some for the answer.
  function fit() {
    const lines = text.value.split("\n").length;
    $("edit").style.height = `min(${Math.max(10, lines + 1) * 1.5 * 13 + 22}px, 56vh)`;
  }

  const request = (what) => ({ do: what, file: "program" + $("language").value, text: text.value, model: $("model").value,
    engine: $("engine").value, property: $("property").value, seconds: Math.min(3600, Math.max(1, +$("seconds").value || 60)) });

  function show(p) {
    problem = p || null;
    $("problem").textContent = !p ? "" : (p.line ? `line ${p.line}: ` : "") + p.message + (p.hint ? "\n" + p.hint : "");
    text.setAttribute("aria-invalid", p ? "true" : "false");
    repaint();
  }

  // changed says what is wrong, once nothing has been typed for a moment. The helper for that begins
  // when the other one has had its first answer: a machine may have two cores.
  let checker, diagnoser, timer, asked = 0;
  function changed() {
    repaint();
    clearTimeout(timer);
    if (!warm) return;
    timer = setTimeout(async () => {
      diagnoser ||= new Helper();
      const mine = ++asked;
      try {
        const got = await diagnoser.ask(request("diagnose"));
        if (mine === asked) show(got.problem);
      } catch { diagnoser.stop(); }
    }, 150);
  }

  async function ask(what) {
    if (busy || dead) return;
    busy = what;
    buttons();
    let clock, last;
    try {
      if (!warm) say(`${what}, when the checker is loaded …`);
      await checker.ready;
      const q = request(what), begin = performance.now();
      let said = "";
      clock = setInterval(() => { if (!said) say(`${what}: ${Math.round((performance.now() - begin) / 1000)} s`); }, 500);
      // An engine that does not look at the clock is stopped a moment after its time.
      last = setTimeout(() => checker.stop(), q.seconds * 1000 + 3000);
      const got = await checker.ask(q, (line) => { said = line; say(line); });
      show(got.problem);
      $("answer").replaceChildren();
      if (got.document) view($("answer"), got.document, apply);
      say(got.problem ? "" : `${got.document.word} ${got.document.under}, after ${Math.round(performance.now() - begin)} ms`);
    } catch (e) {
      say(e.message);
      if (e.message !== "stopped" && !dead) checker.stop();
    }
    clearInterval(clock);
    clearTimeout(last);
    busy = null;
    buttons();
    if (!warm && !dead) { warm = true; changed(); }
  }

  let dead = false; // whether there is no checker
  function buttons() {
    for (const id of asks) $(id).disabled = !!busy || dead || !checker;
    $("stop").disabled = !busy;
  }

  function apply(program) {
    text.value = program;
    changed();
    text.focus();
    ask("check");
  }

  // A link carries the program and the question behind the #, which no server sees.
  const carried = ["language", "model", "engine", "property"];
  const stream = async (bytes, through) => new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(through)).arrayBuffer());
  async function link() {
    const o = { text: text.value };
    for (const id of carried) o[id] = $(id).value;
    const bytes = await stream(new TextEncoder().encode(JSON.stringify(o)), new CompressionStream("deflate-raw"));
    history.replaceState(null, "", "#p=" + btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, ""));
    try { await navigator.clipboard.writeText(location.href); say("the link is in the address bar, and copied"); } catch { say("the link is in the address bar"); }
  }
  async function follow() {
    const code = /^#p=([\w-]{1,200000})$/.exec(location.hash);
    if (!code) return false;
    try {
      const raw = Uint8Array.from(atob(code[1].replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
      const o = JSON.parse(new TextDecoder().decode(await stream(raw, new DecompressionStream("deflate-raw"))));
      if (typeof o.text !== "string" || o.text.length > 1 << 20) return false;
      text.value = o.text;
      for (const id of carried) if ([...$(id).options].some((x) => x.value === o[id])) $(id).value = o[id];
      return true;
    } catch {
      say("the link is damaged");
      return false;
    }
  }

  function example(name) {
    const e = about.examples.find((x) => x.file === name);
    if (!e) return;
    text.value = e.text;
    $("language").value = /\.\w+$/.exec(e.file)[0];
    $("answer").replaceChildren();
    fit();
    changed();
  }

  async function main() {
    $("theme").append(theme());
    text.addEventListener("input", changed);
    text.addEventListener("keydown", (e) => {
      if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) ask("check");
    });
    for (const id of asks) $(id).addEventListener("click", () => ask(id));
    $("stop").addEventListener("click", () => checker.stop());
    $("link").addEventListener("click", link);
    for (const id of carried) $(id).addEventListener("change", changed);
    window.addEventListener("hashchange", async () => { if (await follow()) changed(); });
    buttons();
    module = load();
    checker = new Helper();
    try {
      const got = await fetch("about.json");
      if (!got.ok) throw new Error(`what the page offers cannot be loaded: ${got.status}`);
      about = await got.json();
    } catch (e) {
      return say(e.message);
    }
    const fill = (id, items) => $(id).append(...items.map(([value, label, title]) => h("option", { value, title }, label)));
    fill("example", about.examples.map((e) => [e.file, e.file]));
    fill("language", about.languages.map((l) => [l.extension, l.name]));
    fill("model", [["", "that of the program"], ...about.models.map((m) => [m, m])]);
    fill("engine", [["", "auto"], ...about.engines.filter((e) => e.name !== "auto").map((e) => [e.name, e.name, e.doc])]);
    fill("property", about.properties.map((p) => [p.name, p.doc]));
    $("example").addEventListener("change", () => example($("example").value));
    if (await follow()) fit(); else example(about.examples[0].file);
    changed();
    buttons();
    await warmUp();
  }

  // warmUp asks a first question, which pays for what the browser compiles when it is needed, unless
  // somebody was quicker and has asked one.
  async function warmUp() {
    try {
      await checker.ready;
      if (busy) return;
      const { file, text } = about.examples[0];
      await checker.ask({ do: "check", file, text, seconds: 10 });
    } catch (e) {
      if (e.message === "stopped" || busy) return;
      dead = true;
      buttons();
      return say(e.message);
    }
    if (warm || busy) return;
    say("ready");
    warm = true;
    changed();
  }
  main();
})();
