/** Above the boxes of a list, one that ticks all of them. */
export function offerToChooseAll(): void {
  for (const head of document.querySelectorAll("th.pick")) {
    const all = document.createElement("input");
    all.type = "checkbox";
    all.autocomplete = "off";
    all.setAttribute("aria-label", "Choose all on this page");
    head.append(all);
    all.addEventListener("change", () => {
      const boxes = head.closest("table")?.querySelectorAll<HTMLInputElement>("td.pick input") ?? [];
      for (const box of boxes) box.checked = all.checked;
    });
  }
}
