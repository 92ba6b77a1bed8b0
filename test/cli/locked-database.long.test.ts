import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { emptyFolder } from "./command.ts";
import { answer, authsvc } from "./in-process.ts";

test("a command that finds its database locked by another process waits for ten seconds, then says so in one line", async () => {
  const cwd = emptyFolder();
  await answer(["app", "create", "--name", "Shop", "--id", "app_shop"], { cwd });
  const database = new Database(join(cwd, "data/authsvc.db"));
  database.exec("BEGIN IMMEDIATE");
  // Reading goes on beside it.
  expect(await answer(["app", "list"], { cwd })).toMatchObject([{ id: "app_shop" }]);
  const update = ["app", "update", "app_shop", "--name", "X"];
  expect(await authsvc(update, { cwd })).toMatchObject({
    code: 1,
    stdout: "",
    stderr: "authsvc: The database is locked by another process.\n",
  });
  database.exec("ROLLBACK");
  database.close();
  await answer(update, { cwd });
});
