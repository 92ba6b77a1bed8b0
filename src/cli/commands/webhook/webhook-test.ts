import { isoTime } from "../../../lib/clock.ts";
import { AppError } from "../../../lib/errors.ts";
import { commandActor, namingFlags, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { answerText, attemptText } from "../../output/webhook-text.ts";

export function addWebhookTest(webhook: CliCommand, cli: Cli): void {
  webhook
    .command("test")
    .description("send a signed sample event and print the response")
    .asks("[ID]", "Webhook ID")
    .option("--event <kind>", "type of the sample event (default: the endpoint's first)")
    .examples("authsvc webhook test whe_shop", "authsvc webhook test whe_shop --event user.created --json")
    .withApp(async (ctx, id: string, { event }: { event?: string }) => {
      const webhooks = await import("../../../records/webhooks/service.ts");
      const { at, ...tested } = await namingFlags({ events: "--event" }, () =>
        webhooks.test(ctx, id, { actor: commandActor() }, event),
      );
      const text = `${tested.event}: ${attemptText(tested)}\n${answerText(tested.response)}`;
      await cli.result({ ...tested, at: isoTime(at) }, text);
      if (!tested.delivered) throw new AppError("SERVER_ERROR", "The receiver did not accept the sample event.");
    });
}
