"use strict";
// Tables sort by a click on a heading: numbers by their value, missing ones last, words by the alphabet.
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = table.tHead.rows[table.tHead.rows.length - 1].cells;
  Array.from(heads).forEach((head, column) => {
    head.tabIndex = 0;
    const sort = () => {
      const up = head.getAttribute("aria-sort") !== "ascending";
      for (const h of heads) h.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const body = table.tBodies[0];
      const key = (row) => row.cells[column].dataset.value.replace("Inf", "Infinity");
      const missing = (s) => s === "NaN" || s === "";
      const rows = Array.from(body.rows).sort((p, q) => {
        const a = key(p), b = key(q);
        if (missing(a) || missing(b)) return missing(a) - missing(b);
        const x = Number(a), y = Number(b);
        const d = Number.isNaN(x) || Number.isNaN(y) ? a.localeCompare(b) : x === y ? 0 : x < y ? -1 : 1;
        return up ? d : -d;
      });
      body.append(...rows);
    };
    head.addEventListener("click", sort);
    head.addEventListener("keydown", (e) => { if (e.key === "Enter") sort(); });
  });
}

// The claims: a click on a count shows those that came out so, another all; a link to one opens it.
const claims = document.querySelectorAll(".ledger > li");
for (const tile of document.querySelectorAll(".tile")) {
  tile.addEventListener("click", () => {
    const on = tile.getAttribute("aria-pressed") !== "true";
    for (const t of document.querySelectorAll(".tile")) t.setAttribute("aria-pressed", String(on && t === tile));
    for (const c of claims) c.hidden = on && c.dataset.outcome !== tile.dataset.outcome;
  });
}
const unfold = document.getElementById("unfold");
if (unfold) unfold.addEventListener("click", () => {
  const open = unfold.textContent === "show all evidence";
  unfold.textContent = open ? "hide all evidence" : "show all evidence";
  for (const c of claims) c.firstElementChild.open = open;
});
const target = () => {
  const li = location.hash.startsWith("#claim-") && document.getElementById(location.hash.slice(1));
  if (li) { li.hidden = false; li.firstElementChild.open = true; li.scrollIntoView(); }
};
addEventListener("hashchange", target);
target();

// The pointer over a curve: the values of the panel's curves at the nearest x.
const tip = document.getElementById("tip");
const cache = new Map();
const values = (id) => {
  if (!cache.has(id)) cache.set(id, JSON.parse(document.getElementById(id).textContent));
  return cache.get(id);
};
const digits = (v) => v === null ? "–" : v !== 0 && (Math.abs(v) < 1e-3 || Math.abs(v) >= 1e5) ? v.toExponential(2) : String(v);
const read = (img, e) => {
  const id = img.dataset.values;
  if (!id) return;
  const v = values(id), box = img.getBoundingClientRect(), s = getComputedStyle(img);
  const left = parseFloat(s.paddingLeft), top = parseFloat(s.paddingTop);
  const wide = box.width - 2 * left, high = box.height - 2 * top, scale = Math.min(wide / v.w, high / v.h);
  const x = (e.clientX - box.left - left - (wide - scale * v.w) / 2) / scale, y = (e.clientY - box.top - top - (high - scale * v.h) / 2) / scale;
  const p = v.panels.find((p) => x >= p.area[0] && x <= p.area[2] && y >= p.area[1] && y <= p.area[3]);
  if (!p) { tip.hidden = true; return; }
  const u = (x - p.area[0]) / (p.area[2] - p.area[0]);
  const at = p.x.log ? p.x.min * (p.x.max / p.x.min) ** u : p.x.min + u * (p.x.max - p.x.min);
  const near = p.grid.map((g) => g.reduce((best, gx, i) => gx !== null && (best < 0 || Math.abs(gx - at) < Math.abs(g[best] - at)) ? i : best, -1));
  const rows = p.lines.map((l) => ({ l, v: l.y[near[l.grid]] })).sort((a, b) => (b.v ?? -Infinity) - (a.v ?? -Infinity));
  tip.replaceChildren();
  const head = document.createElement("b");
  head.textContent = (p.x.label || "x") + " " + digits(p.grid[0][near[0]]);
  tip.append(head);
  for (const r of rows) {
    const line = document.createElement("div"), dot = document.createElement("i"), value = document.createElement("span");
    dot.style.background = r.l.color;
    value.textContent = digits(r.v);
    line.append(dot, r.l.label, value);
    tip.append(line);
  }
  (img.closest("dialog") || document.body).append(tip);
  tip.hidden = false;
  const w = tip.offsetWidth, h = tip.offsetHeight;
  tip.style.left = Math.max(4, e.clientX + 16 + w > innerWidth ? e.clientX - 16 - w : e.clientX + 16) + "px";
  tip.style.top = Math.max(4, Math.min(e.clientY + 12, innerHeight - h - 4)) + "px";
};

// A click on a figure shows it as large as the window; another enlarges it further, Escape or the cross closes it.
const zoom = document.getElementById("zoom"), large = zoom.querySelector("img");
const shut = () => { tip.hidden = true; large.classList.remove("larger"); };
for (const img of document.querySelectorAll("img.zoom")) {
  const open = () => {
    large.src = img.src;
    large.alt = img.alt;
    if (img.dataset.values) large.dataset.values = img.dataset.values; else delete large.dataset.values;
    shut();
    zoom.showModal();
  };
  img.addEventListener("click", open);
  img.addEventListener("keydown", (e) => { if (e.key === "Enter" || e.key === " ") { e.preventDefault(); open(); } });
}
for (const img of document.querySelectorAll("img.zoom, #zoom img")) {
  img.addEventListener("pointermove", (e) => read(img, e));
  img.addEventListener("pointerleave", () => { tip.hidden = true; });
}
large.addEventListener("click", (e) => {
  const box = large.getBoundingClientRect(), fx = (e.clientX - box.left) / box.width, fy = (e.clientY - box.top) / box.height;
  const larger = large.classList.toggle("larger");
  if (larger) zoom.scrollTo(fx * large.offsetWidth - innerWidth / 2, fy * large.offsetHeight - innerHeight / 2);
});
zoom.addEventListener("click", (e) => { if (e.target !== large) zoom.close(); });
zoom.addEventListener("close", shut);
