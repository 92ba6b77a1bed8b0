import { commandActor, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { write } from "../../io.ts";
import { json } from "../../output/text.ts";

export function addUserExport(user: CliCommand, cli: Cli): void {
  user
    .command("export")
    .description("print every user of an application as JSON Lines for user import")
    .asks("--app <id>", "App ID")
    .option("--with-hashes", "also print password hashes, which allow passwords to be guessed, and second factors")
    .examples(
      "authsvc user export --app app_shop > users.jsonl",
      "authsvc user export --app app_shop --with-hashes | gpg --encrypt -r backup@example.com > users.jsonl.gpg",
    )
    .withApp(async (ctx, { app: appId, withHashes = false }: { app: string; withHashes?: boolean }) => {
      const { stdout } = cli.io;
      const applications = await import("../../../applications/service.ts");
      const userExport = await import("../../../people/export.ts");
      await applications.get(ctx, appId);
      await userExport.note(ctx, appId, { withHashes }, commandActor());
      for await (const page of userExport.pages(ctx, appId, { withHashes })) {
        await write(stdout, page.map((line) => json(line, false)).join(""));
        // The reader has closed the pipe (`| head`).
        if (stdout.destroyed) return;
      }
    });
}
