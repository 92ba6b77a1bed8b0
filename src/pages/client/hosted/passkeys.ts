import { browserSupportsWebAuthn, platformAuthenticatorIsAvailable } from "@simplewebauthn/browser";
import { createPasskey, createQuietly } from "./create-passkey.ts";
import { all, first } from "./page.ts";
import { offerInAutofill, usePasskey } from "./use-passkey.ts";

/** Shows and wires the passkey parts of a page, in browsers that support passkeys. */
export function offerPasskeys(): void {
  const supported = browserSupportsWebAuthn();
  if (supported) void tellThatItCan();
  const form = first<HTMLFormElement>("form[data-passkey]");
  if (!form) return;
  for (const part of all(supported ? "[data-passkeys]" : "[data-no-passkeys]")) part.hidden = false;
  if (!supported) return;

  const press = form.dataset.passkey === "create" ? createPasskey : usePasskey;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void press(form);
  });
  if (form.elements.namedItem("conditional")) void createQuietly(form);
  // On every show, also from the back-forward cache: the previous request for autofill has ended.
  if (press === usePasskey) addEventListener("pageshow", () => void offerInAutofill(form));
}

/** Tells the service through the password form that this device can create a passkey. */
async function tellThatItCan(): Promise<void> {
  const said = first<HTMLInputElement>("input[name=passkeys]");
  if (said && (await platformAuthenticatorIsAvailable())) said.disabled = false;
}
