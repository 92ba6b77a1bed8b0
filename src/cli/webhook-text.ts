import type { DeliveryAnswer } from "../webhooks/deliveries.ts";
import type { EndpointAnswer } from "../webhooks/endpoint.ts";
import { facts, table, visible } from "./text.ts";

const reasons = {
  operator: "switched off",
  gone: "its receiver answered 410",
  failing: "nothing but failures for five days",
};

/** Which flag gave a field that the service refuses. */
export const webhookFlagOfField = {
  id: "--id",
  url: "--url",
  events: "--events",
  secretOverlapSeconds: "--overlap",
};

function stateText({ enabled, disabledReason, failingSince }: EndpointAnswer): string {
  if (!enabled) return `off: ${disabledReason === null ? "" : reasons[disabledReason]}`;
  return failingSince === null ? "on" : `on, failing since ${failingSince}`;
}

export function webhookText(endpoint: EndpointAnswer): string {
  const { id, appId, url, events, createdAt, oldSecretUntil } = endpoint;
  return facts([
    ["Webhook ID", id],
    ["App ID", appId],
    ["URL", url],
    ["Events", events.join(", ")],
    ["State", stateText(endpoint)],
    ...(oldSecretUntil === null ? [] : [["Old secret", `signs as well until ${oldSecretUntil}`] as [string, string]]),
    ["Created", createdAt],
  ]);
}

export function webhookTable(endpoints: EndpointAnswer[], emphasise: (text: string) => string): string {
  const rows = endpoints.map((endpoint) => [
    endpoint.id,
    endpoint.appId,
    endpoint.url,
    endpoint.events.join(","),
    stateText(endpoint),
  ]);
  return table(["WEBHOOK ID", "APP ID", "URL", "EVENTS", "STATE"], rows, emphasise);
}

type Attempt = Pick<DeliveryAnswer["attempts"][number], "status" | "durationMilliseconds" | "error" | "response">;

/** `204 in 12 ms`, and why it does not count. */
export function attemptText({ status, durationMilliseconds, error }: Omit<Attempt, "response">): string {
  const reason = error === null || error === `status ${status}` ? "" : `: ${error}`;
  return `${status ?? "no answer"} in ${durationMilliseconds} ms${reason}`;
}

/** What the receiver said, a line each behind a mark, so that it cannot pass for words of ours. */
export function answerText(response: string): string {
  if (response === "") return "";
  return response
    .split(/\r?\n/u)
    .map((line) => `  | ${visible(line)}\n`)
    .join("");
}

/** Each delivery with its attempts below it, and what was answered where it failed. */
export function deliveriesText(deliveries: DeliveryAnswer[], emphasise: (text: string) => string): string {
  return deliveries
    .map(({ eventId, event, timestamp, status, attempts, nextAttemptAt }) => {
      const next = nextAttemptAt === null ? "" : `, next attempt ${nextAttemptAt}`;
      const head = `${emphasise(`${eventId}  ${event}`)}  ${timestamp}  ${status}${next}\n`;
      const tried = attempts.map(
        (attempt) =>
          `  ${attempt.at}  ${attemptText(attempt)}\n${attempt.error === null ? "" : answerText(attempt.response)}`,
      );
      return head + tried.join("");
    })
    .join("");
}
