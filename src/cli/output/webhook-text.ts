import type { DeliveryAnswer } from "../../records/webhooks/deliveries.ts";
import type { EndpointAnswer } from "../../records/webhooks/endpoint.ts";
import type { Screen } from "./screen.ts";
import { facts, styled, visible } from "./text.ts";

const reasons = {
  operator: "switched off",
  gone: "the receiver responded 410",
  failing: "only failures for five days",
};

/** The flag of a refused field. */
export const webhookFlagOfField = {
  id: "--id",
  url: "--url",
  events: "--events",
  secretOverlapSeconds: "--overlap",
};

export function webhookState({ enabled, disabledReason, failingSince }: EndpointAnswer, screen: Screen): string {
  if (!enabled) return `off: ${disabledReason === null ? "" : reasons[disabledReason]}`;
  return failingSince === null ? "on" : `on, failing since ${screen.time(failingSince)}`;
}

export function webhookText(endpoint: EndpointAnswer, screen: Screen): string {
  const { id, appId, url, events, createdAt, oldSecretUntil } = endpoint;
  return facts([
    ["Webhook ID", id],
    ["App ID", appId],
    ["URL", url],
    ["Events", events.join(", ")],
    ["State", webhookState(endpoint, screen)],
    ...(oldSecretUntil === null
      ? []
      : [["Old secret", `also signs until ${screen.moment(oldSecretUntil)}`] as [string, string]]),
    ["Created", screen.moment(createdAt)],
  ]);
}

type Attempt = Pick<DeliveryAnswer["attempts"][number], "status" | "durationMilliseconds" | "error" | "response">;

/** `204 in 12 ms`, and why it does not count. */
export function attemptText({ status, durationMilliseconds, error }: Omit<Attempt, "response">): string {
  const reason = error === null || error === `status ${status}` ? "" : `: ${error}`;
  return `${status ?? "no response"} in ${durationMilliseconds} ms${reason}`;
}

/** The receiver's answer, each line after a mark, so that it cannot pass for our own words. */
export function answerText(response: string): string {
  if (response === "") return "";
  return response
    .split(/\r?\n/u)
    .map((line) => `  | ${visible(line)}\n`)
    .join("");
}

/** Each delivery with its attempts below it, and the response to each failed one. */
export function deliveriesText(deliveries: DeliveryAnswer[], screen: Screen): string {
  return deliveries
    .map(({ eventId, event, timestamp, status, attempts, nextAttemptAt }) => {
      const next = nextAttemptAt === null ? "" : `, next attempt ${screen.time(nextAttemptAt)}`;
      const head = `${styled("bold", `${eventId}  ${event}`)}  ${screen.time(timestamp)}  ${status}${next}\n`;
      const tried = attempts.map(
        (attempt) =>
          `  ${screen.time(attempt.at)}  ${attemptText(attempt)}\n${attempt.error === null ? "" : answerText(attempt.response)}`,
      );
      return head + tried.join("");
    })
    .join("");
}
