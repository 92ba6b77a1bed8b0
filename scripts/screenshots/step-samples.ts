import type { Html } from "../../src/lib/html.ts";
import { addMethodPage, type AddMethodData } from "../../src/pages/sign-in/add-pages.ts";
import type { AssetLinks } from "../../src/pages/assets/assets.ts";
import { consentPage, type ConsentData } from "../../src/pages/sign-in/consent-pages.ts";
import { passkeyStepPage, type PasskeyStepData } from "../../src/pages/sign-in/passkey-step-page.ts";
import { proveAnewPage, type ProveAnewData } from "../../src/pages/sign-in/prove-anew-step.ts";
import { resetByCodePage } from "../../src/pages/sign-in/reset-password-page.ts";
import { profileStepPage, termsPage, type ProfileStepData } from "../../src/pages/sign-in/waiting-step-pages.ts";
import type { ProfileField } from "../../src/storage/column-types.ts";
import { takeOverPage } from "../../src/pages/sign-in/take-over-page.ts";
import { all, frameOf, signIn, some, usual, type Sample } from "./sample.ts";

const account = "ada@example.com";
const ada = { id: "usr_01m839jdtaq0r4v6x8z2b4d6f8", name: "Ada Lovelace", email: account, picture: null };
const longEmail = "augusta.ada.king.countess.of.lovelace@analytical-engines.example.com";
const unproven = {
  password: true,
  passkeys: 2,
  providers: ["Facebook"],
  companies: [],
  app: true,
  programs: 1,
  logins: 3,
  mark: "m",
};

const manyOrders = {
  client: "Northwind Assistant",
  scopes: ["openid", "offline_access"],
  resource: {
    name: "Acme orders and deliveries",
    identifier: "https://api.acme-fulfilment.example/v2/orders-and-deliveries",
    scopes: [
      "Read your orders",
      "Change and cancel orders that are not on their way yet, also those that somebody shares with you",
      "Read your addresses",
    ].map((sentence) => ({ name: sentence, sentence })),
  },
};

/** An unregistered program on the person's own computer. */
export const agent: Partial<ConsentData> = {
  client: "claude.ai",
  claimedName: "Claude Code",
  returnsTo: "localhost:53682",
  staysHere: true,
  scopes: ["offline_access"],
};

const asked = { askAt: "nextSignIn", editableBy: "user" } as const;
const sizes = [
  { value: "s", label: { en: "1 to 10 people" } },
  { value: "m", label: { en: "11 to 100 people" } },
];
const fields: ProfileField[] = [
  { ...asked, name: "team", type: "text", label: { en: "Your team" }, required: true, maxLength: 200 },
  { ...asked, name: "phone", type: "phone", label: { en: "Phone number" }, required: false },
  { ...asked, name: "born", type: "date", label: { en: "Date of birth" }, required: false },
  { ...asked, name: "size", type: "choice", label: { en: "Size of your company" }, required: true, options: sizes },
  { ...asked, name: "adult", type: "checkbox", label: { en: "I am at least 16 years old" }, required: true },
];

/** The pages after a proof, and those that add a sign-in method. */
export const stepSamples: Sample[] = [
  { name: "step-passkey-use", variants: some, page: step({ step: "use" }) },
  { name: "step-passkey-create", variants: all, page: step({ step: "create" }) },
  { name: "step-passkey-offer", variants: all, page: step({ step: "offer" }) },
  { name: "step-prove-anew", variants: all, page: proveAnew({ passkey: true, password: true, emailCode: true }) },
  { name: "step-prove-anew-mail", variants: some, page: proveAnew({ emailCode: true }) },
  {
    name: "step-prove-anew-wrong",
    variants: some,
    page: proveAnew({ password: true }, { problem: { kind: "wrong-credentials" } }),
  },
  { name: "step-prove-anew-no-way", variants: all, page: proveAnew({}) },
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
  { name: "sign-in-continue", variants: all, page: signIn({ continueAs: ada }) },
  {
    name: "sign-in-continue-long",
    variants: [...all, "narrow"],
    page: signIn({ continueAs: { ...ada, name: "Augusta Ada King, Countess of Lovelace", email: longEmail } }),
  },
  {
    name: "sign-in-continue-open",
    variants: all,
    page: signIn({ continueAs: { ...ada, name: null } }),
    act: async (page) => await page.locator("summary").click(),
  },
  { name: "step-consent", variants: all, page: consent() },
  { name: "step-consent-resource", variants: [...all, "narrow"], page: consent(manyOrders) },
  {
    name: "step-consent-document",
    variants: all,
    page: consent(agent),
  },
  {
    name: "step-consent-document-long",
    variants: some,
    page: consent({
      client: "agents-of-the-analytical-engines-department.research.example.com",
      claimedName: "The Analytical Engines Department’s Assistant for Orders, Invoices and Everything Else",
      returnsTo: "callbacks.agents-of-the-analytical-engines-department.example.com",
    }),
  },
  { name: "step-terms", variants: [...all, "narrow"], page: terms(true) },
  { name: "step-terms-optional", variants: some, page: terms(false) },
  { name: "step-profile", variants: [...all, "narrow"], page: profile({}) },
  {
    name: "step-profile-refused",
    variants: all,
    page: profile({
      entered: new Map([["phone", "call me"]]),
      problems: new Map([
        ["team", "missing"],
        ["phone", "refused"],
        ["size", "missing"],
        ["adult", "missing"],
      ]),
    }),
  },
  { name: "first-proof", variants: all, page: firstProof },
  { name: "sign-in-conflict", variants: all, page: signIn({ methods: usual, signUpOpen: false, links: "Facebook" }) },
  {
    name: "reset-first-proof",
    variants: all,
    page: (assets, _origin, sessionPath) =>
      resetByCodePage(frameOf(assets), {
        sessionPath,
        token: "token",
        email: account,
        again: false,
        passwordMinLength: 15,
        code: "12345678",
        removes: unproven,
      }),
  },
  { name: "add-passkey", variants: all, page: add({ adds: "passkey" }) },
  {
    name: "add-password",
    variants: some,
    page: add({
      adds: "password",
      hasOne: true,
      hasTokens: true,
      passwordMinLength: 15,
      problem: { kind: "password-too-short" },
    }),
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

export function consent(asked: Partial<ConsentData> = {}, changes?: Parameters<typeof frameOf>[1]): Sample["page"] {
  const usual = {
    account,
    client: "Grafana",
    claimedName: undefined,
    returnsTo: "grafana.example.com",
    staysHere: false,
    scopes: ["openid", "profile", "email", "offline_access"],
    resource: null,
  };
  return (assets, _origin, sessionPath) =>
    consentPage(frameOf(assets, changes), { sessionPath, token: "token", ...usual, ...asked });
}

function terms(required: boolean): Sample["page"] {
  const shown = { version: "November 2026", url: "https://acme.example/terms", required };
  return (assets, _origin, sessionPath) =>
    termsPage(frameOf(assets), { sessionPath, token: "token", account, terms: shown });
}

function profile(more: Partial<ProfileStepData>): Sample["page"] {
  const usual = { token: "token", account, fields, entered: new Map(), problems: new Map(), isTooLong: false };
  return (assets, _origin, sessionPath) => profileStepPage(frameOf(assets), { ...usual, sessionPath, ...more });
}

function firstProof(assets: AssetLinks, _origin: string, sessionPath: string): Html {
  const action = `${sessionPath}/step/take-over`;
  return takeOverPage(frameOf(assets), { sessionPath, token: "token", email: account, unproven, action });
}

function step(data: Pick<PasskeyStepData, "step">): Sample["page"] {
  return (assets, _origin, sessionPath) => passkeyStepPage(frameOf(assets), { ...data, sessionPath, token: "token" });
}

function proveAnew(ways: Partial<ProveAnewData["ways"]>, more: Partial<ProveAnewData> = {}): Sample["page"] {
  const data = { token: "token", provider: "GitHub", email: account, ...more };
  const none = { passkey: false, password: false, emailCode: false, providers: [] };
  return (assets, _origin, sessionPath) =>
    proveAnewPage(frameOf(assets), { ...data, sessionPath, ways: { ...none, ...ways } });
}

type What<D = AddMethodData> = D extends AddMethodData ? Omit<D, "sessionPath" | "token" | "account"> : never;

function add(data: What): Sample["page"] {
  return (assets, _origin, sessionPath) =>
    addMethodPage(frameOf(assets), { ...data, sessionPath, token: "token", account });
}
