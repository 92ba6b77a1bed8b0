import { forgotPasswordPage } from "../../src/pages/sign-in/forgot-password-page.ts";
import { overview, restoreAddress } from "./account-samples.ts";
import { agent, consent } from "./step-samples.ts";
import {
  all,
  createAccount,
  everyProvider,
  frameOf,
  inLanguage,
  signIn,
  usual,
  type Sample,
  type Variant,
} from "./sample.ts";

/** The most visited pages: right to left, with the longest words, and without spaces. */
export const languageSamples: readonly Sample[] = [
  ...pagesIn("ar", all),
  ...pagesIn("de", all),
  ...pagesIn("ja", ["light", "phone"]),
];

function pagesIn(lang: string, variants: readonly Variant[]): Sample[] {
  const email = "mona@example.com";
  const language = inLanguage(lang);
  // Okta has no mark of its own, so it shows the arrow.
  const oauth = everyProvider.filter(({ name }) => name === "google" || name === "okta");
  return [
    {
      name: `sign-in-${lang}`,
      variants,
      page: signIn({ email, methods: { ...usual, oauth }, problem: { kind: "wrong-credentials" } }, language),
    },
    {
      name: `create-account-${lang}`,
      variants,
      page: createAccount({ email, name: "Mona", problem: { kind: "password-too-short" } }, language),
    },
    {
      name: `forgot-password-${lang}`,
      variants,
      page: (assets, _origin, sessionPath) =>
        forgotPasswordPage(frameOf(assets, language), { sessionPath, token: "token", email }),
    },
    { name: `step-consent-document-${lang}`, variants, page: consent(agent, language) },
    { name: `restore-address-${lang}`, variants, page: restoreAddress(language) },
    {
      name: `account-${lang}`,
      variants: [...variants, "desktop"],
      page: overview({ notice: { kind: "renamed" } }, language),
    },
  ];
}
