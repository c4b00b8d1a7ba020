"use strict";
// The explorer: filters over an index of all questions; chains are unpacked cell by cell on demand.
// Text from the run is set as text content only, never as markup.
(() => {
  const root = document.getElementById("explorer");
  if (!root) return;
  const FLAG = { correct: 1, monotone: 2, shapeless: 4, missing: 8, noMajority: 16, tied: 32, truncated: 64 };
  const PAGE = 12;
  const get = (id) => document.getElementById(id);
  const SVG = "http://www.w3.org/2000/svg";

  const make = (name, properties, ...children) => {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(properties || {})) {
      if (key in node) node[key] = value;
      else node.setAttribute(key, value);
    }
    node.append(...children);
    return node;
  };
  const draw = (name, attributes, text) => {
    const node = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    if (text !== undefined) node.textContent = text;
    return node;
  };
  const unpack = async (id) => {
    const packed = atob(get(id).textContent);
    const bytes = Uint8Array.from(packed, (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).json();
  };
  const minus = (text) => text.replace("-", "−");
  const nats = (value) => (value === null ? "undefined" : minus(value.toFixed(3)));

  let index, starts, found = [], page = 0, shown = -1;
  const details = new Map();

  const state = (flags) => ({
    right: Boolean(flags & FLAG.correct),
    shape: flags & FLAG.shapeless ? "undefined" : flags & FLAG.monotone ? "monotone" : "not monotone",
    missing: Boolean(flags & FLAG.missing),
    noMajority: Boolean(flags & FLAG.noMajority),
  });

  const filter = () => {
    const cell = Number(get("x-cell").value), outcome = get("x-outcome").value;
    const shape = get("x-shape").value, extraction = get("x-extraction").value;
    const judged = get("x-judged") ? get("x-judged").value : "";
    const text = get("x-id").value.trim().toLowerCase();
    found = [];
    for (let c = 0; c < index.cells.length; c++) {
      if (cell >= 0 && cell !== c) continue;
      for (let i = starts[c]; i < starts[c + 1]; i++) {
        const flags = index.flags[i];
        if (outcome && (outcome === "right") !== Boolean(flags & FLAG.correct)) continue;
        if (shape && shape !== state(flags).shape) continue;
        if (extraction === "some" && !(flags & FLAG.missing)) continue;
        if (extraction === "majority" && !(flags & FLAG.noMajority)) continue;
        if (extraction === "none" && flags & FLAG.missing) continue;
        if (judged && index.judged[i] !== judged) continue;
        if (text && !index.ids[i].toLowerCase().includes(text)) continue;
        found.push(i);
      }
    }
    page = 0;
    list();
  };
  const cellOf = (i) => {
    let c = 0;
    while (starts[c + 1] <= i) c++;
    return c;
  };

  const list = () => {
    const pages = Math.max(1, Math.ceil(found.length / PAGE));
    page = Math.min(Math.max(page, 0), pages - 1);
    const rows = found.slice(page * PAGE, page * PAGE + PAGE).map((i) => {
      const { right, shape, noMajority } = state(index.flags[i]);
      const pick = make("button", { type: "button", textContent: index.ids[i] });
      pick.dataset.question = String(i);
      pick.addEventListener("click", () => show(i, true));
      if (i === shown) pick.setAttribute("aria-current", "true");
      const outcome = right ? "✓ right" : noMajority ? "✗ no answer" : "✗ wrong";
      const violations = index.violations[i] < 0 ? "–" : String(index.violations[i]);
      return make("tr", {},
        make("th", { scope: "row" }, pick, make("span", { className: "muted" }, index.cells[cellOf(i)])),
        make("td", { className: right ? "is-right" : "is-wrong" }, outcome),
        make("td", {}, shape),
        make("td", { className: "count" }, violations),
        make("td", { className: "count" }, String(index.units[i])));
    });
    get("x-rows").replaceChildren(...rows);
    get("x-count").textContent =
      `${found.length.toLocaleString("en")} of ${index.ids.length.toLocaleString("en")} questions, page ${page + 1} of ${pages}`;
    get("x-previous").disabled = page === 0;
    get("x-next").disabled = page === pages - 1;
  };

  const chart = (detail) => {
    const width = 340, height = 150, left = 34, right = 12, top = 12, bottom = 28;
    const last = Math.max(detail.h.length - 1, 1);
    const most = Math.max(1.7, ...detail.h.map((h) => h || 0));
    const x = (k) => left + (k / last) * (width - left - right);
    const y = (h) => height - bottom - (h / most) * (height - top - bottom);
    const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
      "aria-label": "Entropy in nats by prefix: " + detail.h.map(nats).join(", ") });
    for (const tick of [0, 0.5, 1, 1.5]) {
      svg.append(draw("line", { x1: left, x2: width - right, y1: y(tick), y2: y(tick), class: "grid" }));
      svg.append(draw("text", { x: left - 5, y: y(tick) + 4, "text-anchor": "end", class: "tick" }, String(tick)));
    }
    let before = null;
    detail.h.forEach((h, k) => {
      svg.append(draw("text", { x: x(k), y: height - 12, "text-anchor": "middle", class: "tick" }, String(k)));
      if (h === null) return;
      if (before !== null) {
        const rises = detail.up.includes(k);
        svg.append(draw("line", { x1: x(before), y1: y(detail.h[before]), x2: x(k), y2: y(h),
          class: rises ? "step rise" : "step" }));
      }
      before = k;
    });
    detail.h.forEach((h, k) => {
      if (h === null) return;
      if (detail.up.includes(k)) {
        const [a, b] = [x(k), y(h)];
        svg.append(draw("path", { d: `M${a - 5} ${b + 4}L${a} ${b - 5}L${a + 5} ${b + 4}Z`, class: "rise-mark" }));
      } else svg.append(draw("circle", { cx: x(k), cy: y(h), r: 3.5, class: "ours dot" }));
    });
    svg.append(draw("text", { x: 2, y: 9, class: "tick" }, "H, nats"));
    return svg;
  };

  const answers = (detail, k) => {
    const row = detail.a ? detail.a[k] : null;
    if (!row) return make("p", { className: "answers muted" }, detail.a ? "no completion" : "answers not stored");
    const list = row.map((answer) =>
      make("li", { className: answer === null ? "none" : answer === detail.g ? "gold" : "" },
        answer === null ? "no answer" : answer));
    return make("ul", { className: "answers", "aria-label": `Answers at prefix ${k}` }, ...list);
  };
  const unit = (detail, k) => {
    if (k === 0) return make("p", { className: "unit muted" }, "The question alone, no unit yet.");
    const text = detail.u ? detail.u[k - 1] || "" : "unit not stored";
    return make("p", { className: detail.u ? "unit" : "unit muted" }, text.trim());
  };
  const step = (detail, h, k) => {
    const rises = detail.up.includes(k);
    const measure = make("p", { className: "measure" }, make("strong", {}, `k = ${k}`), ` H ${nats(h)}`);
    if (rises) measure.append(make("span", { className: "rise-tag" }, "▲ violation"));
    return make("li", { className: rises ? "violation" : "" }, measure, unit(detail, k), answers(detail, k));
  };

  const judgement = (j) => make("div", { className: "judgement" },
    make("h4", {}, "Consistency: " + j.outcome.replaceAll("_", " ") + (j.subtype ? ", " + j.subtype.replaceAll("_", " ") : "")),
    make("dl", {}, ...Object.entries(j).filter(([key]) => key !== "outcome" && key !== "subtype")
      .flatMap(([key, value]) => [make("dt", {}, key.replaceAll("_", " ")), make("dd", {}, value)])),
    make("p", { className: "muted" }, "Consistency is no check of correctness, and no evidence of faithfulness: a consistent chain may still be made up afterwards."));

  const show = async (i, focus) => {
    const c = cellOf(i);
    if (!details.has(c)) details.set(c, unpack("explorer-cell-" + c));
    const detail = (await details.get(c))[i - starts[c]];
    shown = i;
    const { right, shape, noMajority } = state(index.flags[i]);
    const flags = index.flags[i];
    const notes = [shape === "undefined" ? "shape undefined" : shape];
    if (flags & FLAG.tied) notes.push("tied majority: the answer seen first won");
    if (flags & FLAG.truncated) notes.push("chain cut at its budget");
    if (flags & FLAG.missing) notes.push("some completions without an answer");
    if (detail.e) notes.push("not generated: " + detail.e);
    const heading = make("h3", { tabIndex: -1 }, index.ids[i] + " ");
    heading.append(make("span", { className: "muted" }, index.cells[c]));
    const facts = make("dl", { className: "facts" });
    const fact = (name, value) => facts.append(make("div", {}, make("dt", {}, name), make("dd", {}, value)));
    fact("Outcome", right ? "✓ right" : noMajority ? "✗ wrong: no answer" : "✗ wrong");
    if (detail.g !== undefined) fact("Gold", detail.g);
    fact("Majority at the end", detail.m === null ? "no answer" : detail.m);
    fact("Chain's own answer", detail.c === null ? "no answer" : detail.c);
    fact("Violations", index.violations[i] < 0 ? "undefined" : String(index.violations[i]));
    const steps = make("ol", { className: "steps", "aria-label": "Unit by unit: entropy in nats, text, and answers at each prefix" },
      ...detail.h.map((h, k) => step(detail, h, k)));
    const parts = [heading, facts, make("p", { className: "muted" }, notes.join(" · "))];
    if (detail.q !== undefined) parts.push(make("p", { className: "question" }, detail.q));
    parts.push(chart(detail), steps);
    if ((detail.r || "").trim()) parts.push(make("h4", {}, "Past the last probed unit"), make("p", { className: "unit muted" }, detail.r.trim()));
    if (detail.j) parts.push(judgement(detail.j));
    get("x-detail").replaceChildren(...parts);
    for (const pick of get("x-rows").querySelectorAll("button")) {
      if (pick.dataset.question === String(i)) pick.setAttribute("aria-current", "true");
      else pick.removeAttribute("aria-current");
    }
    const address = "#question=" + encodeURIComponent(index.cells[c] + "/" + index.ids[i]);
    if (focus) {
      history.replaceState(null, "", address);
      heading.focus();
    }
  };

  const byAddress = () => {
    if (!location.hash.startsWith("#question=")) return -1;
    const wanted = decodeURIComponent(location.hash.slice("#question=".length));
    return index.ids.findIndex((id, i) => index.cells[cellOf(i)] + "/" + id === wanted);
  };

  const open = async () => {
    index = await unpack("explorer-index");
    starts = [0];
    for (const size of index.sizes) starts.push(starts[starts.length - 1] + size);
    for (const [c, name] of index.cells.entries()) get("x-cell").append(make("option", { value: String(c) }, name));
    for (const control of get("x-filters").querySelectorAll("select,input")) control.addEventListener("input", filter);
    get("x-filters").addEventListener("submit", (event) => event.preventDefault());
    const turn = (by) => { page += by; list(); };
    get("x-previous").addEventListener("click", () => turn(-1));
    get("x-next").addEventListener("click", () => turn(1));
    filter();
    const wanted = byAddress();
    if (wanted >= 0) await show(wanted, true);
    else if (found.length) await show(found[0], false);
    addEventListener("hashchange", () => { if (byAddress() >= 0) show(byAddress(), true); });
    root.dataset.ready = "true";
  };
  const opening = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    opening.disconnect();
    open();
  }, { rootMargin: "600px" });
  opening.observe(root);
  if (location.hash.startsWith("#question=")) root.scrollIntoView();
  addEventListener("beforeprint", () => { for (const node of document.querySelectorAll("details")) node.open = true; });
})();
