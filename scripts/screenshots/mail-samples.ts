import { checkMailPage, type CheckMailData } from "../../src/pages/sign-in/check-mail-page.ts";
import { emailCodePage, mailedCodePage, type MailedCodeData } from "../../src/pages/sign-in/email-code-pages.ts";
import { invitePage } from "../../src/pages/sign-in/invite-pages.ts";
import { confirmLinkPage, signInLinkPage } from "../../src/pages/sign-in/confirm-link-pages.ts";
import {
  forgotPasswordPage,
  noResetPage,
  type ForgotPasswordData,
} from "../../src/pages/sign-in/forgot-password-page.ts";
import { resetByCodePage, resetByLinkPage, type ResetByCodeData } from "../../src/pages/sign-in/reset-password-page.ts";
import { all, frameOf, message, some, usual, type Sample } from "./sample.ts";

const email = "ada@example.com";
const token = "token";

function checkMail(changes: Partial<CheckMailData> = {}): Sample["page"] {
  return (assets, _origin, sessionPath) =>
    checkMailPage(frameOf(assets), { sessionPath, token, email, again: false, ...changes });
}

function forgot(changes: Partial<ForgotPasswordData> = {}): Sample["page"] {
  return (assets, _origin, sessionPath) =>
    forgotPasswordPage(frameOf(assets), { sessionPath, token, email: "", ...changes });
}

function resetByCode(changes: Partial<ResetByCodeData> = {}): Sample["page"] {
  return (assets, _origin, sessionPath) =>
    resetByCodePage(frameOf(assets), {
      sessionPath,
      token,
      email,
      again: false,
      passwordMinLength: 15,
      ...changes,
    });
}

function mailedCode(changes: Partial<MailedCodeData> = {}): Sample["page"] {
  return (assets, _origin, sessionPath) =>
    mailedCodePage(frameOf(assets), { sessionPath, token, email, signUpOpen: true, again: false, ...changes });
}

/** The pages behind mailed links and codes. */
export const mailSamples: readonly Sample[] = [
  { name: "check-mail", variants: [...all, "narrow"], page: checkMail() },
  { name: "check-mail-again", variants: some, page: checkMail({ again: true }) },
  { name: "check-mail-wrong", variants: all, page: checkMail({ problem: { kind: "code-wrong" } }) },
  { name: "check-mail-over", variants: some, page: checkMail({ problem: { kind: "code-over" } }) },
  {
    name: "confirm-link",
    variants: all,
    page: (assets) => confirmLinkPage(frameOf(assets), { path: "/confirm/x", token, email, creates: true }),
  },
  {
    name: "confirm-link-account",
    variants: some,
    page: (assets) => confirmLinkPage(frameOf(assets), { path: "/confirm/x", token, email, creates: false }),
  },
  {
    name: "email-code",
    variants: [...all, "narrow"],
    page: (assets, _origin, sessionPath) => emailCodePage(frameOf(assets), { sessionPath, token, email: "" }),
  },
  { name: "email-code-mailed", variants: [...all, "narrow"], page: mailedCode() },
  {
    name: "email-code-wrong",
    variants: some,
    page: mailedCode({ signUpOpen: false, problem: { kind: "code-wrong" } }),
  },
  {
    name: "email-code-link",
    variants: all,
    page: (assets) => signInLinkPage(frameOf(assets), { path: "/confirm/x", token, email }),
  },
  { name: "forgot-password", variants: all, page: forgot() },
  { name: "forgot-password-missing", variants: some, page: forgot({ problem: { kind: "email-missing" } }) },
  {
    name: "forgot-password-not-set-up",
    variants: all,
    page: (assets, _origin, sessionPath) => noResetPage(frameOf(assets), { sessionPath, passkey: true }),
  },
  { name: "reset-code", variants: [...all, "narrow"], page: resetByCode() },
  { name: "reset-code-common", variants: some, page: resetByCode({ problem: { kind: "password-common" } }) },
  {
    name: "reset-link",
    variants: all,
    page: (assets) =>
      resetByLinkPage(frameOf(assets), { path: "/reset/x", action: "/reset/x", token, email, passwordMinLength: 15 }),
  },
  {
    name: "invite",
    variants: [...all, "narrow"],
    page: (assets) => invitePage(frameOf(assets), { path: "/invite/x", token, email, methods: usual }),
  },
  message("link-over", { kind: "link-over", next: "new-link" }, { backUrl: "https://auth.acme.example/account" }),
  message("link-elsewhere", { kind: "link-elsewhere" }, { backUrl: undefined }),
  message("sign-in-link-elsewhere", { kind: "sign-in-link-elsewhere" }, { backUrl: undefined }),
  message("address-taken", { kind: "address-taken" }),
  message("address-restored", { kind: "address-restored", next: "reset" }),
  message("address-restored-choose", { kind: "address-restored", next: "choose" }),
  message("account-created", { kind: "account-created" }),
  message("password-changed", { kind: "password-changed", signIn: true }),
];
