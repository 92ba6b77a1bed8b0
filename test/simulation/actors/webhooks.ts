/**
 * Servers that register endpoints of their own, change them in every way, and answer as servers
 * do. Each has an application, so that all that must arrive is known.
 */
import * as applications from "../../../src/applications/service.ts";
import * as deliveries from "../../../src/records/webhooks/deliveries.ts";
import * as inspection from "../../../src/records/webhooks/inspection.ts";
import { newWebhookSecret } from "../../../src/records/webhooks/signature.ts";
import * as webhooks from "../../../src/records/webhooks/service.ts";
import { call, Visitor } from "../../support/person.ts";
import { command } from "../command-line.ts";
import { KnownEndpoint, type Fact } from "../endpoints.ts";
import { sameText } from "../firm-answers.ts";
import { refusals } from "../receivers.ts";
import { lives, Resident } from "../resident.ts";
import { time } from "../time.ts";
import { Lost, type Part, type World } from "../world.ts";

const second = 1000;
const minute = 60 * second;
const by = { actor: { kind: "cli", name: "webhooks" } } as const;
const kinds = ["user.created", "user.updated", "user.deleted", "login.failed"] as const;

export async function useWebhooks(world: World, part: Part): Promise<void> {
  await lives(world, part, { app: world.house.app, name: "hooks", network: 150, beside: 2 }, live);
}

type Person = { userId: string; email: string; joined: boolean };
/** `isDone`: everything of this life is known until its end. */
type Server = { me: Resident; endpoints: KnownEndpoint[]; people: Person[]; count: number };

async function live(visitor: Resident, { isOver, pause }: Pick<Part, "isOver" | "pause">): Promise<void> {
  const { world, name, chances } = visitor;
  const id = `app_${name}`;
  const redirectUri = "https://app.example/callback";
  const { apiKey } = await world.operate(
    async (ctx) =>
      await applications.createWithKey(
        ctx,
        {
          id,
          name,
          methods: ["password"],
          redirectUris: [redirectUri],
          settings: { signingAlgorithm: "EdDSA" },
        },
        {},
        by.actor,
      ),
  );
  const headers = { authorization: `Bearer ${apiKey}`, "x-service-app-id": id };
  const me = new Resident(world, { id, apiKey, redirectUri, headers }, name, visitor);
  const server: Server = { me, endpoints: [], people: [], count: 0 };
  try {
    await open(server);
    for (let rounds = 0; rounds < 12 && !isOver(); rounds += 1) {
      await pause(25 * second);
      await happens(server);
      const [, act] = chances.pick(Object.entries(acts));
      if (chances.chance(0.8)) await act(server, chances.pick(server.endpoints));
      if (chances.chance(0.3)) await happens(server);
    }
    // Whatever waits arrives in the end.
    for (const endpoint of server.endpoints) {
      endpoint.answers = undefined;
      if (!endpoint.isDeleted && !endpoint.enabled && chances.chance(0.7))
        await change(server, endpoint, { enabled: true });
    }
    for (const endpoint of server.endpoints) endpoint.isKnown = true;
  } finally {
    for (const endpoint of server.endpoints) {
      endpoint.answers = undefined;
      endpoint.isLeft = true;
    }
  }
}

/** One kind of events or more. */
function some({ chances }: Resident): string[] {
  const [first, more] = [chances.pick(kinds), kinds.filter(() => chances.chance(0.4))];
  return [...new Set([first, ...more])];
}

async function ask(me: Resident, method: string, path: string, body?: unknown) {
  return await call(me.world.service, method, `/webhooks/endpoints${path}`, me.app.headers, body);
}

async function open(server: Server): Promise<void> {
  const { me, endpoints } = server;
  server.count += 1;
  const url = `https://receiver.example/${me.name}/${server.count}`;
  const events = me.chances.chance(0.4) ? [...kinds] : some(me);
  const secret = newWebhookSecret((length) => me.chances.bytes(length));
  const { status, body } = await ask(me, "POST", "", { url, events, secret });
  me.must("O10", status === 201, `no endpoint: ${status}`);
  const endpoint = new KnownEndpoint(me, { id: String(body["id"]), url, events, secret });
  endpoint.leaves("webhook.create");
  endpoint.mustBe(body);
  endpoints.push(endpoint);
}

/** Something happens to a user: each endpoint that listens for it is told. */
async function happens(server: Server): Promise<void> {
  const { me, people, endpoints } = server;
  const drawn = me.chances.pick(
    people.length === 0 ? ["create"] : ["create", "change", "join", "delete", "fail", "change"],
  );
  const someone = people.length === 0 ? undefined : me.chances.pick(people);
  const facts: Fact = { event: "user.created", userId: "", email: null, authMethod: null, from: time.now(), to: 0 };
  const told = endpoints.filter(({ enabled, isDeleted }) => enabled && !isDeleted);
  if (!someone || drawn === "create") {
    const email = me.nextEmail();
    const { status, body } = await me.server("POST", "/users", { email, password: me.password });
    me.must("O10", status === 201, `nobody was created: ${status}`);
    const userId = String(body["id"]);
    people.push({ userId, email, joined: false });
    Object.assign(facts, { userId, email });
  } else if (drawn === "fail") {
    const visitor = new Visitor();
    const { page } = await me.begin(visitor);
    const { email } = someone;
    const { status } = await me.elsewhere(
      async () => await visitor.submit(page, "/password", { email, password: "not this one at all" }),
    );
    me.must("O8", status !== 303, "signed in with a wrong password");
    if (status !== 401) throw new Lost("too many wrong passwords");
    Object.assign(facts, { event: "login.failed", userId: null, authMethod: "password" });
  } else if (drawn === "delete") {
    const { status } = await me.server("DELETE", `/users/${someone.userId}`);
    me.must("O10", status === 200, `not deleted: ${status}`);
    people.splice(people.indexOf(someone), 1);
    Object.assign(facts, { event: "user.deleted", userId: someone.userId });
    for (const endpoint of endpoints) endpoint.forget(someone.userId);
  } else {
    const { userId, email } = someone;
    const { status } = await me.server("PATCH", `/users/${userId}/metadata`, { public: { note: me.next("note") } });
    me.must("O10", status === 200, `no note: ${status}`);
    Object.assign(facts, { event: "user.updated", userId, email });
  }
  facts.to = time.now();
  for (const endpoint of told)
    if (endpoint.events.has(facts.event)) endpoint.expected.push({ ...facts, mayLack: endpoint.mayGo });
}

const textOfFlag = (value: unknown): string => (typeof value === "boolean" ? (value ? "on" : "off") : String(value));

async function commanded(me: Resident, args: string[], input?: string) {
  const { code, said, notes } = await command(me.world, args, input);
  return { status: code === 0 ? 200 : code, body: { ...(said as Record<string, unknown>), error: notes } };
}

/** A change by the API or a command; the answer is the whole endpoint as it must be. */
async function change(server: Server, endpoint: KnownEndpoint, wanted: Record<string, unknown>): Promise<void> {
  const { me } = server;
  const { secretOverlapSeconds: overlap, ...rest } = wanted as { secretOverlapSeconds?: number; secret?: string };
  const { secret, ...others } = rest as { secret?: string; enabled?: boolean };
  // A command that rotates a secret always has an overlap.
  const byCommand = (secret === undefined || overlap !== undefined) && me.chances.chance(0.4);
  const flags = Object.entries(others).map(([name, value]) => `--${name}=${textOfFlag(value)}`);
  const args =
    secret === undefined
      ? ["webhook", "update", endpoint.id, ...flags]
      : ["webhook", "rotate-secret", endpoint.id, "--secret-stdin", `--overlap=${overlap}s`];
  const { status, body } = await endpoint.changing(wanted, async () =>
    byCommand ? await commanded(me, args, secret) : await ask(me, "PATCH", `/${endpoint.id}`, wanted),
  );
  me.must("O10", status === 200, `not changed: ${status} ${JSON.stringify(body.error)}`);
  endpoint.leaves("webhook.update", Object.keys({ ...rest, ...(overlap !== undefined && { secretOverlap: 0 }) }));
  const { error: _, ...answer } = body;
  endpoint.mustBe(answer);
}

const acts: Record<string, (server: Server, endpoint: KnownEndpoint) => Promise<void>> = {
  async another(server) {
    if (server.endpoints.length < 4) await open(server);
  },
  async disable(server, endpoint) {
    if (endpoint.isDeleted) return;
    if (!endpoint.enabled) return await change(server, endpoint, { enabled: true });
    await change(server, endpoint, { enabled: false });
    await happens(server);
    server.me.world.reached("an endpoint disabled and told of nothing");
  },
  async kinds(server, endpoint) {
    if (endpoint.isDeleted) return;
    await change(server, endpoint, { events: some(server.me) });
    await happens(server);
  },
  async move(server, endpoint) {
    if (endpoint.isDeleted) return;
    server.count += 1;
    await change(server, endpoint, { url: `https://receiver.example/${server.me.name}/${server.count}` });
    await happens(server);
  },
  async rotate(server, endpoint) {
    if (endpoint.isDeleted) return;
    const { chances } = server.me;
    const secret = newWebhookSecret((length) => chances.bytes(length));
    const secretOverlapSeconds = chances.pick([0, 120, undefined]);
    await change(server, endpoint, { secret, ...(secretOverlapSeconds !== undefined && { secretOverlapSeconds }) });
    await time.pause(70 * second);
    await happens(server);
    server.me.world.reached("an event signed by a new secret");
  },
  fail: failing,
  failAgain: failing,
  async rest(server, endpoint) {
    await failing(server, endpoint);
    // Afterwards one that is quick again.
    await happens(server);
  },
  async gone({ me, ...server }, endpoint) {
    if (endpoint.isDeleted || !endpoint.enabled) return;
    endpoint.answers = () => ({ status: 410 });
    endpoint.mayGo = true;
    for (let tries = 0; tries < 4 && !endpoint.hasGone; tries += 1) {
      await happens({ me, ...server });
      await time.pause(3 * second);
    }
    const since = time.now();
    let body: Record<string, unknown> = {};
    for (let tries = 0; tries < 30 && endpoint.hasGone && body["enabled"] !== false; tries += 1) {
      await time.pause(2 * second);
      ({ body } = await ask(me, "GET", `/${endpoint.id}`));
    }
    endpoint.answers = undefined;
    endpoint.mayGo = false;
    if (!endpoint.hasGone) return;
    me.must("O5", body["enabled"] === false || !me.world.wasCalm(since), "an endpoint that is gone was not disabled");
    if (body["enabled"] !== false) throw new Lost("nobody knows whether it is disabled");
    endpoint.hasGone = false;
    endpoint.isNow({ enabled: false, disabledReason: "gone" });
    endpoint.leaves("webhook.disable");
    endpoint.mustBe(body);
    await happens({ me, ...server });
    me.world.reached("an endpoint that is gone");
  },
  async remove(server, endpoint) {
    if (endpoint.isDeleted || server.endpoints.filter(({ isDeleted }) => !isDeleted).length < 2) return;
    const { me } = server;
    const { status } = await endpoint.removing(async () =>
      me.chances.chance(0.4)
        ? await commanded(me, ["webhook", "delete", endpoint.id])
        : await ask(me, "DELETE", `/${endpoint.id}`),
    );
    me.must("O10", status === 200, `not removed: ${status}`);
    endpoint.leaves("webhook.delete");
    const { status: then } = await ask(me, "GET", `/${endpoint.id}`);
    me.must("O4", then === 404, `a removed endpoint is still there: ${then}`);
    await happens(server);
    me.world.reached("an endpoint removed");
  },
  async test({ me }, endpoint) {
    if (endpoint.isDeleted) return;
    const from = time.now();
    const isMany = me.chances.chance(0.3);
    const event = me.chances.pick([undefined, ...kinds]);
    for (let tries = 1; tries <= (isMany ? 11 : 1); tries += 1) {
      const { status, body } = await ask(me, "POST", `/${endpoint.id}/test`, event === undefined ? {} : { event });
      const recent = endpoint.tests.filter((at) => at > time.now() - minute).length;
      const isLimited = endpoint.tests.filter((at) => at > from - minute).length >= 10;
      if (status === 429) {
        me.must("O10", isLimited, `a test was refused after ${recent}`);
        return;
      }
      me.must("O10", status === 200, `no test: ${status}`);
      me.must("O7", recent < 10, "an endpoint was tested eleven times a minute");
      endpoint.tests.push(time.now());
      endpoint.leaves("webhook.test");
      endpoint.mustHaveTested(body, event);
    }
    me.world.reached("an endpoint tested");
  },
  async again({ me }, endpoint) {
    if (endpoint.isDeleted || !endpoint.enabled) return;
    await time.pause(10 * second);
    const before = await me.world.operate(async (ctx) => await deliveries.list(ctx, endpoint.id, { limit: 200 }));
    const failed = me.chances.chance(0.3);
    const [one] = before;
    const eventId = me.chances.chance(0.4) ? one?.eventId : undefined;
    const wanted = { ...(failed && ({ status: "failed" } as const)), ...(eventId !== undefined && { eventId }) };
    const from = time.now();
    endpoint.sendsAgain();
    const count = await me.world.operate(async (ctx) => await deliveries.redeliver(ctx, endpoint.id, wanted, by));
    endpoint.leaves("webhook.redeliver");
    const chosen = before.filter((each) => eventId === undefined || each.eventId === eventId);
    const finished = chosen.filter(({ status }) => (failed ? status === "failed" : status !== "waiting")).length;
    // Those that wait for another try may have been tried meanwhile.
    const isQuiet = before.every(({ status }) => status !== "waiting");
    me.must("O5", !isQuiet || count === finished, `${count} events are sent again instead of ${finished}`);
    if (!isQuiet || failed || finished === 0) return;
    await time.pause(20 * second);
    const arrived = endpoint.arrivedSince(from);
    const missing = chosen.find(({ eventId: id }) => !arrived.has(id));
    me.must("O5", !missing || !me.world.wasCalm(from), `${missing?.eventId} was not sent again`);
    me.world.reached("events sent again to an endpoint of their own");
  },
  list: look,
  lists: look,
  async dry({ me }, endpoint) {
    if (endpoint.isDeleted) return;
    const call = { ...by, dryRun: true };
    await me.world.operate(async (ctx) => {
      await webhooks.update(ctx, endpoint.id, { enabled: !endpoint.enabled, events: ["user.login"] }, call);
      await webhooks.remove(ctx, endpoint.id, call);
    });
    const { body } = await ask(me, "GET", `/${endpoint.id}`);
    endpoint.mustBe(body);
  },
  async refused({ me }, endpoint) {
    const wrong = me.chances.pick([
      { url: "http://receiver.example/plain" },
      { url: "https://10.0.0.1/private" },
      { events: [] },
      { events: ["user.nothing"] },
      { secret: "short" },
      { secretOverlapSeconds: 5 },
      { secret: "a text that is long enough", secretOverlapSeconds: 3_000_000 },
    ]);
    if (endpoint.isDeleted) return;
    const { status } = await ask(me, "PATCH", `/${endpoint.id}`, wrong);
    me.must("O10", status === 400, `${JSON.stringify(wrong)} answered ${status}`);
    const { body } = await ask(me, "GET", `/${endpoint.id}`);
    endpoint.mustBe(body);
  },
  async foreign({ me }, endpoint) {
    if (endpoint.isDeleted) return;
    const { service, house } = me.world;
    for (const [method, path, wanted] of [
      ["GET", "", undefined],
      ["PATCH", "", { enabled: false }],
      ["POST", "/test", {}],
      ["DELETE", "", undefined],
    ] as const) {
      const url = `/webhooks/endpoints/${endpoint.id}${path}`;
      const { status } = await call(service, method, url, house.app.headers, wanted);
      me.must("O12", status === 404, `another application's ${method} of an endpoint answered ${status}`);
    }
    const { body } = await ask(me, "GET", `/${endpoint.id}`);
    endpoint.mustBe(body);
    me.world.reached("an endpoint of another application");
  },
};

/** It refuses what it gets for a while, and what it refused comes again. */
async function failing(server: Server, endpoint: KnownEndpoint): Promise<void> {
  if (endpoint.isDeleted) return;
  const { chances, world } = server.me;
  const drawn = chances.fork(`answers ${time.now()}`);
  endpoint.answers = () => refusals(drawn);
  await happens(server);
  await time.pause(chances.pick([3, 30, 120]) * second);
  endpoint.answers = undefined;
  await look(server, endpoint);
  world.reached("events refused by a receiver");
}

/** The lists say what the receiver saw, and what waits. */
async function look({ me, endpoints }: Server, endpoint: KnownEndpoint): Promise<void> {
  await time.pause(5 * second);
  const { status, body } = await ask(me, "GET", "");
  me.must("O10", status === 200, `no list of endpoints: ${status}`);
  const listed = body["endpoints"] as Record<string, unknown>[];
  const present = endpoints.filter(({ isDeleted }) => !isDeleted);
  const [is, should] = [listed.map(({ id }) => id), present.map(({ id }) => id)].map((ids) => ids.join(" "));
  me.must("O4", is === should, `the endpoints are ${is} instead of ${should}`);
  for (const [at, each] of present.entries()) each.mustBe(listed[at] ?? {});
  if (endpoint.isDeleted) return;
  const rows = await me.world.operate(async (ctx) => await deliveries.list(ctx, endpoint.id, { limit: 200 }));
  endpoint.mustList(rows);
  me.world.reached("a list of deliveries");
  await lookClosely(me, endpoint, rows);
}

/** O5: filters, pages, counts and single deliveries have what the list has. */
async function lookClosely(
  me: Resident,
  endpoint: KnownEndpoint,
  rows: readonly deliveries.DeliveryAnswer[],
): Promise<void> {
  const { world, chances } = me;
  const { id } = endpoint;
  const [one] = rows.length > 0 ? [chances.pick(rows)] : [];
  if (!one) return;
  const status = chances.pick([undefined, "failed", "waiting", "delivered"] as const);
  const [since, limit] = [Date.parse(one.timestamp), chances.pick([1, 3, 200])];
  const asked = [chances.chance(0.3) ? "--failed" : "", chances.chance(0.5) ? `--since=${one.timestamp}` : ""];
  const args = ["webhook", "deliveries", id, `--limit=${limit}`, ...asked.filter((flag) => flag !== "")];
  const { said } = await command(world, args);
  const { pages, inspected, health, again } = await world.operate(async (ctx) => {
    const pages: deliveries.DeliveryAnswer[] = [];
    for (let after: string | undefined; ;) {
      const page = await deliveries.page(ctx, id, { status, after, limit });
      pages.push(...page.deliveries);
      if (page.next === null) break;
      after = page.next;
    }
    return {
      pages,
      inspected: await inspection.inspect(ctx, id, one.eventId),
      health: await inspection.health(ctx, id),
      again: await deliveries.list(ctx, id, { limit: 200 }),
    };
  });
  // One that is tried again in the same time is another one.
  if (!sameText(again, rows)) return;
  const fit = rows.filter(
    (row) => (asked[0] === "" || row.status === "failed") && (asked[1] === "" || Date.parse(row.timestamp) >= since),
  );
  me.must("O5", sameText(said, fit.slice(0, limit)), `${args.join(" ")} printed ${JSON.stringify(said)}`);
  const wanted = rows.filter((row) => status === undefined || row.status === status);
  me.must("O5", sameText(pages, wanted), `pages of ${status} have ${pages.length} instead of ${wanted.length}`);
  const { userId, headers, body, ...answer } = inspected;
  me.must("O5", sameText(answer, one), `inspected, a delivery is ${JSON.stringify(answer)}`);
  const seen = endpoint.seen.findLast((each) => each.id === one.eventId);
  const isSame = !seen || (userId === seen.told.data.userId && headers["webhook-id"] === seen.id && body === seen.body);
  me.must("O5", isSame || endpoint.hasForgotten(userId), `a delivery is shown as ${body}, and was ${seen?.body}`);
  const counts = [health.delivered, health.failed, health.retrying + health.waiting];
  const should = (["delivered", "failed", "waiting"] as const).map(
    (state) => rows.slice(0, 100).filter((row) => row.status === state).length,
  );
  me.must("O5", sameText(counts, should), `an endpoint has ${counts.join()} deliveries instead of ${should.join()}`);
  world.reached("deliveries looked at closely");
}
