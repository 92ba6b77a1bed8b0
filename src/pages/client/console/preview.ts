const afterMilliseconds = 300;

/** Renews the preview of a form's values as somebody types. */
export function renewPreview(): void {
  const frame = document.querySelector<HTMLIFrameElement>("iframe.preview");
  const form = document.querySelector<HTMLFormElement>('form[action$="/branding"]');
  let waiting: ReturnType<typeof setTimeout> | undefined;

  function renew(): void {
    if (!frame || !form) return;
    const entered = new FormData(form);
    const address = new URL(frame.src);
    for (const name of new Set(address.searchParams.keys())) {
      const value = entered.get(name);
      address.searchParams.set(name, typeof value === "string" ? value : "");
    }
    Object.assign(frame.dataset, { scheme: entered.get("scheme"), size: entered.get("size") });
    // Not a page to go back to.
    frame.contentWindow?.location.replace(address);
  }

  // The tool bar stands outside of the form, and belongs to it.
  document.addEventListener("input", ({ target }) => {
    if (!form || (target as HTMLInputElement).form !== form) return;
    clearTimeout(waiting);
    waiting = setTimeout(renew, afterMilliseconds);
  });
  frame?.addEventListener("load", () => {
    const words = frame.contentDocument?.querySelector<HTMLTemplateElement>("[data-contrast]");
    document.querySelector("[data-contrast]")?.replaceChildren(words?.content.textContent ?? "");
  });
}
