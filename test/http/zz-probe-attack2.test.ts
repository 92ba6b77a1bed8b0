import { it, expect } from "vitest";
import { describeEachDatabase } from "../support/service.ts";
import { newEmail, signUp, redeem, call } from "../support/person.ts";
import { findMiscounts } from "../../src/applications/counter-store.ts";
import { createEndpoint, happen } from "../support/webhooks.ts";

describeEachDatabase("probe", (current) => {
  it("paths and bodies", async () => {
    const s = current();
    const app = await s.createApp();
    const other = await s.createApp();
    const h = { ...app.headers, "content-type": "application/json" };
    const out: unknown[] = [];
    const go = async (method: string, path: string, body?: string, headers: Record<string,string> = h) => {
      const r = await fetch(s.url + path, { method, headers, ...(body === undefined ? {} : { body }), redirect: "manual" });
      const text = await r.text();
      const hd = ["x-ratelimit-limit","x-ratelimit-remaining","allow","retry-after"].map(k => r.headers.get(k)).join("|");
      out.push([method, path.slice(0,60), (body ?? "").slice(0,70), r.status, hd, text.slice(0, 230)]);
      return text;
    };
    for (const id of ["%00", "%ED%A0%80", "a%2Fb", "%", "..", "x".repeat(5000), "whe_%F0%9F%98%80", "__proto__", "constructor"]) {
      await go("GET", `/webhooks/endpoints/${id}`);
      await go("PATCH", `/webhooks/endpoints/${id}`, "{}");
      await go("DELETE", `/webhooks/endpoints/${id}`);
      await go("POST", `/webhooks/endpoints/${id}/test`, "{}");
      await go("GET", `/applications/${id}`);
    }
    await go("PUT", `/applications/${app.id}`, "{}");
    await go("DELETE", `/applications/${app.id}`);
    await go("OPTIONS", `/applications/${app.id}`);
    await go("PUT", `/webhooks/endpoints`, "{}");
    await go("GET", `/webhooks`);
    await go("GET", `/webhooks/endpoints/`);
    await go("HEAD", `/webhooks/endpoints`);
    await go("PATCH", `/applications/${app.id}`, "x".repeat(20000));
    await go("PATCH", `/applications/${app.id}`, "{}", { ...app.headers, "content-type": "text/plain" });
    await go("PATCH", `/applications/${app.id}`);
    await go("PATCH", `/applications/${app.id}`, "null");
    await go("PATCH", `/applications/${app.id}`, "[]");
    for (const b of ['{"__proto__":{"name":"x"}}','{"constructor":{"prototype":{"a":1}}}','{"authMethods":{"__proto__":{"enabled":true}}}','{"authMethods":{"passkey":{"__proto__":{"enabled":false}}}}','{"authMethods":{"oauth":{"providers":["__proto__","constructor","toString"]}}}','{"authMethods":{"oauth":{"providers":["hasOwnProperty"]}}}','{"name":null}','{"id":"x"}','{"branding":{"logo":"x"}}','{"stats":{}}','{"domain":"x"}','{"settings":{}}','{"name":"   "}','{"name":"\\u0000"}','{"name":"a\\u202eb"}','{"redirectUris":[]}','{"redirectUris":["javascript:alert(1)"]}','{"redirectUris":["https://a.example/\\r\\nX:1"]}','{"authMethods":{"passkey":{"enabled":false},"password":{"enabled":false},"oauth":{"enabled":false}}}','{"authMethods":{"passkey":{"enabled":false,"required":true}}}', '{"authMethods":null}']) await go("PATCH", `/applications/${app.id}`, b);
    await go("PATCH", `/applications/${other.id}`, "nonsense");
    await go("PATCH", `/applications/${app.id}`, "{}", { ...h, "x-service-app-id": other.id });
    await go("GET", `/applications/${app.id}`, undefined, {});
    for (const b of ['{}','{"url":"https://a.example/","events":["user.login"],"secret":"0123456789abcdef","id":"x"}','{"url":"https://a.example/","events":["__proto__"],"secret":"0123456789abcdef"}','{"url":"https://a.example/","events":"user.login","secret":"0123456789abcdef"}','{"url":"https://a.example/x y","events":["user.login"],"secret":"0123456789abcdef"}','{"url":"https://a.example/\\r\\nHost: x","events":["user.login"],"secret":"0123456789abcdef"}','{"url":"https://a.example/","events":["user.login"],"secret":"0123456789abcdef\\n"}','{"url":"https://a.example/","events":["user.login","user.login"],"secret":"whsec_AAAA"}','{"url":"https://a.example:25/","events":["user.login"],"secret":"0123456789abcdef"}','{"url":"ftp://a.example/","events":["user.login"],"secret":"0123456789abcdef"}','{"url":"https://a.example\\\\@127.0.0.1/","events":["user.login"],"secret":"0123456789abcdef"}','{"url":"https://127.0.0.1\\\\.a.example/","events":["user.login"],"secret":"0123456789abcdef"}','{"url":"https:a.example","events":["user.login"],"secret":"0123456789abcdef"}','{"url":"https:///a.example","events":["user.login"],"secret":"0123456789abcdef"}','{"url":"https://a.example/%0d%0aX","events":["user.login"],"secret":"\\ud83d\\ude00\\ud83d\\ude00\\ud83d\\ude00\\ud83d\\ude00\\ud83d\\ude00\\ud83d\\ude00\\ud83d\\ude00\\ud83d\\ude00"}']) await go("POST", "/webhooks/endpoints", b);
    const list = JSON.parse(await go("GET", "/webhooks/endpoints")) as { endpoints: { id: string }[] };
    const id = list.endpoints[0]!.id;
    for (const b of ['{"enabled":null}','{"secretOverlapSeconds":5}','{"secret":"0123456789abcdefg","secretOverlapSeconds":1e15}','{"secret":"0123456789abcdefg","secretOverlapSeconds":-1}','{"secret":"0123456789abcdefg","secretOverlapSeconds":0.5}','{"events":[]}','{"id":"x"}','{"appId":"x"}','{"disabledReason":"gone"}']) await go("PATCH", `/webhooks/endpoints/${id}`, b);
    await go("DELETE", `/webhooks/endpoints/${id}`, undefined, { ...other.headers });
    await go("POST", `/webhooks/endpoints/${id}/test`, undefined, { ...other.headers });
    await go("POST", `/webhooks/endpoints/${id}/test`, '{"event":"user.nope"}');
    const { writeFileSync } = await import("node:fs");
    writeFileSync(`/tmp/attack2/probe-${s.dialect}.txt`, out.map((o) => JSON.stringify(o)).join("\n"));
  }, 60000);

  it("stats after parallel sign-ups and deletes, app deleted meanwhile", async () => {
    const s = current();
    const app = await s.createApp();
    const id = await createEndpoint(s, app, { url: "https://a.invalid/x", events: ["user.login","user.created","user.deleted","user.logout"] });
    const tokens = await Promise.all(Array.from({ length: 12 }, async () => await redeem(s, app, await signUp(s, app, { email: newEmail() }))));
    await Promise.all([
      ...tokens.slice(0, 6).map(async (t) => await call(s, "DELETE", "/users/profile", { authorization: `Bearer ${t.accessToken}` })),
      ...tokens.slice(3, 9).map(async (t) => await call(s, "POST", "/auth/logout", { authorization: `Bearer ${t.accessToken}` }, { allSessions: true })),
      ...Array.from({ length: 6 }, async () => await redeem(s, app, await signUp(s, app, { email: newEmail() }))),
      s.server.app.services.webhooks.remove(id, { actor: { kind: "cli", name: "x" } }),
    ]);
    const stats = (await call(s, "GET", `/applications/${app.id}`, app.headers)).body;
    console.log(s.dialect, JSON.stringify(stats));
    expect(await findMiscounts(s.server.app.storage.reader, s.clock.now)).toEqual([]);
    // app deleted while people use it
    const results = await Promise.allSettled([
      s.server.app.services.applications.delete(app.id, { kind: "cli", name: "x" }),
      ...Array.from({ length: 6 }, async () => await redeem(s, app, await signUp(s, app, { email: newEmail() }))),
      ...tokens.slice(9).map(async (t) => (await call(s, "POST", "/auth/refresh", app.headers, { refreshToken: t.refreshToken }))),
      ...Array.from({length: 5}, async () => await call(s, "POST", "/webhooks/endpoints", app.headers, { url: "https://a.example/", events: ["user.login"], secret: "0123456789abcdef" })),
      ...Array.from({length: 5}, async () => await call(s, "PATCH", `/applications/${app.id}`, app.headers, { name: "z" })),
    ]);
    console.log(s.dialect, results.map((r) => r.status === "fulfilled" ? JSON.stringify(r.value)?.slice(0,120) : String(r.reason).slice(0, 160)).join("\n"));
    expect(await findMiscounts(s.server.app.storage.reader, s.clock.now)).toEqual([]);
  }, 60000);
});
