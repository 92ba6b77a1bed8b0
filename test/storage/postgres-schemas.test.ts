import { randomBytes } from "node:crypto";
import { sql } from "drizzle-orm";
import { Client } from "pg";
import { beforeEach, describe, expect, it } from "vitest";
import { openStorage } from "../../src/storage/open.ts";
import { emptyFolder } from "../cli/command.ts";
import { answer, authsvc } from "../cli/in-process.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { testMasterKey } from "../support/service.ts";

describe("PostgreSQL: the schema that holds everything", () => {
  let database = "";
  let role = "";

  beforeEach(async () => {
    database = await createTestDatabase();
    // Roles belong to the server, which all tests share.
    role = `role_${randomBytes(6).toString("hex")}`;
    await administer(`CREATE ROLE ${role} LOGIN`);
  });

  it("is the role's own one, where PostgreSQL finds it first", async () => {
    await administer(`CREATE SCHEMA ${role} AUTHORIZATION ${role}`);
    await expectEverythingIn(role, urlOf());
  });

  it("is the first one of the search_path of the role that exists", async () => {
    await administer(
      `CREATE SCHEMA "Sign-in" AUTHORIZATION ${role}; ALTER ROLE ${role} SET search_path = nowhere, "Sign-in", public`,
    );
    await expectEverythingIn("Sign-in", urlOf());
  });

  it.each(["search_path=auth", "options=-c%20search_path%3Dauth", "search_path=nowhere%2C%20auth"])(
    "is the one that database.url names by %s",
    async (parameter) => {
      await administer(`CREATE SCHEMA auth AUTHORIZATION ${role}; CREATE SCHEMA ${role} AUTHORIZATION ${role}`);
      await expectEverythingIn("auth", `${urlOf()}&${parameter}`);
    },
  );

  it("is the one that commands check, back up and restore", async () => {
    await administer(`CREATE TABLE users (id int); CREATE SCHEMA "Sign-in" AUTHORIZATION ${role}`);
    const place = placeOf(`${urlOf()}&search_path=%22Sign-in%22`);
    await answer(["app", "create", "--name", "Shop", "--id", "app_shop"], place);
    expect(await answer(["db", "check"], place)).toMatchObject({ problems: [] });
    const backup = `${place.cwd}/authsvc.backup`;
    await answer(["db", "backup", backup], place);
    await answer(["app", "create", "--name", "Later", "--id", "app_later"], place);
    await answer(["db", "restore", backup, "--yes"], place);
    expect(await answer(["app", "list"], place)).toMatchObject([{ id: "app_shop" }]);
  });

  it("is public for the owner of the database", async () => {
    await administer(`ALTER DATABASE ${nameOf(database)} OWNER TO ${role}`);
    await expectEverythingIn("public", urlOf());
  });

  it("is not mixed with tables of other programs in the next schema", async () => {
    await administer(
      `CREATE TABLE migrations (id int, migration text); CREATE TABLE users (id int); GRANT ALL ON migrations, users TO ${role}; CREATE SCHEMA ${role} AUTHORIZATION ${role}`,
    );
    await expectEverythingIn(role, urlOf());
    expect(await rowsOf("SELECT * FROM public.users")).toEqual([]);
  });

  it.each([
    [
      "may not be created in",
      "",
      "",
      /The role role_\w+ may not create tables in the schema public of the database test_\w+: GRANT CREATE ON SCHEMA public TO "role_\w+", or CREATE SCHEMA authsvc AUTHORIZATION "role_\w+"; and add search_path=authsvc to database\.url$/u,
    ],
    [
      "does not exist",
      "",
      "&search_path=nowhere",
      /No schema of the search_path \(nowhere\) exists in the database test_\w+, or the role role_\w+ may not use it: CREATE SCHEMA/u,
    ],
    [
      "has tables of another program",
      "CREATE TABLE migrations (id int); CREATE TABLE users (id int)",
      "",
      /The schema public of the database test_\w+ has tables of another program \(migrations, users\): CREATE SCHEMA/u,
    ],
    [
      "is another one than that with tables of authsvc",
      "CREATE TABLE migrations (name text, checksum text); CREATE SCHEMA ROLE AUTHORIZATION ROLE",
      "",
      /The schema public has tables of authsvc, but role_\w+ comes first in the search_path \("\$user", public\): add search_path=public to database\.url, or search_path=role_\w+ for a new database$/u,
    ],
  ])("says in one sentence what to do where it %s", async (_, statement, parameter, sentence) => {
    if (statement !== "") await administer(statement.replaceAll("ROLE", role).replaceAll(`${role}_`, "ROLE_"));
    for (const command of [["serve"], ["app", "list"], ["db", "migrate"]]) {
      const failed = await authsvc(command, placeOf(`${urlOf()}${parameter}`));
      expect(failed).toMatchObject({ code: 1, stdout: "" });
      expect(failed.stderr.replace(/^authsvc: (.*)\n$/u, "$1")).toMatch(sentence);
    }
    const doctor = await authsvc(["doctor"], placeOf(`${urlOf()}${parameter}`));
    expect(doctor.stdout).toMatch(new RegExp(sentence.source.replace(/\$$/u, "\n"), "u"));
  });

  it("is created in UTF8 only", async () => {
    const latin = `latin_${randomBytes(6).toString("hex")}`;
    await administer(
      `CREATE DATABASE ${latin} OWNER ${role} ENCODING 'LATIN1' LOCALE 'C' LOCALE_PROVIDER libc TEMPLATE template0`,
    );
    const failed = await authsvc(["app", "list"], placeOf(urlOf().replace(nameOf(database), latin)));
    expect(failed.stderr).toMatch(
      /The database latin_\w+ has the encoding LATIN1, .*ENCODING 'UTF8' TEMPLATE template0\n$/u,
    );
  });

  it("is used with the settings that transactions rely on, whatever the role says", async () => {
    await administer(
      `CREATE SCHEMA ${role} AUTHORIZATION ${role}; ALTER ROLE ${role} SET default_transaction_isolation = serializable; ALTER ROLE ${role} SET synchronous_commit = off; ALTER ROLE ${role} SET lock_timeout = '9s'; ALTER ROLE ${role} SET idle_session_timeout = '9s'`,
    );
    const storage = await openStorage({ url: urlOf(), poolSize: 2, file: "" }, 0, () => {});
    try {
      const settings = sql<string>`concat_ws(', ', current_setting('transaction_isolation'), current_setting('synchronous_commit'), current_setting('lock_timeout'), current_setting('idle_session_timeout'))`;
      const rows = await storage.write(
        async ({ db, tables: { facts } }) =>
          await db.insert(facts).values({ name: "a", value: "b" }).returning({ settings }),
      );
      expect(rows).toEqual([{ settings: "read committed, on, 0, 0" }]);
    } finally {
      await storage.close();
    }
  });

  it.each([
    [
      "a wrong database",
      "nowhere",
      /: database "nowhere" does not exist\. Check user, password and database in database\.url\.\n$/u,
    ],
  ])("a server that answers is not asked whether it runs: %s", async (_, name, sentence) => {
    const failed = await authsvc(["app", "list"], placeOf(urlOf().replace(nameOf(database), name)));
    expect(failed.stderr).toMatch(sentence);
  });

  async function expectEverythingIn(schema: string, url: string): Promise<void> {
    const place = placeOf(url);
    await answer(["app", "create", "--name", "Shop", "--id", "app_shop"], place);
    expect(await answer(["app", "list"], place)).toMatchObject([{ id: "app_shop" }]);
    const objects = await rowsOf(
      `SELECT DISTINCT nspname FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace JOIN pg_roles r ON r.oid = relowner WHERE rolname = '${role}' AND nspname !~ '^pg_'`,
    );
    expect(objects).toEqual([{ nspname: schema }]);
    const functions = await rowsOf(
      "SELECT DISTINCT nspname FROM pg_proc p JOIN pg_namespace n ON n.oid = pronamespace WHERE nspname !~ '^pg_|^information'",
    );
    expect(functions).toEqual([{ nspname: schema }]);
  }

  function placeOf(url: string) {
    return { cwd: emptyFolder(), env: { AUTHSVC_DATABASE__URL: url, AUTHSVC_MASTER_KEY: testMasterKey } };
  }

  function urlOf(): string {
    return database.replace("postgres@", `${role}@`);
  }

  async function administer(statements: string): Promise<void> {
    for (const statement of statements.split("; ")) await rowsOf(statement);
  }

  async function rowsOf(statement: string): Promise<unknown[]> {
    const client = new Client({ connectionString: database });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(statement)).rows;
    } finally {
      await client.end();
    }
  }
});

function nameOf(url: string): string {
  return new URL(url).pathname.slice(1);
}
