import { expect, it } from "vitest";
import { invalidToken } from "../../support/outcomes.ts";
import { refresh, signedUp, type Tokens } from "../../support/person.ts";
import { describeEachDatabase, updateApp, type TestApp, type TestService } from "../../support/service.ts";

/** A login whose first refresh was answered, with what both tokens are. */
async function refreshedOnce(service: TestService, app: TestApp) {
  const { refreshToken: first } = await signedUp(service, app);
  const { refreshToken: second } = (await refresh(service, app, first)).body as Tokens;
  return { first, second };
}

describeEachDatabase("a refresh whose answer was lost", (service) => {
  it.each([undefined, 10, 30, 120])(
    "F1, F2: gets the same answer within the grace of its application (%s s), and ends the login after it",
    async (seconds) => {
      const app = await service.createApp();
      if (seconds !== undefined) await updateApp(service, app, { settings: { refreshGraceSeconds: seconds } });
      const grace = (seconds ?? 30) * 1000;
      const { first, second } = await refreshedOnce(service, app);
      service.clock.advance(grace - 1);
      const again = await refresh(service, app, first);
      expect([again.status, again.body["refreshToken"]]).toEqual([200, second]);
      service.clock.advance(1);
      expect(await refresh(service, app, first)).toMatchObject(invalidToken);
      expect(await refresh(service, app, second)).toMatchObject(invalidToken);
    },
  );

  it("F2: has no grace once its successor was used", async () => {
    const app = await service.createApp();
    await updateApp(service, app, { settings: { refreshGraceSeconds: 120 } });
    const { first, second } = await refreshedOnce(service, app);
    const third = (await refresh(service, app, second)).body as Tokens;
    service.clock.advance(1000);
    expect(await refresh(service, app, first)).toMatchObject(invalidToken);
    expect(await refresh(service, app, third.refreshToken)).toMatchObject(invalidToken);
  });

  it("F1: has the grace that is set when it is repeated, and that of its own application", async () => {
    const [app, other] = [await service.createApp(), await service.createApp()];
    await updateApp(service, other, { settings: { refreshGraceSeconds: 10 } });
    const [mine, theirs] = [await refreshedOnce(service, app), await refreshedOnce(service, other)];
    service.clock.advance(20_000);
    expect((await refresh(service, app, mine.first)).body["refreshToken"]).toBe(mine.second);
    expect(await refresh(service, other, theirs.first)).toMatchObject(invalidToken);
    service.clock.advance(20_000);
    await updateApp(service, app, { settings: { refreshGraceSeconds: 60 } });
    expect((await refresh(service, app, mine.first)).body["refreshToken"]).toBe(mine.second);
  });

  it.each([9, 121, 0, 10.5])("is not set to %s seconds", async (seconds) => {
    const app = await service.createApp();
    await expect(updateApp(service, app, { settings: { refreshGraceSeconds: seconds } })).rejects.toMatchObject({
      rejected: { field: "settings.refreshGraceSeconds", rule: "from 10 to 120 seconds" },
    });
  });
});
