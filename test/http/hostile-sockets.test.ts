import { connect } from "node:net";
import { beforeAll, describe, expect, it } from "vitest";
import { call } from "../support/person.ts";
import { describeEachDatabase, type TestApp, type TestService } from "../support/service.ts";

type Answer = { status: number; headers: Map<string, string>; body: string };
type Line = [title: string, request: (headers: string) => string | Buffer];

const host = "Host: localhost\r\n";
/** The request that a smuggler hides behind another. */
const hidden = `GET /healthz HTTP/1.1\r\n${host}\r\n`;

/** Not HTTP, or not HTTP/1.1 as RFC 9112 wants it: 4xx or nothing, and the connection ends. */
const malformed: Line[] = [
  ["random bytes", () => Buffer.from(Array.from({ length: 500 }, (_, n) => (n * 7919 + 13) % 256))],
  ["zero bytes", () => Buffer.alloc(500)],
  ["a TLS greeting", () => Buffer.from("16030100a5010000a10303", "hex")],
  ["an HTTP/2 preface", () => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
  ["HTTP/0.9", () => "GET /healthz\r\n"],
  ["an unknown version", () => `GET /healthz HTTP/9.9\r\n${host}\r\n`],
  ["an unknown method", () => `FOO /healthz HTTP/1.1\r\n${host}\r\n`],
  ["a method in lower case", () => `get /healthz HTTP/1.1\r\n${host}\r\n`],
  ["a path without a slash", () => `GET healthz HTTP/1.1\r\n${host}\r\n`],
  ["a space in the path", () => `GET /healthz x HTTP/1.1\r\n${host}\r\n`],
  ["no path", () => `GET  HTTP/1.1\r\n${host}\r\n`],
  ["no Host", () => "GET /healthz HTTP/1.1\r\n\r\n"],
  ["a space before a colon", () => `GET /healthz HTTP/1.1\r\n${host}X-A : b\r\n\r\n`],
  ["a header without a name", () => `GET /healthz HTTP/1.1\r\n${host}: b\r\n\r\n`],
  ["a header without a colon", () => `GET /healthz HTTP/1.1\r\n${host}abc\r\n\r\n`],
  ["a folded header", () => `GET /healthz HTTP/1.1\r\n${host}X-A: b\r\n c\r\n\r\n`],
  ["NUL in a header", () => `GET /healthz HTTP/1.1\r\n${host}X-A: b\0c\r\n\r\n`],
  ["a bare carriage return in a header", () => `GET /healthz HTTP/1.1\r\n${host}X-A: b\rX-C: d\r\n\r\n`],
  ["20 KB of one header", () => `GET /healthz HTTP/1.1\r\n${host}X-A: ${"a".repeat(20_000)}\r\n\r\n`],
  ["20 KB of many headers", () => `GET /healthz HTTP/1.1\r\n${host}${"X-A: b\r\n".repeat(3000)}\r\n`],
  ["20 KB of path", () => `GET /${"a".repeat(20_000)} HTTP/1.1\r\n${host}\r\n`],
  [
    "an unknown expectation",
    () => `POST /auth/initiate HTTP/1.1\r\n${host}Expect: the-moon\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`,
  ],
];

/** Two lengths, or one that cannot be: whoever stands in front may take the other (request smuggling). */
const smuggling: Line[] = [
  [
    "Transfer-Encoding and Content-Length",
    (headers) =>
      `POST /auth/initiate HTTP/1.1\r\n${headers}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`,
  ],
  [
    "Content-Length and Transfer-Encoding",
    (headers) =>
      `POST /auth/initiate HTTP/1.1\r\n${headers}Transfer-Encoding: chunked\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
  ],
  [
    "Transfer-Encoding in other case (CVE-2026-23527)",
    (headers) =>
      `POST /auth/initiate HTTP/1.1\r\n${headers}Content-Length: 4\r\nTransfer-Encoding: Chunked\r\n\r\n0\r\n\r\n${hidden}`,
  ],
  [
    "two Content-Lengths",
    (headers) =>
      `POST /auth/initiate HTTP/1.1\r\n${headers}Content-Length: 2\r\nContent-Length: ${hidden.length + 2}\r\n\r\n{}${hidden}`,
  ],
  [
    "a list as Content-Length",
    (headers) => `POST /auth/initiate HTTP/1.1\r\n${headers}Content-Length: 2, 2\r\n\r\n{}${hidden}`,
  ],
  [
    "a negative Content-Length",
    (headers) => `POST /auth/initiate HTTP/1.1\r\n${headers}Content-Length: -1\r\n\r\n${hidden}`,
  ],
  [
    "a Content-Length with a sign",
    (headers) => `POST /auth/initiate HTTP/1.1\r\n${headers}Content-Length: +2\r\n\r\n{}${hidden}`,
  ],
  [
    "a hexadecimal Content-Length",
    (headers) => `POST /auth/initiate HTTP/1.1\r\n${headers}Content-Length: 0x2\r\n\r\n{}${hidden}`,
  ],
  [
    "a Content-Length beyond all numbers",
    (headers) => `POST /auth/initiate HTTP/1.1\r\n${headers}Content-Length: 99999999999999999999\r\n\r\n{}${hidden}`,
  ],
  [
    "an unknown Transfer-Encoding",
    (headers) => `POST /auth/initiate HTTP/1.1\r\n${headers}Transfer-Encoding: xchunked\r\n\r\n${hidden}`,
  ],
  [
    "chunked, but not last",
    (headers) =>
      `POST /auth/initiate HTTP/1.1\r\n${headers}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${hidden}`,
  ],
  [
    "chunked, with a space before the colon",
    (headers) =>
      `POST /auth/initiate HTTP/1.1\r\n${headers}Transfer-Encoding : chunked\r\nContent-Length: 2\r\n\r\n{}${hidden}`,
  ],
  [
    "a chunk without a length",
    (headers) =>
      `POST /auth/initiate HTTP/1.1\r\n${headers}Transfer-Encoding: chunked\r\n\r\nZZ\r\n{}\r\n0\r\n\r\n${hidden}`,
  ],
  [
    "a chunk shorter than it says",
    (headers) =>
      `POST /auth/initiate HTTP/1.1\r\n${headers}Transfer-Encoding: chunked\r\n\r\n1\r\n{}\r\n0\r\n\r\n${hidden}`,
  ],
  [
    "a chunk of a negative length",
    (headers) =>
      `POST /auth/initiate HTTP/1.1\r\n${headers}Transfer-Encoding: chunked\r\n\r\n-2\r\n{}\r\n0\r\n\r\n${hidden}`,
  ],
  [
    "a chunk length beyond all numbers",
    (headers) =>
      `POST /auth/initiate HTTP/1.1\r\n${headers}Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n{}\r\n0\r\n\r\n${hidden}`,
  ],
];

describeEachDatabase("raw sockets", (current) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await current().createApp();
  });
  const appHeaders = () =>
    `${host}Authorization: ${app.headers["authorization"]}\r\nX-Service-App-ID: ${app.id}\r\nContent-Type: application/json\r\n`;

  it.each(malformed)(
    "%s gets 4xx with the error object, or nothing (security rules G4, Y3)",
    async (_title, request) => {
      const answers = await send(current(), request(""));
      for (const answer of answers) expectErrorObject(answer);
      expect(answers.length).toBeLessThanOrEqual(1);
      expect((await call(current(), "GET", "/healthz", {})).status).toBe(200);
    },
  );

  it.each(smuggling)("%s: nothing hidden behind it is carried out (security rule Y3)", async (_title, request) => {
    // What is hidden would be answered 200.
    for (const answer of await send(current(), request(appHeaders()))) expectErrorObject(answer);
  });

  it("requests in one piece are answered in order, each by itself", async () => {
    const body = JSON.stringify({ redirectUri: app.redirectUri });
    const good = `POST /auth/initiate HTTP/1.1\r\n${appHeaders()}Content-Length: ${body.length}\r\n\r\n${body}`;
    const bad = `POST /auth/initiate HTTP/1.1\r\n${appHeaders()}Content-Length: 1\r\n\r\n{`;
    const answers = await send(current(), good + bad + good + hidden.replace(host, `${host}Connection: close\r\n`));
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 200, 200]);
  });

  it("a client that goes away in the middle of its body leaves nothing behind", async () => {
    const { port } = new URL(current().url);
    for (let n = 0; n < 20; n += 1) {
      await new Promise<void>((resolve) => {
        const socket = connect(Number(port), "127.0.0.1", () => {
          socket.write(`POST /auth/initiate HTTP/1.1\r\n${appHeaders()}Content-Length: 100\r\n\r\n{"redirect`, () =>
            socket.resetAndDestroy(),
          );
        });
        socket.once("close", () => resolve());
      });
    }
    const { status } = await call(current(), "POST", "/auth/initiate", app.headers, { redirectUri: app.redirectUri });
    expect(status).toBe(200);
  });

  describe("methods that proxies know", () => {
    it.each([
      "OPTIONS *",
      "CONNECT evil.example:443",
      "TRACE /auth/initiate",
      "OPTIONS http://evil.example/auth/initiate",
    ])("%s goes nowhere and repeats nothing", async (start) => {
      const answers = await send(
        current(),
        `${start} HTTP/1.1\r\n${host}X-Canary: cAnArY\r\nConnection: close\r\n\r\n`,
      );
      for (const answer of answers) {
        expectErrorObject(answer);
        expect(answer.body).not.toMatch(/cAnArY|evil/u);
      }
    });
  });
});

function expectErrorObject({ status, headers, body }: Answer): void {
  expect(status).toBeGreaterThanOrEqual(400);
  expect(status).toBeLessThan(500);
  expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
  expect(JSON.parse(body)).toEqual({
    error: {
      code: expect.stringMatching(/^[A-Z_]+$/u),
      message: expect.stringMatching(/\S/u),
      details: expect.any(String),
      requestId: headers.get("x-request-id"),
    },
  });
}

/** Sends bytes as they are, and reads answers until the other end closes or has been silent for a while. */
async function send(service: TestService, bytes: string | Buffer): Promise<Answer[]> {
  const { port } = new URL(service.url);
  const text = await new Promise<string>((resolve) => {
    let received = "";
    const socket = connect(Number(port), "127.0.0.1");
    socket.setTimeout(300, () => socket.destroy());
    socket.on("data", (data) => (received += data.toString("latin1")));
    // It may close before everything is sent.
    socket.on("error", () => undefined);
    socket.once("close", () => resolve(received));
    socket.write(bytes);
  });
  return answersIn(text);
}

function answersIn(text: string): Answer[] {
  const answers: Answer[] = [];
  for (let rest = text; rest !== "";) {
    const [head = "", ...behind] = rest.split("\r\n\r\n");
    const [start = "", ...lines] = head.split("\r\n");
    const headers = new Map(
      lines.map((line) => [line.split(":")[0]?.toLowerCase() ?? "", line.slice(line.indexOf(":") + 2)]),
    );
    const after = behind.join("\r\n\r\n");
    const length = headers.has("content-length") ? Number(headers.get("content-length")) : after.length;
    answers.push({ status: Number(/^HTTP\/1\.1 (\d{3})/u.exec(start)?.[1]), headers, body: after.slice(0, length) });
    rest = after.slice(length);
  }
  return answers;
}
