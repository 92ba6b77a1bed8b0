import { z } from "zod";
import type { Application } from "../applications/application.ts";
import { pageIn } from "../http/query.ts";
import type { HttpRequest } from "../http/request.ts";
import { invalidRequest } from "../lib/errors.ts";
import { secondFactorPolicies } from "../storage/column-types.ts";
import * as groupDeletion from "../users/groups/deletion.ts";
import { checkedGroupName } from "../users/groups/rules.ts";
import * as groups from "../users/groups/service.ts";
import * as userMetadata from "../people/metadata-changes.ts";
import { at, done } from "./answers.ts";
import { instant, metadataPart, number, text } from "./fields.ts";
import { byManager, type Managed } from "./management-guards.ts";
import { named, noBody, operation } from "./operation.ts";

/** The group's name in the path. Throws INVALID_REQUEST if no group can have it. */
function nameOf(request: HttpRequest): string {
  let name: string;
  try {
    name = decodeURIComponent(request.parameter("name"));
  } catch {
    throw invalidRequest("name", "malformed percent-encoding");
  }
  return checkedGroupName(name);
}

const noSuchGroup = { code: "INVALID_REQUEST", status: 404, when: "The application has no such group." } as const;
const noSuchUser = { code: "USER_NOT_FOUND", when: "The application has no such user." } as const;
const badName = { code: "INVALID_REQUEST", when: "The name is invalid." } as const;

const groupFields = () => ({
  name: text("Unique in the application."),
  secondFactor: z.enum(secondFactorPolicies).describe("Whether its members may or must have a second factor."),
  createdAt: instant("When it was created."),
});
const group = { name: "staff", secondFactor: "off" as const, createdAt: at };

export const listGroups = operation({
  id: "listGroups",
  tag: "Groups",
  summary: "List the groups",
  description: "An application has at most 1,000.",
  answer: {
    schema: named(
      "Groups",
      "The groups of an application.",
      () =>
        z.strictObject({
          groups: z.array(z.strictObject(groupFields()).describe("A group.")).describe("Sorted by name."),
        }),
      { groups: [group] },
    ),
    about: "Sorted by name.",
  },
  handle: async (ctx, _request, { id }: Application) => ({ groups: await groups.list(ctx, id) }),
});

export const getGroup = operation({
  id: "getGroup",
  tag: "Groups",
  summary: "Read a group",
  description: "Includes the number of its members.",
  answer: {
    schema: named(
      "GroupDetails",
      "A group with the number of its members.",
      () => z.strictObject({ ...groupFields(), members: number("The number of members.") }),
      { ...group, members: 12 },
    ),
    about: "The group.",
  },
  errors: [badName, noSuchGroup],
  handle: (ctx, request, { id }: Application) => groups.get(ctx, id, nameOf(request)),
});

export const createGroup = operation({
  id: "createGroup",
  tag: "Groups",
  summary: "Create a group",
  description:
    "A name has 1 to 64 letters, digits, `.`, `_`, `:`, `@`, `+` or `-`. Also succeeds if the group exists, and then changes the settings in the body.",
  body: {
    name: "GroupRequest",
    schema: z.strictObject({
      secondFactor: z.enum(secondFactorPolicies, "must be off, optional or required").optional(),
    }),
    optional: true,
    fields: {
      secondFactor:
        "Whether members may or must have a second factor. The strictest of application, groups and client wins. Default of a new group: `off`.",
    },
    example: { secondFactor: "required" },
  },
  answer: {
    schema: named("Group", "A group of users.", () => z.strictObject(groupFields()), group),
    about: "The group.",
  },
  errors: [badName],
  handle: (ctx, request, application: Managed, body) =>
    groups.put(ctx, application.id, nameOf(request), body, byManager(request, application)),
});

export const deleteGroup = operation({
  id: "deleteGroup",
  tag: "Groups",
  summary: "Delete a group",
  description: "Its members remain users. Fails while a client's allowed groups include it.",
  answer: { schema: done, about: "Deleted." },
  errors: [
    badName,
    noSuchGroup,
    { code: "INVALID_REQUEST", status: 409, when: "A client's allowed groups include it." },
  ],
  async handle(ctx, request, application: Managed) {
    await groupDeletion.remove(ctx, application.id, nameOf(request), byManager(request, application));
    return { success: true, message: "The group was deleted." };
  },
});

const member = () =>
  z
    .strictObject({
      id: text("The User ID, `usr_…`."),
      email: z.email().nullable().describe("The user's email address."),
      name: text("The display name.").nullable(),
      addedAt: instant("When the user became a member."),
    })
    .describe("A member of a group.");

export const listGroupMembers = operation({
  id: "listGroupMembers",
  tag: "Groups",
  summary: "List the members of a group",
  description: "Returns them page by page.",
  query: {
    limit: { about: "1 to 200; 50 if omitted.", schema: { type: "integer" } },
    cursor: { about: "`nextCursor` of the previous page." },
  },
  answer: {
    schema: named(
      "GroupMembers",
      "A page of a group's members.",
      () =>
        z.strictObject({
          members: z.array(member()).describe("Sorted by User ID."),
          nextCursor: text("The cursor of the next page; null on the last page.").nullable(),
        }),
      {
        members: [{ id: "usr_01m839jdtaq0r4v6x8z2b4d6f8", email: "ada@example.com", name: "Ada", addedAt: at }],
        nextCursor: null,
      },
    ),
    about: "A page of members.",
  },
  errors: [badName, noSuchGroup],
  handle(ctx, request, { id }: Application) {
    return groups.members(ctx, id, nameOf(request), pageIn(request.query()));
  },
});

export const addGroupMember = operation({
  id: "addGroupMember",
  tag: "Groups",
  summary: "Add a user to a group",
  description:
    "A user can be in at most 64 groups. `GET /auth/validate` shows the group at once, tokens after their next refresh.",
  body: noBody,
  answer: { schema: done, about: "The user is a member." },
  errors: [badName, noSuchGroup, noSuchUser],
  async handle(ctx, request, application: Managed) {
    const userIds = [request.parameter("userId")];
    await groups.add(ctx, application.id, nameOf(request), userIds, byManager(request, application));
    return { success: true, message: "The user is a member of the group." };
  },
});

export const removeGroupMember = operation({
  id: "removeGroupMember",
  tag: "Groups",
  summary: "Remove a user from a group",
  description: "Also succeeds if the user was not a member.",
  answer: { schema: done, about: "The user is not a member." },
  errors: [badName, noSuchGroup, noSuchUser],
  async handle(ctx, request, application: Managed) {
    const userIds = [request.parameter("userId")];
    await groups.remove(ctx, application.id, nameOf(request), userIds, byManager(request, application));
    return { success: true, message: "The user is not a member of the group." };
  },
});

export const listGroupsOfUser = operation({
  id: "listGroupsOfUser",
  tag: "Groups",
  summary: "List the groups of a user",
  description: "Returns their names.",
  answer: {
    schema: named(
      "GroupsOfUser",
      "The names of a user's groups.",
      () => z.strictObject({ groups: z.array(text("A group.")).describe("Sorted.") }),
      { groups: ["staff"] },
    ),
    about: "Sorted.",
  },
  errors: [noSuchUser],
  handle: async (ctx, request, { id }: Application) => ({
    groups: await groups.ofUserIn(ctx, id, request.parameter("userId")),
  }),
});

const metadata = named(
  "Metadata",
  "The application's data about a user.",
  () =>
    z.strictObject({
      public: metadataPart("The part that the user may read."),
      private: metadataPart(
        "The part that only the application's server and the operator can read, unless a claim contains it.",
      ),
    }),
  { public: { plan: "pro" }, private: { customer: 4711 } },
);

export const getMetadata = operation({
  id: "getMetadata",
  tag: "Groups",
  summary: "Read a user's metadata",
  description: "Returns the public and the private part.",
  answer: { schema: metadata, about: "The metadata." },
  errors: [noSuchUser],
  handle: (ctx, request, { id }: Application) =>
    userMetadata.get(ctx, { userId: request.parameter("userId"), appId: id }),
});

/** Not `z.record`, which silently drops a key `__proto__`; the service refuses it. */
const patch = z
  .unknown()
  .refine((value) => value === undefined || (typeof value === "object" && !Array.isArray(value)), "a JSON object")
  .optional();

export const updateMetadata = operation({
  id: "updateMetadata",
  tag: "Groups",
  summary: "Change a user's metadata",
  description: "JSON merge patches (RFC 7396) of one part or both. Users cannot change their metadata.",
  body: {
    name: "MetadataRequest",
    schema: z.strictObject({ public: patch, private: patch }),
    fields: {
      public:
        "A JSON merge patch (RFC 7396); null removes everything. The result may have at most 4,096 bytes and 8 levels.",
      private: "The same for the private part.",
    },
    example: { public: { plan: "pro" }, private: { customer: 4711, trial: null } },
  },
  answer: { schema: metadata, about: "The metadata after the change." },
  errors: [noSuchUser],
  handle(ctx, request, application: Managed, body) {
    const whose = { userId: request.parameter("userId"), appId: application.id };
    return userMetadata.patch(ctx, whose, body, byManager(request, application));
  },
});
