import { z } from "zod";
import { codeOf } from "../http/error-answers.ts";
import { pageIn, refuseUnknownParameters } from "../http/query.ts";
import { sourceOf } from "../http/request.ts";
import * as deletion from "../organizations/deletion.ts";
import * as invitations from "../organizations/invitations.ts";
import * as members from "../organizations/members.ts";
import { findMembership } from "../organizations/membership-store.ts";
import { asMember } from "../organizations/organization.ts";
import { requireRank } from "../organizations/rights.ts";
import * as organizations from "../organizations/service.ts";
import type { OrganizationDetails } from "../organizations/service.ts";
import * as userAdministration from "../people/administration.ts";
import type { Context } from "../runtime/context.ts";
import { secondFactorPolicies } from "../storage/column-types.ts";
import type { Bearer } from "../tokens/authentication.ts";
import { at, done } from "./answers.ts";
import { flag, instant, metadataPart, number, text } from "./fields.ts";
import { byManager, type Managed } from "./management-guards.ts";
import { named, operation } from "./operation.ts";
import { namedInPath, type OfOrganization } from "./organization-guards.ts";

const tag = "Organizations" as const;

const off = { code: "INVALID_REQUEST", status: 404, when: "The application has no organizations." } as const;
const noSuchOrganization = {
  code: "INVALID_REQUEST",
  status: 404,
  when: "The application has no such organization, or the member in `by` is none.",
} as const;
const notAllowed = { code: "INSUFFICIENT_SCOPE", when: "The member in `by` may not do this." } as const;
const noSuchUser = { code: "USER_NOT_FOUND", when: "The application has no such user." } as const;
const noSuchMember = { code: "USER_NOT_FOUND", when: "The organization has no such member." } as const;
const conflict = (when: string) => ({ code: "INVALID_REQUEST", status: 409, when }) as const;
const full = conflict("The organization has as many members as it may have, or the user is in 100.");

const by = { by: { about: "The id of a member whose rights decide. They are at most those of an admin." } };
/** Of every call below an organization. */
export const below = { tag, query: by, errors: [noSuchOrganization, notAllowed] };
const paging = {
  limit: { about: "1 to 200; 50 if omitted.", schema: { type: "integer" } },
  cursor: { about: "`nextCursor` of the previous page." },
};
const nextCursor = () => text("The cursor of the next page; null on the last page.").nullable();

const policy = () => z.enum(secondFactorPolicies).describe("Whether its members may or must have a second factor.");
const roleList = (about: string) => z.array(text("A role.")).describe(about);

const organizationFields = () => ({
  id: text("`org_…`; never reused."),
  name: text("The name."),
  slug: text("Unique in the application; never given to another organization."),
  secondFactor: policy(),
  maxMembers: number("The most members that it may have; null: 10,000.").nullable(),
  publicMetadata: metadataPart("Your data about it, which its owners and admins may read."),
  createdAt: instant("When it was created."),
  updatedAt: instant("When it was last changed."),
  disabledAt: instant("When it was disabled.").nullable(),
  deletesAt: instant("When it will be deleted, after an owner deleted it.").nullable(),
});
const example = {
  id: "org_01m839jdtaq0r4v6x8z2b4d6f8",
  name: "Acme",
  slug: "acme",
  secondFactor: "off" as const,
  maxMembers: null,
  publicMetadata: { plan: "pro" },
  createdAt: at,
  updatedAt: at,
  disabledAt: null,
  deletesAt: null,
};

const organization = named(
  "Organization",
  "An organization of users.",
  () => z.strictObject(organizationFields()),
  example,
);

export const listOrganizations = operation({
  id: "listOrganizations",
  tag,
  summary: "List the organizations",
  description: "Returns them page by page.",
  query: paging,
  answer: {
    schema: named(
      "OrganizationPage",
      "A page of organizations.",
      () =>
        z.strictObject({
          organizations: z.array(organization.schema).describe("Sorted by ID."),
          nextCursor: nextCursor(),
        }),
      { organizations: [example], nextCursor: null },
    ),
    about: "A page of organizations.",
  },
  errors: [off],
  handle: (ctx, request, { id }: Managed) => organizations.list(ctx, id, pageIn(request.query())),
});

const changed = {
  name: z.string("must be a string").optional(),
  slug: z.string("must be a string").optional(),
  secondFactor: z.enum(secondFactorPolicies, "must be off, optional or required").optional(),
  maxMembers: z.number("must be a number or null").nullable().optional(),
  publicMetadata: z.unknown().optional(),
};
const words = {
  name: "1 to 64 characters. Nothing that looks like a web address, except a proved domain of its own.",
  slug: "2 to 48 of a–z, 0–9 and `-`. An organization can change it three times.",
  secondFactor: "The strictest of application, groups, client and organization wins.",
  maxMembers: "1 to 10,000; null: 10,000.",
  publicMetadata: "A JSON merge patch (RFC 7396). The result may have at most 4,096 bytes and 8 levels.",
};

export const createOrganization = operation({
  id: "createOrganization",
  tag,
  summary: "Create an organization",
  description: "Its owner is a user, or is invited. One that nobody owns after 7 days is deleted.",
  body: {
    name: "NewOrganizationRequest",
    schema: z.strictObject({ ...changed, name: z.string("required, a string"), owner: z.string("required, a string") }),
    fields: {
      ...words,
      slug: `${words.slug} Default: derived from the name.`,
      owner: "The ID of a user, or an address to which an invitation is mailed.",
    },
    example: { name: "Acme", owner: "ada@acme.example" },
  },
  answer: { schema: organization, about: "The organization.", status: 201 },
  errors: [off, noSuchUser, conflict("Another organization has or had the slug.")],
  handle: (ctx, request, application: Managed, body) =>
    organizations.create(ctx, application, body, byManager(request, application)),
});

const details = named(
  "OrganizationDetails",
  "An organization. For a plain member in `by`: only id, name, slug and the member's roles.",
  () => {
    const { id, name, slug, ...others } = organizationFields();
    return z.strictObject({
      id,
      name,
      slug,
      ...z.strictObject(others).partial().shape,
      members: number("How many members it has.").optional(),
      owners: number("How many of them are owners that are not disabled, at most 50.").optional(),
      roles: roleList("The roles of the member in `by`.").optional(),
    });
  },
  { ...example, members: 12, owners: 2 },
);

async function detailsFor(ctx: Context, { organization, acting, rank }: OfOrganization) {
  const { id, name, slug } = organization;
  const all: Partial<OrganizationDetails> = rank === "member" ? {} : await organizations.details(ctx, organization);
  if (!acting.member) return { ...all, id, name, slug };
  const place = { organizationId: id, userId: acting.member.userId };
  return { ...all, id, name, slug, roles: (await findMembership(ctx.storage.reader, place))?.roles ?? [] };
}

export const getOrganization = operation({
  id: "getOrganization",
  ...below,
  summary: "Read an organization",
  description: "Includes the numbers of its members and owners.",
  answer: { schema: details, about: "The organization." },
  handle: (ctx, _request, caller: OfOrganization) => detailsFor(ctx, caller),
});

export const updateOrganization = operation({
  id: "updateOrganization",
  ...below,
  summary: "Change an organization",
  description: "Omitted fields stay unchanged. A member in `by` can change the name.",
  body: {
    name: "OrganizationRequest",
    schema: z.strictObject({ ...changed, disabled: z.boolean("must be a boolean").optional() }),
    fields: {
      ...words,
      disabled:
        "A disabled organization is in no token. Either value also ends an owner's deletion: `true` keeps it disabled.",
    },
    example: { name: "Acme", maxMembers: 50 },
  },
  answer: { schema: organization, about: "The organization after the change." },
  errors: [...below.errors, conflict("Another organization has or had the slug, or it was changed three times.")],
  handle: (ctx, _request, { organization, acting }: OfOrganization, body) =>
    organizations.update(ctx, organization, body, acting),
});

export const deleteOrganization = operation({
  id: "deleteOrganization",
  ...below,
  summary: "Delete an organization",
  description: "At once and for good. Its members remain users, its machines are deleted.",
  answer: { schema: done, about: "Deleted." },
  async handle(ctx, _request, { organization, acting }: OfOrganization) {
    await deletion.remove(ctx, organization, acting);
    return { success: true, message: "The organization was deleted." };
  },
});

const member = named(
  "OrganizationMember",
  "A member of an organization.",
  () =>
    z.strictObject({
      id: text("The User ID, `usr_…`."),
      email: z.email().nullable().describe("The user's email address."),
      name: text("The display name.").nullable(),
      roles: roleList("Sorted."),
      joinedBy: z
        .enum(["invitation", "domain", "provider", "server", "creator"])
        .describe("How the user became a member."),
      joinedAt: instant("When the user became a member."),
      disabled: flag("Whether the user is disabled, and the membership grants nothing."),
      pending: z
        .literal(true)
        .describe("The user waits for approval, and is disabled until then. Omitted otherwise.")
        .optional(),
      providerExempt: z
        .literal(true)
        .describe("The member may do without the organization's provider. Omitted otherwise.")
        .optional(),
    }),
  {
    id: "usr_01m839jdtaq0r4v6x8z2b4d6f8",
    email: "ada@acme.example",
    name: "Ada",
    roles: ["owner"],
    joinedBy: "invitation",
    joinedAt: at,
    disabled: false,
  },
);

export const listMembers = operation({
  id: "listOrganizationMembers",
  ...below,
  summary: "List the members of an organization",
  description: "Returns them page by page.",
  query: { ...paging, ...by },
  answer: {
    schema: named(
      "OrganizationMembers",
      "A page of an organization's members.",
      () =>
        z.strictObject({ members: z.array(member.schema).describe("Sorted by User ID."), nextCursor: nextCursor() }),
      { members: [member.example], nextCursor: null },
    ),
    about: "A page of members.",
  },
  handle(ctx, request, { organization, rank }: OfOrganization) {
    requireRank(rank, "admin");
    return members.list(ctx, organization, pageIn(request.query(), ["by"]));
  },
});

const exemptWords = "Whether the member may do without the organization's provider. Not for a member in `by`.";
const rolesBody = {
  name: "MemberRequest",
  schema: z.strictObject({
    roles: z.array(z.string("must be a string"), "required, a list of roles"),
    providerExempt: z.boolean("must be a boolean").optional(),
  }),
  fields: {
    roles: "1 to 16 of `owner`, `admin`, `member` and the application's own roles. Replaces all others.",
    providerExempt: exemptWords,
  },
  example: { roles: ["member", "billing"] },
};

export const putMember = operation({
  id: "putOrganizationMember",
  ...below,
  summary: "Add a member, or replace the roles",
  description: "A member in `by` adds nobody, and can replace the roles of members who are neither owner nor admin.",
  body: rolesBody,
  answer: { schema: member, about: "The member." },
  errors: [...below.errors, noSuchUser, full],
  handle: (ctx, request, { organization, acting }: OfOrganization, body) =>
    members.put(ctx, organization, { userId: request.parameter("userId"), ...body, adds: true }, acting),
});

export const patchMember = operation({
  id: "updateOrganizationMember",
  ...below,
  summary: "Replace the roles of a member",
  description: "As `PUT`, but fails for somebody who is not a member.",
  body: rolesBody,
  answer: { schema: member, about: "The member." },
  errors: [...below.errors, noSuchMember],
  handle: (ctx, request, { organization, acting }: OfOrganization, body) =>
    members.put(ctx, organization, { userId: request.parameter("userId"), ...body, adds: false }, acting),
});

export const removeMember = operation({
  id: "removeOrganizationMember",
  ...below,
  summary: "Remove a member",
  description: "They stay a user, and join again only by an invitation or by your server. Ends what they invited.",
  answer: { schema: done, about: "No member any more." },
  errors: [...below.errors, noSuchMember],
  async handle(ctx, request, { organization, acting }: OfOrganization) {
    await members.remove(ctx, organization, request.parameter("userId"), acting);
    return { success: true, message: "The user is not a member of the organization." };
  },
});

const invitation = named(
  "OrganizationInvitation",
  "An open invitation. Its link is only in the mail.",
  () =>
    z.strictObject({
      id: text("`inv_…`."),
      email: z.email().describe("The invited address."),
      roles: roleList("The roles that the person will have, sorted."),
      inviterId: text("The member who invited; null: the application.").nullable(),
      createdAt: instant("When it was sent."),
      expiresAt: instant("When it ends: 7 days later."),
    }),
  {
    id: "inv_01m839jdtaq0r4v6x8z2b4d6f8",
    email: "bob@acme.example",
    roles: ["member"],
    inviterId: null,
    createdAt: at,
    expiresAt: at,
  },
);

export const listInvitations = operation({
  id: "listOrganizationInvitations",
  ...below,
  summary: "List the open invitations",
  description: "Returns them page by page.",
  query: { ...paging, ...by },
  answer: {
    schema: named(
      "OrganizationInvitations",
      "A page of open invitations.",
      () =>
        z.strictObject({ invitations: z.array(invitation.schema).describe("Sorted by ID."), nextCursor: nextCursor() }),
      { invitations: [invitation.example], nextCursor: null },
    ),
    about: "A page of invitations.",
  },
  handle(ctx, request, { organization, rank }: OfOrganization) {
    requireRank(rank, "admin");
    return invitations.list(ctx, organization, pageIn(request.query(), ["by"]));
  },
});

export const invite = operation({
  id: "inviteToOrganization",
  ...below,
  summary: "Invite people",
  description:
    "Mails a link to each address, which works for 7 days and only for the person with this address. A second invitation replaces the first. At most 50 in a call, each with its own result, and 50 in an hour.",
  body: {
    name: "InvitationsRequest",
    schema: z.strictObject({
      invitations: z.array(
        z.strictObject({
          email: z.string("required, a string"),
          roles: z.array(z.string("must be a string"), "required, a list of roles"),
          redirectUri: z.string("must be a string").nullable().optional(),
          providerExempt: z.boolean("must be a boolean").optional(),
        }),
        "required, a list",
      ),
    }),
    fields: {
      invitations: {
        about: "1 to 50.",
        items: {
          about: "One person.",
          inner: {
            email: "The address.",
            roles: "The roles that the person will have.",
            redirectUri: "A redirect URI of the application, where accepting ends. Default: its home.",
            providerExempt: exemptWords,
          },
        },
      },
    },
    example: { invitations: [{ email: "bob@acme.example", roles: ["member"] }] },
  },
  answer: {
    schema: named(
      "InvitationResults",
      "The result for each address.",
      () =>
        z.strictObject({
          results: z
            .array(
              z
                .strictObject({
                  email: text("The address, as given if it is not valid."),
                  invitation: invitation.schema.nullable().describe("The invitation, if it was sent."),
                  error: z
                    .strictObject({
                      code: text("An error code."),
                      message: text("A message for people."),
                      details: text("What is wrong with it."),
                    })
                    .nullable()
                    .describe("Why it was not sent."),
                })
                .describe("One result."),
            )
            .describe("In the order of the call."),
        }),
      { results: [{ email: "bob@acme.example", invitation: invitation.example, error: null }] },
    ),
    about: "One result for each address.",
  },
  async handle(ctx, _request, { application, organization, acting }: OfOrganization, body) {
    const results = await invitations.invite(ctx, application, organization, body.invitations, acting);
    return {
      results: results.map(({ error, ...result }) => ({
        ...result,
        error: error && { code: codeOf(error), message: error.message, details: error.details },
      })),
    };
  },
});

export const withdrawInvitation = operation({
  id: "withdrawOrganizationInvitation",
  ...below,
  summary: "Withdraw an invitation",
  description: "Its link no longer works.",
  answer: { schema: done, about: "Withdrawn." },
  errors: [
    ...below.errors,
    { code: "INVALID_REQUEST", status: 404, when: "The organization has no open invitation with this id." },
  ],
  async handle(ctx, request, { organization, acting }: OfOrganization) {
    await invitations.withdraw(ctx, organization, request.parameter("invitationId"), acting);
    return { success: true, message: "The invitation was withdrawn." };
  },
});

const membershipsOfUser = named(
  "Memberships",
  "The organizations of a user.",
  () =>
    z.strictObject({
      organizations: z
        .array(
          z
            .strictObject({
              id: text("`org_…`."),
              name: text("The name."),
              slug: text("The slug."),
              roles: roleList("The user's roles there, sorted."),
              joinedAt: instant("When the user became a member."),
            })
            .describe("A membership."),
        )
        .describe("Sorted by ID. Without those that are disabled."),
    }),
  { organizations: [{ id: example.id, name: "Acme", slug: "acme", roles: ["owner"], joinedAt: at }] },
);

export const listOrganizationsOfUser = operation({
  id: "listOrganizationsOfUser",
  tag,
  summary: "List the organizations of a user",
  description: "At most 100.",
  answer: { schema: membershipsOfUser, about: "Sorted by ID." },
  errors: [off, noSuchUser],
  async handle(ctx, request, { id: appId }: Managed) {
    const { id } = await userAdministration.userOf(ctx, appId, request.parameter("userId"));
    return { organizations: await members.ofPerson(ctx, id) };
  },
});

export const listOwnOrganizations = operation({
  id: "listOwnOrganizations",
  tag,
  summary: "List the user's own organizations",
  description: "With the user's access token.",
  answer: { schema: membershipsOfUser, about: "Sorted by ID." },
  errors: [off],
  async handle(ctx, request, { user, claims }: Bearer) {
    await organizations.requireOn(ctx, claims.aud);
    // A person acts for nobody else, so there is no `by`.
    refuseUnknownParameters(request.query(), []);
    return { organizations: await members.ofPerson(ctx, user.id) };
  },
});

export const leaveOrganization = operation({
  id: "leaveOrganization",
  tag,
  summary: "Leave an organization",
  description: "With the user's access token. The last owner cannot leave.",
  answer: { schema: done, about: "The user is not a member any more." },
  errors: [
    { code: "INVALID_REQUEST", status: 404, when: "The user is not a member of such an organization." },
    conflict("The user is the last owner."),
  ],
  async handle(ctx, request, { user, claims }: Bearer) {
    await organizations.requireOn(ctx, claims.aud);
    refuseUnknownParameters(request.query(), []);
    const organization = await namedInPath(ctx, request, claims.aud);
    await members.remove(ctx, organization, user.id, asMember(user.id, sourceOf(request)));
    return { success: true, message: "You left the organization." };
  },
});
