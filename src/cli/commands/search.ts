import { namingFlags, type Cli } from "../cli.ts";
import type { CliCommand } from "../command.ts";
import { wholeNumberFrom } from "../input/values.ts";
import { noteMorePeople, peopleColumns } from "../output/people.ts";
import { tableOf } from "../output/table.ts";

type Flags = { app?: string; limit: number; after?: string };

export function addSearch(program: CliCommand, cli: Cli): void {
  program
    .command("search")
    .description(
      "find people in all applications by parts of their address or name, newest first; applications, clients, endpoints, groups and organizations by name; and any ID from a log, whatever stands around it",
    )
    .asks("[TEXT]", "parts of an address or name, or text with IDs in it")
    .option("--app <id>", "only of this application")
    .option("--limit <number>", "maximum number of people to show", wholeNumberFrom(1, 1000), 50)
    .option("--after <user>", "only people, after this User ID (the last one of the previous page)")
    .examples(
      'authsvc search "lovelace shop.example"',
      "authsvc search ada --json | jq -r '.[] | select(.kind == \"person\").id'",
    )
    .withApp(async (ctx, text: string, { app: appId, ...page }: Flags) => {
      const { searchAll } = await import("../../people/search.ts");
      const { byIds } = await import("../../users/listing.ts");
      const { findThings, isSearchable } = await import("../../upkeep/search/everything.ts");
      const sight = { appId, operators: appId === undefined, operatorEntries: true };
      const things = page.after === undefined ? await findThings(ctx, text, sight) : undefined;
      const { byId = [], byName = [], unknown = [], isId = false } = things ?? {};
      const isOnlyIds = isId || (byId.length + unknown.length > 0 && !isSearchable(text));
      const ids = byId.filter(({ kind }) => kind === "person").map(({ id }) => id);
      const found = isOnlyIds
        ? { users: await byIds(ctx, ids), more: false }
        : await namingFlags({ search: "TEXT" }, () => searchAll(ctx, { text, appId }, page));
      const hits = [...byId, ...byName].filter(({ id }) => found.users.every((user) => user.id !== id));
      const screen = cli.screen();
      const columns = {
        KIND: ({ kind }: (typeof hits)[number]) => kind,
        ID: ({ id }: (typeof hits)[number]) => id,
        NAME: ({ name }: (typeof hits)[number]) => name || "-",
        "APP ID": ({ appId: of }: (typeof hits)[number]) => of ?? "-",
      };
      const tables = [
        hits.length > 0 && tableOf(hits, columns, screen),
        found.users.length > 0 && tableOf(found.users, peopleColumns(true), screen),
      ];
      const people = found.users.map((user) => ({ kind: "person", ...user }));
      await cli.result([...hits, ...people], tables.filter((each) => each !== false).join("\n"));
      for (const { id, kind } of unknown)
        await cli.note(
          kind === "req"
            ? `No entry of the audit log has ${id}; look in the log of the service.`
            : `Nothing has the ID ${id}.`,
        );
      if (hits.length + people.length === 0) await cli.note("Nothing found.");
      await noteMorePeople(cli, found);
    });
}
