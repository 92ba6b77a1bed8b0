import { expect, test } from "vitest";
import { isBuilt } from "../support/program.ts";
import { emptyFolder } from "./command.ts";
import { authsvc } from "./in-process.ts";
import { aboutSources } from "../support/left-out.ts";

// On the executable: test/executable/update.long.test.ts.
test("update refuses to replace sources", async ({ skip }) => {
  skip(isBuilt, aboutSources);
  const { code, stderr } = await authsvc(["update"], { cwd: emptyFolder() });
  expect([code, stderr]).toEqual([4, "authsvc: authsvc runs from its sources here: update them with git pull.\n"]);
});
