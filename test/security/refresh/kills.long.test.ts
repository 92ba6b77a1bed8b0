import { expect, it } from "vitest";
import { bearer } from "../../support/methods.ts";
import {
  call,
  initiate,
  newEmail,
  redeem,
  refresh,
  signIn,
  signUp,
  validate,
  type Tokens,
} from "../../support/person.ts";
import { kill, startProcess } from "../../support/process.ts";
import { emptyFolder } from "../../cli/command.ts";

it("F8, CVE-2026-9802: what was ended stays ended after kill -9, and what lived lives on", async () => {
  const data = emptyFolder();
  const first = await startProcess(data);
  const person = { email: newEmail() };
  const { service, app } = first;
  await redeem(service, app, await signUp(service, app, person));
  const newLogin = async (): Promise<Tokens> => await redeem(service, app, await signIn(service, app, person));
  const [live, loggedOut, byToken, reused] = [await newLogin(), await newLogin(), await newLogin(), await newLogin()];
  // A token older than the direct predecessor is a reuse at once, without waiting for the grace to
  // end.
  const second = (await refresh(service, app, reused.refreshToken)).body as Tokens;
  const third = (await refresh(service, app, second.refreshToken)).body as Tokens;
  expect((await refresh(service, app, reused.refreshToken)).status).toBe(401);
  const logout = async (token: string, body: unknown) =>
    (await call(service, "POST", "/auth/logout", bearer(token), body)).status;
  expect(await logout(live.accessToken, { refreshToken: byToken.refreshToken })).toBe(200);
  // Nothing between the answer and the end of the process.
  expect(await logout(loggedOut.accessToken, {})).toBe(200);
  await kill(first.process);

  const again = await startProcess(data);
  for (const { accessToken, refreshToken } of [loggedOut, byToken, reused, second, third]) {
    expect((await refresh(again.service, app, refreshToken)).status).toBe(401);
    if (accessToken) expect((await validate(again.service, app, accessToken)).status).toBe(401);
  }
  expect((await refresh(again.service, app, live.refreshToken)).status).toBe(200);
  await kill(again.process);
  // Nor after a second time.
  const oncemore = await startProcess(data);
  for (const { refreshToken } of [loggedOut, byToken, reused, third])
    expect((await refresh(oncemore.service, app, refreshToken)).status).toBe(401);
  await kill(oncemore.process);
});

it("F9: a refresh whose answer was lost with the process can be tried again", async () => {
  const data = emptyFolder();
  // The ten seconds are of the real clock: a machine too busy to restart within them gets another
  // round.
  for (let round = 0; round < 4; round += 1) {
    const first = await startProcess(data);
    const tokens = await redeem(first.service, first.app, await signUp(first.service, first.app));
    const begun = Date.now();
    const answered = await refresh(first.service, first.app, tokens.refreshToken);
    await kill(first.process);
    const second = await startProcess(data);
    const again = await refresh(second.service, second.app, tokens.refreshToken);
    const took = Date.now() - begun;
    if (took < 10_000) {
      expect(again.status).toBe(200);
      expect(again.body["refreshToken"]).toBe(answered.body["refreshToken"]);
      // The issuer holds the port, and this process has another one.
      expect((await validate(second.service, second.app, String(again.body["accessToken"]))).status).toBe(200);
      expect((await initiate(second.service, second.app)).sessionId).toMatch(/^sis_/u);
      return;
    }
    await kill(second.process);
  }
  throw new Error("the process never started within ten seconds");
});
