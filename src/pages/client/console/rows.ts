/** Opens the details of a row without a reload: the address says which, and the list is renewed. */
export function openRows(renew: () => Promise<void>): void {
  document.addEventListener("click", (event) => {
    const { target } = event;
    const link = target instanceof Element ? target.closest<HTMLAnchorElement>("a[data-open]") : null;
    if (!link?.closest("[data-live]") || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const { open = "" } = link.dataset;
    history.replaceState(null, "", link.href);
    renew()
      .then(() => document.querySelector<HTMLElement>(`[data-open="${CSS.escape(open)}"]`)?.focus())
      // Whatever is wrong, the browser says it. The address may differ by its fragment only.
      .catch(() => location.reload());
  });
}

/** A text that does not fit says all of it to a pointer. */
export function tellCutTexts(): void {
  document.addEventListener("pointerover", ({ target }) => {
    const cell = target instanceof Element ? target.closest<HTMLElement>(".cell") : null;
    if (cell && cell.scrollWidth > cell.clientWidth) cell.title = cell.textContent?.trim() ?? "";
  });
}
