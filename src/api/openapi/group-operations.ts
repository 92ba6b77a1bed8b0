import type { Operation } from "./operation.ts";

const appId = { name: "appId", in: "path", about: "The App ID of the API key." } as const;
const name = { name: "name", in: "path", about: "The group's name, percent-encoded." } as const;
const userId = { name: "userId", in: "path", about: "A user of the application, `usr_…`." } as const;
const noSuchGroup = { code: "INVALID_REQUEST", status: 404, when: "The application has no such group." } as const;
const noSuchUser = { code: "USER_NOT_FOUND", when: "The application has no such user." } as const;
const badName = { code: "INVALID_REQUEST", when: "The name is invalid." } as const;
const isAllowed = { code: "INVALID_REQUEST", status: 409, when: "A client's allowed groups include it." } as const;

const shared = { tag: "Groups", access: "serverOfItsApp", limit: "userManagement" } as const;

/** Groups and metadata of an application's users. */
export const groupOperations: Operation[] = [
  {
    ...shared,
    method: "GET",
    path: "/applications/:appId/groups",
    id: "listGroups",
    summary: "List the groups",
    description: "An application has at most 1,000.",
    parameters: [appId],
    answer: { name: "Groups", about: "Sorted by name." },
  },
  {
    ...shared,
    method: "GET",
    path: "/applications/:appId/groups/:name",
    id: "getGroup",
    summary: "Read a group",
    description: "Includes the number of its members.",
    parameters: [appId, name],
    answer: { name: "GroupDetails", about: "The group." },
    errors: [badName, noSuchGroup],
  },
  {
    ...shared,
    method: "PUT",
    path: "/applications/:appId/groups/:name",
    id: "createGroup",
    summary: "Create a group",
    description:
      "A name has 1 to 64 letters, digits, `.`, `_`, `:`, `@`, `+` or `-`. Also succeeds if the group exists.",
    parameters: [appId, name],
    request: "EmptyRequest",
    answer: { name: "Group", about: "The group." },
    errors: [badName],
  },
  {
    ...shared,
    method: "DELETE",
    path: "/applications/:appId/groups/:name",
    id: "deleteGroup",
    summary: "Delete a group",
    description: "Its members remain users. Fails while a client's allowed groups include it.",
    parameters: [appId, name],
    answer: { name: "Done", about: "Deleted." },
    errors: [badName, noSuchGroup, isAllowed],
  },
  {
    ...shared,
    method: "GET",
    path: "/applications/:appId/groups/:name/members",
    id: "listGroupMembers",
    summary: "List the members of a group",
    description: "Returns them page by page.",
    parameters: [
      appId,
      name,
      { name: "limit", in: "query", required: false, about: "1 to 200; 50 if omitted.", schema: { type: "integer" } },
      { name: "cursor", in: "query", required: false, about: "`nextCursor` of the previous page." },
    ],
    answer: { name: "GroupMembers", about: "A page of members." },
    errors: [badName, noSuchGroup],
  },
  {
    ...shared,
    method: "PUT",
    path: "/applications/:appId/groups/:name/members/:userId",
    id: "addGroupMember",
    summary: "Add a user to a group",
    description:
      "A user can be in at most 64 groups. `GET /auth/validate` shows the group at once, tokens after their next refresh.",
    parameters: [appId, name, userId],
    request: "EmptyRequest",
    answer: { name: "Done", about: "The user is a member." },
    errors: [badName, noSuchGroup, noSuchUser],
  },
  {
    ...shared,
    method: "DELETE",
    path: "/applications/:appId/groups/:name/members/:userId",
    id: "removeGroupMember",
    summary: "Remove a user from a group",
    description: "Also succeeds if the user was not a member.",
    parameters: [appId, name, userId],
    answer: { name: "Done", about: "The user is not a member." },
    errors: [badName, noSuchGroup, noSuchUser],
  },
  {
    ...shared,
    method: "GET",
    path: "/applications/:appId/users/:userId/groups",
    id: "listGroupsOfUser",
    summary: "List the groups of a user",
    description: "Returns their names.",
    parameters: [appId, userId],
    answer: { name: "GroupsOfUser", about: "Sorted." },
    errors: [noSuchUser],
  },
  {
    ...shared,
    method: "GET",
    path: "/applications/:appId/users/:userId/metadata",
    id: "getMetadata",
    summary: "Read a user's metadata",
    description: "Returns the public and the private part.",
    parameters: [appId, userId],
    answer: { name: "Metadata", about: "The metadata." },
    errors: [noSuchUser],
  },
  {
    ...shared,
    method: "PATCH",
    path: "/applications/:appId/users/:userId/metadata",
    id: "updateMetadata",
    summary: "Change a user's metadata",
    description: "JSON merge patches (RFC 7396) of one part or both. Users cannot change their metadata.",
    parameters: [appId, userId],
    request: "MetadataRequest",
    answer: { name: "Metadata", about: "The metadata after the change." },
    errors: [noSuchUser],
  },
];
