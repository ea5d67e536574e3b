// Figures from plain data, as lessons/charts.py makes it: drawn as SVG, with a legend in HTML.
const Figures = (() => {
  const SPACE = "http://www.w3.org/2000/svg";
  const WIDE = 1000;
  const EDGE = { left: 92, right: 34, top: 14, bottom: 74 };
  const DASH = { left: "", right: "12 7", claim: "3 6", good: "14 5 3 5", bad: "", plain: "", main: "" };

  const make = (name, attributes, parent, text) => {
    const node = document.createElementNS(SPACE, name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    if (text !== undefined) node.textContent = text;
    if (parent) parent.appendChild(node);
    return node;
  };

  // about `count` round numbers between low and high
  const ticks = (low, high, count) => {
    const rough = (high - low) / count;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 2.5, 5, 10].map((m) => m * power).find((s) => s >= rough);
    const out = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k += 1) out.push(k * step);
    return out;
  };
  const label = (x) => P.show(Math.abs(x) < 1e-12 ? 0 : x, 3);

  const swatch = (item) => {
    const box = make("svg", { viewBox: "0 0 44 18", width: 44, height: 18, "aria-hidden": "true" });
    if (item.kind === "area" || item.kind === "band" || item.kind === "bars") {
      make("rect", { x: 2, y: 1, width: 40, height: 16, class: `${item.kind} ${item.look}` }, box);
    } else if (item.kind === "dots") {
      make("circle", { cx: 22, cy: 9, r: 7, class: `dots ${item.look}` }, box);
    } else {
      make("line", { x1: 1, x2: 43, y1: 9, y2: 9, class: `line ${item.look}`, "stroke-dasharray": DASH[item.look] }, box);
    }
    return box;
  };

  const legend = (chart) => {
    const list = document.createElement("ul");
    list.className = "legend";
    const seen = new Set();
    for (const item of chart.items) {
      if (!item.label || seen.has(item.label)) continue;
      seen.add(item.label);
      const entry = document.createElement("li");
      entry.append(swatch(item), item.label);
      list.append(entry);
    }
    return list;
  };

  const draw = (chart, tall, id) => {
    const figure = document.createElement("figure");
    const title = document.createElement("figcaption");
    title.textContent = chart.title;
    const svg = make("svg", { viewBox: `0 0 ${WIDE} ${tall}`, role: "img", "aria-label": `${chart.title}. ${chart.xlabel}; ${chart.ylabel}` });
    figure.append(title, legend(chart), svg);
    const [x0, x1] = chart.xlim;
    const [y0, y1] = chart.ylim;
    const inner = { x: EDGE.left, y: EDGE.top, width: WIDE - EDGE.left - EDGE.right, height: tall - EDGE.top - EDGE.bottom };
    const px = (x) => inner.x + ((x - x0) / (x1 - x0)) * inner.width;
    const py = (y) => inner.y + inner.height - ((y - y0) / (y1 - y0)) * inner.height;
    const far = (v, low, high) => Math.max(low, Math.min(high, v)); // SVG wants no huge numbers
    const sx = (x) => far(px(x), -4000, 5000).toFixed(2);
    const sy = (y) => far(py(y), -4000, 5000).toFixed(2);

    const defs = make("defs", {}, svg);
    make("rect", inner, make("clipPath", { id }, defs));
    for (const y of ticks(y0, y1, tall > 400 ? 5 : 3)) {
      make("line", { x1: inner.x, x2: inner.x + inner.width, y1: sy(y), y2: sy(y), class: "grid" }, svg);
      make("text", { x: inner.x - 10, y: py(y) + 7, class: "tick", "text-anchor": "end" }, svg, label(y));
    }
    const names = chart.names;
    const places = names ? names.map((_, i) => i) : ticks(x0, x1, 7);
    places.forEach((x) => {
      make("text", { x: sx(x), y: inner.y + inner.height + 26, class: "tick", "text-anchor": "middle" }, svg, names ? names[x] : label(x));
      if (!names) make("line", { x1: sx(x), x2: sx(x), y1: inner.y, y2: inner.y + inner.height, class: "grid" }, svg);
    });
    const body = make("g", { "clip-path": `url(#${id})` }, svg);
    const path = (xs, ys) => {
      let text = "";
      let pen = false;
      xs.forEach((x, i) => {
        if (Number.isNaN(ys[i])) { pen = false; return; }
        text += `${pen ? "L" : "M"}${sx(x)} ${sy(ys[i])}`;
        pen = true;
      });
      return text;
    };
    for (const item of chart.items) {
      const look = `${item.kind} ${item.look}`;
      const dash = DASH[item.look];
      if (item.kind === "line") make("path", { d: path(item.xs, item.ys), class: look, "stroke-dasharray": dash }, body);
      if (item.kind === "area" && item.xs.length > 1) {
        const base = `L${sx(item.xs.at(-1))} ${sy(0)}L${sx(item.xs[0])} ${sy(0)}Z`;
        make("path", { d: path(item.xs, item.ys) + base, class: look }, body);
      }
      if (item.kind === "band") {
        const top = Number(sy(item.high));
        make("rect", { x: inner.x, y: top, width: inner.width, height: Math.max(0, Number(sy(item.low)) - top), class: look }, body);
      }
      if (item.kind === "level") make("line", { x1: inner.x, x2: inner.x + inner.width, y1: sy(item.at), y2: sy(item.at), class: look, "stroke-dasharray": dash }, body);
      if (item.kind === "upright") make("line", { x1: sx(item.at), x2: sx(item.at), y1: inner.y, y2: inner.y + inner.height, class: look, "stroke-dasharray": dash }, body);
      if (item.kind === "bars") {
        item.xs.forEach((x, i) => {
          const [a, b] = [py(Math.max(0, item.heights[i])), py(Math.min(0, item.heights[i]))];
          const middle = x + item.offset;
          make("rect", { x: px(middle - item.width / 2), y: a, width: (item.width / (x1 - x0)) * inner.width, height: Math.max(0, b - a), class: look }, body);
        });
      }
      if (item.kind === "dots") {
        const size = item.xs.length > 20 ? 5 : 9; // many points get small marks
        item.xs.forEach((x, i) => make("circle", { cx: sx(x), cy: sy(item.ys[i]), r: size, class: look }, body));
      }
    }
    make("line", { x1: inner.x, x2: inner.x + inner.width, y1: inner.y + inner.height, y2: inner.y + inner.height, class: "axis" }, svg);
    make("line", { x1: inner.x, x2: inner.x, y1: inner.y, y2: inner.y + inner.height, class: "axis" }, svg);
    make("text", { x: inner.x + inner.width / 2, y: tall - 14, class: "name", "text-anchor": "middle" }, svg, chart.xlabel);
    make("text", { x: 0, y: 0, class: "name", "text-anchor": "middle", transform: `translate(24 ${inner.y + inner.height / 2}) rotate(-90)` }, svg, chart.ylabel);
    return figure;
  };
  return { draw };
})();
