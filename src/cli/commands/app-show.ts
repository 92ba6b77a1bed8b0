import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { askUnlessGiven } from "../input/ask.ts";
import { applicationText, withSettings } from "../output/application-text.ts";

export function addAppShow(app: Command, cli: Cli): void {
  const command = app.command("show").description("show one application").argument("[ID]", "App ID");
  examples(command, ["authsvc app show app_shop", "authsvc app show app_shop --json"]).action(
    async (argument: string | undefined) => {
      const id = await askUnlessGiven(cli.io, argument, { flag: "ID", question: "App ID" });
      await cli.withCore(async (ctx) => {
        const applications = await import("../../applications/service.ts");
        const application = await withSettings(ctx, await applications.get(ctx, id));
        await cli.result(application, applicationText(application));
      });
    },
  );
}
