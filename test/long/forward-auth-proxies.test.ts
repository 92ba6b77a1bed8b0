import { expect, test } from "vitest";
import { proxyNames } from "../../src/forward-auth/blocks/blocks.ts";
import { forProxies } from "../support/forward-auth.ts";
import { leftOut } from "../support/left-out.ts";
import { oddProxiedRequests } from "../support/odd-proxied-requests.ts";
import { cannotRun } from "../support/proxies.ts";
import { compare, protect } from "../support/proxied-comparison.ts";
import { describeOnSqlite, useApp } from "../support/service.ts";

describeOnSqlite("a program behind a reverse proxy, by the text that is printed", forProxies, (service) => {
  const app = useApp(service);

  for (const proxy of proxyNames) {
    const reason = cannotRun(proxy);
    test.skipIf(reason !== undefined)(
      `${proxy}: of ${oddProxiedRequests.length} odd requests, the program sees only what was decided${leftOut(reason)}`,
      async () => {
        const place = await protect(service, app, proxy);
        const complaints: string[] = [];
        let [strangers, signedIn] = [0, 0];
        for (const request of oddProxiedRequests) {
          for (const isSignedIn of [false, true]) {
            const outcome = await compare(place, request, isSignedIn);
            if (isSignedIn) signedIn += outcome.seen.length;
            else strangers += outcome.seen.length;
            complaints.push(
              ...outcome.complaints.map((text) => `${isSignedIn ? "in" : "out"} ${request.name}: ${text}`),
            );
          }
        }
        await place.stop();
        expect(complaints).toEqual([]);
        // Else nothing was compared. Strangers get to public paths only.
        expect(strangers).toBeGreaterThan(3);
        expect(strangers).toBeLessThan(20);
        expect(signedIn).toBeGreaterThan(180);
      },
    );
  }
});
