"use strict";
// The page as it is served: it loads itself again when there is more, and keeps open what was open.
(() => {
  const key = "open claims", version = document.currentScript.dataset.version;
  for (const id of JSON.parse(sessionStorage.getItem(key) || "[]")) {
    const li = document.getElementById(id);
    if (li) li.firstElementChild.open = true;
  }
  const badge = document.createElement("div");
  badge.className = "live";
  document.body.append(badge);
  const source = new EventSource("events");
  source.onopen = () => { badge.textContent = "live"; };
  source.onerror = () => { badge.textContent = "no longer served"; };
  source.onmessage = (e) => {
    if (e.data === version) return;
    sessionStorage.setItem(key, JSON.stringify([...document.querySelectorAll(".ledger > li > details[open]")].map((d) => d.parentElement.id)));
    source.close();
    location.reload();
  };
})();
