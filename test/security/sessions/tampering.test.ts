import { expect, it } from "vitest";
import { openPage, call, goodPassword, initiate, newEmail, redeem, signedUp, Visitor } from "../../support/person.ts";
import { describeOnSqlite } from "../../support/service.ts";
import { expectNoCode } from "../no-code.ts";

describeOnSqlite("what a browser carries from step to step", (service) => {
  const changes: [title: string, change: (value: string, other: string) => string | undefined][] = [
    ["left out", () => undefined],
    ["emptied", () => ""],
    ["changed in a character", (value) => `${value.startsWith("A") ? "B" : "A"}${value.slice(1)}`],
    ["cut short", (value) => value.slice(0, -1)],
    ["made longer", (value) => `${value}A`],
    ["taken from another session", (_value, other) => other],
    ["made up", () => "A".repeat(43)],
  ];

  it.each(changes)(
    "CVE-2026-7571: a hidden field or a cookie that is %s ends in no sign-in",
    async (_title, change) => {
      const app = await service.createApp();
      const { email } = await signedUp(service, app);
      for (const [path, action, values] of [
        ["", "/password", { email, password: goodPassword }],
        ["/create-account", "/create-account", { email: newEmail(), name: "", password: goodPassword }],
      ] as const) {
        const [mine, other] = [await initiate(service, app), await initiate(service, app)];
        const [visitor, stranger] = [new Visitor(), new Visitor()];
        const form = (await visitor.get(`${mine.authUrl}${path}`)).form(action);
        const foreign = (await stranger.get(`${other.authUrl}${path}`)).form(action);
        expect(Object.keys(form.fields).length).toBeGreaterThan(0);
        for (const [name, value] of Object.entries(form.fields)) {
          const { [name]: _, ...rest } = form.fields;
          const changed = change(value, foreign.fields[name] ?? "");
          const fields = changed === undefined ? rest : { ...rest, [name]: changed };
          expectNoCode(await visitor.post(`${mine.authUrl}${action}`, { ...fields, ...values }));
        }
        const kept = [...visitor.cookies];
        for (const [at, [name, value]] of kept.entries()) {
          const changed = change(value, [...stranger.cookies.values()][at] ?? "");
          if (changed === undefined) visitor.cookies.delete(name);
          else visitor.cookies.set(name, changed);
          expectNoCode(await visitor.post(`${mine.authUrl}${action}`, { ...form.fields, ...values }));
          visitor.cookies.set(name, value);
        }
      }
    },
  );

  it("CVE-2026-7571: fields of its own invention change neither who signs in, nor where to, nor how", async () => {
    const app = await service.createApp();
    const [victim, own] = [await signedUp(service, app), await signedUp(service, app)];
    const invented = {
      userId: String(victim.user["id"]),
      user_id: String(victim.user["id"]),
      sub: String(victim.user["id"]),
      email_verified: "true",
      redirectUri: "https://evil.example/cb",
      redirect_uri: "https://evil.example/cb",
      purpose: "account",
      authMethod: "passkey",
      provider: "google",
      scopes: "admin",
      appId: "app_other",
      state: "evil",
      step: "done",
      __proto__x: "1",
    };
    const { session, visitor, page } = await openPage(service, app, { scopes: ["profile"] });
    const done = await visitor.submit(page, "/password", { email: own.email, password: goodPassword, ...invented });
    expect(`${done.location.origin}${done.location.pathname}`).toBe(app.redirectUri);
    expect(done.location.searchParams.get("state")).toBeNull();
    const tokens = await redeem(service, app, { session, code: done.location.searchParams.get("code") ?? "" });
    expect(tokens.user["id"]).toBe(own.user["id"]);
    const { body } = await call(service, "GET", "/auth/validate", {
      authorization: `Bearer ${tokens.accessToken}`,
      "x-service-app-id": app.id,
    });
    expect(body).toMatchObject({ scopes: ["profile"] });
    expect((body["user"] as object | undefined) ?? {}).not.toHaveProperty("email");
  });
});
