import { z } from "zod";
import * as domains from "../organizations/domains/service.ts";
import { domainJoins } from "../storage/column-types.ts";
import { at, done } from "./answers.ts";
import { flag, instant, number, text } from "./fields.ts";
import { named, noBody, operation } from "./operation.ts";
import type { OfOrganization } from "./organization-guards.ts";
import { below } from "./organizations.ts";

const noSuchDomain = { code: "INVALID_REQUEST", status: 404, when: "The organization has no such domain." } as const;

const join = () =>
  z.enum(domainJoins).describe("Who joins by it: nobody, people who are asked, or new accounts by themselves.");
const joinField = z.enum(domainJoins, "must be off, ask or on").optional();
const joinWords =
  "`off`: nobody. `ask`: people with a verified address of the domain may join. `on`: accounts made after the proof join by themselves, others may. Default of a new domain: `off`.";

const domain = named(
  "OrganizationDomain",
  "A domain that an organization claims.",
  () =>
    z.strictObject({
      domain: text("In ASCII: `xn--bcher-kva.example` for `bücher.example`."),
      state: z
        .enum(["pending", "waiting", "proved", "lapsed"])
        .describe(
          "`waiting`: its record is there, and another organization holds it. `lapsed`: it was proved, and its record was missing on three days.",
        ),
      join: join(),
      record: z
        .strictObject({ name: text("Its name."), value: text("Its value.") })
        .nullable()
        .describe("The TXT record that proves it; null if an operator vouches for it."),
      createdAt: instant("When it was claimed."),
      provedAt: instant("When it was last proved.").nullable(),
      worksAt: instant("When people can join by it, if it came from another organization.").nullable(),
      checkedAt: instant("When DNS was last asked.").nullable(),
      answer: z
        .strictObject({
          result: z
            .enum(["found", "missing", "unknown"])
            .describe("`unknown`: no definite answer, which changes nothing."),
          reason: text("Why it is unknown, such as `ESERVFAIL` or `ETIMEOUT`.").nullable(),
          values: z.array(text("A value.")).describe("The values of TXT records found at this name, at most 10."),
          isDoubled: flag("Whether the record is at `….acme.com.acme.com`, because the DNS provider added the zone."),
        })
        .nullable()
        .describe("What DNS answered."),
      misses: number("On how many days the record of a proved domain was missing. With the third it is lost."),
      setupLinkId: text(
        "The set-up link that added it. It has no effect until an owner or your server confirms it; null: it is confirmed.",
      ).nullable(),
    }),
  {
    domain: "acme.example",
    state: "pending",
    join: "off",
    record: { name: "_authsvc-challenge.acme.example", value: "kX0yqkR0bS5tW9v2n1c3dA" },
    createdAt: at,
    provedAt: null,
    worksAt: null,
    checkedAt: at,
    answer: { result: "missing", reason: null, values: [], isDoubled: false },
    misses: 0,
    setupLinkId: null,
  },
);

export const listDomains = operation({
  id: "listOrganizationDomains",
  ...below,
  summary: "List the domains of an organization",
  description: "At most 10.",
  answer: {
    schema: named(
      "OrganizationDomains",
      "The domains of an organization.",
      () => z.strictObject({ domains: z.array(domain.schema).describe("Sorted by name.") }),
      { domains: [domain.example] },
    ),
    about: "Sorted by name.",
  },
  handle: async (ctx, _request, { organization, acting }: OfOrganization) => ({
    domains: await domains.list(ctx, organization, acting),
  }),
});

export const addDomain = operation({
  id: "addOrganizationDomain",
  ...below,
  summary: "Claim a domain",
  description:
    "A claim is proved by a TXT record, which is asked for every hour for 14 days. Several organizations may claim a domain, and one holds it. Public suffixes and domains of free mailboxes are refused. Also succeeds if the organization claims it already.",
  body: {
    name: "DomainRequest",
    schema: z.strictObject({ domain: z.string("required, a string"), join: joinField }),
    fields: { domain: "A domain such as `acme.com`, without its subdomains.", join: joinWords },
    example: { domain: "acme.example", join: "ask" },
  },
  answer: { schema: domain, about: "The domain, with the record that proves it.", status: 201 },
  handle: (ctx, _request, { organization, acting }: OfOrganization, { domain, join }) =>
    domains.add(ctx, organization, { domain, ...(join && { join }) }, acting),
});

export const updateDomain = operation({
  id: "updateOrganizationDomain",
  ...below,
  summary: "Set who joins by a domain, or confirm it",
  description: "People who were members before stay members.",
  body: {
    name: "DomainChange",
    schema: z.strictObject({ join: joinField, confirmed: z.literal(true, "must be true").optional() }),
    fields: { join: joinWords, confirmed: "Confirms a domain that a set-up link added." },
    example: { join: "on" },
  },
  answer: { schema: domain, about: "The domain after the change." },
  errors: [...below.errors, noSuchDomain],
  handle: (ctx, request, { organization, acting }: OfOrganization, body) =>
    domains.update(ctx, organization, request.parameter("domain"), body, acting),
});

export const checkDomain = operation({
  id: "checkOrganizationDomain",
  ...below,
  summary: "Ask DNS about a domain now",
  description: "At most 10 times a minute for an organization. DNS is also asked without this call.",
  body: noBody,
  answer: { schema: domain, about: "The domain after the check." },
  errors: [...below.errors, noSuchDomain],
  handle: (ctx, request, { organization, acting }: OfOrganization) =>
    domains.check(ctx, organization, request.parameter("domain"), acting),
});

export const removeDomain = operation({
  id: "removeOrganizationDomain",
  ...below,
  summary: "Remove a domain",
  description: "Nobody joins by it any more; members stay members. An organization that waits for it gets it.",
  answer: { schema: done, about: "Removed." },
  errors: [...below.errors, noSuchDomain],
  async handle(ctx, request, { organization, acting }: OfOrganization) {
    await domains.remove(ctx, organization, request.parameter("domain"), acting);
    return { success: true, message: "The domain was removed." };
  },
});
