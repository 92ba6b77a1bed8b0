import type { GroupAnswer, MemberAnswer } from "../../users/groups/service.ts";
import { askUnlessGiven } from "../input/ask.ts";
import type { Io } from "../io.ts";
import type { Screen } from "./screen.ts";
import { table } from "./table.ts";
import { facts } from "./text.ts";

export async function askForGroup(io: Io, argument: string | undefined): Promise<string> {
  return await askUnlessGiven(io, argument, { flag: "GROUP", question: "Name of the group" });
}

/** `members`: how many, if known. */
export function groupText({ name, createdAt }: GroupAnswer, screen: Screen, members?: number): string {
  return facts([
    ["Group", name],
    ["Created", screen.moment(createdAt)],
    ...(members === undefined ? [] : ([["Members", String(members)]] as [string, string][])),
  ]);
}

export function groupTable(groups: GroupAnswer[], screen: Screen): string {
  return table(
    ["GROUP", "CREATED"],
    groups.map(({ name, createdAt }) => [name, screen.time(createdAt)]),
    screen,
  );
}

export function memberTable(members: MemberAnswer[], screen: Screen): string {
  const rows = members.map(({ id, email, name, addedAt }) => [id, email ?? "-", name ?? "-", screen.time(addedAt)]);
  return table(["USER ID", "EMAIL", "NAME", "ADDED"], rows, screen);
}
