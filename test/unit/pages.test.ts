import { describe, expect, it } from "vitest";
import { noChoice } from "../../scripts/screenshots/organization-samples.ts";
import { render, type Html } from "../../src/lib/html.ts";
import { messagePage, type Message } from "../../src/pages/message-page.ts";
import type { FactorProblem } from "../../src/pages/parts/factor-parts.ts";
import type { SignInProblem } from "../../src/pages/parts/problems.ts";
import { checkMailPage } from "../../src/pages/sign-in/check-mail-page.ts";
import { confirmLinkPage, signInLinkPage } from "../../src/pages/sign-in/confirm-link-pages.ts";
import { createAccountPage } from "../../src/pages/sign-in/create-account-page.ts";
import { emailCodePage, mailedCodePage } from "../../src/pages/sign-in/email-code-pages.ts";
import { recoveryCodesPage, secondFactorPage, setUpFactorPage } from "../../src/pages/sign-in/factor-steps.ts";
import { newPasswordPage } from "../../src/pages/sign-in/new-password-step.ts";
import { forgotPasswordPage, noResetPage } from "../../src/pages/sign-in/forgot-password-page.ts";
import { organizationPage } from "../../src/pages/sign-in/organization-pages.ts";
import { resetByCodePage, resetByLinkPage } from "../../src/pages/sign-in/reset-password-page.ts";
import { signInPage } from "../../src/pages/sign-in/sign-in-page.ts";
import { takeOverPage } from "../../src/pages/sign-in/take-over-page.ts";
import { profileStepPage, termsPage } from "../../src/pages/sign-in/waiting-step-pages.ts";
import type { CodeProblem, CreateAccountProblem } from "../../src/sign-in/problems.ts";
import { everyAccountPage, frame, ownFields } from "./account-pages.ts";

const hostile = [
  `"><script>alert(1)</script>`,
  `'><img src=x onerror=alert(1)>`,
  "</title></textarea></noscript><script>",
  "&quot;&#34;&lt;script&gt;",
  "` onfocus=alert(1) autofocus x=`",
  "{wait} ${1} {{1}} <!-- -->",
  "مرحبا\u202e 日本語 👩🏽‍🚀\0\u2028",
  "",
];

const signInProblems: SignInProblem[] = [
  ...(
    ["wrong-credentials", "busy", "passkey-unknown", "passkey-failed", "email-missing", "email-invalid"] as const
  ).map((kind) => ({ kind })),
  { kind: "password-missing" },
  { kind: "too-many-tries", retryAfterSeconds: 240 },
];

const createAccountProblems: CreateAccountProblem[] = [
  ...(
    [
      "email-missing",
      "email-invalid",
      "password-missing",
      "password-too-short",
      "password-common",
      "password-breached",
      "password-context",
      "cannot-create",
      "busy",
      "passkey-failed",
      "passkey-exists",
    ] as const
  ).map((kind) => ({ kind })),
  { kind: "password-too-long", maxLength: 256 },
  ...(["common", "keyboard", "repeated", "sequence", "date", "personal", "predictable"] as const).map((weakness) => ({
    kind: "password-weak" as const,
    weakness,
  })),
  { kind: "name-too-long", maxLength: 200 },
  { kind: "too-many-tries", retryAfterSeconds: 1 },
];

const codeProblems: CodeProblem[] = (["code-missing", "code-wrong", "code-over"] as const).map((kind) => ({ kind }));

const factorProblems: FactorProblem[] = [
  ...(["factor-malformed", "factor-wrong", "factor-blocked", "set-up-over", "passkey-failed"] as const).map((kind) => ({
    kind,
  })),
  { kind: "too-many-tries", retryAfterSeconds: 240 },
];

const messages: Message[] = [
  ...(
    [
      "expired",
      "unknown",
      "finished",
      "other-browser",
      "bad-redirect",
      "cross-site",
      "cookies-blocked",
      "server-error",
      "busy",
      "link-elsewhere",
      "sign-in-link-elsewhere",
      "account-created",
    ] as const
  ).map((kind) => ({ kind })),
  ...(["new-link", "sign-in", "app"] as const).map((next) => ({ kind: "link-over", next }) as const),
  ...[true, false].map((signIn) => ({ kind: "password-changed", signIn }) as const),
  { kind: "too-many-tries", retryAfterSeconds: 5 },
];

/** Every page with `value` wherever the page takes one. */
function everyPage(value: string): Html[] {
  const framed = frame(value);
  const oauth = [{ name: value, displayName: value }];
  const choices = [
    { passkey: true, password: true, oauth },
    { passkey: true, password: false, oauth: [] },
    { passkey: false, password: true, oauth: [] },
    { passkey: false, password: false, oauth },
    { passkey: true, password: true, emailCode: true, oauth },
    { passkey: true, password: false, emailCode: true, oauth: [] },
  ];
  const base = { sessionPath: `/sign-in/${value}`, token: value, email: value };
  const place = { id: value, name: value, slug: value, domain: value };
  const linkPaths = { path: `${base.sessionPath}/reset`, action: `${base.sessionPath}/reset` };
  const providers = (["provider-cancelled", "provider-no-email", "provider-failed"] as const).map((kind) => ({
    kind,
    provider: value,
  }));
  return [
    ...choices.flatMap((methods) => [
      signInPage(framed, { ...base, methods, signUpOpen: true }),
      signInPage(framed, { ...base, methods, signUpOpen: false }),
      createAccountPage(framed, { ...base, name: value, methods, passwordMinLength: 15 }),
      ...[...signInProblems, ...providers].map((problem) =>
        signInPage(framed, { ...base, methods, signUpOpen: true, problem }),
      ),
      ...createAccountProblems.map((problem) =>
        createAccountPage(framed, { ...base, name: value, methods, passwordMinLength: 15, problem }),
      ),
    ]),
    noResetPage(framed, { ...base, passkey: true }),
    noResetPage(framed, { ...base, passkey: false }),
    ...everyAccountPage(framed, value),
    ...factorProblems.flatMap((problem) =>
      [true, false].map((recovery) =>
        secondFactorPage(framed, { ...base, hasPasskey: true, isBlocked: false, trustDays: 30, recovery, problem }),
      ),
    ),
    secondFactorPage(framed, { ...base, hasPasskey: true, isBlocked: true, trustDays: 30, recovery: false }),
    setUpFactorPage(framed, { ...base, sealed: value, typed: value, uri: "otpauth://totp/x" }),
    recoveryCodesPage(framed, { ...base, codes: [value], left: undefined }),
    recoveryCodesPage(framed, { ...base, left: 0 }),
    ...[
      { choices: [place, { ...place, domain: undefined }], filter: value, isLost: true },
      { choices: [place, { ...place, domain: undefined }], isLost: true, invitations: [place] },
      { choices: [place], invitations: [place], mayWait: true },
      { offer: place, mayGoWithout: true },
      { invitations: [place], offer: place, mayGoWithout: true, problem: "full" as const },
      { isNeeded: true, offer: place, mayCreate: true, problem: "name" as const },
      { isNeeded: true, mayCreate: true, problem: "too-many" as const },
      { isNeeded: true },
    ].map((more) => organizationPage(framed, { ...base, ...noChoice, account: value, ...more })),
    ...(["factor", "mail", undefined] as const).flatMap((evidence) =>
      [true, false].map((isOn) => {
        const shown = {
          passwordMinLength: 15,
          email: value,
          isMailed: isOn,
          hasPasskey: isOn,
          hasTokens: isOn,
          canReset: isOn,
        };
        return newPasswordPage(framed, { ...base, evidence, ...shown });
      }),
    ),
    newPasswordPage(framed, {
      ...base,
      evidence: "mail",
      passwordMinLength: 15,
      email: value,
      isMailed: true,
      hasPasskey: false,
      hasTokens: false,
      canReset: true,
      problem: { kind: "code-wrong" },
    }),
    ...[true, false].map((required) =>
      termsPage(framed, { ...base, account: value, terms: { version: value, url: value, required } }),
    ),
    ...[new Map(), new Map(ownFields(value).map(({ name }) => [name, "refused" as const]))].map((problems) =>
      profileStepPage(framed, {
        ...base,
        account: value,
        fields: ownFields(value),
        entered: new Map(ownFields(value).map(({ name }) => [name, value])),
        problems,
        isTooLong: problems.size > 0,
      }),
    ),
    forgotPasswordPage(framed, base),
    ...(["email-missing", "email-invalid"] as const).map((kind) =>
      forgotPasswordPage(framed, { ...base, problem: { kind } }),
    ),
    emailCodePage(framed, base),
    emailCodePage(framed, { ...base, problem: { kind: "email-invalid" } }),
    ...[undefined, ...codeProblems].map((problem) =>
      mailedCodePage(framed, { ...base, signUpOpen: false, again: false, problem }),
    ),
    mailedCodePage(framed, { ...base, signUpOpen: true, again: true }),
    signInLinkPage(framed, { ...base, path: `${base.sessionPath}/confirm` }),
    ...[true, false].map((again) => checkMailPage(framed, { ...base, again })),
    ...[true, false].map((creates) =>
      confirmLinkPage(framed, { ...base, path: `${base.sessionPath}/confirm`, creates }),
    ),
    ...[undefined, ...codeProblems, ...createAccountProblems].flatMap((problem) => [
      resetByCodePage(framed, { ...base, again: false, passwordMinLength: 15, problem }),
      resetByLinkPage(framed, {
        ...base,
        ...linkPaths,
        passwordMinLength: 15,
        problem,
      }),
    ]),
    takeOverPage(framed, {
      ...base,
      action: `${base.sessionPath}/code`,
      code: value,
      unproven: {
        password: true,
        passkeys: 1,
        providers: [value],
        companies: [value],
        app: true,
        programs: 1,
        logins: 1,
        mark: value,
      },
    }),
    resetByCodePage(framed, {
      ...base,
      again: false,
      passwordMinLength: 15,
      code: value,
      removes: {
        password: true,
        passkeys: 1,
        providers: [value],
        companies: [value],
        app: true,
        programs: 1,
        logins: 0,
        mark: value,
      },
    }),
    ...codeProblems.map((problem) => checkMailPage(framed, { ...base, again: false, problem })),
    ...[...messages, { kind: "no-methods", command: value } as const, { kind: "no-methods" } as const].map((message) =>
      messagePage(framed, message),
    ),
  ];
}

/** Tags and the names of their attributes, as a browser would read them. */
function skeleton(page: Html): string[] {
  const tags = [...render(page).matchAll(/<(\/?[a-z][a-z0-9]*|!doctype)((?:\s+[^\s=>"/]+(?:="[^"]*")?)*)\s*\/?>/gi)];
  expect(tags.length).toBe(render(page).split("<").length - 1);
  return tags.map(
    ([, name = "", attributes = ""]) =>
      `${name} ${[...attributes.matchAll(/([^\s="]+)(?:="[^"]*")?/g)].map(([, attribute]) => attribute).join(" ")}`,
  );
}

describe("every page", () => {
  const pages = everyPage("Acme");

  it("has the same tags and attributes whatever is put into it", () => {
    const expected = pages.map(skeleton);
    for (const value of hostile) expect(everyPage(value).map(skeleton)).toEqual(expected);
  });

  it("has nothing inline: no style, no handler, no script of its own", () => {
    for (const page of pages) {
      for (const tag of skeleton(page))
        expect(tag).not.toMatch(/ (style|on[a-z]+)( |$)|^(style|iframe|object|base|link\b.*\bas)\b/);
      for (const [, attributes = ""] of render(page).matchAll(/<script([^>]*)>/g))
        expect(attributes).toMatch(/src="\/assets\/(?:hosted|upload)\.js"/u);
    }
  });

  it("sends every form by POST and with its token", () => {
    for (const page of pages) {
      for (const [form] of render(page).matchAll(/<form.*?<\/form>/gs)) {
        // A filter, which changes nothing.
        if (form.startsWith('<form method="get" action="/sign-in/Acme">')) continue;
        expect(form).toMatch(/^<form\s+method="post"\s+action="\/(sign-in\/Acme\/|account\/|organization\?app_id=)/);
        expect(form).toContain('<input type="hidden" name="token" value="Acme" />');
      }
    }
  });

  it("has one heading, ids that are unique, and a title", () => {
    for (const page of pages) {
      const text = render(page);
      expect(text.match(/<h1>/g)).toHaveLength(1);
      const ids = [...text.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
      expect(new Set(ids).size).toBe(ids.length);
      expect(text).toMatch(/<title>[^<]+<\/title>/);
      for (const [, described = ""] of text.matchAll(/aria-describedby="([^"]*)"/g)) {
        for (const id of described.split(" ")) expect(ids).toContain(id);
      }
    }
  });
});
