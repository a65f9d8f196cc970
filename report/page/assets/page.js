(() => {
  const root = document.getElementById("documents-view");
  const docs = JSON.parse(document.getElementById("documents").textContent) || [];
  const { h, view, theme } = Fencepost;
  const place = h("div");
  const show = (i) => {
    place.replaceChildren();
    view(place, docs[i]);
    const run = place.querySelector(".fp-run");
    if (run) run.focus({ preventScroll: true });
  };
  const bar = h("div", { class: "fp-head fp-top" }, theme());
  if (docs.length > 1) {
    const pick = h("select", { "aria-label": "answer", onchange: () => show(pick.selectedIndex) }, docs.map((d) => h("option", {}, `${d.word}  ${d.file}  ${d.under || ""}`)));
    bar.prepend(pick);
  }
  root.append(bar, place);
  if (docs.length) show(0);
  // Arrow keys go through the run wherever the focus is.
  document.addEventListener("keydown", (e) => {
    const run = document.querySelector(".fp-run");
    if (run && e.target === document.body) run.dispatchEvent(new KeyboardEvent("keydown", { key: e.key }));
  });
})();
