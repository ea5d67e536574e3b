(() => {
  const STEP = 100;
  const byId = (id) => document.getElementById(id);
  const table = byId("claims");
  const rest = byId("rest");
  const rows = [...table.querySelectorAll("tbody.row"), ...(rest ? rest.content.querySelectorAll("tbody.row") : [])];
  const tiles = [...document.querySelectorAll(".tile")];
  const text = byId("text");
  const more = byId("more");

  // rows that match the filter, of which the first `limit` are in the table; a row that is linked to comes first
  let matching = rows;
  let limit = Math.max(STEP, table.tBodies.length);
  let linked = null;
  const draw = () => {
    const wanted = linked ? [linked, ...matching.filter((row) => row !== linked)] : matching;
    const shown = wanted.slice(0, limit);
    const kept = new Set(shown);
    [...table.tBodies].filter((row) => !kept.has(row)).forEach((row) => row.remove());
    shown.forEach((row, i) => {
      if (table.tBodies[i] !== row) table.insertBefore(row, table.tBodies[i] || null);
    });
    const left = wanted.length - shown.length;
    more.hidden = left === 0;
    more.textContent = `Show ${Math.min(STEP, left)} more of ${left}`;
    byId("shown").textContent =
      `${matching.length} of ${rows.length} claims` + (left ? `, the first ${shown.length} in the table` : "");
    byId("nothing").hidden = matching.length > 0;
  };
  const drawMore = () => { limit += STEP; draw(); };
  more.addEventListener("click", () => {
    const next = table.tBodies.length;
    drawMore();
    table.tBodies[next]?.querySelector(".fold").focus();
  });
  if ("IntersectionObserver" in window) {
    new IntersectionObserver((seen) => {
      if (!more.hidden && seen.some((entry) => entry.isIntersecting)) drawMore();
    }, { rootMargin: "400px" }).observe(more);
  }
  addEventListener("beforeprint", () => { limit = rows.length; draw(); });

  // unfolding: details are made when they are first looked at
  const fold = (row, open) => {
    const details = row.querySelector(".details");
    const kept = details.querySelector("template");
    if (open && kept) kept.replaceWith(kept.content);
    row.querySelector(".fold").setAttribute("aria-expanded", String(open));
    details.hidden = !open;
  };
  const isOpen = (row) => !row.querySelector(".details").hidden;
  table.addEventListener("click", (event) => {
    const row = event.target.closest(".fold")?.closest("tbody.row");
    if (row) fold(row, !isOpen(row));
  });
  byId("unfold").addEventListener("click", (event) => {
    const open = event.currentTarget.getAttribute("aria-pressed") !== "true";
    event.currentTarget.setAttribute("aria-pressed", String(open));
    event.currentTarget.textContent = open ? "Fold all" : "Unfold all";
    [...table.tBodies].forEach((row) => fold(row, open));
  });

  // filters: any of the pressed verdicts, and all of the words
  const filter = () => {
    const groups = tiles.filter((t) => t.getAttribute("aria-pressed") === "true").map((t) => t.dataset.group);
    const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
    matching = rows.filter((row) => (!groups.length || groups.includes(row.dataset.group))
      && words.every((w) => row.dataset.search.includes(w)));
    limit = STEP;
    linked = null;
    draw();
  };
  tiles.forEach((tile) => tile.addEventListener("click", () => {
    tile.setAttribute("aria-pressed", String(tile.getAttribute("aria-pressed") !== "true"));
    filter();
  }));
  text.addEventListener("input", filter);
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== text) { event.preventDefault(); text.focus(); }
    if (event.key === "Escape" && document.activeElement === text) { text.value = ""; filter(); }
  });

  // a link to a claim draws it, if need be, and unfolds it
  const follow = () => {
    const row = rows.find((r) => `#${r.id}` === location.hash);
    if (!row) return;
    if (!row.isConnected || row.getRootNode() !== document) { linked = row; draw(); }
    fold(row, true);
    row.querySelector(".fold").focus();
  };
  addEventListener("hashchange", follow);
  draw();
  follow();
})();
