import { expect, it } from "vitest";
import { assets } from "../../../src/pages/assets/assets.ts";
import { startTestService } from "../../support/service.ts";

it("the files of the pages are read before the first request: a program without them does not start", async () => {
  const { service, stop } = await startTestService("sqlite");
  try {
    expect(service.server.app.ctx.parts.made.has(assets)).toBe(true);
  } finally {
    await stop();
  }
});
