import type { GroupAnswer, MemberAnswer } from "../../users/groups/service.ts";
import type { Screen } from "./screen.ts";
import type { Columns } from "./table.ts";
import { facts } from "./text.ts";

/** `members`: how many, if known. */
export function groupText({ name, secondFactor, createdAt }: GroupAnswer, screen: Screen, members?: number): string {
  return facts([
    ["Group", name],
    ["Second factor", secondFactor],
    ["Created", screen.moment(createdAt)],
    ["Members", members?.toString()],
  ]);
}

export const memberColumns: Columns<MemberAnswer> = {
  "USER ID": ({ id }) => id,
  EMAIL: ({ email }) => email ?? "-",
  NAME: ({ name }) => name ?? "-",
  ADDED: ({ addedAt }, screen) => screen.time(addedAt),
};
