import { userListParameters } from "../users.ts";
import type { Operation } from "./operation.ts";

const appId = { name: "appId", in: "path", about: "The App ID of the API key." } as const;
const userId = { name: "userId", in: "path", about: "`usr_…`" } as const;
const noSuchUser = { code: "USER_NOT_FOUND", when: "The application has no such user." } as const;
const taken = {
  code: "INVALID_REQUEST",
  status: 409,
  when: "A user of this application already has this email address.",
} as const;
const common = { tag: "Users", access: "serverOfItsApp", limit: "userManagement" } as const;

/** What an application's server may do with its users. */
export const usersOperations: Operation[] = [
  {
    ...common,
    method: "GET",
    path: "/applications/:appId/users",
    id: "listUsers",
    summary: "List users",
    description:
      "Returns a page of the users that match all given filters. It may have fewer users than `limit`, even none: there are more as long as `nextCursor` is not null.",
    parameters: [
      appId,
      ...Object.entries(userListParameters).map(([name, rest]) => ({ name, in: "query" as const, ...rest })),
    ],
    answer: { name: "UserPage", about: "The page." },
  },
  {
    ...common,
    method: "POST",
    path: "/applications/:appId/users",
    id: "createUser",
    summary: "Create a user",
    description:
      "Without a password, the user signs in with a provider or a password reset that proves the email address. Sends `user.created`.",
    parameters: [appId],
    request: "NewUserRequest",
    answer: { status: 201, name: "ManagedUser", about: "Created." },
    errors: [taken],
  },
  {
    ...common,
    method: "GET",
    path: "/applications/:appId/users/:userId",
    id: "getManagedUser",
    summary: "Read a user",
    description: "Returns all fields, regardless of the scopes of the user's tokens.",
    parameters: [appId, userId],
    answer: { name: "ManagedUserDetails", about: "The user." },
    errors: [noSuchUser],
  },
  {
    ...common,
    method: "PATCH",
    path: "/applications/:appId/users/:userId",
    id: "updateManagedUser",
    summary: "Change a user",
    description:
      "Omitted fields stay as they are. Either all changes are made or none. A new email address is unverified unless `emailVerified` is true. Links and codes mailed earlier stop working, and the previous address gets a mail. Sends `user.updated` if anything except `disabled` changed.",
    parameters: [appId, userId],
    request: "ManagedUserChange",
    answer: { name: "ManagedUserDetails", about: "The user after the change." },
    errors: [noSuchUser, taken],
  },
  {
    ...common,
    method: "DELETE",
    path: "/applications/:appId/users/:userId",
    id: "deleteManagedUser",
    summary: "Delete a user permanently",
    description:
      "Deletes the user with their methods, logins and every copy of their email address. This cannot be undone.",
    parameters: [appId, userId],
    answer: { name: "Done", about: "Deleted." },
    errors: [noSuchUser],
  },
  {
    ...common,
    method: "POST",
    path: "/applications/:appId/users/:userId/logout",
    id: "logoutManagedUser",
    summary: "Sign a user out everywhere",
    description: "Ends every login; its tokens are rejected from the next call on. The user can sign in again.",
    parameters: [appId, userId],
    request: "EmptyRequest",
    answer: { name: "EndedLogins", about: "Signed out." },
    errors: [noSuchUser],
  },
  {
    ...common,
    method: "GET",
    path: "/applications/:appId/users/:userId/auth-methods",
    id: "listManagedUserMethods",
    summary: "List a user's sign-in methods",
    description: "Passkeys, accounts at providers, and the password.",
    parameters: [appId, userId],
    answer: { name: "AuthMethods", about: "Oldest first." },
    errors: [noSuchUser],
  },
  {
    ...common,
    method: "DELETE",
    path: "/applications/:appId/users/:userId/auth-methods/:methodId",
    id: "removeManagedUserMethod",
    summary: "Remove a method of a user, such as a lost phone's passkey",
    description:
      "Ends every login of the user, and notifies them by mail. The last method that can sign the user in cannot be removed: disable the user instead.",
    parameters: [appId, userId, { name: "methodId", in: "path", about: "`mth_…`" }],
    answer: { name: "Done", about: "Removed." },
    errors: [
      noSuchUser,
      { code: "METHOD_NOT_FOUND", when: "The user has no such method." },
      { code: "INVALID_REQUEST", when: "It is the last method that can sign the user in." },
    ],
  },
];
