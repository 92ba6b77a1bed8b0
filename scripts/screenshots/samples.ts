import type { Page } from "playwright-core";
import type { Html } from "../../src/lib/html.ts";
import type { AssetLinks } from "../../src/pages/assets.ts";
import { createAccountPage, type CreateAccountData } from "../../src/pages/create-account-page.ts";
import { forgotPasswordPage } from "../../src/pages/forgot-password-page.ts";
import { serviceLook, type Frame, type Look } from "../../src/pages/frame.ts";
import { messagePage, type Message } from "../../src/pages/message-page.ts";
import { signInPage, type SignInData } from "../../src/pages/sign-in-page.ts";
import { en } from "../../src/pages/texts/en.ts";
import { arabicSample } from "./arabic-sample.ts";

export type Variant = "light" | "dark" | "phone" | "narrow" | "contrast";

/** What the options address answers; "never" keeps a button working. */
export type OptionsAnswer = "get" | "create" | "never" | "expired" | "limited" | "offline";

export type Sample = {
  name: string;
  variants: readonly Variant[];
  page: (assets: AssetLinks, origin: string, sessionPath: string) => Html;
  options?: OptionsAnswer;
  /** Runs before the page loads, in the page. */
  prepare?: "no-passkeys" | "no-script";
  /** Brings the page into the state to be shown. */
  act?: (page: Page) => Promise<void>;
};

const acme: Look = { name: "Acme", companyName: "Acme", logo: null, primaryColor: "#4f46e5" };
const all: readonly Variant[] = ["light", "dark", "phone"];
const some: readonly Variant[] = ["light", "dark"];

const oneProvider = [{ name: "google", displayName: "Google" }];
const everyProvider = [
  ...oneProvider,
  { name: "github", displayName: "GitHub" },
  { name: "microsoft", displayName: "Microsoft" },
  { name: "apple", displayName: "Apple" },
  { name: "discord", displayName: "Discord" },
  { name: "facebook", displayName: "Facebook" },
  { name: "okta", displayName: "Northwind SSO" },
];
const usual = { passkey: true, password: true, oauth: oneProvider };

function frameOf(assets: AssetLinks, changes: Partial<Frame> = {}): Frame {
  return {
    look: acme,
    texts: en,
    lang: "en",
    dir: "ltr",
    host: "auth.acme.example",
    assets,
    backUrl: "https://acme.example/",
    ...changes,
  };
}

function signIn(changes: Partial<SignInData> = {}, frame: Partial<Frame> = {}): Sample["page"] {
  return (assets, _origin, sessionPath) =>
    signInPage(frameOf(assets, frame), {
      sessionPath,
      token: "token",
      email: "",
      methods: usual,
      signUpOpen: true,
      ...changes,
    });
}

function createAccount(changes: Partial<CreateAccountData> = {}, frame: Partial<Frame> = {}): Sample["page"] {
  return (assets, _origin, sessionPath) =>
    createAccountPage(frameOf(assets, frame), {
      sessionPath,
      token: "token",
      email: "",
      name: "",
      methods: usual,
      passwordMinLength: 15,
      ...changes,
    });
}

function message(name: string, content: Message, frame: Partial<Frame> = {}): Sample {
  return { name: `message-${name}`, variants: some, page: (assets) => messagePage(frameOf(assets, frame), content) };
}

const pressPasskey = (page: Page) => page.getByRole("button", { name: /passkey/ }).click();
const noticed = async (page: Page) => {
  await pressPasskey(page);
  await page.locator(".notice:not(:empty)").waitFor();
};

const northwind: Look = { name: "Northwind", companyName: "Northwind Traders", logo: null, primaryColor: "#ffb703" };
const noApp = { look: serviceLook, backUrl: undefined };

export const samples: readonly Sample[] = [
  { name: "sign-in", variants: [...all, "narrow", "contrast"], page: signIn() },
  { name: "sign-in-password", variants: all, page: signIn({ methods: { ...usual, passkey: false, oauth: [] } }) },
  { name: "sign-in-passkey", variants: all, page: signIn({ methods: { passkey: true, password: false, oauth: [] } }) },
  { name: "sign-in-providers", variants: all, page: signIn({ methods: { ...usual, oauth: everyProvider } }) },
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
  { name: "sign-in-right-to-left", variants: all, page: signIn({ email: "mona@example.com" }, arabicSample) },
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
    name: "create-account-right-to-left",
    variants: some,
    page: createAccount({ email: "mona@example.com" }, arabicSample),
  },
  {
    name: "create-account-common-password",
    variants: all,
    page: createAccount({ email: "ada@example.com", name: "Ada Lovelace", problem: { kind: "password-common" } }),
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
  {
    name: "forgot-password",
    variants: all,
    page: (assets, _origin, sessionPath) => forgotPasswordPage(frameOf(assets), { sessionPath }),
  },
  message("expired", { kind: "expired" }),
  message("unknown", { kind: "unknown" }, noApp),
  message("finished", { kind: "finished" }),
  message("other-browser", { kind: "other-browser" }),
  message("bad-redirect", { kind: "bad-redirect" }, { backUrl: undefined }),
  message("no-methods", { kind: "no-methods", command: "authsvc app update app_demo --auth-methods passkey,password" }),
  message("cross-site", { kind: "cross-site" }, noApp),
  message("cookies-blocked", { kind: "cookies-blocked" }),
  message("server-error", { kind: "server-error" }),
  message("too-many-tries", { kind: "too-many-tries", retryAfterSeconds: 45 }),
  message("busy", { kind: "busy" }),
];
