import { expect, it } from "vitest";
import { routes } from "../../src/routes.ts";
import { addressOf } from "../support/routes.ts";
import { describeInBrowser } from "./support/stage.ts";
import { createApp } from "./support/steps.ts";

type Call = { method: string; url: string; headers: Record<string, string> };

describeInBrowser("what a page of an application may call", (stage) => {
  const traced = {
    traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    tracestate: "vendor=value",
    baggage: "userId=42",
  };

  it("H8: every route of routes.ts that is open to it and no other, plain and with the headers of W3C Trace Context", async () => {
    const app = await createApp(stage, {
      redirectUris: [`${stage.site.origin}/spa`],
      settings: { publicClients: true },
    });
    stage.service.clock.advance(1000);
    const page = await stage.newPage();
    await page.goto(stage.site.show("/spa", "<title>A page</title>", "text/html; charset=utf-8"));
    // What the browser says of each call that is refused.
    stage.expectComplaint(/CORS|ERR_FAILED|status of 4\d\d|405/u);
    const calls = routes.flatMap(({ method, path, browser }) => {
      const url = `${stage.service.url}${addressOf({ path })}?app_id=${app.id}`;
      const named: Record<string, string> =
        browser === "client"
          ? { authorization: `Basic ${btoa(`${app.id}:x`)}` }
          : browser === "everybody" || browser === undefined
            ? {}
            : { "x-service-app-id": app.id };
      return [{}, traced].map((more) => ({
        method,
        url,
        headers: { ...named, ...more },
        isOpen: browser !== undefined,
      }));
    });
    const said = await page.evaluate(async (asked: Call[]) => {
      const read = async ({ url, ...init }: Call): Promise<boolean> => {
        try {
          await (await fetch(url, { ...init, redirect: "manual" })).text();
          return true;
        } catch {
          return false;
        }
      };
      return await Promise.all(asked.map(read));
    }, calls);
    const shown = (isRead: boolean | undefined, { method, url, headers }: Call) =>
      `${method} ${new URL(url).pathname} ${Object.keys(headers).join(" ")}: ${isRead ? "read" : "not read"}`;
    expect(calls.map((call, nth) => shown(said[nth], call))).toEqual(calls.map((call) => shown(call.isOpen, call)));
  });
});
