import { Writable } from "node:stream";
import { afterAll, expect, it } from "vitest";
import { createLog } from "../../../src/lib/log.ts";
import { call, newEmail } from "../../support/person.ts";
import { startProvider } from "../../support/providers/provider.ts";
import { appWith, atProvider, codeOf, startRound } from "../../support/providers/round.ts";
import { useService } from "../../support/one-service.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const parentId = "00f067aa0ba902b7";
const traced = { traceparent: `00-${traceId}-${parentId}-01`, tracestate: "vendor=abc" };

let lines: Record<string, unknown>[] = [];
const capture = new Writable({
  write(chunk: Buffer, _encoding, done) {
    lines.push(
      ...chunk
        .toString()
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    );
    done();
  },
});
const log = createLog({ level: "debug", format: "json" }, capture);
const current = useService({}, { log });
afterAll(() => {
  lines = [];
});

it("the trace of a call stands in its log lines, beside the request id", async () => {
  const { headers } = await call(current(), "GET", "/healthz", traced);
  const requestId = headers.get("x-request-id");
  expect(lines.find((line) => line["requestId"] === requestId)).toMatchObject({ traceId });
});

it("a trace that is not valid is as good as none", async () => {
  const { headers } = await call(current(), "GET", "/healthz", { traceparent: `00-${traceId}-${parentId}` });
  const line = lines.find(({ requestId }) => requestId === headers.get("x-request-id"));
  expect(line).toBeDefined();
  expect(line).not.toHaveProperty("traceId");
});

it("what a provider is asked for a request carries its trace with a parent of its own; nothing else does", async () => {
  const service = current();
  const provider = await startProvider("github");
  const app = await appWith(service, [provider]);
  const person = { subject: "4711", email: newEmail(), verified: true, name: "Ada" };

  const { visitor, address } = await startRound(service, app, provider);
  const { url } = await atProvider(address, provider, person);
  provider.received.length = 0;
  codeOf(await visitor.get(url, traced));
  const parents = provider.received.map(({ headers }) => String(headers["traceparent"]));
  expect(parents.length).toBeGreaterThan(1);
  for (const parent of parents)
    expect(parent).toMatch(new RegExp(`^00-${traceId}-(?!${parentId})[\\da-f]{16}-01$`, "u"));
  expect(new Set(parents).size).toBe(parents.length);
  expect(provider.received.map(({ headers }) => headers["tracestate"])).toEqual(parents.map(() => "vendor=abc"));
  // What a call needs to be answered is not lost beside the trace.
  expect(provider.received.at(-1)?.headers).toMatchObject({ "user-agent": "authsvc" });

  const again = await startRound(service, app, provider);
  const back = await atProvider(again.address, provider, person);
  provider.received.length = 0;
  codeOf(await again.visitor.get(back.url));
  expect(provider.received.map(({ headers }) => headers["traceparent"])).toEqual(parents.map(() => undefined));
  await provider.close();
});
