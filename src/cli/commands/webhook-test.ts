import type { Command } from "commander";
import { isoTime } from "../../lib/clock.ts";
import { AppError } from "../../lib/errors.ts";
import { commandActor, namingFlags, type Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { askUnlessGiven } from "../input/ask.ts";
import { answerText, attemptText } from "../output/webhook-text.ts";

export function addWebhookTest(webhook: Command, cli: Cli): void {
  const command = webhook
    .command("test")
    .description("send a signed sample event and print the response")
    .argument("[ID]", "Webhook ID")
    .option("--event <kind>", "type of the sample event (default: the endpoint's first)");
  examples(command, [
    "authsvc webhook test whe_shop",
    "authsvc webhook test whe_shop --event user.created --json",
  ]).action(async (argument: string | undefined, { event }: { event?: string }) => {
    const id = await askUnlessGiven(cli.io, argument, { flag: "ID", question: "Webhook ID" });
    await cli.withApp(async (ctx) => {
      const webhooks = await import("../../records/webhooks/service.ts");
      const { at, ...tested } = await namingFlags({ events: "--event" }, () =>
        webhooks.test(ctx, id, { actor: commandActor() }, event),
      );
      const text = `${tested.event}: ${attemptText(tested)}\n${answerText(tested.response)}`;
      await cli.result({ ...tested, at: isoTime(at) }, text);
      if (!tested.delivered) throw new AppError("SERVER_ERROR", "The receiver did not accept the sample event.");
    });
  });
}
