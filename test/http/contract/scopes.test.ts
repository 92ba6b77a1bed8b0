import { decodeJwt } from "jose";
import { beforeAll, describe, expect, it } from "vitest";
import { call, newEmail, redeem, refresh, signIn, signUp, validate, type Tokens } from "../../support/person.ts";
import { useApp, describeOnSqlite } from "../../support/service.ts";

describeOnSqlite("scopes", (current) => {
  const app = useApp(current);
  const person = { email: newEmail() };
  beforeAll(async () => {
    await redeem(current(), app, await signUp(current(), app, person));
  });
  const signedIn = async (scopes?: string[]): Promise<Tokens> =>
    await redeem(current(), app, await signIn(current(), app, person, { scopes }));

  it.each([
    [undefined, ["profile", "email"]],
    [
      ["profile", "email"],
      ["profile", "email"],
    ],
    [["profile"], ["profile"]],
    [["email"], ["email"]],
  ])("asked for as %j are %j in the token and in validate", async (asked, granted) => {
    const { accessToken } = await signedIn(asked);
    expect(String(decodeJwt(accessToken)["scope"]).split(" ").toSorted()).toEqual(granted.toSorted());
    const { body } = await validate(current(), app, accessToken);
    expect((body["scopes"] as string[]).toSorted()).toEqual(granted.toSorted());
  });

  it("an app with groups may ask for all that it has", async () => {
    const all = ["profile", "email", "groups"] as const;
    const other = await current().createApp({ settings: { scopes: [...all] } });
    await redeem(current(), other, await signUp(current(), other, person));
    const { accessToken } = await redeem(current(), other, await signIn(current(), other, person, { scopes: all }));
    expect(decodeJwt(accessToken)["scope"]).toBe(all.join(" "));
  });

  describe("without email", () => {
    it("no answer and no token holds the address, of a refresh neither", async () => {
      const { accessToken, refreshToken, user, ...rest } = await signedIn(["profile"]);
      expect(Object.keys(user)).not.toContain("email");
      expect(Object.keys(user)).not.toContain("emailVerified");
      const valid = await validate(current(), app, accessToken);
      expect(valid.status).toBe(200);
      expect(valid.body["user"]).toEqual({ id: user["id"], name: null });
      const renewed = await refresh(current(), app, refreshToken);
      const claims = [accessToken, String(renewed.body["accessToken"])].map((token) => decodeJwt(token));
      for (const claim of claims) expect(Object.keys(claim)).not.toContain("email");
      expect(JSON.stringify([rest, user, valid.body, claims])).not.toContain(person.email);
      const again = await validate(current(), app, String(renewed.body["accessToken"]));
      expect(again.body).toMatchObject({ user: { id: user["id"], name: null }, scopes: ["profile"] });
      expect(again.body["user"]).not.toHaveProperty("email");
    });

    it("nothing is missing for another login of the same person", async () => {
      await signedIn(["profile"]);
      const { accessToken } = await signedIn();
      expect((await validate(current(), app, accessToken)).body["user"]).toMatchObject(person);
    });

    it("logout needs no scope", async () => {
      const { accessToken } = await signedIn(["profile"]);
      const answer = await call(current(), "POST", "/auth/logout", { authorization: `Bearer ${accessToken}` }, {});
      expect(answer.status).toBe(200);
    });
  });

  it("with email, the address is in the claims, the callback and validate", async () => {
    const { accessToken, user } = await signedIn(["email"]);
    expect(decodeJwt(accessToken)["email"]).toBe(person.email);
    expect(user).toMatchObject({ ...person, emailVerified: false });
    expect((await validate(current(), app, accessToken)).body["user"]).toMatchObject({
      ...person,
      emailVerified: false,
    });
  });
});
