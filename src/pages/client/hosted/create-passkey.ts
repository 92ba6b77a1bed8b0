import { startRegistration, type PublicKeyCredentialCreationOptionsJSON } from "@simplewebauthn/browser";
import { runCeremony } from "./ceremony.ts";
import { fieldOf, first } from "./page.ts";
import { requestOptions, textsOf, type OptionsAnswer } from "./passkey-options.ts";

const fields = ["email", "name"] as const;

/** Creates a passkey for the address and name that stand in the page, and an account with it. */
export async function createPasskey(form: HTMLFormElement): Promise<void> {
  await runCeremony<PublicKeyCredentialCreationOptionsJSON>(
    form,
    () => requestOptionsFor(form),
    (optionsJSON) => startRegistration({ optionsJSON }),
  );
}

async function requestOptionsFor(
  form: HTMLFormElement,
): Promise<OptionsAnswer<PublicKeyCredentialCreationOptionsJSON>> {
  for (const name of fields) {
    // Email and name may stand in the password's form; the passkey's form then carries copies.
    const typed = first<HTMLInputElement>(`#${name}`);
    if (typed) fieldOf(form, name).value = typed.value.trim();
  }
  // Whether it is an address is for the service to say; an empty field is not worth the way.
  if (fieldOf(form, "email").value === "") return { words: textsOf(form).emailMissing, field: "email" };
  return requestOptions(form, { email: fieldOf(form, "email").value, name: fieldOf(form, "name").value });
}
