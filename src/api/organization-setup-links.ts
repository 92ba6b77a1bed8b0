import { z } from "zod";
import * as setupLinks from "../companies/setup-links.ts";
import { at } from "./answers.ts";
import { instant, text } from "./fields.ts";
import { named, operation } from "./operation.ts";
import type { OfOrganization } from "./organization-guards.ts";
import { below } from "./organizations.ts";

const setupLink = named(
  "OrganizationSetupLink",
  "A link by which somebody who is no owner adds a domain and a provider. Never the link itself.",
  () =>
    z.strictObject({
      id: text("Its ID."),
      email: text("Whom it was mailed to."),
      makerId: text("The owner who made it; null: your server or an operator.").nullable(),
      createdAt: instant("When it was made."),
      expiresAt: instant("When it ends."),
    }),
  {
    id: "sul_01m839jdtaq0r4v6x8z2b4d6f8",
    email: "it@acme.example",
    makerId: null,
    createdAt: at,
    expiresAt: at,
  },
);

export const makeSetupLink = operation({
  id: "makeOrganizationSetupLink",
  ...below,
  summary: "Mail a set-up link",
  description:
    "It works for 7 days, and each opening needs a code that is mailed to the address. Nothing that is added by it has an effect before an owner or your server confirms it. Not for a member in `by`.",
  body: {
    name: "OrganizationSetupLinkRequest",
    schema: z.strictObject({ email: z.string("required, a string") }),
    fields: { email: "Who sets it up. An earlier link for this address ends." },
    example: { email: "it@acme.example" },
  },
  answer: { schema: setupLink, about: "The link was mailed." },
  errors: [
    ...below.errors,
    { code: "INVALID_REQUEST", status: 409, when: "The application's `companySignIn` is off." },
    { code: "RATE_LIMITED", when: "The address has had its mails of this hour." },
  ],
  handle: (ctx, _request, { organization, acting }: OfOrganization, body) =>
    setupLinks.make(ctx, organization, body, acting),
});
