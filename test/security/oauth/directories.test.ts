import { expect, it } from "vitest";
import * as providers from "../../../src/applications/providers/provider-clients.ts";
import type { ProviderInput } from "../../../src/applications/providers/provider-input.ts";
import * as userExport from "../../../src/people/export.ts";
import * as userImport from "../../../src/people/import.ts";
import { newEmail } from "../../support/person.ts";
import { useProviders } from "../../support/providers/provider.ts";
import { identitiesOf, usersOf } from "../../support/providers/records.ts";
import { appWith, removeProvider, setProvider, signInAt, tokensFrom } from "../../support/providers/round.ts";
import { describeSqliteFirst, type TestApp, type TestService } from "../../support/service.ts";

const [corp, other, github, enterprise] = await useProviders("openid", "openid", "github", "github");

const actor = { kind: "cli", name: "test" } as const;
const newPerson = () => ({ subject: "1234", email: newEmail(), verified: true });

/**
 * The directory that the app had first, and another one under the same name, which knows somebody
 * by the same subject.
 */

async function set(
  service: TestService,
  app: TestApp,
  input: ProviderInput,
  keepIdentities?: boolean,
): Promise<{ keptIdentities?: number }> {
  const options = keepIdentities === undefined ? {} : { keepIdentities };
  return await providers.set(service.server.app.ctx, app.id, input, actor, options);
}

describeSqliteFirst("the directory of an identity", (service) => {
  it.each(["an OpenID Connect issuer", "a provider without an issuer"])(
    "O1: another directory under the same provider name is another identity (%s)",
    async (kind) => {
      const [first, second] = kind === "an OpenID Connect issuer" ? [corp, other] : [github, enterprise];
      const app = await appWith(service, [first]);
      const { user } = await tokensFrom(service, app, first, newPerson());
      await removeProvider(service, app, first);
      await setProvider(service, app, second);
      const stranger = await tokensFrom(service, app, second, newPerson());
      expect(stranger.user.id).not.toBe(user.id);
      const issuers = (await identitiesOf(service, app)).map(({ issuer }) => issuer);
      expect(new Set(issuers).size).toBe(2);
      // And the first directory's people come back with it.
      await removeProvider(service, app, second);
      await setProvider(service, app, first);
      expect((await tokensFrom(service, app, first, newPerson())).user.id).toBe(user.id);
    },
  );

  it("O1: endpoints that change with identities present are refused with their number, and nothing is changed", async () => {
    const app = await appWith(service, [corp, github]);
    await tokensFrom(service, app, corp, newPerson());
    await tokensFrom(service, app, corp, { ...newPerson(), subject: "5678" });
    await tokensFrom(service, app, github, newPerson());
    const before = await identitiesOf(service, app);
    const changes: [ProviderInput, string][] = [
      [other.settings(), "2 identities of corp"],
      [{ ...corp.settings(), jwksUrl: `${other.origin}/keys` }, "2 identities of corp"],
      [{ ...corp.settings(), tokenUrl: `${other.origin}/token` }, "2 identities of corp"],
      [enterprise.settings(), "1 identity of github"],
    ];
    for (const [input, said] of changes)
      await expect(set(service, app, input)).rejects.toMatchObject({
        code: "CONFLICT",
        message: expect.stringContaining(said),
      });
    expect(await identitiesOf(service, app)).toEqual(before);
    await expect(signInAt(service, app, corp, newPerson())).resolves.toMatchObject({ done: { status: 303 } });
    // What is no endpoint may change.
    expect(await set(service, app, { ...corp.settings(), trustsEmail: false })).not.toHaveProperty("keptIdentities");
    expect(await set(service, app, corp.settings())).not.toHaveProperty("keptIdentities");
  });

  it("O1: a directory that moved keeps its people when the operator says that it is the same", async () => {
    const app = await appWith(service, [corp, github]);
    const ada = await tokensFrom(service, app, corp, newPerson());
    const grace = await tokensFrom(service, app, github, newPerson());
    expect(await set(service, app, other.settings(), true)).toMatchObject({ keptIdentities: 1 });
    expect(await set(service, app, enterprise.settings(), true)).toMatchObject({ keptIdentities: 1 });
    expect((await tokensFrom(service, app, other, newPerson())).user.id).toBe(ada.user.id);
    expect((await tokensFrom(service, app, enterprise, newPerson())).user.id).toBe(grace.user.id);
    expect(await usersOf(service, app)).toHaveLength(2);
  });

  it("O1: an identity never moves onto another user's, whose subject is the same in the new directory", async () => {
    const app = await appWith(service, [corp]);
    const ada = await tokensFrom(service, app, corp, newPerson());
    await removeProvider(service, app, corp);
    await setProvider(service, app, other);
    const eve = await tokensFrom(service, app, other, newPerson());
    expect(await set(service, app, corp.settings(), true)).toMatchObject({ keptIdentities: 1 });
    expect((await tokensFrom(service, app, corp, newPerson())).user.id).toBe(ada.user.id);
    await set(service, app, other.settings(), true);
    expect((await tokensFrom(service, app, other, newPerson())).user.id).toBe(eve.user.id);
  });

  it("O1: an identity of an unknown directory waits for the operator's word before it belongs to one", async () => {
    const app = await service.createApp({ methods: ["oauth"] });
    const line = { id: `u${app.id}`, email: newEmail(), identities: [{ provider: "corp", subject: "1234" }] };
    const { ctx } = service.server.app;
    await userImport.importLines(ctx, app.id, [{ line: 1, json: JSON.stringify(line) }], { dryRun: false }, actor);
    await expect(set(service, app, corp.settings())).rejects.toMatchObject({ code: "CONFLICT" });
    expect(await set(service, app, corp.settings(), true)).toMatchObject({ keptIdentities: 1 });
    expect((await tokensFrom(service, app, corp, newPerson())).user.id).toBe(line.id);
  });

  it("import and export carry the issuer, and take the application's own where a line has none", async () => {
    const app = await appWith(service, [corp]);
    const { ctx } = service.server.app;
    const identities = [
      { provider: "corp", subject: "1" },
      { provider: "corp", subject: "1", issuer: "https://elsewhere.example/" },
      { provider: "github", subject: "2" },
      { provider: "google", subject: "3" },
    ];
    const line = { id: `u${app.id}`, email: newEmail(), identities };
    const lines = [{ line: 1, json: JSON.stringify(line) }];
    expect(await userImport.importLines(ctx, app.id, lines, { dryRun: false }, actor)).toEqual([
      { line: 1, outcome: "created", leftOut: [] },
    ]);
    const exported = (await Array.fromAsync(userExport.pages(ctx, app.id, { withHashes: false }))).flat();
    expect(exported).toMatchObject([
      {
        identities: [
          { provider: "corp", subject: "1", issuer: corp.origin },
          { provider: "corp", subject: "1", issuer: "https://elsewhere.example" },
          { provider: "github", subject: "2", issuer: "api.github.com" },
          { provider: "google", subject: "3", issuer: "https://accounts.google.com" },
        ],
      },
    ]);
  });
});
