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

// A click on a count shows the claims that came out so, another one all. A link to a claim opens it.
const claims = document.querySelectorAll(".ledger > li"), tiles = document.querySelectorAll(".tile");
for (const tile of tiles) {
  tile.addEventListener("click", () => {
    const on = tile.getAttribute("aria-pressed") !== "true";
    for (const t of tiles) t.setAttribute("aria-pressed", String(on && t === tile));
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
  const li = location.hash.startsWith("#claim-") && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (li) { li.hidden = false; li.firstElementChild.open = true; li.scrollIntoView(); }
};
addEventListener("hashchange", target);
target();

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
