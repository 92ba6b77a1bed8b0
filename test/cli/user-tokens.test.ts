import { beforeAll, expect, it } from "vitest";
import { givePersonalToken } from "../support/personal-tokens.ts";
import { newUser } from "../support/mail-flows.ts";
import { validate } from "../support/person.ts";
import { describeOnSqlite, useApp, withApp } from "../support/service.ts";
import { answer, authsvc } from "./in-process.ts";
import { placeOf } from "./service-place.ts";

const day = 86_400_000;

describeOnSqlite("the command user tokens", (service) => {
  const app = useApp(service, { settings: { personalTokens: true } });
  let id: string;
  beforeAll(async () => {
    ({ id } = await newUser(service, app));
  });

  it("lists them, and ends one or all, for good", async () => {
    const place = placeOf(service);
    const one = await givePersonalToken(service, id);
    service.clock.advance(1000);
    const two = await givePersonalToken(service, id);
    const listed = (await answer(["user", "tokens", id], place)) as { id: string; endedAt: string | null }[];
    expect(listed).toHaveLength(2);
    expect(JSON.stringify(listed)).not.toContain("pat_");
    const first = listed[1]?.id ?? "";
    const dry = await answer(["user", "tokens", id, "--end", first, "--dry-run"], place);
    expect([dry, (await validate(service, app, one)).status]).toEqual([{ id, ended: 1, dryRun: true }, 200]);
    await answer(["user", "tokens", id, "--end", first], place);
    expect([(await validate(service, app, one)).status, (await validate(service, app, two)).status]).toEqual([
      401, 200,
    ]);
    const again = await authsvc(["user", "tokens", id, "--end", first], place);
    expect([again.code, again.stdout]).toEqual([3, ""]);
    expect(await answer(["user", "tokens", id, "--end-all"], place)).toEqual({ id, ended: 1 });
    expect(await answer(["user", "tokens", id], place)).toEqual([]);
    const all = (await answer(["user", "tokens", id, "--all"], place)) as { endReason: string }[];
    expect(all.map(({ endReason }) => endReason)).toEqual(["operator", "operator"]);
  });

  it("app update says how many tokens a lower maximum ends, before it does", async () => {
    const place = placeOf(service);
    const token = await givePersonalToken(service, id);
    await givePersonalToken(service, id, { expiresAt: service.clock.now + 5 * day });
    const update = ["app", "update", app.id, "--personal-token-life", "30d"];
    const dry = await authsvc([...update, "--dry-run"], place);
    expect([dry.code, dry.stderr]).toEqual([
      0,
      expect.stringContaining("1 personal access token lasts longer, and would end."),
    ]);
    expect((await validate(service, app, token)).status).toBe(200);
    expect((await authsvc(update, place)).stderr).toContain("will end now");
    expect((await validate(service, app, token)).status).toBe(401);
    expect((await authsvc(["app", "update", app.id, "--personal-token-life", "366d"], place)).code).toBe(2);
  });

  it("plan and apply of a state file say it, too", async () => {
    const place = placeOf(service);
    const { app: shop } = await withApp(service, { settings: { personalTokens: true } });
    await givePersonalToken(service, (await newUser(service, shop)).id);
    const input = (await authsvc(["export"], place)).stdout.replaceAll(
      "personalTokenLife: 365d",
      "personalTokenLife: 30d",
    );
    const said = `${shop.id}: 1 personal access token lasts longer, and`;
    expect((await authsvc(["plan", "-"], { ...place, input })).stderr).toContain(`${said} would end.`);
    expect((await authsvc(["apply", "-"], { ...place, input })).stderr).toContain(`${said} will end now.`);
    expect((await authsvc(["plan", "-"], { ...place, input })).stderr).not.toContain(said);
  });

  it("token verify explains one to an operator", async () => {
    const place = placeOf(service);
    const token = await givePersonalToken(service, id, { expiresAt: service.clock.now + 5 * day });
    expect(await answer(["token", "verify", token], place)).toMatchObject({ valid: true, claims: { sub: id } });
    await answer(["user", "tokens", id, "--end-all"], place);
    expect((await authsvc(["token", "verify", token], place)).stderr).toContain("it was ended (operator)");
  });
});
