// The page: one screen at a time, predictions, and labs that follow their sliders. LABS comes with the lesson.
(() => {
  const root = document.documentElement;
  const byId = (id) => document.getElementById(id);

  // screens
  const screens = [...document.querySelectorAll(".screen")];
  const dots = [...document.querySelectorAll(".steps a")];
  const after = root.dataset.after;
  let here = -1;
  const go = (place, focus) => {
    const next = Math.max(0, Math.min(screens.length - 1, place));
    if (next === here) return;
    here = next;
    screens.forEach((screen, i) => { screen.hidden = i !== here; });
    dots.forEach((dot, i) => {
      if (i === here) dot.setAttribute("aria-current", "step");
      else dot.removeAttribute("aria-current");
      if (i <= here) dot.classList.add("seen");
    });
    byId("place").textContent = `${here + 1} / ${screens.length}`;
    byId("back").disabled = here === 0;
    const last = here === screens.length - 1;
    byId("next").disabled = last && !after;
    byId("next").textContent = last && after ? "Next lesson →" : "Next →";
    if (location.hash !== `#${screens[here].id}`) history.replaceState(null, "", `#${screens[here].id}`);
    scrollTo(0, 0);
    if (focus) screens[here].querySelector("h2").focus();
  };
  const follow = () => go(Math.max(0, screens.findIndex((s) => `#${s.id}` === location.hash)), true);
  if (screens.length) {
    root.classList.add("one-by-one");
    byId("back").addEventListener("click", () => go(here - 1, true));
    byId("next").addEventListener("click", () => {
      if (here === screens.length - 1) location.href = after;
      else go(here + 1, true);
    });
    addEventListener("hashchange", follow);
    document.addEventListener("keydown", (event) => {
      const onSlider = document.activeElement instanceof HTMLInputElement;
      if (event.altKey || event.ctrlKey || event.metaKey) return;
      if (event.key === "PageDown" || (event.key === "ArrowRight" && !onSlider)) { event.preventDefault(); go(here + 1, true); }
      if (event.key === "PageUp" || (event.key === "ArrowLeft" && !onSlider)) { event.preventDefault(); go(here - 1, true); }
    });
    follow();
  }

  // predictions
  for (const question of document.querySelectorAll(".predict")) {
    const buttons = [...question.querySelectorAll(".choice")];
    const right = Number(question.dataset.answer);
    buttons.forEach((button, chosen) => button.addEventListener("click", () => {
      buttons.forEach((b, i) => {
        b.classList.toggle("right", i === right);
        b.classList.toggle("wrong", i === chosen && i !== right);
        b.setAttribute("aria-pressed", String(i === chosen));
      });
      const reply = question.querySelector(".reply");
      if (chosen === right) reply.replaceChildren("✓ Right.");
      else reply.replaceChildren("✗ Not quite. The answer is: ", ...[...buttons[right].querySelector(".words").childNodes].map((n) => n.cloneNode(true)));
      question.querySelector(".why").hidden = false;
    }));
  }

  // what a program prints is shown on demand; a solution takes the place of the starter
  for (const button of document.querySelectorAll(".reveal")) {
    button.addEventListener("click", () => {
      const part = byId(button.getAttribute("aria-controls"));
      part.hidden = !part.hidden;
      button.setAttribute("aria-expanded", String(!part.hidden));
      const instead = byId(button.dataset.instead);
      if (instead) instead.hidden = !part.hidden;
    });
  }

  // labs
  const WORDS = { verdict: ["✗ broken", "✓ holds"], yesno: ["no", "yes"] };
  document.querySelectorAll(".lab").forEach((section, number) => {
    const lab = LABS[number];
    const inputs = lab.sliders.map((s) => section.querySelector(`[data-slider="${s.name}"]`));
    const figures = section.querySelector(".figures");
    const update = () => {
      const point = {};
      lab.sliders.forEach((slider, i) => {
        const place = Number(inputs[i].value);
        point[slider.name] = slider.values[place];
        inputs[i].setAttribute("aria-valuetext", slider.shown[place]);
        section.querySelector(`[data-shown="${slider.name}"]`).textContent = slider.shown[place];
      });
      const values = lab.closed(point);
      for (const output of lab.outputs) {
        const cell = section.querySelector(`[data-output="${output.name}"]`);
        const value = values[output.name];
        cell.dataset.value = String(value);
        const words = WORDS[output.kind];
        cell.textContent = words ? words[Number(Boolean(value))] : P.show(Number(value), output.kind === "whole" ? 12 : 6);
        if (output.kind === "verdict") cell.className = value ? "holds" : "broken";
      }
      if (lab.done) {
        const reached = Boolean(values[lab.done]);
        section.querySelector(".goal").classList.toggle("reached", reached);
        section.querySelector(".state").textContent = reached ? "✓ Done" : "Not yet";
        section.querySelector(".learnt").hidden = !reached;
      }
      const charts = lab.charts(point, values);
      const tall = charts.length > 1 ? 252 : 560;
      figures.replaceChildren(...charts.map((chart, i) => Figures.draw(chart, tall, `clip-${number}-${i}`)));
    };
    inputs.forEach((input) => input.addEventListener("input", update));
    update();
  });
})();
