import { onTestFinished } from "vitest";
import { isPlainPath } from "../../src/applications/clients/proxy.ts";
import { blockFor } from "../../src/forward-auth/blocks/blocks.ts";
import type { Block, BlockChoices, ProxyName } from "../../src/forward-auth/blocks/block.ts";
import * as clients from "../../src/applications/clients/service.ts";
import { emptyFolder } from "../cli/command.ts";
import { createProxy, personAt } from "./forward-auth.ts";
import { bytesOf, type OddRequest } from "./odd-proxied-requests.ts";
import {
  sendTo,
  startProgram,
  startProxy,
  type Answer,
  type RunningProxy,
  type Seen,
  type TriedProxy,
} from "./proxies.ts";
import { startRelay, type Asked } from "./recording-relay.ts";
import type { TestApp, TestService } from "./service.ts";

const publicPath = "/public";

const headers = [
  { name: "Remote-User", from: "id" },
  { name: "Remote-Email", from: "email" },
  { name: "Remote-Name", from: "name" },
  { name: "Remote-Groups", from: "groups" },
  { name: "X-WebAuth-User", from: "email" },
  { name: "X-Authsvc-Assertion", from: "assertion" },
];

/** A plain program behind a real proxy, by exactly the text that is printed for it. */
export type Place = {
  proxy: ProxyName;
  host: string;
  other: string;
  userId: string;
  cookie: string;
  /** An access token of the same person. */
  token: string;
  program: Awaited<ReturnType<typeof startProgram>>;
  running: RunningProxy;
  asked: Asked[];
  send(bytes: string, host?: string): Promise<Answer>;
  /** As when authsvc is stopped. */
  closeDoor(): Promise<void>;
  stop(): Promise<void>;
};

let places = 0;

export async function protect(
  service: TestService,
  app: TestApp,
  tried: TriedProxy,
  {
    choices = {},
    changed = (block) => block,
  }: { choices?: BlockChoices; changed?: (block: Block, program: number) => Block } = {},
): Promise<Place> {
  const { proxy } = tried;
  places += 1;
  const [host, other] = [`${proxy}${places}.example.com`, `${proxy}${places}.example.org:8443`];
  const { client } = await createProxy(service, app, { hosts: [host, other], publicPaths: [publicPath], headers });
  const { userId, cookie, tokens } = await personAt(service, app, { client, host });
  const relay = await startRelay(Number(new URL(service.server.forwardAuthUrl ?? "").port));
  const program = await startProgram();
  const block = blockFor(
    proxy,
    await clients.get(service.server.app.ctx, client.id),
    { upstream: `http://127.0.0.1:${program.port}`, door: `http://127.0.0.1:${relay.port}`, ...choices },
    undefined,
  );
  const running = await startProxy(tried, changed(block, program.port), {
    folder: emptyFolder(),
    hosts: [host, other],
  });
  // Also if the test fails before it stops it.
  onTestFinished(running.stop);
  return {
    proxy,
    host,
    other,
    userId,
    cookie,
    token: tokens.accessToken,
    program,
    running,
    asked: relay.asked,
    send: async (bytes, to = host) => await sendTo(running.portOf(to), to.replace(/:\d+$/u, ""), bytes),
    closeDoor: async () => await relay.close(),
    async stop() {
      await program.close();
      await running.stop();
      await relay.close();
    },
  };
}

export type Outcome = { answer: Answer; seen: Seen[]; asked: Asked[]; complaints: string[] };

/** Sends a request, signed in or not, and compares what the program saw with what was decided. */
export async function compare(place: Place, request: OddRequest, isSignedIn: boolean): Promise<Outcome> {
  const { host, other, token, cookie, program, asked, send } = place;
  program.seen.length = 0;
  asked.length = 0;
  const answer = await send(bytesOf(request, { host, other, token, cookie: isSignedIn ? cookie : undefined }));
  const seen = [...program.seen];
  const complaints = seen.flatMap((each) => complaintsAbout(place, each, isSignedIn));
  if (seen.length > 1) complaints.push(`the program saw ${seen.length} requests`);
  if (isSignedIn && request.passes && seen.length !== 1)
    complaints.push(`it does not pass: ${answer.status}, checks: ${asked.map(({ status }) => status).join()}`);
  return { answer, seen, asked: [...asked], complaints };
}

function complaintsAbout({ host, asked, cookie }: Place, seen: Seen, isSignedIn: boolean): string[] {
  const complaints: string[] = [];
  const [path = ""] = seen.url.split("?", 1);
  const isPublic = isPlainPath(path) && `${path}/`.startsWith(`${publicPath}/`);
  if (!isSignedIn && !isPublic) complaints.push(`the program saw ${seen.url} of a stranger`);
  const decided = asked.find(({ status, headers: sent }) => status === 200 && isAbout(sent, host, seen.url));
  if (!decided) return [...complaints, `nobody let ${seen.url} in`];

  const byName = new Map<string, string[]>();
  for (const [name, value] of seen.headers) {
    const plain = plainName(name);
    byName.set(plain, [...(byName.get(plain) ?? []), value]);
    if (/^(?:remote-|x-webauth|x-authsvc)/u.test(plain) && plain !== name.toLowerCase())
      complaints.push(`the alias ${name}`);
  }
  const told = new Map(decided.told.map(([name, value]) => [name.toLowerCase(), value]));
  const carried = [...told.keys(), ...byName.keys()].filter((name) => /^(?:remote-|x-webauth|x-authsvc-)/u.test(name));
  for (const name of [...carried, "authorization"]) {
    const found = byName.get(name)?.join(" + ") ?? "";
    // Not for the program, which may know it.
    const expected = name === "x-authsvc-decision" && found !== host ? "" : (told.get(name) ?? "");
    if (found !== expected) complaints.push(`${name}: saw ${found}, decided ${expected}`);
  }
  const set = { host, "x-forwarded-host": host, "x-forwarded-proto": "https", "x-forwarded-for": "127.0.0.1" };
  for (const [name, value] of Object.entries(set))
    if (byName.get(name)?.join(" + ") !== value) complaints.push(`${name}: ${byName.get(name)?.join(" + ")}`);
  for (const name of ["forwarded", "x-original-url", "x-original-method", "x-rewrite-url", "x-forwarded-uri"])
    if (byName.has(name)) complaints.push(`${name} of the client`);
  // Another program would strike out what it names.
  const named = byName.get("connection")?.join().toLowerCase() ?? "";
  if (!/^(?:|upgrade|keep-alive|close)$/u.test(named)) complaints.push(`Connection: ${named}`);
  const jar = byName.get("cookie")?.join("; ") ?? "";
  if (jar.split(/;\s*/u).includes(cookie)) complaints.push("our cookie");
  return complaints;
}

/** Whether a check was about this address; nginx writes one without a path in its own way. */
function isAbout(sent: Asked["headers"], host: string, url: string): boolean {
  const of = (wanted: string): string | undefined => sent.find(([name]) => name.toLowerCase() === wanted)?.[1];
  const whole = of("x-original-url") ?? `https://${of("x-forwarded-host")}${of("x-forwarded-uri")}`;
  return whole === `https://${host}${url}` || whole === `https://${host}${url.replace(/^\//u, "")}`;
}

function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z\d]/gu, "-");
}
