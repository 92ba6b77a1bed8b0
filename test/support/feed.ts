import { decodeJwt, decodeProtectedHeader } from "jose";
import { call } from "./person.ts";
import type { TestApp, TestService } from "./service.ts";

export type FeedAnswer = { cursor: string; revoked: Record<string, string>[]; more: boolean };
type Claims = { sid: string; sub: string; iat: number };

export function claimsOf(accessToken: string): Claims & { kid: string } {
  const { kid = "" } = decodeProtectedHeader(accessToken);
  return { ...decodeJwt<Claims>(accessToken), kid };
}

/** The answer to one call, which must succeed. */
export async function askFeed(
  service: TestService,
  app: TestApp,
  { after, wait = 0 }: { after?: string; wait?: number } = {},
): Promise<FeedAnswer> {
  const query = `${after === undefined ? "" : `after=${after}&`}wait=${wait}`;
  const { status, body } = await call(service, "GET", `/auth/revocations?${query}`, app.headers);
  if (status !== 200) throw new Error(`the feed answered ${status}: ${JSON.stringify(body)}`);
  return body as FeedAnswer;
}

/** A server of the app that knows only the entries of the feed (docs/spec/sdk.md, 1). */
export async function startVerifier(service: TestService, app: TestApp) {
  let source = service;
  let { cursor } = await askFeed(service, app);
  const received: Record<string, string>[] = [];
  return {
    received,

    async listen(wait = 0): Promise<void> {
      let answer: FeedAnswer;
      do {
        answer = await askFeed(source, app, { after: cursor, wait });
        ({ cursor } = answer);
        received.push(...answer.revoked);
      } while (answer.more);
    },

    /** Goes on there, with its cursor. */
    moveTo(other: TestService): void {
      source = other;
    },

    verdict(accessToken: string): "refused" | "in doubt" | "good" {
      const { sid, sub, kid, iat } = claimsOf(accessToken);
      if (received.some((entry) => entry["sid"] === sid || entry["kid"] === kid)) return "refused";
      const isDoubted = received.some(
        (entry) =>
          entry["app"] !== undefined ||
          (entry["sub"] === sub && iat * 1000 <= Date.parse(entry["before"] ?? "") + 300_000),
      );
      return isDoubted ? "in doubt" : "good";
    },
  };
}
