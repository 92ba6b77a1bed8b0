import { Option } from "commander";
import { commandActor, namingFlags, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { askUnlessGiven } from "../../input/ask.ts";
import { clientChangeFrom, clientFlagOfField, newClientRows, type ClientFlags } from "../../input/client-flags.ts";
import { addSecretFlags, givenSecret, type SecretFlags } from "../../input/secret-flags.ts";
import { addSettingFlags } from "../../input/setting-flags.ts";
import { programs } from "../../../applications/clients/configurations.ts";
import { clientKinds, type ClientKind } from "../../../storage/column-types.ts";
import { clientText, secretIsShownOnce } from "../../output/client-text.ts";
import { facts } from "../../output/text.ts";

type Flags = ClientFlags &
  SecretFlags & { app: string; id?: string; kind?: ClientKind; organization?: string; secret?: boolean };

export function addClientCreate(client: CliCommand, cli: Cli): void {
  const command = client
    .command("create")
    .description("create an OpenID Connect client; its secret is shown once")
    .asks("--app <id>", "App ID of the application whose users it signs in", "App ID")
    .option("--id <id>", "client ID to use, so that a pipeline knows it in advance (default: a generated one)")
    .addOption(
      new Option(
        "--kind <kind>",
        "web: on a server; spa: in browsers; native: on devices; device: without a browser; machine: nobody signs in; proxy: a program without a sign-in, behind a reverse proxy (default: web)",
      ).choices(clientKinds),
    )
    .option("--organization <id>", "with kind machine: the organization that its tokens name, and that it ends with");
  addSecretFlags(addSettingFlags(command, newClientRows), "client secret")
    .addOption(
      new Option("--no-secret", "create no secret, for a client that will trust another issuer").conflicts([
        "secretStdin",
        "secretFile",
      ]),
    )
    .dryRun("validate without creating anything", "nothing was created")
    .examples(
      "authsvc client create --app app_shop --id graphs --name Grafana --redirect-uri https://grafana.example.com/login/generic_oauth",
      "authsvc client create --app app_shop --name CLI --kind native --redirect-uri http://127.0.0.1/callback --json",
    )
    .action(async (flags: Flags) => {
      const name = await askUnlessGiven(cli.io, flags.name, { flag: "--name", question: "Name of the program" });
      const { secret: chosen, flag } = await givenSecret(cli.io, flags);
      const change = await clientChangeFrom(cli.io, flags);
      const { app: appId, id, kind, organization: organizationId } = flags;
      const input = {
        ...change,
        appId,
        name,
        ...(id === undefined ? {} : { id }),
        ...(kind === undefined ? {} : { kind }),
        ...(organizationId === undefined ? {} : { organizationId }),
      };
      await cli.withApp(async (ctx) => {
        const clients = await import("../../../applications/clients/service.ts");
        const { client, secret } = await namingFlags(
          { ...clientFlagOfField, organizationId: "--organization", secret: flag },
          () =>
            clients.create(
              ctx,
              input,
              { secret: chosen, mayGenerate: flags.secret !== false },
              { actor: commandActor(), dryRun: cli.isDryRun() },
            ),
        );
        const shown = clientText(client, cli.screen());
        if (cli.isDryRun()) return await cli.result({ client }, shown);
        const secretFacts = secret === null ? "" : facts([["Client secret", secret]]);
        await cli.result({ client, clientSecret: secret, issuer: ctx.baseUrl }, shown + secretFacts);
        if (secret !== null && !cli.isJson()) await cli.note(secretIsShownOnce);
        if (flags.secret === false)
          await cli.note(`It has no credential yet: authsvc client credential add ${client.id}`);
        const { isShutByDefault } = await import("../../../applications/clients/client.ts");
        const applications = await import("../../../applications/service.ts");
        const application = await applications.find(ctx, ctx.storage.reader, client.appId);
        if (application && isShutByDefault(application, client))
          await cli.note(
            `Nobody may use it yet, because the application lets in members of allowed groups only: authsvc client update ${client.id} --allowed-groups GROUP`,
          );
        if (client.kind === "proxy") {
          const { notesOnProxy } = await import("../../output/proxy-notes.ts");
          for (const note of await notesOnProxy(ctx, client)) await cli.note(note);
          return;
        }
        await cli.note(`The program needs the issuer ${ctx.baseUrl} too.`);
        // Known programs run on a server.
        if (client.kind === "web") await cli.note(settingsHint(client));
        if (client.kind === "device") await cli.note(`To try it: authsvc client show ${client.id}`);
      });
    });
}

function settingsHint({ id, name }: { id: string; name: string }): string {
  const own = programs.find((program) => [id, name].some((text) => text.toLowerCase().includes(program)));
  if (own !== undefined) return `Its settings: authsvc client show ${id} --for ${own}`;
  return `Settings of known programs: authsvc client show ${id} --for PROGRAM (${programs.join(", ")})`;
}
