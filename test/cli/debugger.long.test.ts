import { describe, test } from "vitest";
import { expectNoDebugger } from "../support/debugger.ts";
import { aboutSources, leftOut } from "../support/left-out.ts";
import { isBuilt, program } from "../support/program.ts";

const root = new URL("../..", import.meta.url).pathname;

describe.skipIf(process.platform !== "linux")("SIGUSR1 opens no debugger, and the service continues", () => {
  test("as the tests start it", async () => {
    await expectNoDebugger([...program, "serve"]);
  });

  test.skipIf(isBuilt).each([
    ["npm start", ["npm", "start"]],
    ["npm run authsvc", ["npm", "run", "authsvc", "--", "serve"]],
    ["bin/authsvc.ts", [`${root}bin/authsvc.ts`, "serve"]],
  ])(`started by %s${leftOut(isBuilt ? aboutSources : undefined)}`, async (_, command) => {
    await expectNoDebugger(command);
  });
});
