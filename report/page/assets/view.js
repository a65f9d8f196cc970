// The view of a document: what package report writes as JSON becomes elements of the page. Texts
// of programs only ever become text nodes and attributes, never markup.
"use strict";
const Fencepost = (() => {
  const SVG = "http://www.w3.org/2000/svg";
  const make = (el, attrs, children) => {
    for (const [k, v] of Object.entries(attrs || {})) {
      if (v === false || v === null || v === undefined) continue;
      if (k.startsWith("on")) el.addEventListener(k.slice(2), v);
      else el.setAttribute(k, v === true ? "" : v);
    }
    for (const c of children.flat()) if (c !== null && c !== undefined) el.append(c);
    return el;
  };
  const h = (tag, attrs, ...children) => make(document.createElement(tag), attrs, children);
  const s = (tag, attrs, ...children) => make(document.createElementNS(SVG, tag), attrs, children);
  const colour = (t) => `var(--t${t % 6})`;
  let serial = 0;

  // reveal scrolls a box, and nothing else, until an element in it can be seen.
  function reveal(box, el) {
    const b = box.getBoundingClientRect(), e = el.getBoundingClientRect();
    if (e.top < b.top || e.bottom > b.bottom) box.scrollTop += e.top - b.top - box.clientHeight / 3;
    if (e.left < b.left || e.right > b.right) box.scrollLeft += e.left - b.left - box.clientWidth / 3;
  }

  function facts(items) {
    return h("dl", { class: "fp-facts" }, items.flatMap(([k, v]) => [h("dt", {}, k), h("dd", {}, v)]));
  }

  function table(t) {
    return h("section", { class: "fp-panel" }, t.title ? h("h4", {}, t.title) : null,
      h("div", { class: "fp-box", tabindex: 0, role: "region", "aria-label": t.title || "table" },
        h("table", { class: "fp-table mono", "aria-label": t.title },
          h("thead", {}, h("tr", {}, t.head.map((c) => h("th", { scope: "col" }, c)))),
          h("tbody", {}, (t.rows || []).map((r) => h("tr", {}, r.map((c) => h("td", { class: c.length < 22 ? "fp-short" : null }, c))))))));
  }

  // graph draws an execution; go is called with a step that was picked.
  function graph(g, go) {
    const id = "g" + ++serial;
    const kind = (r) => (["po", "rf", "co", "fr"].includes(r) ? r : "other");
    const nodes = g.nodes || [], edges = g.edges || [];
    const cycle = edges.filter((e) => e.cycle).map((e) => `${nodes[e.from].label} ${e.relation} ${nodes[e.to].label}`).join("; ");
    const svg = s("svg", { class: "fp-graph", viewBox: g.box.join(" "), width: g.box[2], height: g.box[3], role: "img", "aria-labelledby": id + "t " + id + "d" },
      s("title", { id: id + "t" }, "Execution graph " + g.title),
      s("desc", { id: id + "d" }, `${nodes.length} events, ${edges.length} arrows. ` + (cycle ? "The cycle: " + cycle : "No cycle is marked.")),
      s("defs", {}, ["po", "rf", "co", "fr", "other"].map((k) =>
        s("marker", { id: id + k, viewBox: "0 0 10 10", refX: 9, refY: 5, markerWidth: 9, markerHeight: 9, markerUnits: "userSpaceOnUse", orient: "auto" },
          s("path", { d: "M0,1 L10,5 L0,9 z", class: "fp-head" + k })))));
    svg.style.minWidth = 0.75 * g.box[2] + "px"; // letters stay legible; the box scrolls
    if (g.title) svg.append(s("text", { x: g.box[0] + g.box[2] / 2, y: 24, "font-size": 15, "text-anchor": "middle" }, g.title));
    for (const t of g.threads || []) svg.append(s("text", { x: t.x, y: t.y, "font-size": 13, "font-weight": "bold", "text-anchor": "middle" }, t.name));
    const arrows = edges.map((e) => {
      const [a, b, c] = e.path;
      const el = s("g", { class: `fp-${kind(e.relation)}${e.cycle ? " fp-cycle" : ""}` },
        s("path", { d: `M${a} Q${b} ${c}`, "marker-end": `url(#${id}${kind(e.relation)})`, "stroke-dasharray": e.relation === "rmw" ? "4 3" : null }));
      svg.append(el);
      return el;
    });
    const boxes = nodes.map((n) => {
      const [x, y, w, hh] = n.box;
      const step = g.steps ? g.steps[n.events[0]] : -1;
      const el = s("g", { class: `fp-node${n.cycle ? " fp-cycle" : ""}${n.initial ? " fp-init" : ""}`, "data-go": step >= 0 ? step : null },
        s("title", {}, n.says || n.label), s("rect", { x, y, width: w, height: hh, rx: 6 }),
        s("text", { x: x + w / 2, y: y + hh / 2 + 4.5, "font-size": 13, "text-anchor": "middle", class: "mono" }, n.label,
          n.place ? s("tspan", { dx: 10, "font-size": 10, class: "fp-place" }, n.place) : null));
      if (step >= 0) el.addEventListener("click", () => go(step));
      svg.append(el);
      return el;
    });
    const labels = edges.map((e) => s("g", { class: "fp-" + kind(e.relation) },
      s("text", { x: e.label[0], y: e.label[1], "font-size": 12, "text-anchor": "middle", class: "fp-halo", "font-weight": e.cycle ? "bold" : null }, e.relation)));
    svg.append(...labels); // above the boxes
    // at marks what has happened up to a step.
    const stepOf = (n) => (g.steps ? Math.max(...nodes[n].events.map((e) => g.steps[e])) : -1);
    const at = (step) => {
      let see = null; // the event of the step, or the last one before it
      boxes.forEach((el, n) => {
        el.classList.toggle("fp-later", stepOf(n) > step);
        el.classList.toggle("fp-cur", stepOf(n) === step && step >= 0);
        if (stepOf(n) >= 0 && stepOf(n) <= step && (see === null || stepOf(n) >= stepOf(see))) see = n;
      });
      if (see !== null) reveal(box, boxes[see]);
      edges.forEach((e, i) => [arrows[i], labels[i]].forEach((el) => el.classList.toggle("fp-later", Math.max(stepOf(e.from), stepOf(e.to)) > step)));
    };
    const box = h("div", { class: "fp-box", tabindex: 0, role: "region", "aria-label": "execution graph" }, svg);
    const section = h("section", { class: "fp-panel" }, h("h4", {}, "Execution"), box,
      (g.axioms || []).map(([axiom, way]) => h("p", {}, h("strong", {}, axiom), ": ", h("span", { class: "mono" }, way))));
    return { section, at };
  }

  // sources shows a source, and below it the files that it includes and the run has to do with.
  function sources(src) {
    const all = [src, ...(src.included || [])].map((s, i) => ({ file: i ? s.name : "", view: source(s) }));
    const at = (step, places) => all.forEach(({ file, view }) => {
      const here = (p) => p && (p.file || "") === file;
      view.at(here(step) ? step.line : 0, places.filter(here));
    });
    return { section: all.length > 1 ? h("div", {}, all.map((s) => s.view.section)) : all[0].view.section, at };
  }

  function source(src, title) {
    const lines = src.text.replace(/\n$/, "").split("\n").map((l) => h("li", {}, l.replace(/\r$/, "")));
    const list = h("ol", { class: "fp-src mono" }, lines);
    const box = h("div", { class: "fp-box", tabindex: 0, role: "region", "aria-label": "source " + src.name }, list);
    const at = (current, places) => {
      lines.forEach((li, i) => {
        li.classList.remove("fp-cur", "fp-at");
        li.removeAttribute("aria-current");
        li.querySelector(".fp-chips")?.remove();
        for (const p of places) if (p.line === i + 1) {
          li.classList.add("fp-at");
          const chip = h("span", { class: "fp-chip" + (p.ended ? " fp-ended" : "") }, p.name + (p.ended ? " ended" : ""));
          chip.style[p.ended ? "borderColor" : "background"] = colour(p.thread);
          if (!li.querySelector(".fp-chips")) li.append(h("span", { class: "fp-chips" }));
          li.lastChild.append(chip);
        }
        if (current === i + 1) {
          li.classList.add("fp-cur");
          li.setAttribute("aria-current", "step");
          const top = li.offsetTop - list.offsetTop; // a long line is not scrolled to its middle
          if (top < box.scrollTop || top > box.scrollTop + box.clientHeight - 40) box.scrollTop = top - box.clientHeight / 3;
        }
      });
    };
    return { section: h("section", { class: "fp-panel" }, h("h4", {}, title || src.name), box), at };
  }

  // state shows memory, buffers and registers after a step.
  function state(run) {
    const box = h("div", { class: "fp-box fp-state mono", role: "region", "aria-label": "memory and buffers", tabindex: 0 });
    const at = (i) => {
      const step = run.steps[i], prev = i > 0 ? run.steps[i - 1] : null;
      const memory = step ? step.memory : run.init, before = prev ? prev.memory : run.init;
      const rows = (run.cells || []).map((c, k) => h("tr", {}, h("th", { scope: "row" }, c),
        h("td", {}, h("span", { class: step && memory[k] !== before[k] ? "fp-chg" : "" }, memory[k]))));
      const buffers = run.threads.map((name, t) => h("tr", {}, h("th", { scope: "row" }, name),
        h("td", {}, step && step.buffers[t].length ? step.buffers[t].map((p) =>
          h("span", { class: "fp-slot" + (p.step === i ? " fp-pair" : ""), title: p.step >= 0 ? `stored in step ${p.step + 1}` : "" }, p.text, p.step >= 0 ? h("small", { class: "fp-dim" }, ` step ${p.step + 1}`) : null))
          : h("span", { class: "fp-dim" }, "empty"))));
      const regs = run.threads.map((name, t) => !run.regs[t].length ? null : h("tr", {}, h("th", { scope: "row" }, name),
        h("td", {}, run.regs[t].map((r, k) => {
          const v = step ? step.regs[t][k] : null, was = prev ? prev.regs[t][k] : null;
          return h("span", { class: step && prev && v !== was ? "fp-chg" : "" }, step ? `${r}=${v} ` : "");
        }))));
      const group = (name, rows) => h("tbody", {}, h("tr", {}, h("th", { colspan: 2, scope: "rowgroup", class: "fp-dim" }, name)), rows);
      box.replaceChildren(h("table", {}, group("memory", rows),
        run.model === "SC" ? null : group("store buffers, oldest first", buffers),
        step && run.regs.some((r) => r.length) ? group("registers", regs) : null));
    };
    return { section: h("section", { class: "fp-panel" }, h("h4", {}, "State"), box), at };
  }

  // steps lists the steps; those of a thread alone can be unfolded.
  function steps(run, go) {
    const buttons = [];
    const list = h("ol", { class: "fp-steps mono" });
    const folded = (i) => run.folds.find(([a, b]) => i >= a && i <= b);
    const item = (i) => {
      const st = run.steps[i];
      const tie = st.pair < 0 ? "" : st.flush ? ` ← stored in step ${st.pair + 1}` : ` → in memory with step ${st.pair + 1}`;
      const b = h("button", { type: "button", onclick: () => go(i), title: st.place || "" },
        h("span", { class: "fp-n" }, i + 1), h("span", {}, h("b", {}, run.threads[st.thread]), " " + st.text, h("span", { class: "fp-dim" }, tie)));
      b.style.borderLeftColor = colour(st.thread);
      buttons[i] = b;
      return h("li", {}, i === run.parts ? h("div", { class: "fp-parts" }, "Here SC and " + run.model + " part: no run under SC does what follows.") : null, b);
    };
    for (let i = 0; i < run.steps.length; i++) {
      const fold = folded(i);
      if (!fold) { list.append(item(i)); continue; }
      const [a, b] = fold;
      const inner = h("ol", { class: "fp-steps" });
      for (let k = a; k <= b; k++) inner.append(item(k));
      list.append(h("li", {}, h("details", {}, h("summary", {}, `… steps ${a + 1} to ${b + 1}: ${run.threads[run.steps[a].thread]} alone`), inner)));
      i = b;
    }
    const box = h("div", { class: "fp-box" }, list);
    const at = (i) => buttons.forEach((b, k) => {
      b.classList.toggle("fp-cur", k === i);
      b.classList.toggle("fp-later", k > i);
      b.classList.toggle("fp-pair", i >= 0 && run.steps[i].pair === k);
      if (k === i) {
        b.setAttribute("aria-current", "step");
        const fold = b.closest("details");
        if (fold) fold.open = true;
        const top = b.offsetTop - list.offsetTop;
        if (top < box.scrollTop || top > box.scrollTop + box.clientHeight - 40) box.scrollTop = top - box.clientHeight / 3;
      } else b.removeAttribute("aria-current");
    });
    return { section: h("section", { class: "fp-panel" }, h("h4", {}, "Steps"), box), at };
  }

  function runView(run, src) {
    let now = run.steps.length - 1;
    const go = (i) => { now = Math.max(-1, Math.min(run.steps.length - 1, i)); show(); };
    const srcView = src ? sources(src) : null, list = steps(run, go), st = state(run);
    const g = run.graph ? graph(run.graph, go) : null;
    const range = h("input", { type: "range", min: 0, max: run.steps.length, "aria-label": "step of the run", oninput: () => go(+range.value - 1) });
    const say = h("p", { class: "fp-now", role: "status", "aria-live": "polite" });
    const button = (text, label, f) => h("button", { type: "button", "aria-label": label, title: label, onclick: f }, text);
    const bar = h("div", { class: "fp-bar", role: "toolbar", "aria-label": "through the run" },
      button("|◀", "before the first step", () => go(-1)), button("◀", "step back (left arrow)", () => go(now - 1)),
      button("▶", "step forward (right arrow)", () => go(now + 1)), button("▶|", "the end", () => go(run.steps.length - 1)),
      run.parts >= 0 ? button("SC | " + run.model, "where SC and " + run.model + " part", () => go(run.parts)) : null, range, say);
    const ended = (t, i) => run.ends && run.ends[t] >= 0 && run.ends[t] <= i;
    const show = () => {
      range.value = now + 1;
      const step = run.steps[now];
      let text = step ? `Step ${now + 1} of ${run.steps.length}: ${run.threads[step.thread]}: ${step.text}` + (step.place ? ` (${step.place})` : "") : "Before the first step";
      if (step && step.pair >= 0) text += step.flush ? `; it was stored in step ${step.pair + 1}` : `; it comes to memory with step ${step.pair + 1}`;
      if (run.parts >= 0 && now === run.parts) text += ". Here SC and " + run.model + " part.";
      say.textContent = text;
      range.setAttribute("aria-valuetext", text);
      const places = [];
      run.threads.forEach((name, t) => {
        for (let i = now; i >= 0; i--) if (run.steps[i].thread === t && run.steps[i].line) { places.push({ line: run.steps[i].line, file: run.steps[i].file, name, thread: t, ended: ended(t, now) }); break; }
      });
      // A flush has no line of its own: that of its store is shown.
      const placed = (st) => (st && !st.line && st.flush && st.pair >= 0 ? run.steps[st.pair] : st);
      if (srcView) srcView.at(placed(step), places);
      list.at(now); st.at(now);
      if (g) g.at(now);
    };
    const section = h("section", { class: "fp-run", tabindex: -1, onkeydown: (e) => {
      if (e.target.matches("textarea, select, input:not([type=range])") || e.ctrlKey || e.metaKey || e.altKey) return;
      const to = { ArrowRight: now + 1, ArrowLeft: now - 1, Home: -1, End: run.steps.length - 1 }[e.key];
      if (to === undefined) return;
      e.preventDefault();
      go(to);
    } }, h("h3", {}, run.title), bar, h("div", { class: "fp-cols" + (srcView && g ? " fp-three" : "") }, srcView ? srcView.section : null, h("div", {}, list.section, st.section), g ? g.section : null),
      run.cycle ? h("p", {}, h("strong", {}, "The cycle: "), h("span", { class: "mono" }, run.cycle)) : null,
      run.after && run.after.length ? facts(run.after.filter(([, v]) => v)) : null);
    requestAnimationFrame(show);
    show();
    return section;
  }

  // fences shows the change; each group of lines can be switched off and on.
  function fences(f, doc, apply) {
    const off = new Set(), groups = Math.max(0, ...f.lines.map((l) => l.group));
    const list = h("ol", { class: "fp-diff mono" });
    const say = h("p", { role: "status", "aria-live": "polite", class: "fp-dim" });
    const text = () => f.lines.filter((l) => l.op === " " || (off.has(l.group) ? l.op === "-" : l.op === "+")).map((l) => l.text).join("\n") + "\n";
    const draw = () => {
      let line = 0; // of the program as it would be
      list.replaceChildren(...f.lines.filter((l) => l.op === " " || (off.has(l.group) ? l.op === "-" : true)).map((l) => {
        const op = off.has(l.group) ? " " : l.op;
        return h("li", { class: op === "+" ? "fp-add" : op === "-" ? "fp-del" : "" }, h("span", { class: "fp-n" }, op === "-" ? "" : ++line), op + " " + l.text);
      }));
      say.textContent = off.size === 0 ? "With all fences." : off.size === groups ? "Without the fences." : `${groups - off.size} of ${groups} changes are on.`;
    };
    const boxes = [], choices = [];
    for (let g = 1; g <= groups; g++) {
      const first = f.lines.findLast((l) => l.group === g && l.op === "+") || f.lines.find((l) => l.group === g);
      const box = h("input", { type: "checkbox", checked: true, onchange: () => { box.checked ? off.delete(g) : off.add(g); draw(); } });
      boxes.push(box);
      const line = f.lines.slice(0, f.lines.indexOf(first)).filter((l) => l.op !== "-").length + 1;
      choices.push(h("label", {}, box, ` ${first.text.trim()} (line ${line})`));
    }
    const all = (on) => { boxes.forEach((b, i) => { b.checked = on; on ? off.delete(i + 1) : off.add(i + 1); }); draw(); };
    draw();
    const box = h("div", { class: "fp-box", tabindex: 0, role: "region", "aria-label": "changed source" }, list);
    requestAnimationFrame(() => { const first = list.querySelector(".fp-add, .fp-del"); if (first) reveal(box, first); });
    return h("section", { class: "fp-panel" }, h("h3", {}, "The change"),
      groups ? h("fieldset", {}, h("legend", {}, "Fences"), choices.map((c) => h("div", {}, c)),
        h("button", { type: "button", onclick: () => all(true) }, "all on"), " ", h("button", { type: "button", onclick: () => all(false) }, "all off"),
        apply ? [" ", h("button", { type: "button", class: "fp-apply", onclick: () => apply(text()) }, "put them into the program")] : null, say) : null,
      box,
      (f.fences || []).length ? h("ul", {}, f.fences.map((x) => h("li", {}, x.place, x.without ? h("div", { class: "fp-dim" }, "without it: " + x.without) : null))) : null);
  }

  // view fills root with a document. apply is given a text that the user wants as the program.
  function view(root, doc, apply) {
    const one = h("article", {},
      h("header", { class: "fp-head" }, h("span", { class: `fp-word fp-${doc.tone}` }, doc.word), h("h2", {}, doc.file), h("span", {}, doc.under), h("span", { class: "fp-dim" }, doc.how)),
      facts(doc.facts || []));
    if (doc.fences && doc.fences.lines && doc.fences.lines.length) one.append(fences(doc.fences, doc, apply));
    const runs = doc.runs || [];
    if (runs.length === 1) one.append(runView(runs[0], doc.source));
    else for (const run of runs) {
      const details = h("details", { ontoggle: () => { if (details.open && details.children.length === 1) details.append(runView(run, doc.source)); } }, h("summary", {}, run.title));
      one.append(details);
    }
    one.append(...(doc.tables || []).map(table));
    if (!runs.length && (doc.graph || (doc.source && !doc.fences))) {
      const g = doc.graph ? graph(doc.graph, () => {}) : null;
      one.append(h("div", { class: "fp-cols" }, doc.source && !apply ? source(doc.source).section : null, g ? g.section : null));
    }
    root.append(one);
    return one;
  }

  // theme is a button that goes round light, dark and what the system has.
  function theme() {
    const names = ["system", "light", "dark"];
    let at = 0;
    const b = h("button", { type: "button", onclick: () => { at = (at + 1) % 3; set(); } });
    const set = () => {
      if (at) document.documentElement.dataset.theme = names[at]; else delete document.documentElement.dataset.theme;
      b.textContent = "◐ " + names[at];
      b.setAttribute("aria-label", "colours: " + names[at]);
    };
    set();
    return b;
  }

  return { view, theme, h };
})();
