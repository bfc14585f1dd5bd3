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

// Claims are shown that came out as chosen by a click on a count, and that have all words of the search.
const claims = document.querySelectorAll(".ledger > li"), tiles = document.querySelectorAll(".tile");
const search = document.getElementById("search"), found = document.getElementById("found");
const filter = () => {
  const words = (search ? search.value : "").toLowerCase().split(/\s+/).filter((w) => w);
  const tile = document.querySelector(".tile[aria-pressed=true]");
  const has = (e) => { const text = e.textContent.toLowerCase(); return words.every((w) => text.includes(w)); };
  for (const c of claims) c.hidden = Boolean(tile) && c.dataset.outcome !== tile.dataset.outcome || !has(c);
  const n = Array.from(claims).filter((c) => !c.hidden).length;
  if (found) found.textContent = words.length ? n + " claim" + (n === 1 ? "" : "s") : "";
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

// On a narrow screen the list of pages stands above the answer, and is folded.
if (innerWidth < 960) document.querySelector("nav details").open = false;

// Where a link to the one page of an earlier version leads now.
const moved = (id) => {
  const pages = Array.from(document.querySelectorAll("nav .links a"), (a) => a.getAttribute("href"));
  const page = { claim: "claims.html", grid: "grids.html" }[id.split("-")[0]]
    ?? pages.filter((p) => (id + "-").startsWith(p.replace(".html", "-"))).sort((p, q) => q.length - p.length)[0];
  return pages.includes(page) && page !== location.pathname.split("/").pop() && page + "#" + id;
};

// A link to something shows it: it opens all that it is folded into.
const target = () => {
  const id = decodeURIComponent(location.hash.slice(1)), at = id && document.getElementById(id);
  if (!at) {
    if (id && moved(id)) location.replace(moved(id));
    return;
  }
  at.hidden = false;
  const inner = at.matches(".ledger > li, .item") && at.firstElementChild;
  for (let e = inner || at; e; e = e.parentElement) if (e.matches("details")) e.open = true;
  at.scrollIntoView();
};
addEventListener("hashchange", target);
target();

// On paper all is open, and all pictures are there.
addEventListener("beforeprint", () => {
  for (const d of document.querySelectorAll("details")) d.open = true;
  for (const i of document.images) i.loading = "eager";
});

// A table that is wider than its place gets smaller type; if it is still too wide it scrolls beside its first column.
const fit = new ResizeObserver((entries) => {
  for (const { target: box } of entries) {
    const table = box.firstElementChild;
    if (box.dataset.width === String(box.clientWidth) || !box.clientWidth) continue;
    box.dataset.width = box.clientWidth;
    table.classList.remove("tight");
    const wide = () => table.scrollWidth > box.clientWidth;
    if (wide()) table.classList.add("tight");
    if (wide()) table.classList.remove("tight");
    box.tabIndex = wide() ? 0 : -1;
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
