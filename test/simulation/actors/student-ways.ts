/** Students with a second factor, another way in, few tries, or a provider that fails. */
import { assertion } from "../../support/authenticator.ts";
import { wrongCodeAt } from "../../support/factors.ts";
import { askedBy, askOptions } from "../../support/passkey-ceremonies.ts";
import { call, initiate, Visitor, type Page } from "../../support/person.ts";
import { has, otherCode } from "../resident.ts";
import type { Student, Way } from "../student.ts";
import { time } from "../time.ts";
import { removeApp, setUpApp } from "./resident-app.ts";

const isIssued = (page: Page): boolean => page.location.searchParams.has("code");

/** O8: an account at a provider is linked once both sides know the address, and all is proven. */
export async function comesByProvider(student: Student): Promise<void> {
  const { me, known, account } = student;
  const { ways } = student;
  if (known.authMethods.oauth.length > 0) return;
  const verified = me.chances.pick([true, true, false, undefined]);
  const visitor = new Visitor();
  const from = time.now();
  const { session, page } = await me.begin(visitor);
  const { id, name } = account;
  const given = { id, name, email: me.email, ...(verified !== undefined && { verified }) } as typeof account;
  let at = await student.follow(await student.atProvider(page, visitor, undefined, given), visitor, false);
  let way: Way = "oauth";
  const isLinked = verified !== false;
  if (verified !== true || me.key !== "") {
    me.must("O8", !isIssued(at), `signed in by a provider that says ${verified} of the address`);
    await student.whole();
    way = me.chances.pick(ways);
    const prove = await student.prepare(way, await visitor.get(session.authUrl), visitor);
    at = await student.follow(await prove(), visitor);
  }
  if (isLinked) {
    me.leaves("event method.added oauth", "entry method.added oauth");
    student.account = given;
    known.authMethods.oauth = ["discord"];
  }
  await student.redeem({ session, page: at }, way, from);
  me.world.reached(`a provider's account that was ${isLinked ? "" : "not "}linked at a sign-in`);
}

/** O6 and O8: who has a second factor is asked for it, and nothing is issued before. */
export async function withFactor(student: Student): Promise<void> {
  const { me, known } = student;
  if (!known.authMethods.password || me.password === "") return;
  student.methods.tried.add("password");
  if (!(await setUpApp(me))) return;
  await student.whole();
  const way = me.chances.pick(student.ways);
  const visitor = new Visitor();
  const from = time.now();
  const { session, page } = await me.begin(visitor);
  const prove = await student.prepare(way, page, visitor);
  const half = await student.follow(await prove(), visitor, false);
  if (way !== "passkey") {
    me.must("O8", has(half, "/step/code"), `is not asked for a second factor by ${way}: ${half.status}`);
    const code = wrongCodeAt(me.key, time.now());
    const wrong = await visitor.submit(half, "/step/code", { code });
    me.must("O8", wrong.status !== 303, "a wrong code of an app was taken");
    const account = await visitor.get(me.url());
    me.must("O8", account.status !== 200, "has an account page by one factor of two");
  }
  await student.redeem({ session, page: await student.follow(half, visitor) }, way, from);
  me.world.reached("a student with a second factor");
  await comesByProvider(student);
  student.methods.tried.add("password");
  await removeApp(me);
}

/** O7 and O3: a mailed code has five tries, and the newest mail alone counts. */
export async function triesOfCodes(student: Student): Promise<void> {
  const { me } = student;
  const visitor = new Visitor();
  const from = time.now();
  const { session } = await me.begin(visitor);
  const form = await visitor.get(`${session.authUrl}/email-code`);
  if (form.status !== 200) return;
  const asked = await visitor.submit(form, "/email-code", { email: me.email });
  let waits = await visitor.get(asked.location.href);
  let mail = await me.mailed("confirm", from);
  const isAgain = me.chances.chance(0.4);
  if (isAgain) {
    await time.pause(1000);
    const since = time.now();
    const sent = await visitor.submit(waits, "/code/again", {});
    waits = sent.status === 303 ? await visitor.get(sent.location.href) : sent;
    const next = await me.mailed("confirm", since);
    const former = await visitor.submit(waits, "/code", { code: mail.code });
    me.must("O3", former.status !== 303, "a mailed code outlived its successor");
    me.must("O3", !isIssued(await me.use(mail.link, {}, visitor)), "a mailed link outlived its successor");
    mail = next;
  }
  const wrongs = isAgain ? 0 : me.chances.pick([3, 4, 4, 5]);
  for (let tries = 1; tries <= wrongs; tries += 1) {
    const wrong = await visitor.submit(waits, "/code", { code: otherCode(mail.code, tries) });
    me.must("O8", wrong.status !== 303, "a wrong mailed code was taken");
  }
  const done = await visitor.submit(waits, "/code", { code: mail.code });
  me.world.reached("a mailed code tried as often as it may be");
  if (wrongs === 5) return me.must("O7", done.status !== 303, "a mailed code was tried six times");
  await student.redeem({ session, page: await student.follow(done, visitor) }, "emailCode", from);
  const again = await me.use(mail.link, {}, visitor);
  me.must("O3", !isIssued(again), "a link signed in after its code");
}

/** O6: a sign-in by one way offers and takes no other. */
export async function chosenWay(student: Student): Promise<void> {
  const { me } = student;
  const way = me.chances.pick(student.ways);
  if (way === "emailCode") return;
  const visitor = new Visitor();
  const from = time.now();
  const state = me.next("state");
  const asked = { authMethod: way, state, ...(way === "oauth" && { provider: "discord" }) };
  const { session, page } = await me.begin(visitor, asked);
  const { sessionId } = session;
  me.world.reached(`a sign-in by ${way} alone`);
  if (way === "oauth") {
    me.must("O6", page.status === 303 && page.location.hostname === "discord.com", `no way to it: ${page.status}`);
    if (me.chances.chance(0.4)) {
      const error = { error: "access_denied" };
      const back = await visitor.get(me.world.provider.refuse(page.location, error.error));
      const { error_description: _, ...said } = Object.fromEntries(back.location.searchParams);
      return student.known.mustBe(said, { ...error, state, sessionId }, "what comes with a cancelled sign-in");
    }
    const back = await student.comeBack(visitor, page);
    return void (await student.redeem({ session, page: await student.follow(back, visitor) }, way, from));
  }
  if (me.chances.chance(0.4)) {
    const { fields } = page.form(`/${way}`);
    const other = me.chances.pick(["/email-code", "/oauth/discord", way === "password" ? "/passkey" : "/password"]);
    const typed = { email: me.email, password: me.password, credential: "{}" };
    const done = await visitor.post(`${session.authUrl}${other}`, { ...fields, ...typed });
    const { error_description: _, ...said } = Object.fromEntries(done.location.searchParams);
    const error = "method_disabled";
    return student.known.mustBe(said, { error, state, sessionId }, `what ${other} in a sign-in by ${way} leads to`);
  }
  if (me.chances.chance(0.3)) {
    const back = await visitor.get(`${session.authUrl}/cancel`);
    const { error_description: _, ...said } = Object.fromEntries(back.location.searchParams);
    return student.known.mustBe(said, { error: "access_denied", state, sessionId }, "what a cancelled sign-in says");
  }
  const prove = await student.prepare(way, page, visitor);
  await student.redeem({ session, page: await student.follow(await prove(), visitor) }, way, from);
}

/** O8: a provider that fails, or whose answer is of another visit, signs nobody in. */
export async function failingProvider(student: Student): Promise<void> {
  const { me } = student;
  const { provider } = me.world;
  const visitor = new Visitor();
  const from = time.now();
  const { session, page } = await me.begin(visitor);
  const asked = await visitor.submit(page, "/oauth/discord", {});
  if (asked.status !== 303) return;
  const thief = new Visitor();
  const strange = await thief.submit((await me.begin(thief)).page, "/oauth/discord", {});
  const { account } = student;
  const [what, href] = me.chances.pick([
    ["cancelled", provider.refuse(asked.location, "access_denied")],
    ["broken", provider.refuse(asked.location, "server_error")],
    ["a code that it never gave", provider.refuse(asked.location, "", "code-unknown")],
    ["no code", provider.refuse(asked.location, "")],
    ["the visit of another browser", provider.agree(strange.location, account)],
  ] as [string, string][]);
  const done = await student.follow(await visitor.get(href), visitor, false);
  me.must("O8", !isIssued(done), `signed in by a provider's answer: ${what}`);
  me.world.reached("a provider's answer that proves nothing");
  const others = student.ways.filter((each) => each !== "oauth");
  const way = me.chances.pick(others);
  const prove = await student.prepare(way, await visitor.get(session.authUrl), visitor);
  await student.redeem({ session, page: await student.follow(await prove(), visitor) }, way, from);
}

/** O8: what proves somebody here proves nobody at another application, where they are another. */
export async function atCollege(student: Student): Promise<void> {
  const { me } = student;
  const { service, college } = me.world;
  const way = me.chances.pick(student.ways);
  for (let times = 0; times < 2; times += 1) {
    const visitor = new Visitor();
    const from = time.now();
    const session = await initiate(service, college, {});
    const page = await visitor.get(session.authUrl);
    if (way === "password" || way === "passkey") {
      const answer = async (): Promise<Record<string, string>> => {
        const one = me.chances.pick(student.passkeys);
        return { credential: JSON.stringify(assertion(one, askedBy(service, await askOptions({ visitor, page })))) };
      };
      const typed = way === "password" ? { email: me.email, password: me.password } : await answer();
      const done = await me.elsewhere(async () => await visitor.submit(page, `/${way}`, typed));
      me.must("O8", done.status !== 303, `a ${way} of the campus was taken at the college`);
    } else {
      const prove = await student.prepare(way, page, visitor, college);
      const done = await student.follow(await prove(), visitor);
      const code = done.location.searchParams.get("code");
      if (code === null && time.now() > from + 50_000) return;
      const body = { code, sessionId: session.sessionId };
      const answer = await call(service, "POST", "/auth/callback", college.headers, body);
      const { id } = { ...(answer.body["user"] as { id?: string } | undefined) };
      if (answer.status !== 200 && time.now() > from + 50_000) return;
      me.must("O8", id !== undefined && id !== me.userId, `is ${id} at the college: ${answer.status}`);
      const before = student.idsThere.get(way);
      me.must("O8", before === undefined || before === id, `was ${before} at the college, and is ${id}`);
      if (id !== undefined) student.idsThere.set(way, id);
    }
    me.world.reached("somebody at two applications");
  }
}
