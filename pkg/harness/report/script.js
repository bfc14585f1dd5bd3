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
// A click on a figure shows it as large as the window; another, or Escape, closes it.
const zoom = document.getElementById("zoom");
for (const img of document.querySelectorAll("img.zoom")) {
  const open = () => { zoom.firstElementChild.src = img.src; zoom.firstElementChild.alt = img.alt; zoom.showModal(); };
  img.addEventListener("click", open);
  img.addEventListener("keydown", (e) => { if (e.key === "Enter") open(); });
}
zoom.addEventListener("click", () => zoom.close());
