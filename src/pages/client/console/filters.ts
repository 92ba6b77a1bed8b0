/** Applies a filter when a choice changes, and leaves empty fields out of the address. */
export function applyFilters(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>("form.filter")) {
    form.addEventListener("change", ({ target }) => {
      if (target instanceof HTMLSelectElement) form.requestSubmit();
    });
    const fields = form.querySelectorAll<HTMLInputElement | HTMLSelectElement>("input, select");
    const isText = [...fields].some((field) => field instanceof HTMLInputElement && field.type !== "hidden");
    // Enter still needs it, and those who type look for it.
    for (const button of form.querySelectorAll("button")) button.hidden = !isText;
    form.addEventListener("submit", () => {
      for (const field of fields) field.disabled = field.value === "";
    });
    addEventListener("pageshow", () => {
      for (const field of fields) field.disabled = false;
    });
  }
}
