"use strict";
// theme: what was chosen before, else what the system prefers; reports and lessons share it
(() => {
  const root = document.documentElement;
  const byId = (id) => document.getElementById(id);
  const remember = (value) => { try { localStorage.setItem("dpwitness-theme", value); } catch { /* private window */ } };
  const recall = () => { try { return localStorage.getItem("dpwitness-theme"); } catch { return null; } };
  const paint = (theme) => {
    root.dataset.theme = theme;
    byId("theme-name").textContent = theme === "dark" ? "Light" : "Dark";
  };
  paint(recall() || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
  byId("theme").addEventListener("click", () => {
    const next = root.dataset.theme === "dark" ? "light" : "dark";
    paint(next);
    remember(next);
  });
})();
