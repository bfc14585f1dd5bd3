"use strict";
// A click on a heading sorts a table: numbers by value, missing ones last, words by the alphabet.
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = table.tHead.rows[table.tHead.rows.length - 1].cells;
  Array.from(heads).forEach((head, column) => {
    head.tabIndex = 0;
    const sort = () => {
      const up = head.getAttribute("aria-sort") !== "ascending";
      for (const h of heads) h.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const key = (row) => (row.cells[column].dataset.value ?? row.cells[column].textContent).replace("Inf", "Infinity");
      const missing = (s) => s === "NaN" || s === "";
      table.tBodies[0].append(...Array.from(table.tBodies[0].rows).sort((p, q) => {
        const a = key(p), b = key(q);
        if (missing(a) || missing(b)) return missing(a) - missing(b);
        const x = Number(a), y = Number(b);
        const d = Number.isNaN(x) || Number.isNaN(y) ? a.localeCompare(b) : x === y ? 0 : x < y ? -1 : 1;
        return up ? d : -d;
      }));
    };
    head.addEventListener("click", sort);
    head.addEventListener("keydown", (e) => { if (e.key === "Enter") sort(); });
  });
}

// Claims are shown that came out as chosen by a click on a count, claims and findings that have all words of the search.
const claims = document.querySelectorAll(".ledger > li"), tiles = document.querySelectorAll(".tile");
const search = document.getElementById("search"), found = document.getElementById("found");
const articles = document.querySelectorAll("#findings .finding");
const filter = () => {
  const words = (search ? search.value : "").toLowerCase().split(/\s+/).filter((w) => w);
  const tile = document.querySelector(".tile[aria-pressed=true]");
  const has = (e) => { const text = e.textContent.toLowerCase(); return words.every((w) => text.includes(w)); };
  for (const c of claims) c.hidden = Boolean(tile) && c.dataset.outcome !== tile.dataset.outcome || !has(c);
  for (const f of articles) f.hidden = !has(f);
  if (!found) return;
  const count = (list, one) => {
    const n = Array.from(list).filter((e) => !e.hidden).length;
    return n + " " + one + (n === 1 ? "" : "s");
  };
  found.innerHTML = "";
  if (!words.length) return;
  for (const [list, one, at] of [[claims, "claim", "#claims"], [articles, "finding", "#findings"]]) {
    if (!list.length) continue;
    const link = document.createElement("a");
    link.href = at;
    link.textContent = count(list, one);
    found.append(link, " ");
  }
};
if (search) search.addEventListener("input", filter);
for (const tile of tiles) {
  tile.addEventListener("click", () => {
    const on = tile.getAttribute("aria-pressed") !== "true";
    for (const t of tiles) t.setAttribute("aria-pressed", String(on && t === tile));
    filter();
  });
}
const unfold = document.getElementById("unfold");
if (unfold) unfold.addEventListener("click", () => {
  const open = unfold.textContent === "show all evidence";
  unfold.textContent = open ? "hide all evidence" : "show all evidence";
  for (const c of claims) c.firstElementChild.open = open;
});

// On a narrow screen the contents stand above the answer, and are folded.
if (innerWidth < 960) document.querySelector("nav details").open = false;

// A link to something shows it: it opens a claim or a grid, and shows all protocols where the chosen one hides it.
const target = () => {
  const at = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!at) return;
  at.hidden = false;
  if (at.matches(".ledger > li, #grids .item")) at.firstElementChild.open = true;
  const every = document.getElementById("every");
  if (!at.getClientRects().length && every) every.checked = true;
  at.scrollIntoView();
};
addEventListener("hashchange", target);
target();

// A table that is wider than its place gets smaller type, or if it is still too wide becomes a list of cards, each with
// the heads before its values.
const fit = new ResizeObserver((entries) => {
  for (const { target: box } of entries) {
    const table = box.firstElementChild;
    if (box.dataset.width === String(box.clientWidth) || !box.clientWidth) continue;
    box.dataset.width = box.clientWidth;
    table.classList.remove("cards", "tight");
    if (table.scrollWidth <= box.clientWidth) continue;
    table.classList.add("tight");
    if (table.scrollWidth <= box.clientWidth) continue;
    table.classList.remove("tight");
    const heads = Array.from(table.tHead.rows[0].cells, (h) => h.textContent);
    for (const row of table.tBodies[0].rows) Array.from(row.cells).forEach((cell, i) => { cell.dataset.head = heads[i]; });
    table.classList.add("cards");
  }
});
for (const box of document.querySelectorAll(".scroll")) fit.observe(box);

// A click on a figure shows it as large as the window, another one larger; Escape or the cross closes it.
const zoom = document.getElementById("zoom"), large = zoom.querySelector("img");
for (const img of document.querySelectorAll("img.zoom")) {
  const open = () => {
    large.src = img.src;
    large.alt = img.alt;
    large.classList.remove("larger");
    zoom.showModal();
  };
  img.addEventListener("click", open);
  img.addEventListener("keydown", (e) => { if (e.key === "Enter" || e.key === " ") { e.preventDefault(); open(); } });
}
large.addEventListener("click", () => large.classList.toggle("larger"));
zoom.addEventListener("click", (e) => { if (e.target !== large) zoom.close(); });
