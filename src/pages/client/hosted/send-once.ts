import { all, buttonOf } from "./page.ts";

/** After this long without an answer the button comes back: the person may have stopped the page from loading. */
const patienceMilliseconds = 30_000;

/** A form goes out once: its button answers at once, and a second press or Enter does nothing. */
export function sendFormsOnce(): void {
  for (const form of all<HTMLFormElement>("form:not([data-passkey])")) {
    form.addEventListener("submit", (event) => {
      if (isBusy(form)) {
        event.preventDefault();
        return;
      }
      setBusy(form, true);
      setTimeout(setBusy, patienceMilliseconds, form, false);
    });
  }
  // A page that comes back from the back-forward cache looks as it was left: with its buttons still working.
  addEventListener("pageshow", (event) => {
    if (event.persisted) for (const form of all<HTMLFormElement>("form")) setBusy(form, false);
  });
}

export function isBusy(form: HTMLFormElement): boolean {
  return buttonOf(form)?.disabled === true;
}

/** Disables the button and says what it is doing, or takes both back. */
export function setBusy(form: HTMLFormElement, busy: boolean): void {
  const button = buttonOf(form);
  const label = button?.querySelector("span");
  if (!button || !label || button.disabled === busy) return;
  const { busy: other = "" } = button.dataset;
  button.dataset.busy = label.textContent;
  label.textContent = other;
  button.disabled = busy;
}
