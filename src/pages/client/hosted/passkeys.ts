import { browserSupportsWebAuthn } from "@simplewebauthn/browser";
import { createPasskey } from "./create-passkey.ts";
import { all, first } from "./page.ts";
import { offerInAutofill, usePasskey } from "./use-passkey.ts";

/** Shows and wires the passkey parts of a page, where the browser can do passkeys. */
export function offerPasskeys(): void {
  const form = first<HTMLFormElement>("form[data-passkey]");
  if (!form) return;
  const supported = browserSupportsWebAuthn();
  for (const part of all(supported ? "[data-passkeys]" : "[data-no-passkeys]")) part.hidden = false;
  if (!supported) return;

  const press = form.dataset.passkey === "create" ? createPasskey : usePasskey;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void press(form);
  });
  // On every show, also from the back-forward cache: what waited for autofill before has ended.
  if (press === usePasskey) addEventListener("pageshow", () => void offerInAutofill(form));
}
