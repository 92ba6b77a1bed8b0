import { expect, test } from "vitest";
import { openConsole } from "../support/console.ts";
import { useService } from "../support/one-service.ts";
import { Visitor } from "../support/person.ts";

const service = useService();

test("the link of authsvc console lets one browser in, once", async () => {
  const console = await openConsole(service);
  expect((await console.get("/overview")).status).toBe(200);
  expect((await new Visitor().get(console.link)).status).toBe(403);
});
