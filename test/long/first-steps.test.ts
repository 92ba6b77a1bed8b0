import { spawnSync } from "node:child_process";
import { describe, expect, onTestFinished, test } from "vitest";
import { emptyFolder, finish } from "../cli/command.ts";
import { firstSteps } from "../docs/pages.ts";
import { leftOut } from "../support/left-out.ts";
import { cloneTo, debian, expectSignUp, groupEnded, thisMachine } from "../support/newcomer.ts";

// Of what a release makes: released.test.ts.
const [started = "", tested = ""] = firstSteps();

/** One file of each project of `npm test`, and those that depend on a machine and its npm. */
const some = [
  "test/unit/version.test.ts",
  "test/security/supply-chain.test.ts",
  "test/security/commands/secrets.test.ts",
  "test/browser/planted-cookies.test.ts",
  "test/browser/languages.test.ts",
  "test/executable/imported-users.test.ts",
].join(" ");

const isReachable = spawnSync("npm", ["view", "express", "version"], { timeout: 60_000 }).status === 0;
const machines = [
  thisMachine(emptyFolder()),
  debian("bookworm", "Debian 12 with nothing but git, Node 20 and npm 11"),
  debian("trixie", "Debian 13 with its own git, Node and npm"),
];

describe.each(machines.map((each) => [each.title, each] as const))("%s", (_, newcomer) => {
  const reason = newcomer.missing ?? (isReachable ? undefined : "npm's registry cannot be reached");

  test.skipIf(reason !== undefined)(
    `leads in two commands from a fresh clone to a sign-in and to passed tests, without root${leftOut(reason)}`,
    async () => {
      cloneTo(newcomer);
      await expectSignUp(newcomer, started);
      // The whole run takes minutes, and is made elsewhere.
      const run = newcomer.start(`${tested} -- ${some}`, { NO_COLOR: "1" });
      onTestFinished(async () => await groupEnded(run));
      const { code, stdout, stderr } = await finish(run);
      expect(stdout.trimEnd().split("\n").at(-1), `${stdout}${stderr}`).toMatch(/^\d{2,} passed, 0 failed/u);
      expect(code).toBe(0);
    },
  );
});
