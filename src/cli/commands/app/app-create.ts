import { Option } from "commander";
import type { SecondFactorPolicy } from "../../../storage/column-types.ts";
import { commandActor, namingFlags, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { addApiKeyFlags, chosenApiKey, type ApiKeyFlags } from "../../input/api-key-flags.ts";
import { warnWithoutMail } from "../../input/mail-warning.ts";
import { secondFactorOption, trustBrowsersAbout } from "../../input/second-factor-flags.ts";
import { refreshGraceAbout, secondsFrom, daysOrOff, secondsOrOff, wordsOf } from "../../input/values.ts";
import { applicationText } from "../../output/application-text.ts";
import { facts } from "../../output/text.ts";

const methodNames = ["passkey", "password", "oauth"] as const;
type MethodName = (typeof methodNames)[number];

type Flags = ApiKeyFlags & {
  name: string;
  id?: string;
  domain?: string;
  redirectUri?: string[];
  methods?: MethodName[];
  homeUrl?: string;
  emailCode?: "on" | "off";
  singleSignOn?: number;
  refreshGrace?: number;
  secondFactor?: SecondFactorPolicy;
  trustBrowsers?: number;
};

export function addAppCreate(app: CliCommand, cli: Cli): void {
  const command = app
    .command("create")
    .description("create an application and its first API key, which is shown once")
    .asks("--name <name>", "name shown to users when they sign in", "Name of the application")
    .option("--id <id>", "App ID to use, so that a pipeline knows it in advance (default: a generated one)")
    .option("--domain <host>", "domain whose passkeys the application shares")
    .option("--redirect-uri <uri...>", "URL that users return to after signing in; repeatable")
    .option("--methods <list>", "passkey, password, oauth, separated by commas", wordsOf(methodNames));
  command.addOption(
    new Option("--email-code <switch>", "let people sign in with a code mailed to their address").choices([
      "on",
      "off",
    ]),
  );
  command.option("--home-url <url>", "where the pages link back to (default: the origin of a redirect URI)");
  command.option(
    "--single-sign-on <duration>",
    "how long one sign-in also counts for the application's other OpenID Connect clients: at most 12h, or off",
    secondsOrOff,
  );
  command.option("--refresh-grace <duration>", refreshGraceAbout, secondsFrom);
  command.addOption(secondFactorOption("whether users may or must set up a second factor"));
  command.option("--trust-browsers <duration>", trustBrowsersAbout, daysOrOff);
  addApiKeyFlags(command)
    .dryRun("validate without creating anything", "nothing was created")
    .examples(
      'authsvc app create --name "My shop" --redirect-uri https://shop.example.com/callback',
      "authsvc app create --name Store --id app_store --methods passkey,oauth --api-key-stdin --json < key.txt",
    )
    .action(async (flags: Flags) => {
      const { id, name, domain, redirectUri: redirectUris, methods, homeUrl, emailCode, secondFactor } = flags;
      const { apiKey, flag } = await chosenApiKey(cli.io, flags);
      const settings = {
        singleSignOnSeconds: flags.singleSignOn,
        refreshGraceSeconds: flags.refreshGrace,
        secondFactor,
        trustBrowsersDays: flags.trustBrowsers,
        emailCode: emailCode && emailCode === "on",
      };
      const branding = homeUrl === undefined ? {} : { branding: { homeUrl } };
      const input = { id, name, domain, redirectUris, methods, ...branding, settings };
      const fields = {
        id: "--id",
        name: "--name",
        domain: "--domain",
        redirectUris: "--redirect-uri",
        methods: "--methods",
        "branding.homeUrl": "--home-url",
        "settings.singleSignOnSeconds": "--single-sign-on",
        "settings.refreshGraceSeconds": "--refresh-grace",
        "settings.trustBrowsersDays": "--trust-browsers",
        apiKey: flag,
      };
      await cli.withApp(async (ctx) => {
        const applications = await import("../../../applications/service.ts");
        if (cli.isDryRun()) {
          const application = await namingFlags(fields, () => applications.check(ctx, input));
          await cli.result({ application }, applicationText(application));
          if (emailCode === "on") await warnWithoutMail(cli, ctx);
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
        if (emailCode === "on") await warnWithoutMail(cli, ctx);
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
