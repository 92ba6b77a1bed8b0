import type { Page } from "playwright-core";
import { accountSamples } from "./account-samples.ts";
import { companySamples } from "./company-samples.ts";
import { deviceSamples } from "./device-samples.ts";
import { factorSamples } from "./factor-samples.ts";
import { hostSamples } from "./host-samples.ts";
import { languageSamples } from "./language-samples.ts";
import { mailSamples } from "./mail-samples.ts";
import { organizationSamples } from "./organization-samples.ts";
import { standInSample } from "./stand-in-sample.ts";
import {
  acme,
  all,
  createAccount,
  everyProvider,
  message,
  noApp,
  northwind,
  noticed,
  pressPasskey,
  signIn,
  some,
  usual,
  yellow,
  type Sample,
} from "./sample.ts";
import { stepSamples } from "./step-samples.ts";

async function typePassword(page: Page, password: string): Promise<void> {
  await page.locator("#password").fill(password);
  await page.locator("[data-check]:not(:empty)").waitFor();
}

export const samples: readonly Sample[] = [
  { name: "sign-in", variants: [...all, "narrow", "contrast"], page: signIn() },
  { name: "sign-in-password", variants: all, page: signIn({ methods: { ...usual, passkey: false, oauth: [] } }) },
  { name: "sign-in-passkey", variants: all, page: signIn({ methods: { passkey: true, password: false, oauth: [] } }) },
  { name: "sign-in-code", variants: [...all, "narrow"], page: signIn({ methods: { ...usual, emailCode: true } }) },
  {
    name: "sign-in-code-only",
    variants: [...all, "narrow"],
    page: signIn({ methods: { passkey: true, password: false, emailCode: true, oauth: [] }, usedLast: "emailCode" }),
  },
  {
    name: "sign-in-providers",
    variants: [...all, "narrow"],
    page: signIn({ methods: { ...usual, oauth: everyProvider }, usedLast: "oauth.github" }),
  },
  { name: "sign-in-used-last", variants: some, page: signIn({ usedLast: "oauth.google" }) },
  { name: "sign-in-used-passkey", variants: some, page: signIn({ usedLast: "passkey" }) },
  {
    name: "sign-in-yellow",
    variants: [...all, "narrow"],
    page: signIn({ usedLast: "password" }, { look: yellow }),
  },
  {
    name: "sign-in-broken-logo",
    variants: some,
    page: (assets, origin, sessionPath) =>
      signIn({}, { look: { ...northwind, logo: `${origin}/no-logo.svg` } })(assets, origin, sessionPath),
    act: async (page) => await page.locator("[data-no-logo]:not([hidden])").waitFor(),
  },
  {
    name: "sign-in-providers-only",
    variants: some,
    page: signIn({ methods: { passkey: false, password: false, oauth: everyProvider.slice(0, 3) }, signUpOpen: false }),
  },
  {
    name: "sign-in-logo",
    variants: all,
    page: (assets, origin, sessionPath) =>
      signIn({}, { look: { ...northwind, logo: `${origin}/logo.svg` }, host: "id.northwind.example" })(
        assets,
        origin,
        sessionPath,
      ),
  },
  { name: "sign-in-no-brand", variants: some, page: signIn({}, { look: { ...acme, primaryColor: null } }) },
  {
    name: "sign-in-wrong",
    variants: all,
    page: signIn({ email: "ada@example.com", problem: { kind: "wrong-credentials" } }),
  },
  { name: "sign-in-email-invalid", variants: some, page: signIn({ email: "ada", problem: { kind: "email-invalid" } }) },
  {
    name: "sign-in-too-many-tries",
    variants: some,
    page: signIn({ email: "ada@example.com", problem: { kind: "too-many-tries", retryAfterSeconds: 240 } }),
  },
  {
    name: "sign-in-provider-cancelled",
    variants: some,
    page: signIn({ problem: { kind: "provider-cancelled", provider: "Google" } }),
  },
  {
    name: "sign-in-provider-no-email",
    variants: some,
    page: signIn({ problem: { kind: "provider-no-email", provider: "GitHub" } }),
  },
  { name: "sign-in-passkey-unknown", variants: some, page: signIn({ problem: { kind: "passkey-unknown" } }) },
  { name: "sign-in-working", variants: some, page: signIn(), options: "never", act: pressPasskey },
  { name: "sign-in-passkey-cancelled", variants: all, page: signIn(), options: "get", act: noticed },
  { name: "sign-in-offline", variants: some, page: signIn(), options: "offline", act: noticed },
  { name: "sign-in-timed-out", variants: some, page: signIn(), options: "expired", act: noticed },
  { name: "sign-in-limited", variants: some, page: signIn(), options: "limited", act: noticed },
  {
    name: "sign-in-no-passkey-support",
    variants: some,
    page: signIn({ methods: { passkey: true, password: false, oauth: [] } }),
    prepare: "no-passkeys",
  },
  {
    name: "sign-in-no-javascript",
    variants: some,
    page: signIn({ methods: { passkey: true, password: false, oauth: [] } }),
    prepare: "no-script",
  },
  { name: "create-account", variants: [...all, "narrow"], page: createAccount() },
  {
    name: "create-account-password",
    variants: all,
    page: createAccount({ methods: { passkey: false, password: true, oauth: [] } }),
  },
  {
    name: "create-account-passkey",
    variants: all,
    page: createAccount({ methods: { passkey: true, password: false, oauth: [] } }),
  },
  {
    name: "create-account-common-password",
    variants: all,
    page: createAccount({ email: "ada@example.com", name: "Ada Lovelace", problem: { kind: "password-common" } }),
  },
  {
    name: "create-account-several",
    variants: all,
    page: createAccount({ email: "ada", problem: [{ kind: "email-invalid" }, { kind: "password-too-short" }] }),
  },
  {
    name: "create-account-counting",
    variants: all,
    page: createAccount(),
    act: async (page) => await page.locator("#password").fill("correct hors"),
  },
  {
    name: "create-account-enough",
    variants: some,
    page: createAccount(),
    act: async (page) => await typePassword(page, "correct horse battery"),
  },
  {
    name: "create-account-weak",
    variants: [...all, "narrow"],
    page: createAccount(),
    weak: "This is a keyboard pattern. Choose something less predictable.",
    act: async (page) => await typePassword(page, "qwertyuiopasdfgh"),
  },
  {
    name: "create-account-cannot",
    variants: some,
    page: createAccount({ email: "ada@example.com", problem: { kind: "cannot-create" } }),
  },
  {
    name: "create-account-email-missing",
    variants: some,
    page: createAccount(),
    act: async (page) => {
      await pressPasskey(page);
      await page.locator("#email-problem:not([hidden])").waitFor();
    },
  },
  ...stepSamples,
  ...mailSamples,
  ...accountSamples,
  ...companySamples,
  ...organizationSamples,
  ...factorSamples,
  ...deviceSamples,
  ...hostSamples,
  ...languageSamples,
  message("expired", { kind: "expired" }),
  message("unknown", { kind: "unknown" }, noApp),
  message("finished", { kind: "finished" }),
  message("pending", { kind: "pending" }),
  message("other-browser", { kind: "other-browser" }),
  message("bad-redirect", { kind: "bad-redirect" }, { backUrl: undefined }),
  message("no-methods", { kind: "no-methods", command: "authsvc app update app_demo --auth-methods passkey,password" }),
  message("cross-site", { kind: "cross-site" }, noApp),
  message("cookies-blocked", { kind: "cookies-blocked" }),
  message("server-error", { kind: "server-error" }),
  message("too-many-tries", { kind: "too-many-tries", retryAfterSeconds: 45 }),
  message("busy", { kind: "busy" }),
  message("no-page", { kind: "no-page" }, noApp),
  message(
    "bad-link",
    {
      kind: "bad-link",
      details: "redirect_uri: not registered for this application",
      requestId: `req_${"2f".repeat(16)}`,
    },
    noApp,
  ),
  message("home", { kind: "home" }, noApp),
  standInSample,
];
