import { expect, test } from "vitest";
import { openConsole } from "../support/console.ts";
import { useService } from "../support/one-service.ts";

const service = useService();

test("shows the hash queue of the running service, the settings that matter, and the database", async () => {
  const { text } = await (await openConsole(service, { role: "viewer" })).get("/capacity");
  expect(text).toMatch(/Hashes waiting<\/dt>\s*<dd>0<\/dd>/u);
  expect(text).toMatch(/passwords\.memoryKiB[\s\S]*?>8</u);
  expect(text).toMatch(/Size<\/dt>\s*<dd>[\d.]+ (?:KiB|MiB)/u);
  expect(text).toContain("Not measured yet.");
  expect(text).not.toContain("/capacity/measure");
});

test("measures password hashes here, once at a time, and says how many sign-ins that carries", async () => {
  const console = await openConsole(service);
  const page = await console.get("/capacity");
  const [first, second] = await Promise.all([1, 2].map(() => console.submit(page, "/capacity/measure")));
  expect(new Set([first?.status, second?.status])).toEqual(new Set([200, 409]));
  const { text } = await console.get("/capacity");
  const [, most = ""] = /about\s*<strong>([\d\u202F]+) password sign-ins a second/u.exec(text) ?? [];
  expect(Number(most.replaceAll("\u202F", ""))).toBeGreaterThan(1);
});
