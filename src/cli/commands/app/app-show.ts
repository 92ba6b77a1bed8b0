import type { Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { applicationText, withSettings } from "../../output/application-text.ts";

export function addAppShow(app: CliCommand, cli: Cli): void {
  app
    .command("show")
    .description("show one application")
    .asks("[ID]", "App ID")
    .examples("authsvc app show app_shop", "authsvc app show app_shop --json")
    .withCore(async (ctx, id: string) => {
      const applications = await import("../../../applications/service.ts");
      const application = await withSettings(ctx, await applications.get(ctx, id));
      await cli.result(application, applicationText(application));
    });
}
