import { expect, test } from "vitest";
import { linesAbout } from "../support/left-out.ts";

const reasons = new Map<string | undefined, number>([
  ["there is no python3 here (Debian: apt-get install python3)", 2],
  ["`npm run test:long` runs them", 6],
]);

test("the end of a run says by reason how many tests were left out, and what to install", () => {
  expect(linesAbout(reasons, { isCi: false })).toEqual({
    lines: [
      "6 left out: `npm run test:long` runs them",
      "2 left out: there is no python3 here (Debian: apt-get install python3)",
    ],
    isRefused: false,
  });
});

test("CI fails where a test is left out for a reason that it should not have, or for none", () => {
  const refused = linesAbout(reasons, { isCi: true });
  expect(refused.isRefused).toBe(true);
  expect(refused.lines.at(-1)).toBe(
    "CI must not leave tests out: there is no python3 here (Debian: apt-get install python3)",
  );
  expect(linesAbout(new Map([[undefined, 1]]), { isCi: true })).toEqual({
    lines: ["1 left out: the test gives no reason", "CI must not leave tests out: the test gives no reason"],
    isRefused: true,
  });
});

test("CI continues without what apt could not install today", () => {
  const apt = new Map([["there is no lintian here (Debian: apt-get install lintian)", 1]]);
  expect(linesAbout(apt, { isCi: true }).isRefused).toBe(false);
});
