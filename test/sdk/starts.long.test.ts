import { afterAll, expect, test } from "vitest";
import { toNextMinute } from "../support/limits.ts";
import { useService } from "../support/one-service.ts";
import { call, Visitor } from "../support/person.ts";
import { startAppServer, untilRedirect } from "./app-server.ts";

const contract = { authentication: 100, userManagement: 500, applicationManagement: 100, webhooks: 1000 };
const current = useService({ rateLimits: contract });
const stops: (() => void)[] = [];
afterAll(() => {
  for (const stop of stops) stop();
});

test("a thousand visitors start, come back and refresh, while one starts as often as it can", async () => {
  const server = await startAppServer(current());
  stops.push(server.stop);
  const startFrom = async (address: string): Promise<number> =>
    (await new Visitor({ "x-forwarded-for": address }).get(`${server.url}/sign-in`)).status;
  const seen = { visitors: new Map<number, number>(), attacker: new Map<number, number>() };
  const note = (counts: Map<number, number>, status: number) => counts.set(status, (counts.get(status) ?? 0) + 1);
  for (let minute = 0; minute < 20; minute += 1) {
    toNextMinute(current());
    const coming = await untilRedirect(server, new Visitor({ "x-forwarded-for": `20.1.${minute}.200` }));
    expect(coming.back).toContain("code=");
    for (let n = 0; n < 150; n += 1) note(seen.attacker, await startFrom("203.0.113.66"));
    for (let n = 0; n < 50; n += 1) note(seen.visitors, await startFrom(`20.1.${minute}.${n}`));
    const visitor = new Visitor({ "x-forwarded-for": `20.1.${minute}.201` });
    const { back } = await untilRedirect(server, visitor);
    expect((await visitor.get(back)).status).toBe(303);
    // What the application's other users need: the service says 401 to this token, and 429 to none.
    for (let n = 0; n < 99; n += 1) {
      const { status } = await call(current(), "POST", "/auth/refresh", server.app.headers, { refreshToken: "x" });
      expect(status).toBe(401);
    }
  }
  expect(Object.fromEntries(seen.visitors)).toEqual({ 303: 1000 });
  expect(Object.fromEntries(seen.attacker)).toEqual({ 303: 200, 429: 2800 });
});
