import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { emptyFolder } from "../cli/command.ts";

const rounds = 30;

describe("processes that create the same SQLite database at the same moment", () => {
  const openers = Array.from({ length: 4 }, () => fork(join(import.meta.dirname, "opener.ts")));
  beforeAll(async () => void (await Promise.all(openers.map(async (opener) => await once(opener, "message")))));
  afterAll(() => openers.forEach((opener) => opener.disconnect()));

  it("all open it: each waits for the others' locks", async () => {
    const said: unknown[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const file = join(emptyFolder(), "data", "authsvc.db");
      const answers = openers.map(async (opener) => {
        opener.send(file);
        return ((await once(opener, "message")) as string[])[0];
      });
      said.push(...(await Promise.all(answers)));
    }
    expect(said.filter((each) => each !== "")).toEqual([]);
    expect(said).toHaveLength(rounds * openers.length);
  });
});
