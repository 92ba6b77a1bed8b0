import { writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { beforeAll, describe, expect, test } from "vitest";
import { testMasterKey } from "../support/service.ts";
import { emptyFolder } from "./command.ts";
import { answer, authsvc } from "./in-process.ts";

describe("a command that cannot use its storage says why in one line", () => {
  let cwd = "";
  const folder = emptyFolder();
  beforeAll(async () => {
    cwd = folder;
    await answer(["app", "create", "--name", "Shop", "--id", "app_shop"], { cwd });
  });

  async function expectLine(line: RegExp, code: number, args = ["app", "list"], env = {}): Promise<void> {
    const failed = await authsvc(args, { cwd, env });
    expect(failed).toMatchObject({ code, stdout: "" });
    expect(failed.stderr).toMatch(line);
    expect(failed.stderr).toMatch(/^authsvc: [^\n]*\n$/u);
  }

  test("a master key that is not the database's", async () => {
    const line = /The master key is not the one that this database was made with\./u;
    await expectLine(line, 2, ["signing-key", "list"], { AUTHSVC_MASTER_KEY: testMasterKey });
  });

  test("a database that is newer than the program", async () => {
    const database = new Database(join(cwd, "data/authsvc.db"));
    database.prepare("INSERT INTO migrations VALUES ('9999_future', 'x', 0)").run();
    await expectLine(/The database is newer than this program: it holds migration 9999_future\./u, 1);
    database.prepare("DELETE FROM migrations WHERE name = '9999_future'").run();
    database.close();
  });

  test("a database that another process keeps locked", async () => {
    const database = new Database(join(cwd, "data/authsvc.db"));
    database.exec("BEGIN IMMEDIATE");
    // Reading goes on beside it.
    expect(await answer(["app", "list"], { cwd })).toMatchObject([{ id: "app_shop" }]);
    await expectLine(/The database is locked by another process\./u, 1, ["app", "update", "app_shop", "--name", "X"]);
    database.exec("ROLLBACK");
    database.close();
    await answer(["app", "update", "app_shop", "--name", "X"], { cwd });
  });

  test("a PostgreSQL server that is not there", async () => {
    const env = { AUTHSVC_DATABASE__URL: "postgres://u:hush@127.0.0.1:1/x", AUTHSVC_MASTER_KEY: testMasterKey };
    await expectLine(/^authsvc: The PostgreSQL database cannot be used: (?!.*hush)/u, 1, ["app", "list"], env);
  });

  test("a file that is no database", async () => {
    writeFileSync(
      join(cwd, "data/authsvc.db"),
      "this is text, and long enough to be read as a header of a database file",
    );
    await expectLine(/The database .*authsvc\.db cannot be opened: file is not a database\./u, 1);
  });
});
