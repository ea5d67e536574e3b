(() => {
  const byId = (id) => document.getElementById(id);
  const rows = [...document.querySelectorAll("tbody.row")];
  const tiles = [...document.querySelectorAll(".tile")];
  const text = byId("text");

  // unfolding
  const fold = (row, open) => {
    row.querySelector(".fold").setAttribute("aria-expanded", String(open));
    row.querySelector(".details").hidden = !open;
  };
  const isOpen = (row) => !row.querySelector(".details").hidden;
  rows.forEach((row) => row.querySelector(".fold").addEventListener("click", () => fold(row, !isOpen(row))));
  byId("unfold").addEventListener("click", (event) => {
    const open = event.currentTarget.getAttribute("aria-pressed") !== "true";
    event.currentTarget.setAttribute("aria-pressed", String(open));
    event.currentTarget.textContent = open ? "Fold all" : "Unfold all";
    rows.filter((row) => !row.hidden).forEach((row) => fold(row, open));
  });

  // filters: any of the pressed verdicts, and all of the words
  const filter = () => {
    const groups = tiles.filter((t) => t.getAttribute("aria-pressed") === "true").map((t) => t.dataset.group);
    const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const fits = (!groups.length || groups.includes(row.dataset.group)) && words.every((w) => row.dataset.search.includes(w));
      row.hidden = !fits;
      shown += fits ? 1 : 0;
    }
    byId("shown").textContent = `${shown} of ${rows.length} claims`;
    byId("nothing").hidden = shown > 0;
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

  // a link to a claim unfolds it
  const follow = () => {
    const row = rows.find((r) => `#${r.id}` === location.hash);
    if (!row) return;
    row.hidden = false;
    fold(row, true);
    row.querySelector(".fold").focus();
  };
  addEventListener("hashchange", follow);
  follow();
})();
