import { expect, test } from "vitest";
import { compareVersions, isVersion } from "../../src/upkeep/updates/versions.ts";

test("versions are in the order of Semantic Versioning", () => {
  const order = ["0.9.10", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta.2", "1.0.0-beta.11"];
  order.push("1.0.0-rc.1", "1.0.0", "1.0.1", "1.2.0", "1.10.0", "2.0.0");
  for (const [place, one] of order.entries())
    for (const [otherPlace, other] of order.entries())
      expect([one, other, Math.sign(compareVersions(one, other))]).toEqual([one, other, Math.sign(place - otherPlace)]);
  expect(["1", "1.0", "1.0.0.0", "v1.0.0", "1.0.0 ", ""].filter(isVersion)).toEqual([]);
});
