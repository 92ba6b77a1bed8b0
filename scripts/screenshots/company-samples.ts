import type { ProviderAnswer } from "../../src/companies/service.ts";
import { ownProviderPage, trialPage } from "../../src/pages/account/own-provider-page.ts";
import { setupCodePage, setupPage } from "../../src/pages/account/setup-page.ts";
import {
  companyAddressPage,
  companyArrivalPage,
  companyBeforePage,
  companyRefusedPage,
  type CompanyStep,
} from "../../src/pages/sign-in/company-page.ts";
import { organizationData } from "./organization-samples.ts";
import { all, frameOf, signIn, some, type Sample } from "./sample.ts";

const company = { id: "org_1", name: "Contoso Ltd", domain: "contoso.example", host: "contoso.okta.example" };
const token = "token";
const email = "ada@contoso.example";
const when = new Date(Date.UTC(2026, 10, 20, 9, 30)).toISOString();

function before(changes: Partial<Parameters<typeof companyBeforePage>[1]>): Sample["page"] {
  return (assets, _origin, sessionPath) =>
    companyBeforePage(frameOf(assets), { sessionPath, token, company, email, isRequired: false, ...changes });
}

function arrival(step: CompanyStep): Sample["page"] {
  return (assets, _origin, sessionPath) =>
    companyArrivalPage(frameOf(assets), { sessionPath, token, company, person: { email, name: "Ada Byron" }, step });
}

const provider: ProviderAnswer = {
  issuer: "https://contoso.okta.example",
  clientId: "0oa1b2c3",
  fixedAddresses: false,
  trustsSecondFactor: null,
  sessionSeconds: 43_200,
  requiredSince: when,
  setterId: "usr_1",
  setupLinkId: null,
  triedAt: when,
  worksAt: null,
  createdAt: when,
  updatedAt: when,
  failingSince: null,
  failure: null,
};
const other = { ...provider, issuer: "https://login.contoso.example/realms/people", requiredSince: null };

function own(changes: Partial<Parameters<typeof ownProviderPage>[1]>, rows: Partial<Record<string, ProviderAnswer>>) {
  const callbackUrl = "https://auth.acme.example/oauth/org_01m8nt1g11x3h6c5t2tqnw8yyh/callback";
  const page: Sample["page"] = (assets) =>
    ownProviderPage(frameOf(assets), {
      appId: "app_acme",
      token,
      organization: { id: company.id, name: company.name },
      userId: "usr_1",
      providers: { callbackUrl, provider: rows["provider"] ?? null, waiting: rows["waiting"] ?? null },
      relinks: [],
      names: new Map([
        ["usr_1", "Ada Byron"],
        ["usr_2", "Grace Hopper"],
      ]),
      hasDomain: true,
      withoutMethod: 3,
      notice: { kind: undefined },
      sent: undefined,
      ...changes,
    });
  return page;
}

const relink = { userId: "usr_2", expiresAt: when, asksOwner: true, agreedAt: null };
const identity = { subject: "00u1", email, emailVerified: true, name: "Ada Byron", twoFactors: false };

function tried(trial: object, kind?: "you"): Sample["page"] {
  return (assets) =>
    trialPage(
      frameOf(assets),
      { appId: "app_acme", organizationId: company.id },
      { issuer: provider.issuer, ...trial } as Parameters<typeof trialPage>[2],
      kind && { kind },
    );
}

const setup = { path: "/", token, organization: company.name };

/** A sign-in by a company's provider, and the pages where the company sets it up. */
export const companySamples: Sample[] = [
  { name: "company-sign-in", variants: some, page: signIn({ company: true }) },
  { name: "company-own", variants: some, page: signIn({ own: true, firstMethod: true, email }) },
  {
    name: "company-address",
    variants: some,
    page: (assets, _origin, sessionPath) => companyAddressPage(frameOf(assets), { sessionPath, token, email: "" }),
  },
  { name: "company-before", variants: [...all, "narrow"], page: before({}) },
  { name: "company-required", variants: some, page: before({ email: undefined, isRequired: true }) },
  {
    name: "company-failing",
    variants: some,
    page: before({ problem: "contoso.okta.example didn't answer as expected. Try again, or sign in another way." }),
  },
  {
    name: "company-after",
    variants: [...all, "narrow"],
    page: arrival({ kind: "agree", joins: true, links: false, asksFactor: false }),
  },
  {
    name: "company-after-factor",
    variants: some,
    page: arrival({ kind: "agree", joins: false, links: true, asksFactor: true }),
  },
  { name: "company-prove", variants: some, page: arrival({ kind: "prove", replaces: false, mails: true }) },
  { name: "company-mailbox", variants: some, page: arrival({ kind: "mailbox" }) },
  {
    name: "company-refused",
    variants: some,
    page: (assets, _origin, sessionPath) => {
      const frame = frameOf(assets);
      const why = frame.texts.companyStranger(company.name);
      return companyRefusedPage(frame, { sessionPath, name: company.name, why, again: true });
    },
  },
  { name: "own-provider-first", variants: some, page: own({ hasDomain: false }, {}) },
  { name: "own-provider", variants: [...all, "narrow"], page: own({ relinks: [relink] }, { provider }) },
  { name: "own-provider-waits", variants: some, page: own({}, { waiting: other }) },
  {
    name: "own-provider-changes",
    variants: some,
    page: own(
      { userId: "usr_2" },
      {
        provider: { ...provider, failingSince: when, failure: "invalid_client" },
        waiting: { ...other, worksAt: when },
      },
    ),
  },
  { name: "own-provider-tried", variants: some, page: tried({ identity }, "you") },
  {
    name: "own-provider-refused",
    variants: some,
    page: tried({ identity: { ...identity, email: "ada@elsewhere.example" }, emailProblem: "other-domain" }),
  },
  { name: "setup-code", variants: some, page: (assets) => setupCodePage(frameOf(assets), { ...setup, email }) },
  {
    name: "setup",
    variants: [...all, "narrow"],
    page: (assets) => {
      const { domains } = organizationData();
      const callbackUrl = "https://auth.acme.example/oauth/org_01m8nt1g11x3h6c5t2tqnw8yyh/callback";
      return setupPage(frameOf(assets), { ...setup, domains, issuer: undefined, callbackUrl });
    },
  },
];
