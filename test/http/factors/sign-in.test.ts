import { decodeJwt } from "jose";
import { expect, it } from "vitest";
import {
  codeAt,
  codesIn,
  firstProof,
  keyIn,
  signedInWithTotp,
  signedUpWithTotp,
  wrongCodeAt,
} from "../../support/factors.ts";
import { redeem, refresh, signedUp, validate } from "../../support/person.ts";
import { describeSqliteFirst, updateApp, withApp } from "../../support/service.ts";

const required = { settings: { secondFactor: "required" } } as const;

describeSqliteFirst("a second factor", (current) => {
  it("is set up at the next sign-in where it is required, and locks nobody out", async () => {
    const { service, app } = await withApp(current());
    const { email, refreshToken } = await signedUp(service, app);
    await updateApp(service, app, required);
    expect((await refresh(service, app, refreshToken)).body.error?.code).toBe("INVALID_TOKEN");
    const { session, page, visitor } = await firstProof(service, app, email);
    expect(page.status).toBe(200);
    const key = keyIn(page);
    expect(key.replaceAll(" ", "")).toHaveLength(32);
    const wrong = await visitor.submit(page, "/step/set-up", { code: wrongCodeAt(key, service.clock.now) });
    expect(wrong.status).toBe(422);
    expect(keyIn(wrong)).toBe(key);
    const shown = await visitor.submit(wrong, "/step/set-up", { code: codeAt(key, service.clock.now) });
    expect(shown.status).toBe(200);
    expect(codesIn(shown)).toHaveLength(10);
    expect(codesIn(await visitor.get(session.authUrl))).toHaveLength(0);
    const done = await visitor.submit(shown, "/step/continue", {});
    const tokens = await redeem(service, app, { session, code: done.location.searchParams.get("code") ?? "" });
    expect(decodeJwt(tokens.accessToken)).toMatchObject({ acr: "urn:authsvc:acr:1", amr: ["pwd", "otp"] });
    expect((await refresh(service, app, tokens.refreshToken)).status).toBe(200);
  });

  it("is asked for after the password, and is in the token", async () => {
    const { service, app } = await withApp(current(), required);
    const person = await signedUpWithTotp(service, app);
    const { tokens } = await signedInWithTotp(service, app, person);
    expect(decodeJwt(tokens.accessToken)).toMatchObject({ acr: "urn:authsvc:acr:2", amr: ["pwd", "otp", "mfa"] });
    expect((await validate(service, app, tokens.accessToken)).body["acr"]).toBe("urn:authsvc:acr:2");
    const refreshed = (await refresh(service, app, tokens.refreshToken)).body;
    expect(decodeJwt(String(refreshed["accessToken"]))["acr"]).toBe("urn:authsvc:acr:2");
  });

  it("takes each recovery code once, and says how many are left", async () => {
    const { service, app } = await withApp(current(), required);
    const { email, codes } = await signedUpWithTotp(service, app);
    const [code = ""] = codes;
    const { session, page, visitor } = await firstProof(service, app, email);
    const used = await visitor.submit(page, "/step/code", { code: code.toLowerCase().replaceAll("-", " ") });
    const left = await visitor.get(used.location.href);
    expect(left.text).toContain("9 codes left");
    const done = await visitor.submit(left, "/step/continue", {});
    const tokens = await redeem(service, app, { session, code: done.location.searchParams.get("code") ?? "" });
    expect(decodeJwt(tokens.accessToken)["acr"]).toBe("urn:authsvc:acr:2");
    const second = await firstProof(service, app, email);
    expect((await second.visitor.submit(second.page, "/step/code", { code })).status).toBe(422);
  });
});
