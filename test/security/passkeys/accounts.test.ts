import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { signedUpIn } from "../../support/adding.ts";
import { assertion, attest, newPasskey } from "../../support/authenticator.ts";
import { bearer, methodsOf, removeMethod } from "../../support/methods.ts";
import {
  askedBy,
  askOptions,
  openCeremony,
  post,
  signInByPasskey,
  signUpByPasskey,
  type PasskeyOptions,
  makePasskey,
  openAdding,
} from "../../support/passkey-ceremonies.ts";
import { call, newEmail } from "../../support/person.ts";
import { auditOf, usersOf } from "../../support/providers/records.ts";
import { useApp, describeSqliteFirst, type TestApp, type TestService } from "../../support/service.ts";

async function passkeyIdOf(service: TestService, owner: Parameters<typeof methodsOf>[1]): Promise<string> {
  return (await methodsOf(service, owner)).find(({ type }) => type === "passkey")?.id ?? "";
}

describeSqliteFirst("passkeys and whose they are", (service) => {
  const app = useApp(service);

  it("K4: a credential id that somebody has, in this app or another, makes no second account", async () => {
    const app = await service.createApp();
    const owner = await signUpByPasskey(service, app);
    for (const target of [app, await service.createApp()]) {
      const before = await usersOf(service, target);
      const ceremony = await openCeremony(service, target, "/create-account");
      // A key of the thief's own, under the owner's id.
      const given = { email: newEmail(), id: owner.passkey.id };
      const { passkey: thief, done } = await makePasskey(service, ceremony, given);
      expect(done.status).toBe(422);
      expect(await usersOf(service, target)).toEqual(before);
      expect((await signInByPasskey(service, target, { ...thief, userHandle: owner.passkey.userHandle })).status).toBe(
        401,
      );
    }
    expect((await signInByPasskey(service, app, owner.passkey)).status).toBe(303);
  });

  it("K4: of 20 sign-ups at once with one credential id, one makes an account", async () => {
    const app = await service.createApp();
    const id = randomBytes(32);
    const pages = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const ceremony = await openCeremony(service, app, "/create-account");
        return (await makePasskey(service, ceremony, { email: newEmail(), id })).done;
      }),
    );
    expect(pages.filter(({ status }) => status === 303)).toHaveLength(1);
    expect(await usersOf(service, app)).toHaveLength(1);
  });

  it.each([
    [1023, 303],
    [1024, 422],
    [2000, 422],
  ])("K4: a credential id of %i bytes is answered with %i", async (size, status) => {
    const ceremony = await openCeremony(service, app, "/create-account");
    const { passkey, done } = await makePasskey(service, ceremony, { email: newEmail(), id: Buffer.alloc(size, 7) });
    expect(done.status).toBe(status);
    // Nor one that is long in the signed data and short outside of them.
    if (status === 303) return;
    const again = await askOptions(ceremony, { email: newEmail(), name: "" });
    const short = newPasskey().id.toString("base64url");
    const hidden = { ...attest(passkey, askedBy(service, again)), id: short, rawId: short };
    expect((await post(ceremony, hidden)).status).toBe(422);
  });

  it("K6: a counter that goes back, or stands still, signs in and is written down; one that is always 0 is not", async () => {
    const app = await service.createApp();
    const { passkey } = await signUpByPasskey(service, app);
    const flagged = async (): Promise<number> =>
      (await auditOf(service, app)).filter(({ action }) => action === "passkey.counter").length;
    const seen: [signCount: number, flagged: number][] = [];
    for (const signCount of [0, 0, 5, 6, 3, 3, 4]) {
      const page = await signInByPasskey(service, app, passkey, { signCount });
      expect(page.location.searchParams.has("code")).toBe(true);
      seen.push([signCount, await flagged()]);
    }
    expect(seen).toEqual([
      [0, 0],
      [0, 0],
      [5, 0],
      [6, 0],
      [3, 1],
      [3, 2],
      [4, 2],
    ]);
  });

  it("K7: a user handle is 32 random bytes that tell nothing about its user", async () => {
    const handles = new Set<string>();
    for (let n = 0; n < 10; n += 1) {
      const { email, user, passkey } = await signUpByPasskey(service, app);
      const bytes = Buffer.from(passkey.userHandle, "base64url");
      expect(bytes).toHaveLength(32);
      for (const known of [email, String(user["id"]), String(user["id"]).slice(4)]) {
        expect(bytes.includes(known)).toBe(false);
        expect(passkey.userHandle).not.toContain(known);
      }
      handles.add(passkey.userHandle);
    }
    expect(handles.size).toBe(10);
  });

  it("K7: the options for a known and an unknown address are alike, every time they are asked for", async () => {
    const known = await signUpByPasskey(service, app);
    const byPassword = await signedUpIn(service, app);
    const unknown = newEmail();
    const alike = (options: PasskeyOptions, email: string): unknown => ({
      ...options,
      challenge: options.challenge.length,
      user: options.user && {
        id: options.user.id.length,
        name: options.user.name.replace(email, "EMAIL"),
        displayName: options.user.displayName.replace(email, "EMAIL"),
      },
    });
    for (const path of ["", "/create-account"] as const) {
      const seen = [];
      for (const email of [known.email, unknown, byPassword.email, known.email, unknown]) {
        const options = await askOptions(await openCeremony(service, app, path), { email, name: "" });
        expect(options.excludeCredentials ?? []).toEqual([]);
        expect(options.allowCredentials ?? []).toEqual([]);
        seen.push(JSON.stringify(alike(options, email)));
      }
      expect(new Set(seen).size).toBe(1);
    }
  });

  it("K8: no id in a body or a query stands in for the token's user", async () => {
    const ada = await signUpByPasskey(service, app);
    const bob = await signedUpIn(service, app);
    const adas = await passkeyIdOf(service, ada);
    const query = `?userId=${String(ada.user["id"])}&user_id=${String(ada.user["id"])}`;
    const headers = bearer(bob.accessToken);
    const removed = await call(service, "DELETE", `/users/auth-methods/${adas}${query}`, headers, {
      userId: ada.user["id"],
    });
    expect([400, 404]).toContain(removed.status);
    expect(await passkeyIdOf(service, ada)).toBe(adas);
  });

  it("K9: a removed passkey signs nobody in, and one that is the only way in stays", async () => {
    const owner = await signUpByPasskey(service, app);
    const only = await passkeyIdOf(service, owner);
    const refused = await removeMethod(service, owner, only);
    expect(refused.status).toBe(400);
    expect(refused.body.error).toMatchObject({ code: "INVALID_REQUEST" });
    const second = await addPasskey(app, owner);
    // Asked for while it was there, answered when it is gone.
    const ceremony = await openCeremony(service, app, "");
    const asked = askedBy(service, await askOptions(ceremony));
    expect((await removeMethod(service, owner, only)).status).toBe(200);
    expect((await post(ceremony, assertion(owner.passkey, asked))).status).toBe(401);
    expect((await signInByPasskey(service, app, owner.passkey)).status).toBe(401);
    expect((await signInByPasskey(service, app, second)).status).toBe(303);
  });

  async function addPasskey(app: TestApp, owner: Awaited<ReturnType<typeof signUpByPasskey>>) {
    const { passkey, done } = await makePasskey(service, await openAdding(service, app, owner));
    expect(done.location.searchParams.get("status")).toBe("added");
    return passkey;
  }
});
