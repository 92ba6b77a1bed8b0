import { decodeProtectedHeader } from "jose";
import { expect, test } from "vitest";
import * as signingKeys from "../../src/tokens/signing-keys.ts";
import { timeBar, livesOf } from "../../src/console/keys/time-bar.ts";
import { render } from "../../src/lib/html.ts";
import { commandsOn, openConsole, runShown } from "../support/console.ts";
import { signedUp, validate } from "../support/person.ts";
import { useService } from "../support/one-service.ts";
import { useApp } from "../support/service.ts";

const service = useService();
const app = useApp(service);
const ctx = () => service.server.app.ctx;
const day = 86_400_000;

test("shows every key on a time bar, and the same in a table", async () => {
  await signedUp(service, app);
  const [key] = await signingKeys.list(ctx());
  const { text } = await (await openConsole(service, { role: "viewer" })).get("/keys");
  expect(text).toContain(`/console/keys/${key?.kid}`);
  expect(text).toMatch(/<svg[\s\S]*class="signs"[\s\S]*<\/svg>/u);
  expect(text).not.toContain("/keys/rotate");
});

test("the bar of a key is thick exactly while it signs, and now is marked", () => {
  const iso = (days: number): string => new Date(days * day).toISOString();
  const key = { kid: "k".repeat(43), algorithm: "ES256" as const };
  const lives = livesOf([
    { ...key, state: "retired", createdAt: iso(0), signsFrom: iso(1), publishedUntil: iso(12) },
    { ...key, state: "signing", createdAt: iso(10), signsFrom: iso(11), publishedUntil: null },
  ]);
  const picture = render(timeBar(lives, 11.5 * day));
  const bars = [...picture.matchAll(/class="(\w+)"\s+x="(\d+)"\s+y="(\d+)"\s+width="(\d+)"/gu)].map(
    ([, kind, x, , width]) => ({
      kind,
      from: Number(x),
      until: Number(x) + Number(width),
    }),
  );
  const [waits, signs, kept, , next] = bars;
  expect(bars.map(({ kind }) => kind)).toEqual(["published", "signs", "published", "published", "signs"]);
  expect(waits?.until).toBeCloseTo(signs?.from ?? 0, -1);
  expect(signs?.until).toBe(next?.from);
  expect(kept?.from).toBe(signs?.until);
  const now = Number(/class="now" x1="(\d+)"/u.exec(picture)?.[1]);
  expect(now).toBeGreaterThan(next?.from ?? 0);
  expect(now).toBeLessThan(kept?.until ?? 0);
});

test("rotates as the command does: the next key signs a day later, or now", async () => {
  const console = await openConsole(service);
  const page = await console.get("/keys");
  const [, rotate = "", atOnce = ""] = commandsOn(page);
  await console.submit(page, "/keys/rotate");
  expect((await signingKeys.list(ctx())).at(-1)?.state).toBe("next");
  const { token = "" } = page.form("/keys/rotate").fields;
  const before = (await signingKeys.list(ctx())).length;
  expect(await runShown(service, rotate)).toMatchObject({ code: 0 });
  expect(await signingKeys.list(ctx())).toHaveLength(before);
  await console.visitor.post(`${console.url}/console/keys/rotate`, { token, now: "on" });
  expect((await signingKeys.list(ctx())).at(-1)?.state).toBe("signing");
  expect(await runShown(service, atOnce)).toMatchObject({ code: 0 });
  expect(await signingKeys.list(ctx())).toHaveLength(before + 2);
});

test("revokes a key, and its tokens are refused at once", async () => {
  const { accessToken } = await signedUp(service, app);
  const { kid = "" } = decodeProtectedHeader(accessToken);
  const console = await openConsole(service);
  const page = await console.get(`/keys/${kid}`);
  expect(page.text).toContain("If it was stolen");
  expect((await validate(service, app, accessToken)).status).toBe(200);
  const after = await console.submit(page, "/revoke");
  expect(after.text).toContain("Another one signs now.");
  expect((await validate(service, app, accessToken)).status).toBe(401);
  const [next] = (await signingKeys.list(ctx())).slice(-1);
  const other =
    commandsOn(page)
      .find((line) => line.includes("revoke"))
      ?.replace(kid, next?.kid ?? "") ?? "";
  expect(await runShown(service, other)).toMatchObject({ code: 0 });
  expect((await signingKeys.list(ctx())).map((key) => key.kid)).not.toContain(next?.kid);
  expect((await console.get(`/keys/${kid}`)).status).toBe(404);
});
