import { clientRows } from "../../../applications/clients/settings.ts";
import { AppError } from "../../../lib/errors.ts";
import { commandActor, namingFlags, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { clientChangeFrom, clientFlagOfField, type ClientFlags } from "../../input/client-flags.ts";
import { addSettingFlags } from "../../input/setting-flags.ts";
import { factorNoteOf } from "../../../upkeep/waiting-notes.ts";
import { clientText } from "../../output/client-text.ts";

export function addClientUpdate(client: CliCommand, cli: Cli): void {
  const command = client
    .command("update")
    .description("change the given settings of a client; an empty value removes a setting")
    .asks("[ID]", "client ID");
  addSettingFlags(command, clientRows)
    .option("--logo-file <file>", 'logo to upload: PNG or JPEG, at most 256 KiB; "" for none')
    .dryRun("validate without changing anything")
    .examples(
      "authsvc client update grafana --redirect-uri https://grafana.example.com/login/generic_oauth --require-pkce on",
      "authsvc client update grafana --enabled off --json",
    )
    .action(async (id: string, flags: ClientFlags & { logoFile?: string }) => {
      const change = await clientChangeFrom(cli.io, flags);
      const { pictureChangeFrom } = await import("../../input/picture-file.ts");
      const logo = await pictureChangeFrom(cli.io, "--logo-file", flags.logoFile);
      if (!logo && Object.keys(change).length === 0)
        throw new AppError("INVALID_REQUEST", "Nothing to change: give at least one option, such as --name");
      await cli.withApp(async (ctx) => {
        const clients = await import("../../../applications/clients/service.ts");
        const [actor, dryRun] = [commandActor(), cli.isDryRun()];
        const changed = await namingFlags(clientFlagOfField, () => clients.update(ctx, id, change, { actor, dryRun }));
        if (logo)
          await (await import("../../../applications/clients/logo.ts")).change(ctx, id, logo, { actor }, { dryRun });
        await cli.result(changed, clientText(changed, cli.screen()));
        if (change.secondFactor === "required")
          await cli.note(await factorNoteOf(ctx, { appId: changed.appId, groups: changed.allowedGroups }));
      });
    });
}
