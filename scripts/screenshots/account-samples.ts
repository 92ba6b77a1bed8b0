import { deleteAccountPage, downloadPage, removeMethodPage } from "../../src/pages/account/confirm-pages.ts";
import { accountEndPage, type AccountEnd } from "../../src/pages/account/end-page.ts";
import { emailFormPage, profileFormPage, renameFormPage } from "../../src/pages/account/form-pages.ts";
import type { AccountLogin } from "../../src/pages/account/logins.ts";
import type { AccountMethod } from "../../src/pages/account/methods.ts";
import { accountPage, type AccountData } from "../../src/pages/account/account-page.ts";
import { endSessionPage, endSessionsPage, nobodySignedInPage } from "../../src/pages/openid/end-session-pages.ts";
import { restoreAddressPage } from "../../src/pages/account/restore-pages.ts";
import { tokenFormPage, type TokenFormData } from "../../src/pages/account/tokens.ts";
import type { Frame } from "../../src/pages/parts/frame.ts";
import { all, everyProvider, frameOf, northwind, some, type Sample } from "./sample.ts";

const now = Date.UTC(2026, 10, 20, 19, 10);
const minute = 60_000;
const day = 24 * 60 * minute;
const ada = {
  id: "usr_01m839jdtaq0r4v6x8z2b4d6f8",
  name: "Ada Lovelace",
  email: "ada@example.com",
  picture: "https://example.com/ada.png",
};
const place = { appId: "app_acme", token: "token" };

const passkey: AccountMethod = {
  type: "passkey",
  id: "mth_1",
  name: "iCloud Keychain",
  createdAt: now - 200 * day,
  lastUsedAt: now - 5 * minute,
  works: true,
  isRemovable: true,
};
const methods: AccountMethod[] = [
  passkey,
  { ...passkey, id: "mth_2", name: "Work laptop", createdAt: now - 3 * day, lastUsedAt: null },
  {
    type: "oauth",
    id: "mth_3",
    provider: "google",
    displayName: "Google",
    email: "ada.lovelace@gmail.example",
    createdAt: now - 400 * day,
    lastUsedAt: now - 90 * day,
    works: true,
    isRemovable: true,
  },
  {
    type: "oauth",
    id: "mth_4",
    provider: "discord",
    displayName: "Discord",
    email: null,
    createdAt: now - 500 * day,
    lastUsedAt: now - 480 * day,
    works: false,
    isRemovable: true,
  },
  {
    type: "password",
    id: "mth_5",
    createdAt: now - 700 * day,
    changedAt: now - 30 * day,
    lastUsedAt: now - 2 * day,
    works: true,
    isRemovable: true,
  },
];

const login: AccountLogin = {
  id: "lgn_1",
  browser: "Safari",
  device: "macOS",
  ipAddress: "192.0.2.17",
  signedInAt: now - 5 * minute,
  lastSeenAt: now - minute / 2,
  isHere: true,
  byOperator: false,
  actor: null,
};
const logins: AccountLogin[] = [
  login,
  {
    ...login,
    id: "lgn_2",
    device: "iPhone",
    isHere: false,
    lastSeenAt: now - 3 * 60 * minute,
    signedInAt: now - 6 * day,
  },
  {
    ...login,
    id: "lgn_3",
    browser: undefined,
    device: undefined,
    ipAddress: "2001:db8:85a3:8d3:1319:8a2e:370:7348",
    isHere: false,
    lastSeenAt: now - 20 * day,
    signedInAt: now - 22 * day,
  },
];

export function restoreAddress(language: Partial<Frame> = {}): Sample["page"] {
  return (assets) =>
    restoreAddressPage(frameOf(assets, language), {
      path: "/restore/x",
      token: "token",
      email: "ada@example.com",
      removed: methods.slice(1, 2).concat(methods.slice(4)),
      removedToo: { app: true, codes: true, programs: 1, companies: ["sso.example.org"] },
      others: [passkey, ...methods.slice(2, 4)],
      removePrefix: "remove_",
    });
}

const orders = {
  identifier: "https://api.acme.example",
  name: "Acme orders",
  scopes: [
    { name: "orders:read", sentence: "Read your orders" },
    { name: "orders:write", sentence: "Change and cancel orders that are not on their way yet" },
  ],
};

export function overview(changes: Partial<AccountData> = {}, frame: Partial<Frame> = {}): Sample["page"] {
  return (assets) =>
    accountPage(frameOf(assets, frame), {
      ...place,
      now,
      user: { ...ada, emailVerified: true },
      canVerify: true,
      methods,
      adds: {
        passkey: true,
        password: false,
        providers: everyProvider.filter(({ name }) => !["google", "discord"].includes(name)),
      },
      factor: {
        isSetUp: true,
        setUpAt: now - 40 * day,
        lastUsedAt: now - 5 * minute,
        codesLeft: 2,
        isBlocked: false,
        trusted: [{ id: "brw_1", browser: "Safari", device: "macOS", expiresAt: now + 25 * day }],
      },
      logins,
      programs: [
        {
          clientId: "cli_wiki",
          name: "Team wiki",
          allowed: { scopes: ["openid", "profile", "email"], resources: [orders], at: Date.UTC(2026, 9, 1, 9) },
          signedInAt: Date.UTC(2026, 9, 2, 9),
        },
      ],
      tokens: undefined,
      apps: [],
      signal: {},
      organizations: undefined,
      ...changes,
    });
}

function end(content: AccountEnd): Sample {
  return {
    name: `account-${content.kind}`,
    variants: some,
    page: (assets) => accountEndPage(frameOf(assets), content),
  };
}

const script = {
  id: "ptk_1",
  name: "Backup script",
  allows: ["Your profile", "Your email address"],
  resource: undefined,
  createdAt: now - 60 * day,
  expiresAt: now + 30 * day,
  lastUsedAt: now - 2 * 60 * minute,
};
const apps = [
  { id: "cli_wiki", name: "Team wiki", url: "https://wiki.acme.example/", picture: undefined },
  { id: "cli_mail", name: "Webmail", url: "https://mail.acme.example/", picture: undefined },
  { id: "cli_files", name: "Files", url: "https://files.acme.example/", picture: undefined },
];

function newToken(changes: Partial<TokenFormData> = {}): Sample["page"] {
  return (assets) =>
    tokenFormPage(frameOf(assets, { timeZone: "Europe/Berlin" }), {
      ...place,
      resource: undefined,
      others: [{ name: orders.name, identifier: orders.identifier }],
      scopes: [
        { name: "scope.profile", label: "Your profile", isChosen: true },
        { name: "scope.email", label: "Your email address", isChosen: false },
      ],
      hosts: [{ name: "host.files.acme.example", label: "files.acme.example", isChosen: false }],
      name: "Backup script",
      until: "2027-02-18",
      lastDay: "2027-11-19",
      timeZone: "Europe/Berlin",
      ...changes,
    });
}

export const accountSamples: readonly Sample[] = [
  {
    name: "account-apps",
    variants: all,
    page: overview({ apps, tokens: { isOn: true, hasChoice: true, live: [script] } }),
  },
  { name: "account-no-tokens", variants: some, page: overview({ tokens: { isOn: true, hasChoice: false, live: [] } }) },
  { name: "account-new-token", variants: all, page: newToken() },
  { name: "account-new-token-none", variants: some, page: newToken({ problem: "nothing-chosen" }) },
  {
    name: "account-acted",
    variants: all,
    page: overview({
      logins: [
        login,
        {
          ...login,
          id: "lgn_4",
          isHere: false,
          ipAddress: null,
          byOperator: true,
          actor: { name: "Grace (support)", reason: "ticket 4711: the order does not load" },
        },
      ],
    }),
  },
  { name: "account", variants: [...all, "desktop", "narrow", "contrast"], page: overview() },
  {
    name: "account-new",
    variants: [...all, "desktop"],
    page: overview(
      {
        user: { id: "usr_02", name: null, email: "grace@example.com", emailVerified: false, picture: null },
        methods: [{ ...passkey, createdAt: now - 2 * minute }],
        adds: { passkey: true, password: true, providers: [] },
        factor: { isSetUp: false },
        logins: [],
        notice: { kind: "added", name: "iCloud Keychain" },
      },
      { look: northwind, host: "id.northwind.example" },
    ),
  },
  {
    name: "account-profile",
    variants: all,
    page: (assets) =>
      profileFormPage(frameOf(assets), {
        ...place,
        user: ada,
        name: "Ada Lovelace",
        picture: "http://example.com/ada.png",
        was: { name: "Ada Lovelace", picture: "" },
        problem: { kind: "picture-not-https" },
      }),
  },
  {
    name: "account-picture",
    variants: all,
    page: (assets, origin) => {
      const look = { ...northwind, logo: `${origin}/logo.svg` };
      const picture = `${origin}/face.svg`;
      return profileFormPage(frameOf(assets, { look }), {
        ...place,
        user: { ...ada, picture },
        was: { name: "Ada Lovelace", picture },
        name: ada.name,
        picture,
      });
    },
  },
  {
    name: "account-email",
    variants: all,
    page: (assets) => emailFormPage(frameOf(assets), { ...place, email: "" }),
  },
  {
    name: "account-email-taken",
    variants: some,
    page: (assets) =>
      emailFormPage(frameOf(assets), { ...place, email: "ada@new.example", problem: { kind: "email-taken" } }),
  },
  {
    name: "restore-address",
    variants: [...all, "narrow"],
    page: restoreAddress(),
  },
  {
    name: "account-rename",
    variants: some,
    page: (assets) => renameFormPage(frameOf(assets), { ...place, methodId: "mth_1", name: "iCloud Keychain" }),
  },
  {
    name: "account-remove",
    variants: all,
    page: (assets) => removeMethodPage(frameOf(assets), { ...place, method: passkey }),
  },
  {
    name: "account-remove-last",
    variants: some,
    page: (assets) =>
      removeMethodPage(frameOf(assets), { ...place, method: passkey, problem: { kind: "last-passkey" } }),
  },
  { name: "account-data", variants: some, page: (assets) => downloadPage(frameOf(assets), place) },
  {
    name: "account-delete",
    variants: all,
    page: (assets) => deleteAccountPage(frameOf(assets), { ...place, account: "ada@example.com", ownerless: [] }),
  },
  {
    name: "end-session",
    variants: all,
    page: (assets) =>
      endSessionPage(frameOf(assets), {
        appId: "app_acme",
        action: "/oauth2/end-session/confirm?client_id=cli_wiki",
        token: "t",
        account: "ada@example.com",
        fields: {},
      }),
  },
  {
    name: "end-sessions",
    variants: all,
    page: (assets) =>
      endSessionsPage(frameOf(assets), {
        action: "/oauth2/end-session/confirm",
        token: "t",
        signedIn: [
          { app: "Acme", account: "ada@example.com", path: "/oauth2/end-session?client_id=app_acme" },
          { app: "Wiki", account: "countess@example.org", path: "/oauth2/end-session?client_id=app_wiki" },
        ],
      }),
  },
  { name: "end-sessions-none", variants: some, page: (assets) => nobodySignedInPage(frameOf(assets)) },
  end({ kind: "no-app", apps: [] }),
  end({ kind: "signed-out", path: "/account?app_id=app_acme" }),
  end({ kind: "not-signed-in", path: "/account?app_id=app_acme" }),
  end({ kind: "not-found", path: "/account?app_id=app_acme" }),
  end({ kind: "ready", path: "/account?app_id=app_acme" }),
  end({ kind: "deleted" }),
];
