import { beforeAll, describe, expect, it } from "vitest";
import { useService } from "../../support/one-service.ts";
import { call } from "../../support/person.ts";
import { sendBytes, type RawAnswer } from "../../support/raw-http.ts";
import type { TestApp } from "../../support/service.ts";
import { complaintsAboutError } from "../malformed/answers.ts";

const host = "Host: localhost\r\n";
/** What a smuggler hides behind another request: it would be answered 200. */
const hidden = `GET /healthz HTTP/1.1\r\n${host}\r\n`;
const chunkedEnd = "0\r\n\r\n";

/**
 * Ways to write the length of a body that one reader may understand otherwise than another;
 * http-sockets.test.ts has the plain ones.
 */
const framings: [what: string, headers: string, body: string][] = [
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
  ["chunks that end in bare line feeds", "Transfer-Encoding: chunked\r\n", "2\n{}\n0\n\n"],
  [
    "a chunk with an endless extension",
    "Transfer-Encoding: chunked\r\n",
    `2;${"a".repeat(20_000)}\r\n{}\r\n${chunkedEnd}`,
  ],
  ["a chunk with a bare line feed in its extension", "Transfer-Encoding: chunked\r\n", `2;a\nb\r\n{}\r\n${chunkedEnd}`],
  ["a chunk length with 0x", "Transfer-Encoding: chunked\r\n", `0x2\r\n{}\r\n${chunkedEnd}`],
  ["a chunk length with a space before it", "Transfer-Encoding: chunked\r\n", ` 2\r\n{}\r\n${chunkedEnd}`],
  ["endless trailers", "Transfer-Encoding: chunked\r\n", `0\r\n${"X-A: b\r\n".repeat(5000)}\r\n`],
];

/** Not what this service speaks: no answer may come from the application, and none may be a 5xx. */
const strangers: [what: string, bytes: string | Buffer][] = [
  ["40 KB of one header", `GET /healthz HTTP/1.1\r\n${host}Cookie: ${"a".repeat(40_000)}\r\n\r\n`],
  [
    "3,000 headers",
    `GET /healthz HTTP/1.1\r\n${host}${Array.from({ length: 3000 }, (_, n) => `X-${n}: b\r\n`).join("")}\r\n`,
  ],
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
  ["TRACE", `TRACE /healthz HTTP/1.1\r\n${host}X-Secret: cAnArY\r\n\r\n`],
];

describe("raw sockets: bytes that readers disagree about", () => {
  const current = useService();
  let app: TestApp;
  beforeAll(async () => {
    app = await current().createApp();
  });
  const start = () =>
    `POST /auth/initiate HTTP/1.1\r\n${host}Authorization: ${app.headers["authorization"]}\r\nX-Service-App-ID: ${app.id}\r\nContent-Type: application/json\r\n`;

  it.each(framings)("Y3: nothing hidden behind %s is carried out", async (_what, headers, body) => {
    const answers = await sendBytes(current(), `${start()}${headers}\r\n${body}${hidden}`);
    expectRefusals(answers);
    expect(answers.length).toBeLessThanOrEqual(2);
    expect((await call(current(), "GET", "/healthz", {})).status).toBe(200);
  });

  it.each(strangers)("%s is refused, if it is answered at all", async (_what, bytes) => {
    const answers = await sendBytes(current(), bytes);
    expectRefusals(answers);
    expect(JSON.stringify(answers.map((answer) => [...answer.headers, answer.body]))).not.toContain("cAnArY");
    expect((await call(current(), "GET", "/healthz", {})).status).toBe(200);
  });

  it("an upgrade to another protocol is not made: the request is answered as it is", async () => {
    for (const protocol of ["h2c", "websocket", "TLS/1.0"]) {
      const [answer, ...others] = await sendBytes(
        current(),
        `GET /healthz HTTP/1.1\r\n${host}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: ${protocol}\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n`,
      );
      expect([protocol, answer?.status, answer?.body, others.length]).toEqual([protocol, 200, '{"status":"ok"}', 0]);
    }
  });

  it("whoever asks first whether to send a body is told to, and answered", async () => {
    const body = JSON.stringify({ redirectUri: app.redirectUri });
    const answers = await sendBytes(
      current(),
      `${start()}Expect: 100-continue\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
    );
    expect(answers.at(-1)?.status === 200 || answers[0]?.status === 100).toBe(true);
    expect(answers[0]?.body).toContain("200 OK");
  });

  it("of twenty requests in one piece the bad ones are refused, in order, and the rest answered", async () => {
    const body = JSON.stringify({ redirectUri: app.redirectUri });
    const good = `${start()}Content-Length: ${body.length}\r\n\r\n${body}`;
    const bad = `${start()}Content-Length: 3\r\n\r\n{"a`;
    const pieces = Array.from({ length: 20 }, (_, n) => (n % 3 === 1 ? bad : good));
    const answers = await sendBytes(current(), pieces.join(""));
    expect(answers.map(({ status }) => status)).toEqual(pieces.map((piece) => (piece === good ? 200 : 400)));
    expectRefusals(answers.filter(({ status }) => status !== 200));
    expect(new Set(answers.map(({ headers }) => headers.get("x-request-id"))).size).toBe(20);
  });

  it("what is no HTTP in the middle ends the connection after the answers before it, and nothing behind it is read", async () => {
    const answers = await sendBytes(current(), `${hidden}${hidden}BAD\r\n\r\n${hidden}`);
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
