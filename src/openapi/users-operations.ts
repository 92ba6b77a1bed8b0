import { userListParameters } from "../users/administration-routes.ts";
import type { Operation } from "./operation.ts";

const appId = { name: "appId", in: "path", about: "The App ID of the API key." } as const;
const userId = { name: "userId", in: "path", about: "`usr_…`" } as const;
const noSuchUser = { code: "USER_NOT_FOUND", when: "No such user of this application." } as const;
const taken = { code: "INVALID_REQUEST", status: 409, when: "A user of this application has the address." } as const;
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
      "A page of the users to whom all given filters apply. It may hold fewer than `limit`, even none: there are more as long as `nextCursor` is not null.",
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
      "Without a password, the user signs in with a provider or a password reset that proves the address. `user.created` is sent.",
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
    description: "All that is known of the user, whatever the scopes of their tokens.",
    parameters: [appId, userId],
    answer: { name: "ManagedUserDetails", about: "The user." },
    errors: [noSuchUser],
  },
];
