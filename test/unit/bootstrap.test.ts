import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../docs/pages.ts";

/** As the Node of Debian 12, in front of `npm start`. */
const older = `data:text/javascript,
  Object.defineProperty(process, "versions", { value: { ...process.versions, node: "18.20.4" } });
  Object.defineProperty(process, "version", { value: "v18.20.4" });`;

test("a Node that is too old says the way that works there without root", () => {
  const said = spawnSync(process.execPath, ["--import", older, join(root, "scripts/bootstrap.mjs")], {
    env: { PATH: process.env["PATH"], npm_lifecycle_event: "prestart" },
    encoding: "utf8",
  });
  expect(said).toMatchObject({
    status: 1,
    stderr:
      "authsvc: Node 20 or newer is needed; this is v18.20.4. Without installing it: npx --yes --package node@22 -- npm start\n",
  });
});
