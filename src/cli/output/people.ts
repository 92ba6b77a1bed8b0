import type { UserAnswer } from "../../users/user-answer.ts";
import type { Cli } from "../cli.ts";
import { maxNotSearchable } from "../../people/search-text.ts";
import { timeOr } from "./screen.ts";
import type { Columns } from "./table.ts";
import { userMethodsText } from "./user-text.ts";

export type Found = { users: UserAnswer[]; more: boolean; notSearchable?: number };

/** With `hasApp`, of which application each is. */
export function peopleColumns(hasApp: boolean): Columns<UserAnswer> {
  return {
    "USER ID": ({ id }) => id,
    EMAIL: ({ email }) => email ?? "-",
    NAME: ({ name }) => name ?? "-",
    ...(hasApp && { "APP ID": ({ appId }: UserAnswer) => appId }),
    METHODS: ({ authMethods }) => userMethodsText(authMethods),
    "LAST SIGN-IN": ({ lastLoginAt }, screen) => timeOr("never", lastLoginAt, screen),
    STATE: ({ disabledAt, state }) => state ?? (disabledAt === null ? "active" : "disabled"),
  };
}

/** Prints users, and how to see more. */
export async function listPeople(cli: Cli, found: Found, hasApp: boolean): Promise<void> {
  await cli.list(found.users, peopleColumns(hasApp), "No matching users.");
  await noteMorePeople(cli, found);
}

export async function noteMorePeople(cli: Cli, { users, more, notSearchable = 0 }: Found): Promise<void> {
  if (more) await cli.note(`There are more. To continue: --after ${users.at(-1)?.id ?? ""}`);
  const amount =
    notSearchable > maxNotSearchable ? "More than 10,000 users of all applications" : `${notSearchable} users`;
  if (notSearchable > 0)
    await cli.note(`${amount} cannot be found yet: a running service prepares them for the search.`);
}
