import {
  newCodesPage,
  removeFactorPage,
  renewCodesPage,
  setUpFactorPage as accountSetUpPage,
} from "../../src/pages/account/factors.ts";
import type { Frame } from "../../src/pages/parts/frame.ts";
import {
  recoveryCodesPage,
  secondFactorPage,
  setUpFactorPage,
  type SecondFactorData,
} from "../../src/pages/sign-in/factor-steps.ts";
import { all, frameOf, inLanguage, some, yellow, type Sample } from "./sample.ts";

const place = { appId: "app_acme", token: "token" };
const key = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP";
const setUp = {
  sealed: "sealed",
  typed: key.replaceAll(/.{4}(?=.)/gu, "$& "),
  uri: `otpauth://totp/Acme:ada%40example.com?secret=${key}&issuer=Acme`,
};
const codes = Array.from({ length: 10 }, (_, index) => `MZXW-6YTB-OI4D-2J7K-NQ5P-A3${"ABCDEFGHIJ"[index]}7`);

function ask(changes: Partial<SecondFactorData> = {}, frame: Partial<Frame> = {}): Sample["page"] {
  return (assets, _origin, sessionPath) =>
    secondFactorPage(frameOf(assets, frame), {
      sessionPath,
      token: "token",
      hasPasskey: true,
      isBlocked: false,
      trustDays: 30,
      recovery: false,
      ...changes,
    });
}

const setUpOn =
  (frame: Partial<Frame> = {}): Sample["page"] =>
  (assets) =>
    accountSetUpPage(frameOf(assets, frame), { ...place, ...setUp, replaces: false });

const newCodes =
  (frame: Partial<Frame> = {}): Sample["page"] =>
  (assets) =>
    newCodesPage(frameOf(assets, frame), { appId: "app_acme", codes });

/** The pages of a second factor, in a sign-in and of an account. */
export const factorSamples: Sample[] = [
  { name: "factor-code", variants: all, page: ask() },
  { name: "factor-code-wrong", variants: some, page: ask({ problem: { kind: "factor-wrong" }, hasPasskey: false }) },
  { name: "factor-blocked", variants: all, page: ask({ problem: { kind: "factor-blocked" }, isBlocked: true }) },
  {
    name: "factor-blocked-no-passkey",
    variants: some,
    page: ask({ isBlocked: true, hasPasskey: false }, { look: yellow }),
  },
  { name: "factor-recovery-code", variants: [...all, "narrow"], page: ask({ recovery: true, trustDays: undefined }) },
  {
    name: "factor-set-up",
    variants: all,
    page: (assets, _origin, sessionPath) =>
      setUpFactorPage(frameOf(assets), { sessionPath, token: "token", ...setUp, problem: { kind: "factor-wrong" } }),
  },
  {
    name: "factor-codes",
    variants: [...all, "narrow", "contrast"],
    page: (assets, _origin, sessionPath) =>
      recoveryCodesPage(frameOf(assets), { sessionPath, token: "token", codes, left: undefined }),
  },
  {
    name: "factor-code-used",
    variants: some,
    page: (assets, _origin, sessionPath) =>
      recoveryCodesPage(frameOf(assets), { sessionPath, token: "token", left: 2, mayReplace: true }),
  },
  { name: "account-factor", variants: [...all, "desktop", "narrow", "contrast"], page: setUpOn() },
  {
    name: "account-factor-replace",
    variants: some,
    page: (assets) =>
      accountSetUpPage(frameOf(assets), {
        ...place,
        ...setUp,
        replaces: true,
        problem: { kind: "set-up-over" },
      }),
  },
  { name: "account-codes", variants: all, page: newCodes() },
  {
    name: "account-codes-printed",
    variants: some,
    page: newCodes(),
    act: async (page) => await page.emulateMedia({ media: "print" }),
  },
  { name: "account-codes-no-script", variants: ["light"], page: newCodes(), prepare: "no-script" },
  { name: "account-new-codes", variants: some, page: (assets) => renewCodesPage(frameOf(assets), place) },
  {
    name: "account-remove-factor",
    variants: some,
    page: (assets) => removeFactorPage(frameOf(assets), { ...place, isRequired: false }),
  },
  {
    name: "account-remove-factor-required",
    variants: some,
    page: (assets) => removeFactorPage(frameOf(assets), { ...place, isRequired: true }),
  },
  ...["ar", "de", "ja"].flatMap((lang) => {
    const language = inLanguage(lang);
    return [
      { name: `factor-code-${lang}`, variants: all, page: ask({ problem: { kind: "factor-wrong" } }, language) },
      { name: `account-factor-${lang}`, variants: all, page: setUpOn(language) },
      { name: `account-codes-${lang}`, variants: all, page: newCodes(language) },
    ];
  }),
];
