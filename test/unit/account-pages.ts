import type { Html } from "../../src/lib/html.ts";
import { organizationData } from "../../scripts/screenshots/organization-samples.ts";
import { organizationListPage, organizationPage } from "../../src/pages/account/organization-page.ts";
import { deleteAccountPage, downloadPage, removeMethodPage } from "../../src/pages/account/confirm-pages.ts";
import { accountEndPage } from "../../src/pages/account/end-page.ts";
import { newCodesPage, removeFactorPage, renewCodesPage, setUpFactorPage } from "../../src/pages/account/factors.ts";
import { profileFormPage, renameFormPage } from "../../src/pages/account/form-pages.ts";
import { pictureFormPage } from "../../src/pages/account/picture-pages.ts";
import type { AccountLogin } from "../../src/pages/account/logins.ts";
import type { AccountMethod } from "../../src/pages/account/methods.ts";
import { accountPage } from "../../src/pages/account/account-page.ts";
import { newTokenPage, tokenFormPage } from "../../src/pages/account/tokens.ts";
import type { PersonalTokenProblem } from "../../src/credentials/personal/rules.ts";
import { verifyEmailPage } from "../../src/pages/account/verify-pages.ts";
import type { AssetLinks } from "../../src/pages/assets/assets.ts";
import type { Frame } from "../../src/pages/parts/frame.ts";
import { en } from "../../src/look/texts/en.ts";
import { profileFieldTypes, type ProfileField } from "../../src/storage/column-types.ts";

const links: AssetLinks = {
  stylesheet: "/assets/pages.css",
  icon: "/assets/icon.svg",
  hostedScript: "/assets/hosted.js",
  uploadScript: "/assets/upload.js",
  puzzleScript: "/assets/puzzle.js",
  logoStylesheet: "/assets/logo.css",
  accountStylesheet: "/assets/account.css",
  fieldsStylesheet: "/assets/fields.css",
  organizationStylesheet: "/assets/organization.css",
  demoScript: undefined,
  developerScript: undefined,
  stepsStylesheet: "/assets/steps.css",
  docsStylesheet: "/assets/docs.css",
  docsScript: "/assets/docs.js",
  accent: () => undefined,
};

/** What is around every page, with `value` wherever it takes a text. */
export function frame(value: string, logo: string | null = null): Frame {
  const look = { name: value, companyName: value, logo, primaryColor: value };
  return { look, texts: en, lang: "en", dir: "ltr", host: value, assets: links, backUrl: "https://acme.example/" };
}

/** A field of each type that an application may define. */
export function ownFields(value: string): ProfileField[] {
  const common = { label: { en: value }, askAt: "nextSignIn", editableBy: "user" } as const;
  return profileFieldTypes.map((type, index) => ({
    ...common,
    name: type,
    type,
    required: index % 2 === 0,
    maxLength: 200,
    options: [{ value, label: { en: value } }],
  }));
}

/** Every page of an account, with `value` wherever one takes a text. */
export function everyAccountPage(frame: Frame, value: string): Html[] {
  const place = { appId: value, token: value };
  const common = { id: value, createdAt: 0, lastUsedAt: null };
  const methods: AccountMethod[] = [
    { ...common, type: "passkey", name: value, works: true, isRemovable: true },
    { ...common, type: "oauth", provider: value, displayName: value, email: value, works: false, isRemovable: true },
    { ...common, type: "password", changedAt: 1, works: true, isRemovable: true },
  ];
  const login: AccountLogin = {
    id: value,
    browser: value,
    device: value,
    ipAddress: value,
    signedInAt: 0,
    lastSeenAt: 0,
    isHere: true,
    byOperator: false,
    actor: null,
  };
  const data = {
    ...place,
    now: 1,
    user: { id: value, name: value, email: value, emailVerified: false, picture: value },
    fields: [{ label: value, value }],
    canVerify: true,
    methods,
    adds: { passkey: true, password: true, providers: [{ name: value, displayName: value }] },
    factor: {
      isSetUp: true as const,
      setUpAt: 0,
      lastUsedAt: 0,
      codesLeft: 2,
      isBlocked: true,
      trusted: [{ id: value, browser: value, device: value, expiresAt: 0 }],
    },
    programs: [
      {
        clientId: "cli_wiki",
        name: value,
        allowed: { scopes: ["openid", "email", value], resources: [], at: 0 },
        signedInAt: 0,
      },
    ],
    apps: [{ id: value, name: value, url: "https://wiki.example/", picture: undefined }],
    tokens: {
      isOn: true,
      hasChoice: true,
      live: [{ id: value, name: value, allows: [value], resource: value, createdAt: 0, expiresAt: 1, lastUsedAt: 0 }],
    },
    logins: [login, { ...login, isHere: false, byOperator: true, actor: { name: value, reason: value } }],
    organizations: { path: "/organization?app_id=app_shop", invitations: [{ name: value, slug: value, path: "/x" }] },
    signal: { user: { rpId: value, userId: value, name: value, displayName: value } },
    notice: { kind: "added", name: value } as const,
  };
  const listed = { name: value, slug: value, path: "/x" };
  const setUp = { sealed: value, typed: value, uri: "otpauth://totp/x" };
  const long = { kind: "name-too-long", maxLength: 200 } as const;
  return [
    accountPage(frame, data),
    accountPage(frame, { ...data, logins: [], factor: { isSetUp: false }, notice: { kind: "removed" } }),
    ...[undefined, "factor-wrong" as const, "set-up-over" as const].flatMap((kind) =>
      [true, false].map((replaces) =>
        setUpFactorPage(frame, { ...place, ...setUp, replaces, problem: kind && { kind } }),
      ),
    ),
    newCodesPage(frame, { appId: value, codes: [value], notice: value }),
    newTokenPage(frame, { appId: value, token: value }),
    accountPage(frame, { ...data, tokens: { isOn: false, hasChoice: false, live: [] } }),
    accountPage(frame, { ...data, tokens: { isOn: true, hasChoice: false, live: [] } }),
    ...[undefined, "name-missing", "name-long", "day-missing", "day-late", "nothing-chosen", "full"].map((problem) =>
      tokenFormPage(frame, {
        ...place,
        resource: { identifier: value, name: value },
        others: [{ name: value, identifier: value }],
        scopes: [{ name: value, label: value, isChosen: true }],
        hosts: [{ name: value, label: value, isChosen: false }],
        name: value,
        until: value,
        lastDay: "2026-12-01",
        timeZone: value,
        problem: problem as PersonalTokenProblem | undefined,
      }),
    ),
    renewCodesPage(frame, place),
    ...[true, false].map((isRequired) => removeFactorPage(frame, { ...place, isRequired })),
    ...[undefined, { kind: "name-missing" } as const, { kind: "picture-not-https" } as const, long].map((problem) =>
      profileFormPage(frame, {
        ...place,
        user: data.user,
        was: { name: value, picture: value },
        name: value,
        picture: value,
        fields: {
          all: ownFields(value),
          entered: new Map(ownFields(value).map(({ name }) => [name, value])),
          was: new Map(ownFields(value).map(({ name }) => [name, value])),
          problems: new Map([["choice", "missing"]]),
        },
        problem,
      }),
    ),
    ...[undefined, { kind: "large" } as const, { kind: "too-late" } as const].map((problem) =>
      pictureFormPage(frame, {
        ...place,
        user: data.user,
        shown: { mayUndo: true, stored: { digest: value } },
        problem,
      }),
    ),
    ...[undefined, { kind: "name-missing" } as const, long].map((problem) =>
      renameFormPage(frame, { ...place, methodId: value, name: value, problem }),
    ),
    ...methods.flatMap((method) =>
      [undefined, { kind: "last-method" } as const, { kind: "last-passkey" } as const].map((problem) =>
        removeMethodPage(frame, { ...place, method, problem }),
      ),
    ),
    verifyEmailPage(frame, { ...place, email: value, isNew: false, again: true, problem: { kind: "code-wrong" } }),
    deleteAccountPage(frame, { ...place, account: value, ownerless: [{ name: value, slug: value, path: "/x" }] }),
    downloadPage(frame, place),
    ...[undefined, "name" as const, "too-many" as const].map((problem) =>
      organizationListPage(frame, { ...place, memberships: [], invitations: [listed], mayCreate: true, problem }),
    ),
    ...(["owner", "admin", "member"] as const).map((rank) =>
      organizationPage(frame, { ...organizationData(value), ...place, rank, notice: { kind: "conflict" } }),
    ),
    ...["name", "slug", "add-domain"].map((act) => {
      const sent = new Map([["act", act], ...["name", "slug", "domain"].map((name) => [name, value] as const)]);
      return organizationPage(frame, { ...organizationData(value), ...place, notice: { kind: "changed", sent } });
    }),
    ...(["signed-out", "not-signed-in", "not-found"] as const).map((kind) =>
      accountEndPage(frame, { kind, path: `/account?app_id=${value}` }),
    ),
    accountEndPage(frame, { kind: "no-app", apps: [{ name: value, path: `/account?app_id=${value}` }] }),
    accountEndPage(frame, { kind: "deleted" }),
  ];
}
