import { objectOf } from "../../../applications/setting.ts";
import { applicationRows, type ApplicationChange } from "../../../applications/settings.ts";
import { commandActor, namingFlags, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { addApiKeyFlags, chosenApiKey, type ApiKeyFlags } from "../../input/api-key-flags.ts";
import { warnWithoutMail } from "../../input/mail-warning.ts";
import { addSettingFlags, flagsOfFields, valuesFrom } from "../../input/setting-flags.ts";
import { wordsOf } from "../../input/values.ts";
import { applicationText } from "../../output/application-text.ts";
import { facts } from "../../output/text.ts";

const methodNames = ["passkey", "password", "oauth"] as const;
type MethodName = (typeof methodNames)[number];

type Flags = ApiKeyFlags & { name: string; id?: string; methods?: MethodName[] };

const rows = applicationRows.filter(([field, { atCreation }]) => atCreation && field !== "name");

export function addAppCreate(app: CliCommand, cli: Cli): void {
  const command = app
    .command("create")
    .description("create an application and its first API key, which is shown once")
    .asks("--name <name>", "name shown to users when they sign in", "Name of the application")
    .option("--id <id>", "App ID to use, so that a pipeline knows it in advance (default: a generated one)")
    .option("--methods <list>", "passkey, password, oauth, separated by commas", wordsOf(methodNames));
  addSettingFlags(command, rows, { replaces: false });
  addApiKeyFlags(command)
    .dryRun("validate without creating anything", "nothing was created")
    .examples(
      'authsvc app create --name "My shop" --redirect-uri https://shop.example.com/callback',
      "authsvc app create --name Store --id app_store --methods passkey,oauth --api-key-stdin --json < key.txt",
    )
    .action(async (flags: Flags) => {
      const { id, name, methods } = flags;
      const { apiKey, flag } = await chosenApiKey(cli.io, flags);
      const change: ApplicationChange = objectOf(valuesFrom(rows, flags, { isNew: true }));
      const input = { ...change, name, ...(id === undefined ? {} : { id }), ...(methods && { methods }) };
      const fields = { ...flagsOfFields(applicationRows), id: "--id", methods: "--methods", apiKey: flag };
      const hasEmailCode = change.settings?.emailCode === true;
      await cli.withApp(async (ctx) => {
        const applications = await import("../../../applications/service.ts");
        if (cli.isDryRun()) {
          const application = await namingFlags(fields, () => applications.check(ctx, input));
          await cli.result({ application }, applicationText(application));
          if (hasEmailCode) await warnWithoutMail(cli, ctx);
          return;
        }
        const created = await namingFlags(fields, () =>
          applications.createWithKey(ctx, input, { apiKey }, commandActor()),
        );
        const { application } = created;
        await cli.result(
          created,
          facts([
            ["App ID", application.id],
            ["API key", created.apiKey],
          ]),
        );
        if (hasEmailCode) await warnWithoutMail(cli, ctx);
        if (!cli.isJson()) await nextStep(cli, application);
      });
    });
}

async function nextStep(cli: Cli, application: { id: string; redirectUris: string[] }): Promise<void> {
  await cli.note("The API key is shown only once. Store it where your server reads its secrets.");
  if (application.redirectUris.length === 0) {
    await cli.note(
      `Nobody can sign in yet: the application has no redirect URI. To add one: authsvc app update ${application.id} --add-redirect-uri URI`,
    );
  } else {
    await cli.note("Next: your server calls POST /auth/initiate with this key, and X-Service-App-ID with this App ID.");
  }
}
