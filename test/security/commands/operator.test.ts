import { writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { saveConsent } from "../../../src/applications/clients/consents-store.ts";
import { insertTrustedBrowser } from "../../../src/factors/store.ts";
import { findOrganization } from "../../../src/organizations/store.ts";
import { emptyFolder } from "../../cli/command.ts";
import { answer, authsvc } from "../../cli/in-process.ts";
import { allCommands, newProgram } from "../../cli/program-commands.ts";
import { placeOf } from "../../cli/service-place.ts";
import * as companies from "../../../src/companies/service.ts";
import { companyConfig, storeProvider, useCompanyProvider } from "../../support/company-provider.ts";
import { blockPassword } from "../../support/limits.ts";
import { withOrganizations } from "../../support/organizations.ts";
import { givePersonalToken } from "../../support/personal-tokens.ts";
import { goodPassword, newEmail, signedUp, signIn, validate } from "../../support/person.ts";
import { describeOnSqlite, type TestService } from "../../support/service.ts";

type Shown = Record<string, unknown> & { id: string };

/**
 * Commands that change nothing which the audit log of the same database could keep, or that have
 * tests of their own for it.
 */
const notOfTheLog = [
  "init",
  "db migrate",
  "db restore",
  "db copy",
  "master-key rotate",
  "update",
  // It asks an issuer, which a command takes no loopback address for: below.
  "organization provider set",
];

const company = await useCompanyProvider();

async function audited({ server }: TestService): Promise<{ actor: string; action: string; id: string }[]> {
  const { db, tables } = server.app.ctx.storage.reader;
  return await db.select().from(tables.auditEvents);
}

describeOnSqlite("what an operator may do", companyConfig, (service) => {
  it("X5: no command chooses the password of somebody who is there: not by creating, importing or resetting", async () => {
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
    const app = await service.createApp();
    const [one, other] = [await signedUp(service, app), await signedUp(service, app)];
    expect(await answer(["user", "revoke-logins", String(one.user["id"])], placeOf(service))).toMatchObject({
      ended: 1,
    });
    expect((await validate(service, app, one.accessToken)).status).toBe(401);
    expect((await validate(service, app, other.accessToken)).status).toBe(200);
  });

  it("G2, X5: every command that changes something is in the audit log, with who did it and no secret", async () => {
    const place = placeOf(service);
    const team = { AUTHSVC_CONSOLE__LISTEN: "127.0.0.1:9470", AUTHSVC_CONSOLE__BASE_URL: "http://127.0.0.1:9470" };
    const mail = { AUTHSVC_MAIL__SMTP_URL: "smtp://127.0.0.1:9", AUTHSVC_MAIL__FROM: "auth@service.example" };
    Object.assign(place.env, team, mail);
    const secret = "canary of a secret, long enough";
    const clientSecret = "canary-of-a-client-secret-0123456789";
    const email = newEmail();
    const file = (name: string, content = "") => {
      const path = join(emptyFolder(), name);
      if (content) writeFileSync(path, content);
      return path;
    };
    const made: Record<string, Shown> = {};
    const of = (command: string) => made[command]?.id ?? "";
    const user = () => of("user create");
    const inApp = ["--app", "app_audited"];
    const agent = "https://agent.example/client.json";
    const hook = ["--url", "https://hooks.example.com/", "--events", "user.created", "--secret-stdin"];
    const trust = ["--issuer", "https://gitlab.com", "--subject", "project_path:acme/shop:ref_type:branch:ref:main"];
    const api = ["--identifier", "https://api.example.com"] as const;
    const withFactor = { id: "usr_audited", email: newEmail(), totpSecret: "GEZDGNBVGY3TQOJQ" };
    const steps: [command: string, action: string, args: () => string[] | Promise<string[]>, input?: string][] = [
      ["app create", "application.create", () => ["--name", "Shop", "--id", "app_audited"]],
      ["app update", "application.update", () => ["app_audited", "--name", "Store"]],
      [
        "app provider set",
        "provider.set",
        () => ["app_audited", "google", "--client-id", "x", "--client-secret-stdin"],
        secret,
      ],
      ["app provider remove", "provider.remove", () => ["app_audited", "google", "--yes"]],
      ["key create", "api-key.create", () => inApp],
      ["key rotate", "api-key.expire", () => inApp],
      ["key revoke", "api-key.revoke", () => [of("key create")]],
      [
        "client create",
        "client.create",
        () => [...inApp, "--name", "Graphs", "--id", "graphs", "--secret-stdin"],
        clientSecret,
      ],
      ["client update", "client.update", () => ["graphs", "--name", "Charts"]],
      ["client secret create", "client-secret.create", () => ["graphs"]],
      ["client secret rotate", "client-secret.expire", () => ["graphs", "--secret-stdin"], `${clientSecret}-2`],
      ["client secret revoke", "client-secret.revoke", () => [of("client secret create")]],
      ["client credential add", "client-credential.add", () => ["graphs", ...trust]],
      ["client credential remove", "client-credential.remove", () => ["graphs", of("client credential add")]],
      ["client delete", "client.delete", () => ["graphs", "--yes"]],
      ["resource create", "resource.create", () => [...inApp, ...api]],
      ["resource update", "resource.update", () => [api[1], "--name", "Orders"]],
      [
        "token machine",
        "machine.token",
        async () => {
          const machine = ["--id", "robot", "--name", "Robot", "--kind", "machine", "--resource", api[1]];
          await answer(["client", "create", ...inApp, ...machine, "--secret-stdin"], { ...place, input: clientSecret });
          return ["--client", "robot", "--resource", api[1], "--secret-stdin"];
        },
        clientSecret,
      ],
      [
        "resource delete",
        "resource.delete",
        async () => {
          await answer(["client", "delete", "robot", "--yes"], place);
          return [api[1], "--yes"];
        },
      ],
      ["client block", "client.block", () => [agent, "--yes"]],
      ["client unblock", "client.unblock", () => [agent]],
      ["webhook create", "webhook.create", () => [...inApp, ...hook], secret],
      ["webhook update", "webhook.update", () => [of("webhook create"), "--events", "user.created,user.login"]],
      ["webhook rotate-secret", "webhook.update", () => [of("webhook create"), "--secret-stdin"], `${secret} 2`],
      ["user create", "user.create", () => [...inApp, "--email", email, "--password-stdin"], secret],
      ["user import", "user.import", () => [file("users.jsonl", JSON.stringify(withFactor)), ...inApp]],
      ["user export", "user.export", () => [...inApp, "--with-hashes"]],
      ["user disable", "user.disable", () => [user()]],
      ["user enable", "user.enable", () => [user()]],
      [
        "user approve",
        "user.approve",
        async () => {
          const waiting = ["usr_waits_1", "usr_waits_2"].map((id) =>
            JSON.stringify({ id, email: `${id}@example.com`, emailVerified: true, state: "pending" }),
          );
          await answer(["user", "import", file("waiting.jsonl", waiting.join("\n")), ...inApp], place);
          return ["usr_waits_1"];
        },
      ],
      ["user refuse", "user.refuse", () => ["usr_waits_2", "--yes"]],
      [
        "user unblock",
        "user.unblock",
        async () => {
          await blockPassword(service, { id: "app_audited" }, email);
          return [user()];
        },
      ],
      ["user require-new-password", "user.require-new-password", () => [user()]],
      ["user reset-link", "user.reset-link", () => [user()]],
      ["user invite", "user.invite", () => [...inApp, "--email", "invited@example.com"]],
      ["user update", "user.update", () => [user(), "--name", "Ada"]],
      ["user metadata", "user.metadata", () => [user(), "--public", '{"plan":"pro"}']],
      [
        "user remove-method",
        "method.removed",
        async () => {
          const { methods } = (await answer(["user", "show", user()], place)) as { methods: { id: string }[] };
          return [user(), String(methods[0]?.id), "--even-last", "--yes"];
        },
      ],
      ["group create", "group.create", () => ["staff", ...inApp]],
      ["group add", "group.add", () => ["staff", user(), ...inApp]],
      ["group remove", "group.remove", () => ["staff", user(), ...inApp]],
      ["group update", "group.update", () => ["staff", ...inApp, "--second-factor", "required"]],
      ["group delete", "group.delete", () => ["staff", ...inApp, "--yes"]],
      [
        "organization create",
        "organization.create",
        async () => {
          await answer(["app", "update", "app_audited", "--organizations", "on", "--company-sign-in", "on"], place);
          return ["Acme", ...inApp, "--owner", user()];
        },
      ],
      ["organization update", "organization.update", () => ["acme", ...inApp, "--name", "Acme Ltd"]],
      [
        "organization member add",
        "organization.member.add",
        () => ["acme", withFactor.id, ...inApp, "--roles", "member"],
      ],
      [
        "organization member update",
        "organization.member.update",
        () => ["acme", withFactor.id, ...inApp, "--roles", "admin"],
      ],
      ["organization member remove", "organization.member.remove", () => ["acme", withFactor.id, ...inApp, "--yes"]],
      ["organization invite", "organization.invite", () => ["acme", newEmail(), ...inApp, "--roles", "member"]],
      ["organization domain add", "organization.domain.add", () => ["acme", "acme.example", ...inApp]],
      ["organization setup-link", "organization.setup-link.make", () => ["acme", newEmail(), ...inApp]],
      [
        "organization provider confirm",
        "organization.provider.confirm",
        async () => {
          const acme = (await answer(["organization", "show", "acme", ...inApp], place)) as Shown;
          const waiting = { issuer: "https://login.acme.example", clientId: "client-1", secret };
          await storeProvider(service, acme, waiting, { state: "waiting" });
          return ["acme", ...inApp, "--issuer", waiting.issuer];
        },
      ],
      ["organization provider relink", "organization.provider.relink", () => ["acme", user(), ...inApp]],
      ["organization provider remove", "organization.provider.remove", () => ["acme", ...inApp, "--yes"]],
      ["organization domain remove", "organization.domain.remove", () => ["acme", "acme.example", ...inApp, "--yes"]],
      ["organization disable", "organization.disable", () => ["acme", ...inApp]],
      ["organization enable", "organization.enable", () => ["acme", ...inApp]],
      [
        "organization import",
        "organization.create",
        () => [file("organizations.jsonl", '{"slug":"other","name":"Other","members":[]}'), ...inApp],
      ],
      ["organization delete", "organization.delete", () => ["acme", ...inApp, "--yes"]],
      ["user recovery-link", "user.recovery-link", () => [withFactor.id]],
      [
        "user trusted-browsers",
        "factor.trust-ended",
        async () => {
          const row = { id: "brw_audited", userId: withFactor.id, digest: "digest", epoch: 1, userAgent: null };
          await service.server.app.ctx.storage.write((tx) =>
            insertTrustedBrowser(tx, { ...row, createdAt: 0, expiresAt: Date.now() * 2 }),
          );
          return [withFactor.id, "--end-all"];
        },
      ],
      [
        "user tokens",
        "personal-token.end",
        async () => {
          await givePersonalToken(service, withFactor.id);
          return [withFactor.id, "--end-all"];
        },
      ],
      ["user reset-factors", "factor.removed", () => [withFactor.id, "--yes"]],
      [
        "user consents",
        "consent.remove",
        async () => {
          await answer(["client", "create", ...inApp, "--name", "Wiki", "--id", "wiki", "--kind", "spa"], place);
          const consent = { userId: user(), clientId: "wiki", scopes: ["openid"], createdAt: 0, updatedAt: 0 };
          await service.server.app.ctx.storage.write((tx) => saveConsent(tx, consent));
          return [user(), "--end", "wiki"];
        },
      ],
      ["user revoke-logins", "user.revoke-logins", () => [user()]],
      ["token mint", "token.mint", () => ["--user", user()]],
      ["token revoke", "user.logout", () => ["--login", String(made["token mint"]?.["loginId"])]],
      ["user delete", "user.delete", () => [user(), "--yes"]],
      ["webhook delete", "webhook.delete", () => [of("webhook create"), "--yes"]],
      ["operator invite", "operator.invite", () => ["--email", newEmail(), "--role", "owner"]],
      ["operator update", "operator.update", () => [of("operator invite"), "--role", "owner"]],
      ["operator remove", "operator.remove", () => [of("operator invite"), "--yes"]],
      ["operator networks", "operator.networks", () => ["--allow", "10.0.0.0/8"]],
      ["signing-key rotate", "signing-key.rotate", () => ["--now"]],
      [
        "signing-key revoke",
        "signing-key.revoke",
        async () => {
          const [newest] = (await answer(["signing-key", "list"], place)) as { kid: string }[];
          return [String(newest?.kid), "--yes"];
        },
      ],
      [
        "apply",
        "application.update",
        async () => [
          file("state.yaml", (await authsvc(["export"], place)).stdout.replace("Store", "Applied")),
          "--yes",
        ],
      ],
      ["db backup", "database.backup", () => [file("backup")]],
      ["app delete", "application.delete", () => ["app_audited", "--yes"]],
    ];
    const changing = allCommands(newProgram())
      .filter(({ command }) => command.options.some(({ long }) => long === "--dry-run"))
      .map(({ path }) => path.join(" "));
    // A new command that changes something belongs into the table.
    expect(steps.map(([command]) => command).toSorted()).toEqual(
      [...changing, "key revoke", "client secret revoke", "user export", "db backup"]
        .filter((name) => !notOfTheLog.includes(name))
        .toSorted(),
    );
    for (const [command, action, args, input = ""] of steps) {
      const before = new Set((await audited(service)).map(({ id }) => id));
      const done = await authsvc([...command.split(" "), ...(await args()), "--json"], { ...place, input });
      expect(done, command).toMatchObject({ code: 0 });
      if (/create$|mint$|credential add$|^operator invite$/u.test(command))
        made[command] = JSON.parse(done.stdout) as Shown;
      const written = (await audited(service)).filter((event) => !before.has(event.id) && event.action === action);
      expect(written, command).not.toEqual([]);
      // A rotation expires each key that there was.
      const by = { actor: `cli:${userInfo().username}`, result: "success", ipAddress: null, requestId: null };
      for (const event of written) expect(event, command).toMatchObject(by);
    }
    const log = JSON.stringify(await audited(service));
    for (const word of [secret, clientSecret, email, "ak_", "cs_", "pat_"]) expect(log).not.toContain(word);
  });

  it("G2, X5: a company's provider that an operator sets is in the audit log, with who did it and no secret", async () => {
    const all = await withOrganizations(service, { companySignIn: "on" });
    const { id } = await all.newOrganization();
    const { ctx } = service.server.app;
    const organization = await findOrganization(ctx.storage.reader, id);
    if (!organization) throw new Error("no organization");
    const { issuer, clientId, secret } = company;
    const input = { issuer, clientId, clientSecret: secret };
    await companies.set(ctx, organization, input, { actor: { kind: "cli", name: "root" } });
    const written = (await audited(service)).filter(({ action }) => action === "organization.provider.set");
    expect(written).toMatchObject([{ actor: "cli:root", result: "success", organizationId: id }]);
    expect(JSON.stringify(written)).toContain(issuer);
    expect(JSON.stringify(await audited(service))).not.toContain(secret);
  });
});
