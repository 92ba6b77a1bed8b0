/** What residents' browsers may do when: by which proof, in which order, by which code. */
import * as personalTokens from "../../../src/credentials/personal/service.ts";
import { codeAt } from "../../support/factors.ts";
import { Visitor, type Page } from "../../support/person.ts";
import { outOfOrder } from "../lies.ts";
import { has, type Resident } from "../resident.ts";
import { time } from "../time.ts";

const minute = 60_000;
const step = 30_000;

/** A browser in which the password was given. */
export async function toStep(me: Resident): Promise<{ visitor: Visitor; page: Page }> {
  const { email, password } = me;
  const visitor = new Visitor();
  const { page } = await me.begin(visitor);
  const done = await visitor.submit(page, "/password", { email, password });
  return { visitor, page: done.status === 303 ? await visitor.get(done.location.href) : done };
}

/** O4: the server is told of the second factor as it is. `failures`: wrong codes in a row. */
export async function secondFactor(me: Resident, failures?: number): Promise<void> {
  const { status, body } = await me.server("GET", `/users/${me.userId}/factors`);
  const { totp, ...rest } = body as { totp: { setUpAt: string; lastUsedAt: string } | null } & Record<string, unknown>;
  const codes = me.key === "" ? 0 : me.recoveryCodes.length;
  const text = JSON.stringify(body);
  const isSo = (totp !== null) === (me.key !== "") && rest["recoveryCodes"] === codes;
  me.must("O4", status === 200 && isSo, `the second factor is ${text}, with ${codes} codes left`);
  if (failures !== undefined) me.must("O7", rest["failures"] === failures, `${failures} wrong codes: ${text}`);
  if (totp === null) return;
  const { from, to } = me.setUpDuring;
  const setUpAt = Date.parse(totp.setUpAt);
  me.must("O4", setUpAt >= from && setUpAt <= to, `an app was set up at ${from} to ${to}: ${text}`);
  const lastUsedAt = Date.parse(totp.lastUsedAt);
  // A code may be one of the step before.
  const isAfter = lastUsedAt >= me.codeAt - 2 * step && lastUsedAt <= time.now() + step;
  me.must("O4", isAfter, `a code was used at ${me.codeAt}: ${text}`);
}

/** O8: ten minutes after its proof, a browser that is signed in changes nothing of the account. */
async function stale(me: Resident): Promise<void> {
  const browser = new Visitor();
  const { fields } = (await me.at("", browser)).form("/sign-out");
  await time.pause(11 * minute);
  const until = new Date(time.now() + 24 * 60 * minute).toISOString().slice(0, 10);
  const acts: Record<string, Record<string, string>> = {
    "/email": { email: me.nextEmail() },
    "/recovery-codes": {},
    "/remove-factor": {},
    "/factor": { code: "123456" },
    "/delete": {},
    "/new-token": { name: "Stolen", until, "scope.profile": "on" },
    "/data": {},
  };
  for (const [path, typed] of Object.entries(acts)) {
    if (me.chances.chance(0.4)) continue;
    const done = await browser.post(me.url(path), { ...fields, ...typed });
    const asks = done.status === 303 && done.location.pathname.startsWith("/sign-in/");
    me.must("O8", asks || done.status >= 400, `${path} needs no fresh proof: ${done.status}`);
  }
  const shown = await browser.get(me.url("/factor"));
  me.must("O8", !shown.text.includes('class="key"'), "a key is shown without a fresh proof");
  const started = await browser.post(me.url("/add"), { ...fields, adds: "password" });
  const page = started.status === 303 ? await browser.get(started.location.href) : started;
  me.must("O8", !has(page, "/add/password"), "a password is added without a fresh proof");
  const list = await me.world.operate(async (ctx) => await personalTokens.list(ctx, me.userId, { all: false }));
  const isStolen = list.some(({ name }) => name === "Stolen");
  me.must("O8", !isStolen, "a token was made without a fresh proof");
  me.world.reached("a browser whose proof is not fresh");
}

/** O8 and O3: a code of the app is of this step or of those beside it, and works once. */
async function codesOfOtherSteps(me: Resident): Promise<void> {
  if (me.key === "") return;
  const { visitor, page } = await toStep(me);
  if (!has(page, "/step/code")) return;
  const stranger = await new Visitor().get(page.url);
  me.must("O8", !has(stranger, "/step/code"), "another browser goes on with a sign-in");
  for (const by of [-2, 2]) {
    const from = time.now();
    const code = codeAt(me.key, from + by * step);
    const near = [-1, 0, 1].some((beside) => codeAt(me.key, time.now() + beside * step) === code);
    const done = await visitor.submit(page, "/step/code", { code });
    const isStill = Math.floor(from / step) === Math.floor(time.now() / step);
    me.must("O8", near || done.status !== 303 || (by > 0 && !isStill), `a code of ${by} steps from now was taken`);
    if (done.status === 303) return;
  }
  await secondFactor(me, 2);
  const code = await me.code();
  const from = time.now();
  const done = await visitor.submit(page, "/step/code", { code });
  me.must("O10", done.status === 303 || time.now() > from + 20_000, `no code of the app is taken: ${done.status}`);
  if (done.status !== 303) return;
  await secondFactor(me, 0);
  const again = await toStep(me);
  if (!has(again.page, "/step/code")) return;
  const twice = await again.visitor.submit(again.page, "/step/code", { code });
  me.must("O3", twice.status !== 303, "a code of the app worked twice");
  await again.visitor.submit(again.page, "/step/code", { code: await me.code() });
  me.world.reached("codes of an app of other steps");
}

/** O8: who has given one of two proofs cannot go around the other. */
async function around(me: Resident): Promise<void> {
  if (me.key === "") return;
  const { visitor, page } = await toStep(me);
  if (has(page, "/step/code")) await outOfOrder(me, page, visitor, "/step/code");
}

/** O8: programs are offered to those who may use them. */
export function offered(me: Resident, page: Page, isStaff = false): void {
  const links = page.text.matchAll(/<a href="https:\/\/(\w+)\.house\.example\//gu);
  const is = [...new Set([...links].map(([, name = ""]) => name))];
  const should = ["files", "vault", ...(isStaff ? ["wiki"] : [])];
  me.must("O8", is.toSorted().join() === should.join(), `offers ${is.join()} instead of ${should.join()}`);
}

/** O4: the newest of the person's tokens is as it was asked for, and none is of somebody else. */
export async function listsToken(me: Resident, host: string | undefined): Promise<void> {
  const list = await me.world.operate(async (ctx) => await personalTokens.list(ctx, me.userId, { all: true }));
  me.must(
    "O8",
    list.every(({ userId, appId }) => userId === me.userId && appId === me.app.id),
    "lists others' tokens",
  );
  const [{ name, hosts, resource, scopes, lastUsedAt, endedAt, endReason, expiresAt, createdAt }] = list as [
    (typeof list)[0],
  ];
  const is = JSON.stringify({ name, hosts, resource, scopes, lastUsedAt, endedAt, endReason });
  const should = {
    name: "Backup script",
    hosts: host === undefined ? [] : [host],
    resource: null,
    scopes: ["profile"],
  };
  const isSo = is === JSON.stringify({ ...should, lastUsedAt: null, endedAt: null, endReason: null });
  me.must("O4", isSo && createdAt <= time.now() && expiresAt > time.now(), `a new token is ${is}`);
}

export const accountEpisodes = [stale, stale, codesOfOtherSteps, codesOfOtherSteps, around];
