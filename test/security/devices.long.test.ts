import { it } from "vitest";
import { guessUserCodes } from "../support/devices.ts";
import { describeEachDatabase } from "../support/service.ts";

describeEachDatabase("user codes", { trustedProxies: ["127.0.0.1"] }, (current) => {
  it("N4: of 1,000 wrong ones in a minute from a network, 10 are looked up", async () => {
    await guessUserCodes(current(), 1000);
  });
});
