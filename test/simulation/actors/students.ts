/**
 * People of a campus: they come by every door, add and remove ways to sign in, and are disabled,
 * moved or taken for others in the middle. Their server compares all that it is told of them.
 */
import { hash } from "node:crypto";
import { importLines } from "../../../src/people/import.ts";
import { call, Visitor, type Page } from "../../support/person.ts";
import { without } from "../firm-answers.ts";
import { has, lives, type Resident } from "../resident.ts";
import { Student, type Kind, type Way } from "../student.ts";
import { time } from "../time.ts";
import { Lost, type Part, type World } from "../world.ts";
import { doors } from "./enrolments.ts";
import { atCollege, chosenWay, comesByProvider, failingProvider, triesOfCodes, withFactor } from "./student-ways.ts";

type Json = Record<string, unknown>;

const languages = ["en", "en", "de", "fr", "es", "pt", "ja", "ar"];
const kinds: readonly Kind[] = ["password", "passkey", "oauth"];
const by = { kind: "cli", name: "campus" } as const;

export async function students(world: World, part: Part): Promise<void> {
  await lives(world, part, { app: world.campus, name: "student", network: 140, beside: 2, languages }, live);
}

async function live(me: Resident, { isOver, pause }: Pick<Part, "isOver" | "pause">): Promise<void> {
  const student = new Student(me);
  await me.chances.pick(doors)(student);
  await student.whole();
  for (let rounds = 0; rounds < 4 && !isOver(); rounds += 1) {
    await pause(80_000);
    await me.chances.pick(acts)(student);
    await student.whole();
  }
}

/** Somebody else, who has this account at the provider. */
async function somebodyElse({ me }: Student): Promise<{ id: string; email: string; verified: boolean }> {
  const email = `other.${me.nextEmail()}`;
  const id = `at-${email}`;
  const json = JSON.stringify({ email, emailVerified: true, identities: [{ provider: "discord", subject: id }] });
  const lines = [{ line: 1, json }];
  await me.world.operate(async (ctx) => await importLines(ctx, me.app.id, lines, { dryRun: false }, by));
  return { id, email, verified: true };
}

const acts: readonly ((student: Student) => Promise<void>)[] = [
  addByApp,
  addByApp,
  addByApp,
  remove,
  remove,
  async (student) => void (await student.enter()),
  rename,
  disabledInTheMiddle,
  movedInTheMiddle,
  asked,
  asked,
  downloads,
  downloads,
  redeemedWrongly,
  redeemedWrongly,
  comesByProvider,
  withFactor,
  withFactor,
  triesOfCodes,
  chosenWay,
  failingProvider,
  atCollege,
];

/** The application adds a method for its user: after a proof by that user. */
async function addByApp(student: Student): Promise<void> {
  const { me, known } = student;
  const { service } = me.world;
  const browser = new Visitor();
  const way = me.chances.pick(student.ways);
  const { accessToken } = await student.enter(way, browser);
  const kind = me.chances.pick(kinds);
  const headers = { authorization: `Bearer ${String(accessToken)}` };
  const state = me.next("state");
  const asked = {
    type: kind,
    redirectUri: me.app.redirectUri,
    state,
    ...(kind === "oauth" && { provider: "discord" }),
  };
  const answer = await call(service, "POST", "/users/auth-methods", headers, asked);
  me.must("O10", answer.status === 200, `cannot add a ${kind}: ${JSON.stringify(answer.body)}`);
  const authUrl = String(answer.body["authUrl"]);
  // A provider that says not when proves nothing of the time.
  const isKnown = me.chances.chance(0.4);
  const isFresh = isKnown && way !== "oauth";
  const visitor = isKnown ? browser : new Visitor();
  let page = await visitor.get(authUrl);
  let proven = way;
  if (!isFresh) {
    me.must("O8", !has(page, `/add/${kind}`), `adds a ${kind} in a browser that has proven nothing`);
    if (me.chances.chance(0.3)) {
      const other = await somebodyElse(student);
      const back = await student.follow(await student.atProvider(page, visitor, undefined, other), visitor);
      me.must("O8", !has(back, `/add/${kind}`), `adds a ${kind} by the proof of somebody else`);
      me.world.reached("a method added by the wrong person");
      page = await visitor.get(authUrl);
    }
    const left = student.ways.filter((each) => each !== "emailCode");
    proven = left.length === 0 ? "emailCode" : me.chances.pick(left);
    const prove = await student.prepare(proven, page, visitor);
    page = await student.follow(await prove(), visitor);
  }
  if (proven === "oauth") {
    me.must("O6", !has(page, `/add/${kind}`), `adds a ${kind} by a provider that says not when`);
    page = await proveAnew(student, page, visitor);
  }
  me.must("O10", has(page, `/add/${kind}`), `no page to add a ${kind}: ${page.status} at ${page.url}`);
  const hadAccount = known.authMethods.oauth.length > 0;
  if (kind === "oauth" && (hadAccount || me.chances.chance(0.4))) {
    const other = hadAccount ? student.account : await somebodyElse(student);
    const taken = await student.follow(await student.atProvider(page, visitor, "/add/oauth", other), visitor);
    me.must("O8", taken.location.searchParams.get("status") !== "added", "has the provider account of somebody else");
    me.world.reached("a provider account that is taken");
    return;
  }
  const had = kind === "password" && known.authMethods.password;
  const done = await student.follow(await student.addOnPage(page, visitor, kind), visitor);
  const { searchParams } = done.location;
  const said = { status: searchParams.get("status"), state: searchParams.get("state") };
  known.mustBe(said, { status: had ? "changed" : "added", state }, "where adding a method leads");
  // A changed password ends all that is outside of its browser.
  const isKept = !had || isKnown;
  me.must(isKept ? "O4" : "O1", (await me.isValid(String(accessToken))) === isKept, "a login after an added method");
  me.world.reached(`a ${kind} added by the application`);
  await student.enter(kind);
}

/** One more proof, as the provider says not when its own was given. */
async function proveAnew(student: Student, page: Page, visitor: Visitor): Promise<Page> {
  const { me } = student;
  // It has taken so long that the sign-in is over.
  if (page.status === 410) throw new Lost("too late");
  if (has(page, "/step/passkey")) {
    const done = await student.usePasskey(page, visitor, "/step/passkey");
    return done.status === 303 ? await visitor.get(done.location.href) : done;
  }
  if (has(page, "/step/password")) {
    student.methods.tried.add("password");
    const done = await visitor.submit(page, "/step/password", { password: me.password });
    return done.status === 303 ? await visitor.get(done.location.href) : done;
  }
  const since = time.now();
  const sent = await visitor.submit(page, "/email-code", { email: me.email });
  me.must("O10", sent.status === 303, `no code for one more proof: ${sent.status}`);
  const waits = await visitor.get(sent.location.href);
  const { code } = await me.mailed("confirm", since);
  const done = await visitor.submit(waits, "/code", { code });
  me.world.reached("one more proof than a provider's");
  return done.status === 303 ? await visitor.get(done.location.href) : done;
}

/** O1: a method that was removed proves nothing. */
async function remove(student: Student): Promise<void> {
  const { me, known } = student;
  const { service } = me.world;
  const { accessToken } = await student.enter();
  const headers = { authorization: `Bearer ${String(accessToken)}` };
  const { body } = await call(service, "GET", "/users/auth-methods", headers);
  const all = body["methods"] as { id: string; type: Kind }[];
  const read = await me.server("GET", `/users/${me.userId}/auth-methods`);
  known.mustBe(all, read.body["methods"], "what a person reads of their methods");
  if (all.length === 0) return;
  const one = me.chances.pick(all);
  const isOwn = me.chances.chance(0.5);
  const removed = isOwn
    ? await call(service, "DELETE", `/users/auth-methods/${one.id}`, headers)
    : await me.server("DELETE", `/users/${me.userId}/auth-methods/${one.id}`);
  if (all.length === 1) return me.must("O8", removed.status === 400, `removed the last method: ${removed.status}`);
  me.must("O4", removed.status === 200, `cannot remove one of ${all.length} methods: ${removed.status}`);
  student.methods.removed.add(one.id);
  me.leaves(`entry method.removed ${one.type}`, `event method.removed ${one.type}`);
  me.must("O4", (await me.isValid(String(accessToken))) === isOwn, "a login after a removed method");
  const of = all.filter(({ type }) => type === one.type);
  if (one.type === "passkey" && of.length > 1) throw new Lost("one of several passkeys, nobody knows which");
  known.authMethods = {
    password: known.authMethods.password && one.type !== "password",
    passkey: known.authMethods.passkey && one.type !== "passkey",
    oauth: one.type === "oauth" ? [] : known.authMethods.oauth,
  };
  me.world.reached(`a ${one.type} removed`);
  if (one.type !== "oauth") await student.isRefused(one.type, "which was removed");
  if (one.type === "passkey") student.passkeys = [];
  if (one.type === "password") me.password = "";
}

/** O4: what somebody says of themselves stays, whatever a provider says later. */
async function rename(student: Student): Promise<void> {
  const { me, known, account } = student;
  const { service } = me.world;
  const { accessToken } = await student.enter();
  const headers = { authorization: `Bearer ${String(accessToken)}` };
  const name = me.next("Own name");
  const picture = me.chances.pick([null, "https://pictures.example/own"]);
  const bad = await call(service, "PATCH", "/users/profile", headers, { name, picture: "http://pictures.example/own" });
  me.must("O8", bad.status === 400, `took a picture without https: ${bad.status}`);
  const { status, body } = await call(service, "PATCH", "/users/profile", headers, { name, picture });
  me.must("O10", status === 200, `cannot change the name: ${status}`);
  known.displayName = name;
  known.picture = picture;
  me.leaves("entry user.update", "event user.updated");
  known.mustBe(body, { id: me.userId, email: me.email, name, picture, updatedAt: body["updatedAt"] }, "a new profile");
  if (known.authMethods.oauth.length === 0) return;
  student.account = { ...account, name: me.next("Renamed there"), email: `elsewhere.${account.email}` };
  await student.enter("oauth");
  me.world.reached("a provider account with another name and address");
}

/** O8: a proof that comes after the person was disabled. */
async function disabledInTheMiddle(student: Student): Promise<void> {
  const { me } = student;
  const way = me.chances.pick(student.ways);
  const visitor = new Visitor();
  const { page } = await me.begin(visitor);
  const prove = await student.prepare(way, page, visitor);
  const disable = async (disabled: boolean): Promise<void> => {
    const { status } = await me.server("PATCH", `/users/${me.userId}`, { disabled });
    me.must("O10", status === 200, `not disabled: ${status}`);
    me.leaves(disabled ? "entry user.disable" : "entry user.enable");
  };
  await disable(true);
  const done = await student.follow(await prove(), visitor);
  me.must("O8", !done.location.searchParams.has("code"), `signed in by ${way} although disabled`);
  me.world.reached("somebody disabled in the middle of a sign-in");
  await disable(false);
  await student.enter();
}

/** O1: what was mailed to an address proves nothing once the account has another. */
async function movedInTheMiddle(student: Student): Promise<void> {
  const { me, known } = student;
  const visitor = new Visitor();
  const { page } = await me.begin(visitor);
  const prove = await student.prepare("emailCode", page, visitor);
  const email = me.nextEmail();
  const { status } = await me.server("PATCH", `/users/${me.userId}`, { email, emailVerified: true });
  me.must("O10", status === 200, `not moved: ${status}`);
  me.leaves("entry user.update", "event user.updated");
  me.email = email;
  known.email = email;
  const done = await student.follow(await prove(), visitor);
  me.must("O1", !done.location.searchParams.has("code"), "signed in by the code of a former address");
  me.world.reached("a code of a former address");
}

/** O6: what the application asks for is met, or nothing is issued. */
async function asked(student: Student): Promise<void> {
  const { me } = student;
  const way: Way = me.chances.pick(student.ways);
  const browser = new Visitor();
  await student.enter(way, browser);
  const isIssued = (page: Page): boolean => page.location.searchParams.has("code");
  const { loginHint, maxAge, acr } = me.chances.pick([
    { loginHint: `nobody.${me.email}` },
    { maxAge: 0 },
    { acr: "phr" },
    { acr: "urn:authsvc:acr:2" },
  ] as { loginHint?: string; maxAge?: number; acr?: string }[]);
  const wish = {
    ...(loginHint !== undefined && { loginHint }),
    ...(maxAge !== undefined && { maxAge }),
    ...(acr !== undefined && { acr }),
  };
  const isMet = acr !== undefined && way === "passkey";
  const { page } = await me.begin(browser, wish);
  const silent = await student.follow(page, browser);
  if (!isMet) me.must("O6", !isIssued(silent), `issued at once for ${JSON.stringify(wish)}`);
  if (loginHint !== undefined) return;
  const end = await student.attempt(way, new Visitor(), wish);
  me.world.reached(`a sign-in that asks for ${Object.keys(wish).join()}`);
  // A provider that says not when proves nothing of the time.
  const isEnough = maxAge === undefined ? isMet : way !== "oauth";
  if (!isEnough) return me.must("O6", !isIssued(end.page), `issued for ${JSON.stringify(wish)} by ${way}`);
  await student.redeem(end, way, time.now());
}

/** O4: what somebody downloads of themselves is all that there is, and nothing of the server's. */
async function downloads(student: Student): Promise<void> {
  const { me, known } = student;
  if (me.password === "" || !known.authMethods.password) return;
  const group = me.chances.chance(0.5) ? "graduates" : undefined;
  if (group !== undefined && known.groups.length === 0) {
    await me.server("PUT", `/groups/${group}`, {});
    const { status } = await me.server("PUT", `/groups/${group}/members/${me.userId}`);
    me.must("O10", status === 200, `is not in ${group}: ${status}`);
    me.leaves("entry group.add", "event user.updated");
    known.groups = [group];
  }
  student.methods.tried.add("password");
  const page = await me.at("/data");
  const { accessToken } = await student.enter();
  const done = await me.press(page, "/account/data");
  if (done.status === 303) throw new Lost("the page asks for a proof again");
  me.must("O10", done.status === 200, `no download: ${done.status}`);
  me.leaves("entry user.download");
  const { profile, methods, secondFactor, logins, ...others } = without(JSON.parse(done.text) as Json, "exportedAt");
  const headers = { authorization: `Bearer ${String(accessToken)}` };
  const ask = async (path: string): Promise<Json> => (await call(me.world.service, "GET", path, headers)).body;
  const { updatedAt, locale, ...shown } = profile as Json;
  known.mustBe(locale, me.locale, "the language of a download");
  known.mustBe(shown, await ask("/users/profile"), "a downloaded profile");
  known.mustBe(updatedAt, (await me.server("GET", `/users/${me.userId}`)).body["updatedAt"], "when it was changed");
  known.mustBe({ methods }, await ask("/users/auth-methods"), "downloaded methods");
  const none = { totp: null, recoveryCodes: 0, failures: 0, blocked: false, trustedBrowsers: [] };
  known.mustBe(secondFactor, none, "a downloaded second factor");
  known.mustBe(others, { consents: [], groups: known.groups }, "what else is in a download");
  me.must("O4", (logins as Json[]).length > 0, "no login is in a download");
  me.world.reached("a download of one's own data");
}

/** O8 and O3: a code comes with what its sign-in was begun with, to its application, and once. */
async function redeemedWrongly(student: Student): Promise<void> {
  const { me } = student;
  const { service, registry } = me.world;
  const [from, way] = [time.now(), me.chances.pick(student.ways)];
  const [state, codeVerifier] = [me.next("state"), hash("sha256", me.next("verifier"))];
  const isBound = me.chances.chance(0.6);
  const bound = { state, codeChallenge: hash("sha256", codeVerifier, "base64url") };
  const { session, page } = await student.attempt(way, new Visitor(), isBound ? bound : {});
  const { code, ...said } = Object.fromEntries(page.location.searchParams);
  if (code === undefined) return;
  const { sessionId } = session;
  student.known.mustBe(said, { ...(isBound && { state }), sessionId }, "what comes with a code");
  const right = { code, sessionId, ...(isBound && { state, codeVerifier }) };
  const other = hash("sha256", "another verifier");
  const lies: [what: string, lie: Json, headers?: Record<string, string>][] = [
    ["of another sign-in", { ...right, sessionId: (await me.begin(new Visitor())).session.sessionId }],
    ["with another state", { ...right, state: "another" }],
    ["with another verifier", { ...right, codeVerifier: other }],
    ["that is another", { ...right, code: `${code.slice(0, -1)}${code.endsWith("A") ? "B" : "A"}` }],
    ["by another application", right, registry[0]?.headers],
    ["by nobody", isBound ? { ...right, codeVerifier: other } : right, { "x-service-app-id": me.app.id }],
  ];
  if (isBound) lies.push(["without its state", { ...right, state: undefined }]);
  if (isBound) lies.push(["without its verifier", { ...right, codeVerifier: undefined }]);
  const redeem = async (body: Json, headers = me.app.headers) =>
    await call(service, "POST", "/auth/callback", headers, body);
  if (me.chances.chance(0.6)) {
    const [what, lie, headers] = me.chances.pick(lies);
    const { status } = await redeem(lie, headers);
    me.must("O8", status >= 400, `a code ${what} was taken: ${status}`);
    me.world.reached("a code that comes with a lie");
    return;
  }
  const { status, body } = await redeem(right);
  if (status !== 200 && time.now() > from + 50_000) throw new Lost("too late for the code");
  me.must("O4", status === 200, `a code by ${way} was refused: ${JSON.stringify(body.error)}`);
  me.must("O3", (await redeem(right)).status === 400, "a code was taken twice");
  me.must("O1", !(await me.isValid(String(body["accessToken"]))), "a login outlived its code's second use");
  me.world.reached("a code of the campus used twice");
}
