/** The page of one organization, and its acts: an operator has the rights of the server. */
import type { Answer } from "../../http/answer.ts";
import * as relinks from "../../companies/relinks.ts";
import * as providers from "../../companies/service.ts";
import * as setupLinks from "../../companies/setup-links.ts";
import { html } from "../../lib/html.ts";
import { escapeUnseen } from "../../lib/text.ts";
import * as deletion from "../../organizations/deletion.ts";
import * as domains from "../../organizations/domains/service.ts";
import * as invitations from "../../organizations/invitations.ts";
import * as members from "../../organizations/members.ts";
import { countMembers, listOwners } from "../../organizations/membership-store.ts";
import * as organizations from "../../organizations/service.ts";
import { listMachines } from "../../organizations/store.ts";
import type { Context } from "../../runtime/context.ts";
import * as userListings from "../../users/listing.ts";
import { applicationPage, applicationPath } from "../applications/application-frame.ts";
import { changesPart } from "../audit/changes-part.ts";
import { findNames } from "../audit/names-store.ts";
import { mailedNotice } from "../mail/mailed.ts";
import { demandConfirmation } from "../parts/confirmation.ts";
import { problem } from "../parts/data.ts";
import { changedSettings, changeOnto, edited, wordsOf } from "../parts/edit.ts";
import { entered, fieldForm, fieldRefusalOf, linesOf, listOf, type Answered, type Field } from "../parts/fields.ts";
import { done } from "../parts/notice.ts";
import { pageSize } from "../parts/paging.ts";
import { act, pathOf, view, type Act, type AsksFor, type Post, type Visit } from "../route.ts";
import { organizationIn, type OfApplication } from "../scope.ts";
import { checkedPlace } from "./list.ts";
import * as fields from "./forms.ts";
import type { FormOf, OrganizationAct } from "./forms.ts";
import { organizationActs, organizationBody, organizationPath, stateWord } from "./organization-page.ts";

/** Of one form of the page, by its path. */
type AnsweredForm = Answered & { path: string };

async function show(
  ctx: Context,
  visit: Visit,
  { application, organization }: OfApplication,
  answered?: AnsweredForm,
): Promise<Answer> {
  const { id, appId } = organization;
  const { reader } = ctx.storage;
  const query = visit.request.method === "GET" ? visit.request.query() : new Map<string, string>();
  const pageAt = (name: string) => ({ after: checkedPlace(query.get(name)) ?? "", limit: pageSize });
  const [memberPage, invitationPage] = [
    await members.list(ctx, organization, pageAt("after")),
    await invitations.list(ctx, organization, pageAt("invited")),
  ];
  const machines = await listMachines(reader, id);
  const inviters = invitationPage.invitations.flatMap(({ inviterId }) => inviterId ?? []);
  const owners = await listOwners(reader, id);
  const acting = { actor: visit.operator.actor };
  const provider = {
    providers: await providers.show(ctx, organization, acting),
    withoutMethod: await providers.withoutMethod(ctx, organization),
    links: await setupLinks.list(ctx, organization, acting),
    relinks: await relinks.list(ctx, organization, acting),
  };
  const people = [
    organization.creatorId,
    provider.providers.provider?.setterId,
    provider.providers.waiting?.setterId,
    ...provider.links.map(({ makerId }) => makerId),
    ...provider.relinks.map(({ userId }) => userId),
  ].filter((each) => typeof each === "string");
  const shown = {
    application,
    organization,
    owners,
    memberCount: await countMembers(reader, id),
    members: memberPage.members,
    nextMember: memberPage.nextCursor,
    invitations: invitationPage.invitations,
    nextInvitation: invitationPage.nextCursor,
    domains: await domains.list(ctx, organization, acting),
    provider,
    machines: machines.slice(0, pageSize),
    names: await findNames(reader, [...machines.slice(0, pageSize), ...inviters, ...people]),
  };
  let isPlaced = answered === undefined;
  const form: FormOf = (name, { parameters, fields: own = [], values = {}, ...rest }) => {
    const all = { appId, orgId: id, ...parameters };
    const isOwn = answered?.path === pathOf(acts[name], all);
    isPlaced ||= isOwn;
    const state = { parameters: all, fields: own, values, answered: isOwn ? answered : undefined };
    return fieldForm(visit, acts[name], { ...rest, ...state });
  };
  const [pageActs, body] = [organizationActs(shown, form), organizationBody(visit, shown, form)];
  return await applicationPage(ctx, visit, application, {
    tab: "Organizations",
    beneath: organization.name,
    beside: stateWord({ ...organization, owners: owners.length }),
    status: answered?.refusal ? 422 : 200,
    acts: pageActs,
    // The form may be of a row that this page of the list does not have.
    body: html`${!isPlaced && answered?.refusal && problem(answered.refusal.text)} ${body}
    ${await changesPart(ctx, visit, id)}`,
  });
}

export const page = view("/applications/:appId/organizations/:orgId", "viewer", async (ctx, visit) => {
  return await show(ctx, visit, await organizationIn(ctx, visit));
});

type Handle = (ctx: Context, post: Post, found: OfApplication) => Promise<string | Answer>;

/** Responds with a notice, with the result of `handle`, or with the refused form. */
function actOn(
  path: string,
  asksFor: AsksFor,
  handle: Handle,
  fieldsOf: (found: OfApplication) => readonly Field[] = () => [],
): Act {
  return act(`/applications/:appId/organizations/:orgId/${path}`, "owner", asksFor, async (ctx, post) => {
    const found = await organizationIn(ctx, post);
    try {
      const answer = await handle(ctx, post, found);
      return typeof answer === "string" ? done(ctx, post, organizationPath(found.organization), answer) : answer;
    } catch (error) {
      const own = fieldsOf(found);
      const refusal = fieldRefusalOf(own, error);
      // Read again: somebody else may have changed it.
      return await show(ctx, post, await organizationIn(ctx, post), {
        path: post.request.path,
        ...edited(own, post),
        refusal,
      });
    }
  });
}

const rolesOf = ({ application }: OfApplication): Field[] => [fields.rolesField(application)];

export const acts: Record<OrganizationAct, Act> = {
  change: actOn(
    "change",
    async (_ctx, post) =>
      !post.form.has("check") &&
      changedSettings(fields.settings, edited(fields.settings, post)).some(({ name }) => name === "secondFactor"),
    async (ctx, post, found) => {
      const { organization } = found;
      const form = { path: post.request.path, ...edited(fields.settings, post) };
      const changed = changedSettings(fields.settings, form);
      const note = "You have not changed anything in this form.";
      if (changed.length === 0) return await show(ctx, post, found, { ...form, note });
      const dryRun = post.form.has("check");
      await organizations.update(ctx, organization, changeOnto(fields.settings, form), { ...post.by, dryRun });
      if (!dryRun) return "The organization was changed.";
      const words = wordsOf(changed, form.values);
      const command = ["organization", "update", organization.slug, "--app", organization.appId, ...words];
      return await show(ctx, post, found, { ...form, command, note: "This can be saved. Nothing has changed yet." });
    },
    () => fields.settings,
  ),

  disable: actOn("disable", "nothing", async (ctx, { by }, { organization }) => {
    await organizations.update(ctx, organization, { disabled: true }, by);
    return "Disabled.";
  }),

  enable: actOn("enable", "passkey", async (ctx, { by }, { organization }) => {
    await organizations.update(ctx, organization, { disabled: false }, by);
    return "Enabled.";
  }),

  remove: actOn(
    "delete",
    "passkey",
    async (ctx, post, { application, organization }) => {
      demandConfirmation(post, { id: organization.id, names: [organization.name] });
      await deletion.remove(ctx, organization, post.by);
      return done(ctx, post, applicationPath(application, "/organizations"), "The organization was deleted.");
    },
    ({ organization }) => [fields.confirmation(organization)],
  ),

  addMember: actOn(
    "members",
    "passkey",
    async (ctx, post, found) => {
      const { who = "", roles = "" } = entered([fields.who, ...rolesOf(found)], post);
      await fields.naming("who", async () => {
        const userId = who.includes("@") ? await userListings.idByEmail(ctx, who, found.application.id) : who;
        await members.put(ctx, found.organization, { userId, roles: listOf(roles), adds: true }, post.by);
      });
      return "They are a member with these roles.";
    },
    (found) => [fields.who, ...rolesOf(found)],
  ),

  changeRoles: actOn(
    "members/:userId/roles",
    "passkey",
    async (ctx, post, { application, organization }) => {
      const field = fields.rolesField(application);
      const change = changeOnto([field], edited([field], post));
      const roles = (before: readonly string[]) => change(before).roles ?? before;
      await members.put(ctx, organization, { userId: post.request.parameter("userId"), roles, adds: false }, post.by);
      return "The roles were changed.";
    },
    rolesOf,
  ),

  removeMember: actOn("members/:userId/remove", "nothing", async (ctx, { by, request }, { organization }) => {
    await members.remove(ctx, organization, request.parameter("userId"), by);
    return "They are no member any more.";
  }),

  invite: actOn(
    "invitations",
    "passkey",
    async (ctx, post, found) => {
      const own = [fields.addresses, ...rolesOf(found)];
      const form = edited(own, post);
      const roles = listOf(form.values["roles"] ?? "");
      const wanted = linesOf(form.values["addresses"] ?? "").map((email) => ({ email, roles }));
      const results = await invitations.invite(ctx, found.application, found.organization, wanted, post.by);
      const refused = results.flatMap(({ email, error }) => (error ? [{ email, error }] : []));
      if (refused.length === 0)
        return await mailedNotice(ctx, post, wanted.length === 1 ? "The invitation" : "Each invitation");
      const why = refused.map(({ email, error }) => `${email}: ${error.rejected?.rule ?? error.message}`);
      const sent = `${results.length - refused.length} of ${results.length} invitations were sent.`;
      const left = refused.map(({ email }) => email).join("\n");
      return await show(ctx, post, found, {
        path: post.request.path,
        ...form,
        values: { ...form.values, addresses: left },
        refusal: { field: "addresses", text: escapeUnseen([sent, ...why].join(" ")) },
      });
    },
    (found) => [fields.addresses, ...rolesOf(found)],
  ),

  withdraw: actOn("invitations/:invitationId/withdraw", "nothing", async (ctx, { by, request }, { organization }) => {
    await invitations.withdraw(ctx, organization, request.parameter("invitationId"), by);
    return "The invitation was withdrawn.";
  }),

  addDomain: actOn(
    "domains",
    "passkey",
    async (ctx, post, { organization }) => {
      const { domain = "", join = "" } = entered([fields.domain, fields.join], post);
      const claim = await domains.add(ctx, organization, { domain, ...fields.join.change(join) }, post.by);
      const path = `${organizationPath(organization)}?open=${encodeURIComponent(claim.domain)}`;
      return done(ctx, post, path, "The domain was added. Its owner proves it by the record below it.");
    },
    () => [fields.domain, fields.join],
  ),

  vouch: actOn("domains/:domain/vouch", "passkey", async (ctx, { by, request }, { organization }) => {
    await domains.add(ctx, organization, { domain: request.parameter("domain"), isProved: true }, by);
    return "The domain counts as proved.";
  }),

  changeJoin: actOn(
    "domains/:domain/join",
    "passkey",
    async (ctx, post, { organization }) => {
      const change = changeOnto([fields.join], edited([fields.join], post));
      await domains.update(ctx, organization, post.request.parameter("domain"), change, post.by);
      return "Saved.";
    },
    () => [fields.join],
  ),

  checkDomain: actOn("domains/:domain/check", "nothing", async (ctx, post, { organization }) => {
    const { domain, answer } = await domains.check(ctx, organization, post.request.parameter("domain"), post.by);
    const found = {
      found: "The record is there.",
      missing: "The record is not there.",
      unknown: "DNS gave no answer.",
    };
    const path = `${organizationPath(organization)}?open=${encodeURIComponent(domain)}`;
    return done(ctx, post, path, found[answer?.result ?? "unknown"]);
  }),

  removeDomain: actOn("domains/:domain/remove", "passkey", async (ctx, { by, request }, { organization }) => {
    await domains.remove(ctx, organization, request.parameter("domain"), by);
    return "The domain was removed.";
  }),

  testProvider: actOn("provider/test", "nothing", async (ctx, { by }, { organization }) => {
    const { issuer, problem } = await providers.test(ctx, organization, by);
    return escapeUnseen(problem === null ? `${issuer} answers.` : `${issuer} must be ${problem}.`);
  }),

  confirmProvider: actOn(
    "provider/confirm",
    "passkey",
    async (ctx, post, { organization }) => {
      const { issuer = "" } = entered([fields.issuer], post);
      await providers.confirm(ctx, organization, { issuer }, post.by);
      return "The provider works.";
    },
    () => [fields.issuer],
  ),

  removeProvider: actOn("provider/remove", "passkey", async (ctx, { by }, { organization }) => {
    await providers.remove(ctx, organization, {}, by);
    return "The provider was removed.";
  }),

  relink: actOn(
    "provider/relinks",
    "passkey",
    async (ctx, post, { application, organization }) => {
      const { who = "" } = entered([fields.who], post);
      await fields.naming("who", async () => {
        const userId = who.includes("@") ? await userListings.idByEmail(ctx, who, application.id) : who;
        await relinks.openRelink(ctx, organization, { userIds: [userId] }, post.by);
      });
      return "They may link a new identity for 14 days.";
    },
    () => [fields.who],
  ),

  agreeRelink: actOn("provider/relinks/:userId/agree", "passkey", async (ctx, { by, request }, { organization }) => {
    await relinks.agreeToRelink(ctx, organization, { userId: request.parameter("userId") }, by);
    return "They may link a new identity.";
  }),

  makeSetupLink: actOn(
    "setup-links",
    "passkey",
    async (ctx, post, { organization }) => {
      const { email = "" } = entered([fields.email], post);
      await setupLinks.make(ctx, organization, { email }, post.by);
      return await mailedNotice(ctx, post, "The set-up link");
    },
    () => [fields.email],
  ),

  endSetupLink: actOn("setup-links/:linkId/end", "nothing", async (ctx, { by, request }, { organization }) => {
    await setupLinks.end(ctx, organization, request.parameter("linkId"), by);
    return "The set-up link was ended.";
  }),
};
