import { commandActor, namingFlags, type Cli } from "../cli.ts";
import type { CliCommand } from "../command.ts";

type Flags = { app: string; to: string; kind: string; language: string };

export function addMailTest(mail: CliCommand, cli: Cli): void {
  mail
    .command("test")
    .description("queue a mail with sample data, which the running service sends")
    .asks("--app <id>", "App ID, whose name and colours it has", "App ID")
    .asks("--to <address>", "email address that gets it", "Email address")
    .option("--kind <kind>", "which mail, such as reset or new-device", "verify")
    .option("--language <tag>", "en, de, fr, es, pt, ja or ar", "en")
    .examples(
      "authsvc mail test --app app_shop --to you@example.com",
      "authsvc mail test --app app_shop --to you@example.com --kind reset --language de --json",
    )
    .withApp(async (ctx, { app: appId, ...flags }: Flags) => {
      const { sendSample } = await import("../../upkeep/test-mail.ts");
      const queued = await namingFlags({ to: "--to", kind: "--kind", language: "--language" }, () =>
        sendSample(ctx, { appId, ...flags }, { actor: commandActor() }),
      );
      await cli.result(queued, `The mail ${queued.kind} is queued. The running service sends it.\n`);
    });
}
