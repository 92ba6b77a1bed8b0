import { startRegistration, type PublicKeyCredentialCreationOptionsJSON } from "@simplewebauthn/browser";
import { runCeremony, send } from "./ceremony.ts";
import { fieldOf, first } from "./page.ts";
import { isBusy, setBusy } from "./send-once.ts";
import { requestOptions, textsOf, type OptionsAnswer } from "./passkey-options.ts";

const fields = ["email", "name"] as const;

/** Creates a passkey, for the address and name on the page or for the form's account. */
export async function createPasskey(form: HTMLFormElement): Promise<void> {
  await runCeremony<PublicKeyCredentialCreationOptionsJSON>(
    form,
    () => requestOptionsFor(form),
    (optionsJSON) => startRegistration({ optionsJSON }),
  );
}

/**
 * Creates one without asking, in browsers that do so after using a stored password (conditional
 * create).
 */
export async function createQuietly(form: HTMLFormElement): Promise<void> {
  const { conditionalCreate } = (await PublicKeyCredential.getClientCapabilities?.()) ?? {};
  if (!conditionalCreate) return;
  const claim = fieldOf(form, "conditional");
  const answer = await requestOptionsFor(form, { [claim.name]: claim.value });
  if (!("options" in answer) || isBusy(form)) return;
  try {
    const credential = await startRegistration({ optionsJSON: answer.options, useAutoRegister: true });
    setBusy(form, true);
    claim.disabled = false;
    send(form, credential);
    // An ordinary creation, after a return to this page, makes no such claim.
    claim.disabled = true;
  } catch {
    // Failed silently: the button is still there.
  }
}

async function requestOptionsFor(
  form: HTMLFormElement,
  claim: Record<string, string> = {},
): Promise<OptionsAnswer<PublicKeyCredentialCreationOptionsJSON>> {
  const carried = fields.filter((name) => form.elements.namedItem(name));
  for (const name of carried) {
    // Email and name may be in the password's form; the passkey's form then carries copies.
    const typed = first<HTMLInputElement>(`#${name}`);
    if (typed) fieldOf(form, name).value = typed.value.trim();
  }
  // The service decides whether the address is valid. Only empty fields are caught here.
  const typed = Object.fromEntries(carried.map((name) => [name, fieldOf(form, name).value]));
  return typed.email === ""
    ? { words: textsOf(form).emailMissing, field: "email" }
    : requestOptions(form, { ...typed, ...claim });
}
