import { z } from "zod";
import * as provider from "../companies/service.ts";
import { at } from "./answers.ts";
import { address, flag, instant, number, text } from "./fields.ts";
import { named, noBody, operation } from "./operation.ts";
import type { OfOrganization } from "./organization-guards.ts";
import { below } from "./organizations.ts";

const conflict = (when: string) => ({ code: "INVALID_REQUEST", status: 409, when }) as const;
const off = conflict("The application's `companySignIn` is off.");
const none = { code: "METHOD_NOT_FOUND", when: "The organization has no provider." } as const;
const tooMany = { code: "RATE_LIMITED", when: "More than 10 times a minute for an organization." } as const;

const providerFields = () => ({
  issuer: address("Its issuer, which is compared exactly."),
  clientId: text("The client at the provider."),
  fixedAddresses: flag("People cannot choose their address there: a missing `email_verified` counts as true."),
  trustsSecondFactor: text("The claim that says that somebody used two factors, such as `amr=mfa`.").nullable(),
  sessionSeconds: number("How long a sign-in by it lasts."),
  requiredSince: instant("Since when members must sign in by it; null: they need not.").nullable(),
  setterId: text("The member who set it; null: your server, an operator, or a set-up link.").nullable(),
  setupLinkId: text("The set-up link by which it was added.").nullable(),
  triedAt: instant("When a sign-in or a test by it first succeeded.").nullable(),
  worksAt: instant("Of one that waits: when it begins to work; null: it waits for a confirmation.").nullable(),
  createdAt: instant("When it was set."),
  updatedAt: instant("When it was last changed."),
  failingSince: instant("Since when it fails; null: it does not.").nullable(),
  failure: text("Why it fails.").nullable(),
});
const one = () => z.strictObject(providerFields());
const example = {
  issuer: "https://acme.okta.com",
  clientId: "0oa1b2c3d4",
  fixedAddresses: false,
  trustsSecondFactor: null,
  sessionSeconds: 43_200,
  requiredSince: null,
  setterId: null,
  setupLinkId: null,
  triedAt: null,
  worksAt: null,
  createdAt: at,
  updatedAt: at,
  failingSince: null,
  failure: null,
};

const providers = named(
  "OrganizationProviders",
  "The provider of an organization, and one that waits. Never a secret.",
  () =>
    z.strictObject({
      callbackUrl: address("The redirect URI to register with the provider."),
      provider: one().nullable().describe("The one that works."),
      waiting: one().nullable().describe("One that waits to be tried and confirmed, or for its time."),
    }),
  {
    callbackUrl: "https://auth.shop.example/oauth/org_01m839jdtaq0r4v6x8z2b4d6f8/callback",
    provider: example,
    waiting: null,
  },
);

export const getProvider = operation({
  id: "getOrganizationProvider",
  ...below,
  summary: "Read the provider of an organization",
  description: "Both are null for an organization without a provider. Not for a member in `by`.",
  answer: { schema: providers, about: "The provider, without its secret." },
  handle: (ctx, _request, { organization, acting }: OfOrganization) => provider.show(ctx, organization, acting),
});

export const putProvider = operation({
  id: "putOrganizationProvider",
  ...below,
  summary: "Set the provider of an organization",
  description:
    "It works at once, and its issuer is asked first. Another issuer ends all sign-ins by the earlier one; another client or secret does not. Not for a member in `by`: owners do this on the page of the organization.",
  body: {
    name: "OrganizationProviderRequest",
    schema: z.strictObject({
      issuer: z.string("required, a string"),
      clientId: z.string("required, a string"),
      clientSecret: z.string("must be a string").optional(),
      fixedAddresses: z.boolean("must be a boolean").optional(),
      trustsSecondFactor: z.string("must be a string or null").nullable().optional(),
      sessionSeconds: z.number("must be a number").optional(),
      required: z.boolean("must be a boolean").optional(),
    }),
    fields: {
      issuer: "Its issuer. One that serves many companies is refused, except Google.",
      clientId: "The client at the provider.",
      clientSecret: "The client's secret. Can be omitted while the issuer stays.",
      fixedAddresses:
        "True only if people cannot choose their address there: a missing `email_verified` counts as true. Default: `false`.",
      trustsSecondFactor:
        "A claim and its value, such as `amr=mfa`, by which it says that somebody used two factors. It counts for this organization only.",
      sessionSeconds: "How long a sign-in by it lasts: 300 to 604,800. Default: 43,200.",
      required: "Whether members must sign in by it. True only after somebody has signed in by it.",
    },
    example: { issuer: "https://acme.okta.com", clientId: "0oa1b2c3d4", clientSecret: "…" },
  },
  answer: { schema: providers, about: "The provider after the change." },
  errors: [...below.errors, off, tooMany],
  handle: (ctx, _request, { organization, acting }: OfOrganization, { required, ...input }) =>
    provider.set(ctx, organization, input, acting, { required }),
});

export const removeProvider = operation({
  id: "removeOrganizationProvider",
  ...below,
  summary: "Remove the provider of an organization",
  description:
    "Sign-ins by it end at once. People stay members; those without a method of their own get one by a mailed code. Not for a member in `by`.",
  answer: {
    schema: named(
      "OrganizationProviderRemoved",
      "The provider was removed.",
      () => z.strictObject({ withoutMethod: number("How many people have no sign-in method of their own.") }),
      { withoutMethod: 3 },
    ),
    about: "Removed.",
  },
  errors: [...below.errors, none],
  handle: (ctx, _request, { organization, acting }: OfOrganization) => provider.remove(ctx, organization, {}, acting),
});

export const testProvider = operation({
  id: "testOrganizationProvider",
  ...below,
  summary: "Ask a provider whether it answers",
  description:
    "Reads the metadata and keys of the one that waits, else of the one that works. At most 10 times a minute for an organization. Not for a member in `by`.",
  body: noBody,
  answer: {
    schema: named(
      "OrganizationProviderTest",
      "The result of a test.",
      () =>
        z.strictObject({
          issuer: address("The issuer that was asked."),
          problem: text("What is wrong with it; null: it answers as a sign-in needs.").nullable(),
        }),
      { issuer: "https://acme.okta.com", problem: null },
    ),
    about: "What the issuer answered.",
  },
  errors: [...below.errors, none, tooMany],
  handle: (ctx, _request, { organization, acting }: OfOrganization) => provider.test(ctx, organization, acting),
});

export const confirmProvider = operation({
  id: "confirmOrganizationProvider",
  ...below,
  summary: "Confirm a provider that waits",
  description: "One that was added by a set-up link, or another issuer that an owner set, works at once.",
  body: {
    name: "OrganizationProviderConfirmation",
    schema: z.strictObject({ issuer: z.string("required, a string") }),
    fields: { issuer: "The issuer that waits: it may have been changed." },
    example: { issuer: "https://acme.okta.com" },
  },
  answer: { schema: providers, about: "The provider after the change." },
  errors: [...below.errors, conflict("No provider with this issuer waits.")],
  handle: (ctx, _request, { organization, acting }: OfOrganization, body) =>
    provider.confirm(ctx, organization, body, acting),
});
