"use strict";
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const form = document.querySelector("nav form");
  const say = (text) => { document.querySelector("nav output").textContent = text; };

  // Sorting: a head becomes a button; figures without a value stay last in both directions.
  const valueOf = (row, column) => {
    const cell = row.cells[column];
    if (column === 0) return cell.textContent.trim();
    return cell.dataset.v === undefined || cell.dataset.v === "nan" ? null : Number(cell.dataset.v);
  };
  const compare = (a, b, sign) => {
    if (a === null || b === null) return (a === null) - (b === null);
    return sign * (typeof a === "string" ? a.localeCompare(b) : a - b);
  };
  const sort = (head, table) => {
    const column = head.cellIndex;
    const start = column === 0 ? "ascending" : "descending";
    const other = { ascending: "descending", descending: "ascending" };
    const direction = head.hasAttribute("aria-sort") ? other[head.getAttribute("aria-sort")] : start;
    all("th[aria-sort]", table).forEach((each) => each.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", direction);
    const sign = direction === "ascending" ? 1 : -1;
    const body = table.tBodies[0];
    const keyed = [...body.rows].map((row) => [valueOf(row, column), row]);
    keyed.sort((a, b) => compare(a[0], b[0], sign));
    body.append(...keyed.map((pair) => pair[1]));
    say(`sorted by ${head.textContent.trim()}, ${direction}`);
  };
  all("table:not(.words)").forEach((table) => {
    all("thead th:not(.plot)", table).forEach((head) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      button.addEventListener("click", () => sort(head, table));
      head.append(button);
    });
  });

  if (form) {
    // Filters.
    const filter = () => {
      const wanted = Object.fromEntries(new FormData(form));
      const name = (wanted.bridge || "").trim().toLowerCase();
      all("article").forEach((article) => {
        const { benchmark, generator } = article.dataset;
        article.hidden = Boolean((wanted.benchmark && benchmark && benchmark !== wanted.benchmark)
          || (wanted.generator && generator && generator !== wanted.generator));
      });
      let shown = 0;
      all("[data-bridge]").forEach((row) => {
        row.hidden = !row.dataset.bridge.toLowerCase().includes(name);
        shown += !row.hidden && !row.closest("[hidden]");
      });
      say(`${shown} rows shown`);
    };
    form.addEventListener("input", filter);
    form.addEventListener("change", filter);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.hidden = false;

    // Light and dark: the system's choice until the button is used.
    const theme = form.elements.theme;
    const dark = () => (document.documentElement.dataset.theme
      || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
    const name = () => { theme.textContent = dark() ? "Light" : "Dark"; };
    theme.addEventListener("click", () => { document.documentElement.dataset.theme = dark() ? "light" : "dark"; name(); });
    name();
  }

  // Everything is printed, what is folded too.
  let folded = [];
  addEventListener("beforeprint", () => { folded = all("details:not([open])"); folded.forEach((each) => { each.open = true; }); });
  addEventListener("afterprint", () => folded.forEach((each) => { each.open = false; }));
})();
