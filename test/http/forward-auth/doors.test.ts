import { expect, test } from "vitest";
import { ask, createProxy, forProxies, personAt, rawRequest } from "../../support/forward-auth.ts";
import { describeEachDatabase, useApp } from "../../support/service.ts";

describeEachDatabase("a door for reverse proxies", forProxies, (service) => {
  const app = useApp(service);

  test("lets a person in at the host that they are signed in at", async () => {
    const place = await createProxy(service, app);
    const { cookie } = await personAt(service, app, place);
    for (const door of ["proxy", "nginx"] as const) {
      expect((await ask(service, door, place.host)).status).toBe(401);
      const answer = await ask(service, door, place.host, { cookie });
      expect(answer).toMatchObject({ status: 200, headers: { "x-authsvc-decision": place.host } });
    }
  });

  test("answers nothing else", async () => {
    const { forwardAuthUrl: url = "" } = service.server;
    for (const path of [
      "/",
      "/healthz",
      "/auth/validate",
      "/.authsvc/../forward-auth",
      "/forward-auth/",
      "/%66orward-auth",
    ])
      expect((await rawRequest(url, path, [])).status).toBe(404);
    for (const path of ["/forward-auth", "/auth-request"]) expect((await fetch(service.url + path)).status).toBe(404);
  });
});
