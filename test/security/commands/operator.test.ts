import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { emptyFolder } from "../../cli/command.ts";
import { answer, authsvc } from "../../cli/in-process.ts";
import { allCommands, newProgram } from "../../cli/program-commands.ts";
import { placeOf } from "../../cli/service-place.ts";
import { goodPassword, newEmail, signedUp, signIn, validate } from "../../support/person.ts";
import { withApp, describeOnSqlite, type TestService } from "../../support/service.ts";

type Shown = Record<string, unknown> & { id: string };

/**
 * Commands that change nothing which the audit log of the same database could keep, or that have
 * tests of their own for it.
 */
const notOfTheLog = ["init", "db migrate", "db restore", "db copy", "master-key rotate"];

async function audited({ server }: TestService): Promise<{ actor: string; action: string; id: string }[]> {
  const { db, tables } = server.app.storage.reader;
  return await db.select().from(tables.auditEvents);
}

describeOnSqlite("what an operator may do", (current) => {
  it("X5: no command chooses the password of somebody who is there: not by creating, importing or resetting", async () => {
    const service = current();
    const place = placeOf(service);
    const app = await service.createApp();
    const person = { email: newEmail(), password: goodPassword };
    const { user } = await signedUp(service, app, person.email);
    const chosen = "a phrase that the operator chose";
    const created = await authsvc(["user", "create", "--app", app.id, "--email", person.email, "--password-stdin"], {
      ...place,
      input: chosen,
    });
    expect(created.code).toBe(4);
    const hash = "$argon2id$v=19$m=8,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    const file = join(emptyFolder(), "users.jsonl");
    for (const line of [
      { id: user["id"], email: person.email, password: { hash } },
      { email: person.email.toUpperCase(), password: { hash } },
    ]) {
      writeFileSync(file, `${JSON.stringify(line)}\n`);
      await authsvc(["user", "import", file, "--app", app.id], place);
    }
    await expect(signIn(service, app, { ...person, password: chosen })).rejects.toThrow();
    await signIn(service, app, person);
    // A reset can be started: whoever opens the link chooses. Nothing that the command says is a
    // password.
    const reset = (await answer(["user", "reset-link", String(user["id"])], place)) as Record<string, unknown>;
    expect(Object.keys(reset)).not.toContain("password");
    await signIn(service, app, person);
    const named = allCommands(newProgram()).flatMap(({ path, command }) =>
      command.options.filter(({ long }) => /password/u.test(long ?? "")).map(({ long }) => `${path.join(" ")} ${long}`),
    );
    expect(named.toSorted()).toEqual([
      "app update --password-min-length",
      "user create --password-file",
      "user create --password-stdin",
    ]);
  });

  it("X5: an operator ends somebody's logins at once, and leaves others' alone", async () => {
    const { service, app } = await withApp(current());
    const [one, other] = [await signedUp(service, app), await signedUp(service, app)];
    expect(await answer(["user", "revoke-logins", String(one.user["id"])], placeOf(service))).toMatchObject({
      ended: 1,
    });
    expect((await validate(service, app, one.accessToken)).status).toBe(401);
    expect((await validate(service, app, other.accessToken)).status).toBe(200);
  });

  it("X5: every command that changes something is in the audit log, with who did it and no secret", async () => {
    const service = current();
    const place = placeOf(service);
    const run = async (args: string[], input = ""): Promise<Shown> => {
      const { code, stdout, stderr } = await authsvc([...args, "--json"], { ...place, input });
      if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}: ${stderr}`);
      return JSON.parse(stdout) as Shown;
    };
    const secret = "canary of a secret, long enough";
    const clientSecret = "canary-of-a-client-secret-0123456789";
    const users = join(emptyFolder(), "users.jsonl");
    writeFileSync(users, `${JSON.stringify({ email: newEmail() })}\n`);
    const state = join(emptyFolder(), "state.yaml");
    const app = "app_audited";
    const email = newEmail();
    let user = "";
    let endpoint = "";
    let login = "";
    let key = "";
    const steps: Record<string, () => Promise<unknown>> = {
      "app create": async () => await run(["app", "create", "--name", "Shop", "--id", app]),
      "app update": async () => await run(["app", "update", app, "--name", "Store"]),
      "app provider set": async () =>
        await run(["app", "provider", "set", app, "google", "--client-id", "x", "--client-secret-stdin"], secret),
      "app provider remove": async () => await run(["app", "provider", "remove", app, "google", "--yes"]),
      "key create": async () => (key = (await run(["key", "create", "--app", app])).id),
      "key rotate": async () => await run(["key", "rotate", "--app", app]),
      "key revoke": async () => await run(["key", "revoke", key]),
      "client create": async () =>
        await run(
          ["client", "create", "--app", app, "--name", "Graphs", "--id", "graphs", "--secret-stdin"],
          clientSecret,
        ),
      "client update": async () => await run(["client", "update", "graphs", "--name", "Charts"]),
      "client secret create": async () => (key = (await run(["client", "secret", "create", "graphs"])).id),
      "client secret rotate": async () =>
        await run(["client", "secret", "rotate", "graphs", "--secret-stdin"], `${clientSecret}-2`),
      "client secret revoke": async () => await run(["client", "secret", "revoke", key]),
      "client delete": async () => await run(["client", "delete", "graphs", "--yes"]),
      "webhook create": async () =>
        (endpoint = (
          await run(
            [
              "webhook",
              "create",
              "--app",
              app,
              "--url",
              "https://hooks.example.com/",
              "--events",
              "user.created",
              "--secret-stdin",
            ],
            secret,
          )
        ).id),
      "webhook update": async () => await run(["webhook", "update", endpoint, "--events", "user.created,user.login"]),
      "webhook rotate-secret": async () =>
        await run(["webhook", "rotate-secret", endpoint, "--secret-stdin"], `${secret} 2`),
      "user create": async () =>
        (user = (await run(["user", "create", "--app", app, "--email", email, "--password-stdin"], secret)).id),
      "user import": async () => await run(["user", "import", users, "--app", app]),
      "user disable": async () => await run(["user", "disable", user]),
      "user enable": async () => await run(["user", "enable", user]),
      "user reset-link": async () => await run(["user", "reset-link", user]),
      "user invite": async () => await run(["user", "invite", "--app", app, "--email", "invited@example.com"]),
      "user update": async () => await run(["user", "update", user, "--name", "Ada"]),
      "user metadata": async () => await run(["user", "metadata", user, "--public", '{"plan":"pro"}']),
      "user remove-method": async () => {
        const { methods } = await run(["user", "show", user]);
        const [method] = methods as { id: string }[];
        await run(["user", "remove-method", user, String(method?.id), "--even-last", "--yes"]);
      },
      "group create": async () => await run(["group", "create", "staff", "--app", app]),
      "group add": async () => await run(["group", "add", "staff", user, "--app", app]),
      "group remove": async () => await run(["group", "remove", "staff", user, "--app", app]),
      "group delete": async () => await run(["group", "delete", "staff", "--app", app, "--yes"]),
      "user revoke-logins": async () => await run(["user", "revoke-logins", user]),
      "token mint": async () => (login = String((await run(["token", "mint", "--user", user]))["loginId"])),
      "token revoke": async () => await run(["token", "revoke", "--login", login]),
      "user delete": async () => await run(["user", "delete", user, "--yes"]),
      "webhook delete": async () => await run(["webhook", "delete", endpoint, "--yes"]),
      "signing-key rotate": async () => await run(["signing-key", "rotate", "--now"]),
      "signing-key revoke": async () => {
        const [newest] = (await run(["signing-key", "list"])) as unknown as { kid: string }[];
        await run(["signing-key", "revoke", String(newest?.kid), "--yes"]);
      },
      apply: async () => {
        const { stdout } = await authsvc(["export"], place);
        writeFileSync(state, stdout.replace("Store", "Applied"));
        await run(["apply", state, "--yes"]);
      },
      "app delete": async () => await run(["app", "delete", app, "--yes"]),
    };
    const changing = allCommands(newProgram())
      .filter(({ command }) => command.options.some(({ long }) => long === "--dry-run"))
      .map(({ path }) => path.join(" "));
    // A new command that changes something belongs into the table.
    expect(
      [...changing, "key revoke", "client secret revoke"].filter((name) => !notOfTheLog.includes(name)).toSorted(),
    ).toEqual(Object.keys(steps).toSorted());
    for (const [name, step] of Object.entries(steps)) {
      const before = new Set((await audited(service)).map(({ id }) => id));
      await step();
      const written = (await audited(service)).filter(({ id, actor }) => !before.has(id) && actor.startsWith("cli:"));
      expect([name, written.length > 0]).toEqual([name, true]);
    }
    const log = JSON.stringify(await audited(service));
    for (const word of [secret, clientSecret, email, "ak_", "cs_"]) expect(log).not.toContain(word);
  });
});
