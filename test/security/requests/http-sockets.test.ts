import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { call } from "../../support/person.ts";
import { sendBytes, type RawAnswer } from "../../support/raw-http.ts";
import { useApp, describeOnSqlite } from "../../support/service.ts";
import { complaintsAboutError } from "../malformed/answers.ts";

const host = "Host: localhost\r\n";
/** What a smuggler hides behind another request: it would be answered 200. */
const hidden = `GET /healthz HTTP/1.1\r\n${host}\r\n`;
const chunked = "Transfer-Encoding: chunked\r\n";
const chunkedEnd = "0\r\n\r\n";

/** Not HTTP, or not HTTP/1.1 as RFC 9112 wants it: 4xx or nothing, and the connection ends. */
const malformed: [what: string, bytes: string | Buffer][] = [
  ["zero bytes", Buffer.alloc(500)],
  ["an unknown version", `GET /healthz HTTP/9.9\r\n${host}\r\n`],
  ["an unknown method", `FOO /healthz HTTP/1.1\r\n${host}\r\n`],
  ["a method in lower case", `get /healthz HTTP/1.1\r\n${host}\r\n`],
  ["a path without a slash", `GET healthz HTTP/1.1\r\n${host}\r\n`],
  ["a space in the path", `GET /healthz x HTTP/1.1\r\n${host}\r\n`],
  ["no path", `GET  HTTP/1.1\r\n${host}\r\n`],
  ["no Host", "GET /healthz HTTP/1.1\r\n\r\n"],
  ["two Hosts", `GET /healthz HTTP/1.1\r\n${host}Host: evil.example\r\n\r\n`],
  ["the same Host twice", `GET /healthz HTTP/1.1\r\n${host}${host}\r\n`],
  ["two Hosts in another case", `GET /healthz HTTP/1.1\r\n${host}hOST: evil.example\r\n\r\n`],
  ["two Hosts in HTTP/1.0", `GET /healthz HTTP/1.0\r\n${host}Host: evil.example\r\n\r\n`],
  ["a list of Hosts", "GET /healthz HTTP/1.1\r\nHost: localhost, evil.example\r\n\r\n"],
  ["a path in the Host", "GET /healthz HTTP/1.1\r\nHost: localhost/a?b\r\n\r\n"],
  ["a user in the Host", "GET /healthz HTTP/1.1\r\nHost: localhost@evil.example\r\n\r\n"],
  ["markup in the Host", "GET /healthz HTTP/1.1\r\nHost: <script>\r\n\r\n"],
  ["two Hosts and an absolute address", `GET http://localhost/healthz HTTP/1.1\r\n${host}${host}\r\n`],
  ["a space before a colon", `GET /healthz HTTP/1.1\r\n${host}X-A : b\r\n\r\n`],
  ["a header without a name", `GET /healthz HTTP/1.1\r\n${host}: b\r\n\r\n`],
  ["a header without a colon", `GET /healthz HTTP/1.1\r\n${host}abc\r\n\r\n`],
  ["a folded header", `GET /healthz HTTP/1.1\r\n${host}X-A: b\r\n c\r\n\r\n`],
  ["NUL in a header", `GET /healthz HTTP/1.1\r\n${host}X-A: b\0c\r\n\r\n`],
  ["a bare carriage return in a header", `GET /healthz HTTP/1.1\r\n${host}X-A: b\rX-C: d\r\n\r\n`],
  ["20 KB of many headers", `GET /healthz HTTP/1.1\r\n${host}${"X-A: b\r\n".repeat(3000)}\r\n`],
  ["20 KB of path", `GET /${"a".repeat(20_000)} HTTP/1.1\r\n${host}\r\n`],
  [
    "an unknown expectation",
    `POST /auth/initiate HTTP/1.1\r\n${host}Expect: the-moon\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`,
  ],
  ["40 KB of one header", `GET /healthz HTTP/1.1\r\n${host}Cookie: ${"a".repeat(40_000)}\r\n\r\n`],
  ["a path of 100 KB", `GET /${"a/".repeat(50_000)} HTTP/1.1\r\n${host}\r\n`],
  ["a query of 100 KB", `GET /healthz?${"a=b&".repeat(25_000)} HTTP/1.1\r\n${host}\r\n`],
  ["a method of 10 KB", `${"G".repeat(10_000)} / HTTP/1.1\r\n${host}\r\n`],
  ["HTTP/0.9", "GET /healthz\r\n\r\n"],
  ["HTTP/2 without being asked", Buffer.concat([Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), Buffer.alloc(64)])],
  ["TLS", Buffer.from(`16030100${"5a".repeat(200)}`, "hex")],
  ["SMTP", "EHLO localhost\r\nMAIL FROM:<a@b>\r\n"],
  ["SSH", "SSH-2.0-OpenSSH_9.9\r\n"],
  ["a PROXY line", `PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n${hidden}`],
  ["PROXY in binary", Buffer.concat([Buffer.from("0d0a0d0a000d0a515549540a21110000", "hex"), Buffer.from(hidden)])],
  ["a redis command", "*1\r\n$4\r\nINFO\r\n"],
  ["every byte", Buffer.from(Array.from({ length: 256 }, (_, n) => n))],
  ["CONNECT", `CONNECT 127.0.0.1:22 HTTP/1.1\r\n${host}\r\nSSH-2.0-a\r\n`],
];

/**
 * Ways to write the length of a body that one reader may understand otherwise than another
 * (request smuggling).
 */
const framings: [what: string, headers: string, body: string][] = [
  ["Transfer-Encoding and Content-Length", "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n", chunkedEnd],
  ["Content-Length and Transfer-Encoding", `Transfer-Encoding: chunked\r\nContent-Length: ${hidden.length}\r\n`, ""],
  ["Transfer-Encoding in other case", "Content-Length: 4\r\nTransfer-Encoding: Chunked\r\n", chunkedEnd],
  ["two Content-Lengths", `Content-Length: 2\r\nContent-Length: ${hidden.length + 2}\r\n`, "{}"],
  ["a list as Content-Length", "Content-Length: 2, 2\r\n", "{}"],
  ["a negative Content-Length", "Content-Length: -1\r\n", ""],
  ["a Content-Length with a sign", "Content-Length: +2\r\n", "{}"],
  ["a hexadecimal Content-Length", "Content-Length: 0x2\r\n", "{}"],
  ["a Content-Length beyond all numbers", "Content-Length: 99999999999999999999\r\n", "{}"],
  ["an unknown Transfer-Encoding", "Transfer-Encoding: xchunked\r\n", ""],
  ["chunked, but not last", "Transfer-Encoding: chunked, identity\r\n", chunkedEnd],
  ["chunked, with a space before the colon", "Transfer-Encoding : chunked\r\nContent-Length: 2\r\n", "{}"],
  ["a chunk without a length", chunked, "ZZ\r\n{}\r\n0\r\n\r\n"],
  ["a chunk shorter than it says", chunked, "1\r\n{}\r\n0\r\n\r\n"],
  ["a chunk of a negative length", chunked, "-2\r\n{}\r\n0\r\n\r\n"],
  ["a chunk length beyond all numbers", chunked, "fffffffffffffffff\r\n{}\r\n0\r\n\r\n"],
  ...[
    " chunked",
    "\tchunked",
    "chunked ",
    "x, chunked",
    "chunked, chunked",
    "chunked, identity",
    "identity",
    "gzip, chunked",
    '"chunked"',
    "chunked;a=b",
    "CHUNKED",
    "\u000Bchunked",
    "chunk",
    ",chunked",
    "chunked,",
  ].map((value): [string, string, string] => [
    `Transfer-Encoding:${JSON.stringify(value)} beside a length`,
    `Content-Length: 5\r\nTransfer-Encoding:${value}\r\n`,
    chunkedEnd,
  ]),
  [
    "two Transfer-Encodings and a length",
    "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n",
    chunkedEnd,
  ],
  ["a folded Transfer-Encoding", "Content-Length: 5\r\nTransfer-Encoding:\r\n chunked\r\n", chunkedEnd],
  ["a folded Content-Length", "Content-Length:\r\n 2\r\n", "{}"],
  [
    "an underscore in Transfer_Encoding beside two lengths",
    "Transfer_Encoding: chunked\r\nContent-Length: 2\r\nContent-Length: 3\r\n",
    "{}",
  ],
  ["a bare line feed after a header", "Content-Length: 2\nX-A: b\r\n", "{}"],
  ["a bare carriage return in a header", "X-A: b\rContent-Length: 99\r\nContent-Length: 2\r\n", "{}"],
  ["NUL in Transfer-Encoding", "Transfer-Encoding: chun\0ked\r\nContent-Length: 2\r\n", "{}"],
  ["two equal lengths", "Content-Length: 2\r\nContent-Length: 2\r\n", "{}"],
  ["an empty length", "Content-Length:\r\n", ""],
  ["a length with a space in it", "Content-Length: 1 2\r\n", "{}"],
  ["a length with a point", "Content-Length: 2.0\r\n", "{}"],
  ["a length in other digits", "Content-Length: ２\r\n", "{}"],
  ["chunks that end in bare line feeds", chunked, "2\n{}\n0\n\n"],
  ["a chunk with an endless extension", chunked, `2;${"a".repeat(20_000)}\r\n{}\r\n${chunkedEnd}`],
  ["a chunk with a bare line feed in its extension", chunked, `2;a\nb\r\n{}\r\n${chunkedEnd}`],
  ["a chunk length with 0x", chunked, `0x2\r\n{}\r\n${chunkedEnd}`],
  ["a chunk length with a space before it", chunked, ` 2\r\n{}\r\n${chunkedEnd}`],
  ["endless trailers", chunked, `0\r\n${"X-A: b\r\n".repeat(5000)}\r\n`],
];

describeOnSqlite("raw sockets", (service) => {
  const app = useApp(service);
  const headers = () =>
    `${host}Authorization: ${app.headers["authorization"]}\r\nX-Service-App-ID: ${app.id}\r\nContent-Type: application/json\r\n`;
  const start = () => `POST /auth/initiate HTTP/1.1\r\n${headers()}`;

  it.each(malformed)("Y3, G4: %s gets 4xx with the error object, or nothing", async (_what, bytes) => {
    const answers = await sendBytes(service, bytes);
    expectRefusals(answers);
    expect((await call(service, "GET", "/healthz", {})).status).toBe(200);
  });

  it.each(framings)("Y3, CVE-2026-33131: nothing hidden behind %s is carried out", async (_what, framing, body) => {
    const answers = await sendBytes(service, `${start()}${framing}\r\n${body}${hidden}`);
    expectRefusals(answers);
    expect(answers.length).toBeLessThanOrEqual(2);
    expect((await call(service, "GET", "/healthz", {})).status).toBe(200);
  });

  it.each(["chunked", "CHUNKED", "gzip, chunked"])(
    "Y3: Transfer-Encoding %s in HTTP/1.0 is refused, and what follows it is not read (RFC 9112 §6.1)",
    async (coding) => {
      const request = `POST /auth/initiate HTTP/1.0\r\n${host}Connection: keep-alive\r\nTransfer-Encoding: ${coding}\r\n\r\n`;
      const answers = await sendBytes(service, `${request}0\r\n\r\n${hidden}`);
      expect(answers.map(({ status }) => status)).toEqual([400]);
      expect(answers[0]?.headers.get("connection")).toBe("close");
      expectRefusals(answers);
    },
  );

  it("Y3: a second Host is refused behind a good request too, in order, and what follows it is not read", async () => {
    const good = `GET /healthz HTTP/1.1\r\n${host}\r\n`;
    const two = `GET /healthz HTTP/1.1\r\n${host}Host: evil.example\r\n\r\n`;
    const answers = await sendBytes(service, good + two + good);
    expect(answers.map(({ status }) => status).slice(0, 2)).toEqual([200, 400]);
    expect(answers[1]?.headers.get("connection")).toBe("close");
    expectRefusals(answers.slice(1, 2));
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
      const answers = await sendBytes(service, `GET /healthz HTTP/1.1\r\nHost: ${good}\r\nConnection: close\r\n\r\n`);
      expect([good, answers.map(({ status }) => status)]).toEqual([good, [200]]);
    }
  });

  it("a client that goes away in the middle of its body leaves nothing behind", async () => {
    const { port } = new URL(service.url);
    for (let n = 0; n < 20; n += 1) {
      await new Promise<void>((resolve) => {
        const socket = connect(Number(port), "127.0.0.1", () => {
          socket.write(`POST /auth/initiate HTTP/1.1\r\n${headers()}Content-Length: 100\r\n\r\n{"redirect`, () =>
            socket.resetAndDestroy(),
          );
        });
        socket.once("close", () => resolve());
      });
    }
    const { status } = await call(service, "POST", "/auth/initiate", app.headers, { redirectUri: app.redirectUri });
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
        service,
        `${start} HTTP/1.1\r\n${host}X-Canary: cAnArY\r\nConnection: close\r\n\r\n`,
      );
      expectRefusals(answers);
      for (const answer of answers) {
        expect(answer.body).not.toMatch(/cAnArY|evil/u);
      }
    });
  });

  it("an upgrade to another protocol is not made: the request is answered as it is", async () => {
    for (const protocol of ["h2c", "websocket", "TLS/1.0"]) {
      const [answer, ...others] = await sendBytes(
        service,
        `GET /healthz HTTP/1.1\r\n${host}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: ${protocol}\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n`,
      );
      expect([protocol, answer?.status, answer?.body, others.length]).toEqual([protocol, 200, '{"status":"ok"}', 0]);
    }
  });

  it("a client that asks first whether to send a body is told to, and answered", async () => {
    const body = JSON.stringify({ redirectUri: app.redirectUri });
    const answers = await sendBytes(
      service,
      `${start()}Expect: 100-continue\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
    );
    expect(answers.at(-1)?.status === 200 || answers[0]?.status === 100).toBe(true);
    expect(answers[0]?.body).toContain("200 OK");
  });

  it("Y3: of twenty requests in one piece the bad ones are refused, in order, and the rest answered", async () => {
    const body = JSON.stringify({ redirectUri: app.redirectUri });
    const good = `${start()}Content-Length: ${body.length}\r\n\r\n${body}`;
    const bad = `${start()}Content-Length: 3\r\n\r\n{"a`;
    const pieces = Array.from({ length: 20 }, (_, n) => (n % 3 === 1 ? bad : good));
    const answers = await sendBytes(service, pieces.join(""));
    expect(answers.map(({ status }) => status)).toEqual(pieces.map((piece) => (piece === good ? 200 : 400)));
    expectRefusals(answers.filter(({ status }) => status !== 200));
    expect(new Set(answers.map(({ headers }) => headers.get("x-request-id"))).size).toBe(20);
  });

  it("what is no HTTP in the middle ends the connection after the answers before it, and nothing behind it is read", async () => {
    const answers = await sendBytes(service, `${hidden}${hidden}BAD\r\n\r\n${hidden}`);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 400]);
    expectRefusals(answers.slice(2));
    expect(answers[2]?.headers.get("connection")).toBe("close");
  });
});

/** Errors of the contract, one and all; of HTTP/0.9 and the like there may be no answer. */
function expectRefusals(answers: RawAnswer[]): void {
  for (const { status, headers, body } of answers) {
    expect([status, body]).toEqual([expect.toSatisfy((code: number) => code >= 400 && code < 500), expect.any(String)]);
    expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(complaintsAboutError(JSON.parse(body), status, headers.get("x-request-id"))).toEqual([]);
  }
}
