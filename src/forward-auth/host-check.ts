/** Whether the reverse proxy in front of a host asks, seen as a stranger sees it. */
import type { IncomingMessage } from "node:http";
import { request as tlsRequest } from "node:https";
import type { TLSSocket } from "node:tls";
import { second } from "../lib/clock.ts";
import { connectionFailure } from "../lib/connection-failures.ts";

export type HostFinding = { ok: boolean; check: string; text: string };

/** Where to connect in place of what DNS says. */
export type Connect = { host: string; port: number };

type Answer = {
  status: number;
  headers: IncomingMessage["headers"];
  hasBody: boolean;
  /** Why a browser would refuse the certificate. */
  untrusted: string | undefined;
};

const patience = 10 * second;
const strangeHost = "authsvc-check.invalid";

/** Asks a host, signed out. The worst failure is a text of the proxy without effect. */
export async function checkHost(host: string, connect: Connect | undefined): Promise<HostFinding[]> {
  const ask = async (path: string, headers: Record<string, string> = {}): Promise<Answer | string> =>
    await answerOf(host, connect, path, headers);
  const first = await ask("/");
  if (typeof first === "string") return [{ ok: false, check: "/", text: `no answer: ${first}` }];
  const findings: HostFinding[] = [
    ...(first.untrusted === undefined
      ? []
      : [{ ok: false, check: "certificate", text: `browsers may refuse it: ${inWords(first.untrusted)}` }]),
    { check: "/", ...asksForSignIn(host, first) },
  ];
  const strange = await ask("/", { host: strangeHost });
  findings.push({ check: "strange host", ...refusesStrangeHost(strange) });
  const upgrade = await ask("/", {
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": "YXV0aHN2YyBjaGVjayAgIA==",
  });
  findings.push({
    check: "upgrade",
    ...(typeof upgrade === "string" ? closed(upgrade) : asksForSignIn(host, upgrade)),
  });
  const pages = await ask("/.authsvc/sign-out");
  findings.push({ check: "/.authsvc/", ...servesPages(pages) });
  return findings;
}

type Outcome = Omit<HostFinding, "check">;

function asksForSignIn(host: string, { status, headers }: Answer): Outcome {
  const mark = headers["authsvc-sign-in"];
  if (status === 401 && typeof mark === "string")
    return mark.startsWith(`https://${host}/.authsvc/`)
      ? { ok: true, text: "asks for a sign-in" }
      : { ok: false, text: `asks for a sign-in at another host: ${mark}` };
  if (status >= 500) return { ok: false, text: `closed with ${status}: does authsvc run, and may the proxy ask?` };
  if (status === 400 || status === 403)
    return { ok: false, text: `closed with ${status}: the log of authsvc names the header, or trustedProxies` };
  return { ok: false, text: `OPEN: a stranger gets ${status} and no question; the text of the proxy has no effect` };
}

function refusesStrangeHost(answer: Answer | string): Outcome {
  if (typeof answer === "string") return closed(answer);
  const { status, headers, hasBody } = answer;
  if (headers["authsvc-sign-in"] !== undefined) return { ok: true, text: "asks for a sign-in" };
  // Proxies answer like this without the program: an error, a redirect, or no body.
  if (status >= 300 || !hasBody) return { ok: true, text: `closed with ${status}` };
  return { ok: false, text: `${status} and a page: if that is the program, another site of the proxy leads to it` };
}

function servesPages(answer: Answer | string): Outcome {
  if (typeof answer === "string") return { ok: false, text: `no answer: ${answer}` };
  const { status, headers } = answer;
  if (status === 200 && headers["referrer-policy"] === "same-origin") return { ok: true, text: "reaches authsvc" };
  return { ok: false, text: `${status}: does not reach authsvc, so nobody can sign in` };
}

/** With the code, by which an administrator finds more. */
function inWords(code: string): string {
  const meaning = connectionFailure(code);
  return meaning === undefined ? code : `${meaning} (${code})`;
}

function closed(reason: string): Outcome {
  return { ok: true, text: `closed: ${reason}` };
}

/** A sentence if there is no answer. Nothing secret is sent, so that any certificate will do. */
async function answerOf(
  host: string,
  connect: Connect | undefined,
  path: string,
  headers: Record<string, string>,
): Promise<Answer | string> {
  const [, name = "", port = "443"] = /^([^:]*)(?::(\d+))?$/u.exec(host) ?? [];
  const { promise, resolve } = Promise.withResolvers<Answer | string>();
  const address = { host: connect?.host ?? name, port: connect?.port ?? Number(port), servername: name, path };
  const asked = tlsRequest(
    { ...address, headers: { host, accept: "*/*", ...headers }, agent: false, rejectUnauthorized: false },
    (response) => {
      const { authorized, authorizationError } = response.socket as TLSSocket;
      const untrusted = authorized ? undefined : String(authorizationError);
      const found = { status: response.statusCode ?? 0, headers: response.headers, untrusted };
      response.once("data", () => {
        resolve({ ...found, hasBody: true });
        response.destroy();
      });
      response.once("close", () => resolve({ ...found, hasBody: false }));
      response.once("error", () => undefined);
      response.resume();
    },
  );
  asked.once("upgrade", ({ statusCode = 101, headers: given }, socket) => {
    resolve({ status: statusCode, headers: given, hasBody: false, untrusted: undefined });
    socket.destroy();
  });
  asked.setTimeout(patience, () => asked.destroy(new Error("timed out")));
  asked.once("error", ({ code, message }: NodeJS.ErrnoException) =>
    resolve(code === undefined ? message : inWords(code)),
  );
  asked.end();
  return await promise;
}
