import { isReady } from "./check-fields.ts";
import { passwordCheckOf } from "./check-password.ts";
import { all, buttonOf } from "./page.ts";

/**
 * Without an answer for this long the button is enabled again: the person may have stopped the page
 * load.
 */
const patienceMilliseconds = 30_000;

/** Submits each form once: the button reacts at once, and a second press or Enter does nothing. */
export function sendFormsOnce(): void {
  for (const form of all<HTMLFormElement>("form:not([data-passkey])")) {
    form.addEventListener("submit", (event) => {
      const check = isBusy(form) ? undefined : passwordCheckOf(form);
      const isSent = !check && !isBusy(form) && isReady(form);
      if (!isSent) event.preventDefault();
      if (isSent || check) setBusy(form, true);
      if (isSent) setTimeout(setBusy, patienceMilliseconds, form, false);
      void check?.then(() => {
        setBusy(form, false);
        form.requestSubmit();
      });
    });
  }
  // A page from the back-forward cache still has its buttons disabled.
  addEventListener("pageshow", (event) => {
    if (event.persisted) for (const form of all<HTMLFormElement>("form")) setBusy(form, false);
  });
}

export function isBusy(form: HTMLFormElement): boolean {
  return buttonOf(form)?.disabled === true;
}

/** Disables the button and shows what it is doing, or undoes both. */
export function setBusy(form: HTMLFormElement, busy: boolean): void {
  const button = buttonOf(form);
  const label = button?.querySelector("span");
  if (!button || !label || button.disabled === busy) return;
  const { busy: other = "" } = button.dataset;
  button.dataset.busy = label.textContent;
  label.textContent = other;
  button.disabled = busy;
}
