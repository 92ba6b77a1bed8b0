import { addMethodPage, type AddMethodData } from "../../src/pages/add-method-page.ts";
import { passkeyStepPage, type PasskeyStepData } from "../../src/pages/passkey-step-page.ts";
import { all, frameOf, signIn, some, usual, type Sample } from "./sample.ts";

const account = "ada@example.com";

/** The pages after a proof, and those that add a way to sign in. */
export const stepSamples: Sample[] = [
  { name: "step-passkey-use", variants: some, page: step({ step: "use" }) },
  { name: "step-passkey-create", variants: all, page: step({ step: "create" }) },
  { name: "step-passkey-offer", variants: all, page: step({ step: "offer" }) },
  {
    name: "sign-in-confirm",
    variants: all,
    page: signIn({ methods: usual, signUpOpen: false, purpose: { kind: "add-method", account } }),
  },
  {
    name: "sign-in-account",
    variants: some,
    page: signIn({ methods: usual, signUpOpen: false, purpose: { kind: "account", account: undefined } }),
  },
  { name: "add-passkey", variants: all, page: add({ adds: "passkey" }) },
  {
    name: "add-password",
    variants: some,
    page: add({ adds: "password", hasOne: true, passwordMinLength: 15, problem: { kind: "password-too-short" } }),
  },
  {
    name: "add-provider",
    variants: all,
    page: add({ adds: "oauth", provider: { name: "google", displayName: "Google" } }),
  },
  {
    name: "add-provider-taken",
    variants: some,
    page: add({
      adds: "oauth",
      provider: { name: "google", displayName: "Google" },
      problem: { kind: "identity-taken" },
    }),
  },
];

function step(data: Pick<PasskeyStepData, "step">): Sample["page"] {
  return (assets, _origin, sessionPath) => passkeyStepPage(frameOf(assets), { ...data, sessionPath, token: "token" });
}

type What<D = AddMethodData> = D extends AddMethodData ? Omit<D, "sessionPath" | "token" | "account"> : never;

function add(data: What): Sample["page"] {
  return (assets, _origin, sessionPath) =>
    addMethodPage(frameOf(assets), { ...data, sessionPath, token: "token", account });
}
