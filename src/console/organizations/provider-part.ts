/** The provider of an organization on its page, its set-up links and new identities. */
import type { Application } from "../../applications/application.ts";
import type { Organization } from "../../organizations/organization.ts";
import { hasCompanySignIn } from "../../organizations/provider/companies.ts";
import type { RelinkAnswer } from "../../companies/relinks.ts";
import type { ProviderAnswer, Providers } from "../../companies/service.ts";
import type { SetupLinkAnswer } from "../../companies/setup-links.ts";
import { html, type Html, type HtmlValue } from "../../lib/html.ts";
import { actColumn, actList } from "../parts/act-list.ts";
import { copyable } from "../parts/command-line.ts";
import { facts, instant, part, shown, state } from "../parts/data.ts";
import { table } from "../parts/table.ts";
import * as fields from "./forms.ts";
import type { FormOf } from "./forms.ts";

export type ShownProvider = {
  providers: Providers;
  /** How many people have no way in without it. */
  withoutMethod: number;
  links: SetupLinkAnswer[];
  relinks: RelinkAnswer[];
};

/** What it needs of the page. `names`: of people, by id. */
type Shown = {
  application: Application;
  organization: Organization;
  provider: ShownProvider;
  names: ReadonlyMap<string, string>;
};

export const personLink = (id: string, name: string): Html =>
  html`<a href="/console/people/${encodeURIComponent(id)}">${shown(name)}</a>`;

export function providerPart(page: Shown, form: FormOf): Html | undefined {
  const { application, organization } = page;
  if (!hasCompanySignIn(application)) return undefined;
  const { provider, waiting, callbackUrl } = page.provider.providers;
  const { slug, appId } = organization;
  const command = (verb: string, ...more: string[]): string[] =>
    ["organization", "provider", verb, slug, "--app", appId].concat(more);
  const acts = [
    (provider ?? waiting) &&
      form("testProvider", {
        label: "Ask it now",
        about: "Reads the metadata and keys of the issuer, at most 10 times a minute.",
        command: command("test"),
      }),
    waiting &&
      form("confirmProvider", {
        label: "Let the waiting one work",
        about: `${waiting.issuer} works at once. Another issuer ends all sign-ins by the one before.`,
        fields: [fields.issuer],
        values: { issuer: waiting.issuer },
        command: command("confirm", "--issuer", waiting.issuer),
      }),
    provider &&
      form("relink", {
        label: "Let a member link a new identity",
        about: "For 14 days, once, after they prove their account here.",
        fields: [fields.who],
        command: ["organization", "provider", "relink", slug, "USER", "--app", appId],
      }),
    (provider ?? waiting) &&
      form("removeProvider", {
        label: "Remove the provider",
        about: `Sign-ins by it end at once. People without a method of their own: ${page.provider.withoutMethod}.`,
        command: command("remove"),
        isGrave: true,
      }),
  ];
  return html`${part(
    "Company sign-in",
    html`${provider === null && waiting === null && html`<p class="quiet">It has no provider.</p>`}
    ${provider && providerFacts(page, provider, state("works", "good"))}
    ${waiting && providerFacts(page, waiting, state("waits", "warn"))}
    ${facts([["Redirect URI", copyable(callbackUrl)]])} ${relinkTable(page, form)}`,
    actList(acts.map((each) => each ?? undefined)),
  )}
  ${setupLinksPart(page, form)}`;
}

function providerFacts({ names }: Shown, one: ProviderAnswer, word: Html): Html {
  const { issuer, clientId, setterId, setupLinkId, createdAt, failingSince, failure, requiredSince } = one;
  const { worksAt, triedAt } = one;
  const by: HtmlValue =
    setterId !== null
      ? personLink(setterId, names.get(setterId) ?? setterId)
      : setupLinkId !== null
        ? "a set-up link"
        : "the application";
  return facts([
    ["Issuer", html`${shown(issuer)} ${failingSince === null ? word : state("fails", "bad")}`],
    ["Client ID", shown(clientId)],
    ["Fails", failingSince === null ? undefined : html`since ${instant(failingSince)}: ${shown(failure ?? "")}`],
    ["Set", html`${instant(createdAt)} by ${by}`],
    ["First tried", triedAt === null ? html`<span class="quiet">never</span>` : instant(triedAt)],
    ["Members must use it", requiredSince === null ? "no" : html`since ${instant(requiredSince)}`],
    ["Works from", worksAt === null ? undefined : instant(worksAt)],
  ]);
}

function relinkTable({ provider: { relinks }, names }: Shown, form: FormOf): Html | undefined {
  if (relinks.length === 0) return undefined;
  return table<RelinkAnswer>(
    "New identities",
    relinks,
    [
      { heading: "May link a new identity", cell: ({ userId }) => personLink(userId, names.get(userId) ?? userId) },
      {
        heading: "State",
        cell: ({ asksOwner, agreedAt }) =>
          asksOwner && agreedAt === null ? state("an owner has to agree", "warn") : state("open", "good"),
      },
      { heading: "Ends", fit: "time", leaves: 1, cell: ({ expiresAt }) => instant(expiresAt) },
      ...actColumn(relinks, ({ userId, asksOwner, agreedAt }) => [
        asksOwner && agreedAt === null
          ? form("agreeRelink", {
              parameters: { userId },
              label: "Agree",
              about: "They link the new identity after they prove their account here.",
            })
          : undefined,
      ]),
    ],
    "Nobody.",
  );
}

function setupLinksPart({ organization, provider: { links }, names }: Shown, form: FormOf): Html {
  return part(
    "Set-up links",
    table<SetupLinkAnswer>(
      "Set-up links",
      links,
      [
        { heading: "Mailed to", cell: ({ email }) => shown(email) },
        {
          heading: "By",
          leaves: 1,
          cell: ({ makerId }) =>
            makerId === null ? "the application" : personLink(makerId, names.get(makerId) ?? makerId),
        },
        { heading: "Ends", fit: "time", leaves: 2, cell: ({ expiresAt }) => instant(expiresAt) },
        ...actColumn(links, ({ id }) => [
          form("endSetupLink", {
            parameters: { linkId: id },
            label: "End",
            about: "The mailed link no longer works. What was added by it still waits.",
            isGrave: true,
          }),
        ]),
      ],
      "There is no set-up link.",
    ),
    actList([
      form("makeSetupLink", {
        label: "Mail a set-up link",
        about: "For 7 days, the person with this address can add a domain and a provider, which then wait for a yes.",
        fields: [fields.email],
        command: ["organization", "setup-link", organization.slug, "ADDRESS", "--app", organization.appId],
      }),
    ]),
  );
}
