import type { Page } from "playwright-core";
import type { Html } from "../../src/lib/html.ts";
import type { AssetLinks } from "../../src/pages/assets/assets.ts";
import { createAccountPage, type CreateAccountData } from "../../src/pages/sign-in/create-account-page.ts";
import { serviceLook, type Frame, type Look } from "../../src/pages/parts/frame.ts";
import { messagePage, type Message } from "../../src/pages/message-page.ts";
import { signInPage, type SignInData } from "../../src/pages/sign-in/sign-in-page.ts";
import { textsFor, type Localised } from "../../src/look/texts/texts.ts";

export type Variant = "light" | "dark" | "phone" | "desktop" | "narrow" | "contrast";

/** The answer of the options URL; "never" keeps a button busy. */
export type OptionsAnswer = "get" | "create" | "never" | "expired" | "limited" | "offline";

export type Sample = {
  name: string;
  variants: readonly Variant[];
  page: (assets: AssetLinks, origin: string, sessionPath: string) => Html;
  options?: OptionsAnswer;
  /** Why a new password is too weak; without it, each is strong enough. */
  weak?: string;
  /** Runs in the page before it loads. */
  prepare?: "no-passkeys" | "no-script";
  /** Brings the page into the state to be shown. */
  act?: (page: Page) => Promise<void>;
};

export const acme: Look = { name: "Acme", companyName: "Acme", logo: null, primaryColor: "#4f46e5" };
export const all: readonly Variant[] = ["light", "dark", "phone"];
export const some: readonly Variant[] = ["light", "dark"];

const oneProvider = [{ name: "google", displayName: "Google" }];
export const everyProvider = [
  ...oneProvider,
  { name: "github", displayName: "GitHub" },
  { name: "microsoft", displayName: "Microsoft" },
  { name: "apple", displayName: "Apple" },
  { name: "discord", displayName: "Discord" },
  { name: "facebook", displayName: "Facebook" },
  { name: "okta", displayName: "Northwind SSO" },
];
export const usual = { passkey: true, password: true, oauth: oneProvider };

/** The default language of samples: the command's third argument, else English. */
const usualLanguage = inLanguage(process.argv[4] ?? "en");

export function inLanguage(lang: string): Localised {
  return textsFor(lang, undefined);
}

export function frameOf(assets: AssetLinks, changes: Partial<Frame> = {}): Frame {
  return {
    look: acme,
    ...usualLanguage,
    host: "auth.acme.example",
    assets,
    backUrl: "https://acme.example/",
    ...changes,
  };
}

export function signIn(changes: Partial<SignInData> = {}, frame: Partial<Frame> = {}): Sample["page"] {
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

export function createAccount(changes: Partial<CreateAccountData> = {}, frame: Partial<Frame> = {}): Sample["page"] {
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

export function message(name: string, content: Message, frame: Partial<Frame> = {}): Sample {
  return { name: `message-${name}`, variants: some, page: (assets) => messagePage(frameOf(assets, frame), content) };
}

export const pressPasskey = (page: Page) => page.locator(".passkeys .button").click();
export const noticed = async (page: Page) => {
  await pressPasskey(page);
  await page.locator(".notice:not(:empty)").waitFor();
};

export const northwind: Look = {
  name: "Northwind",
  companyName: "Northwind Traders",
  logo: null,
  primaryColor: "#ffb703",
};
/** A colour too light for text on white, and the links that an operator may set. */
export const yellow: Look = {
  name: "Sunny",
  companyName: null,
  logo: null,
  primaryColor: "#ffd400",
  links: {
    terms: "https://sunny.example/terms",
    privacy: "https://sunny.example/privacy",
    support: "https://sunny.example/help",
  },
};
export const noApp = { look: serviceLook, backUrl: undefined };
