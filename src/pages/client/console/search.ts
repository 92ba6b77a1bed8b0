const store = "authsvc.slash";

/** Ctrl-K and, unless it is switched off (WCAG 2.1.4), `/` go to the search. */
export function openSearch(): void {
  const field = document.querySelector<HTMLInputElement>("[data-search]");
  const toggle = document.querySelector<HTMLButtonElement>("[data-slash]");
  if (!field || !toggle) return;
  const isOn = (): boolean => localStorage.getItem(store) !== "off";
  const tell = (): void => {
    toggle.textContent = `Search key /: ${isOn() ? "on" : "off"}`;
    field.placeholder = isOn() ? "Search: press /" : "Search: press Ctrl-K";
  };
  toggle.hidden = false;
  toggle.addEventListener("click", () => {
    localStorage.setItem(store, isOn() ? "off" : "on");
    tell();
  });
  tell();
  document.addEventListener("keydown", (event) => {
    const { key, ctrlKey, metaKey, altKey, target } = event;
    // With AltGr, which some layouts need for "/", both are set.
    const isSlash = key === "/" && isOn() && !metaKey && ctrlKey === altKey && !isField(target) && !event.isComposing;
    const isCtrlK = key.toLowerCase() === "k" && ctrlKey !== metaKey && !altKey;
    if (!isSlash && !isCtrlK) return;
    event.preventDefault();
    field.focus();
    field.select();
  });
}

function isField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches("input, textarea, select"));
}
