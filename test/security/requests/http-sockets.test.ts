import { connect } from "node:net";
import { beforeAll, describe, expect, it } from "vitest";
import { call } from "../../support/person.ts";
import { sendBytes, type RawAnswer } from "../../support/raw-http.ts";
import { describeOnSqlite, type TestApp } from "../../support/service.ts";

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
  ["two Hosts", () => `GET /healthz HTTP/1.1\r\n${host}Host: evil.example\r\n\r\n`],
  ["the same Host twice", () => `GET /healthz HTTP/1.1\r\n${host}${host}\r\n`],
  ["two Hosts in another case", () => `GET /healthz HTTP/1.1\r\n${host}hOST: evil.example\r\n\r\n`],
  ["two Hosts in HTTP/1.0", () => `GET /healthz HTTP/1.0\r\n${host}Host: evil.example\r\n\r\n`],
  ["a list of Hosts", () => "GET /healthz HTTP/1.1\r\nHost: localhost, evil.example\r\n\r\n"],
  ["a path in the Host", () => "GET /healthz HTTP/1.1\r\nHost: localhost/a?b\r\n\r\n"],
  ["a user in the Host", () => "GET /healthz HTTP/1.1\r\nHost: localhost@evil.example\r\n\r\n"],
  ["markup in the Host", () => "GET /healthz HTTP/1.1\r\nHost: <script>\r\n\r\n"],
  ["two Hosts and an absolute address", () => `GET http://localhost/healthz HTTP/1.1\r\n${host}${host}\r\n`],
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

/**
 * Two lengths, or one that cannot be: whoever stands in front may take the other (request
 * smuggling).
 */
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
    "Transfer-Encoding in other case",
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

describeOnSqlite("raw sockets", (current) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await current().createApp();
  });
  const appHeaders = () =>
    `${host}Authorization: ${app.headers["authorization"]}\r\nX-Service-App-ID: ${app.id}\r\nContent-Type: application/json\r\n`;

  it.each(malformed)("Y3, G4: %s gets 4xx with the error object, or nothing", async (_title, request) => {
    const answers = await sendBytes(current(), request(""));
    for (const answer of answers) expectErrorObject(answer);
    expect(answers.length).toBeLessThanOrEqual(1);
    expect((await call(current(), "GET", "/healthz", {})).status).toBe(200);
  });

  it.each(smuggling)("Y3, CVE-2026-33131: nothing hidden behind %s is carried out", async (_title, request) => {
    // What is hidden would be answered 200.
    for (const answer of await sendBytes(current(), request(appHeaders()))) expectErrorObject(answer);
  });

  it.each(["chunked", "CHUNKED", "gzip, chunked"])(
    "Y3: Transfer-Encoding %s in HTTP/1.0 is refused, and what follows it is not read (RFC 9112 §6.1)",
    async (coding) => {
      const request = `POST /auth/initiate HTTP/1.0\r\n${host}Connection: keep-alive\r\nTransfer-Encoding: ${coding}\r\n\r\n`;
      const answers = await sendBytes(current(), `${request}0\r\n\r\n${hidden}`);
      expect(answers.map(({ status }) => status)).toEqual([400]);
      expect(answers[0]?.headers.get("connection")).toBe("close");
      if (answers[0]) expectErrorObject(answers[0]);
    },
  );

  it("Y3: a second Host is refused behind a good request too, in order, and what follows it is not read", async () => {
    const good = `GET /healthz HTTP/1.1\r\n${host}\r\n`;
    const two = `GET /healthz HTTP/1.1\r\n${host}Host: evil.example\r\n\r\n`;
    const answers = await sendBytes(current(), good + two + good);
    expect(answers.map(({ status }) => status).slice(0, 2)).toEqual([200, 400]);
    expect(answers[1]?.headers.get("connection")).toBe("close");
    expectErrorObject(answers[1] ?? { status: 0, headers: new Map(), body: "" });
  });

  it("a Host is taken as RFC 3986 allows it", async () => {
    for (const good of [
      "localhost",
      "localhost:8080",
      "127.0.0.1",
      "[::1]:80",
      "a_b.example",
      "xn--bcher-kva.example:",
      "",
    ]) {
      const answers = await sendBytes(current(), `GET /healthz HTTP/1.1\r\nHost: ${good}\r\nConnection: close\r\n\r\n`);
      expect([good, answers.map(({ status }) => status)]).toEqual([good, [200]]);
    }
  });

  it("Y3: requests in one piece are answered in order, each by itself", async () => {
    const body = JSON.stringify({ redirectUri: app.redirectUri });
    const good = `POST /auth/initiate HTTP/1.1\r\n${appHeaders()}Content-Length: ${body.length}\r\n\r\n${body}`;
    const bad = `POST /auth/initiate HTTP/1.1\r\n${appHeaders()}Content-Length: 1\r\n\r\n{`;
    const answers = await sendBytes(
      current(),
      good + bad + good + hidden.replace(host, `${host}Connection: close\r\n`),
    );
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
      "OPTIONS http://evil.example/webhooks/endpoints",
    ])("Y3: %s goes nowhere and repeats nothing", async (start) => {
      const answers = await sendBytes(
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

function expectErrorObject({ status, headers, body }: RawAnswer): void {
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
