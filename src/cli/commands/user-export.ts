import type { Command } from "commander";
import { commandActor, type Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { askUnlessGiven } from "../input/ask.ts";
import { write } from "../io.ts";
import { json } from "../output/text.ts";

type Flags = { app?: string; withHashes?: boolean };

export function addUserExport(user: Command, cli: Cli): void {
  const command = user
    .command("export")
    .description("print every user of an application as JSON Lines for user import")
    .option("--app <id>", "App ID")
    .option("--with-hashes", "also print password hashes, which allow passwords to be guessed");
  examples(command, [
    "authsvc user export --app app_shop > users.jsonl",
    "authsvc user export --app app_shop --with-hashes | gpg --encrypt -r backup@example.com > users.jsonl.gpg",
  ]).action(async (flags: Flags) => exportUsers(cli, flags));
}

async function exportUsers(cli: Cli, flags: Flags): Promise<void> {
  const appId = await askUnlessGiven(cli.io, flags.app, { flag: "--app", question: "App ID" });
  const withHashes = flags.withHashes ?? false;
  const { stdout } = cli.io;
  await cli.withApp(async (ctx) => {
    const applications = await import("../../applications/service.ts");
    const userExport = await import("../../users/export.ts");
    await applications.get(ctx, appId);
    await userExport.note(ctx, appId, { withHashes }, commandActor());
    for await (const page of userExport.pages(ctx, appId, { withHashes })) {
      await write(stdout, page.map((line) => json(line, false)).join(""));
      // The reader has closed the pipe (`| head`).
      if (stdout.destroyed) return;
    }
  });
}
