import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parseCookies as parseInPackage } from "../../../packages/sdk/src/cookies.ts";
import { parseCookies } from "../../../src/http/cookies.ts";
import { root } from "../../docs/pages.ts";
import { useService } from "../../support/one-service.ts";
import { initiate, Visitor } from "../../support/person.ts";
import { sendBytes } from "../../support/raw-http.ts";
import { noProgram } from "../../support/left-out.ts";

type Parse = (headers: string[]) => (Record<string, string> | undefined)[];

const noPython = noProgram("python3");
const program =
  "import authsvc, json, sys; print(json.dumps([authsvc._cookies_of(one) for one in json.load(sys.stdin)]))";

const parsers: [name: string, parse: Parse, missing?: string][] = [
  ["the service", (headers) => headers.map((header) => Object.fromEntries(parseCookies(header)))],
  ["the TypeScript package", (headers) => headers.map((header) => Object.fromEntries(parseInPackage(header)))],
  [
    "the Python package",
    (headers) => {
      const env = { ...process.env, PYTHONPATH: join(root, "packages/python"), PYTHONDONTWRITEBYTECODE: "1" };
      const { stdout } = spawnSync("python3", ["-c", program], { env, input: JSON.stringify(headers) });
      return JSON.parse(stdout.toString()) as ReturnType<Parse>;
    },
    noPython,
  ],
];

/** Headers hold bytes: as text, a character each (Latin-1). */
const bytes = Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte));
const isBlank = (byte: string): boolean => byte === " " || byte === "\t";

describe.each(parsers)("cookies as %s reads them", (_, parse, missing) => {
  beforeEach(({ skip }) => skip(missing !== undefined, missing));

  const places: [place: string, header: (byte: string) => string, value: (byte: string) => string | undefined][] = [
    ["before a name", (byte) => `${byte}name=value`, (byte) => (isBlank(byte) || byte === ";" ? "value" : undefined)],
    [
      "after a name",
      (byte) => `name${byte}=value`,
      (byte) => (isBlank(byte) ? "value" : byte === "=" ? "=value" : undefined),
    ],
    [
      "before a value",
      (byte) => `name=${byte}value`,
      (byte) => (byte === ";" ? "" : isBlank(byte) ? "value" : `${byte}value`),
    ],
    [
      "after a value",
      (byte) => `name=value${byte}`,
      (byte) => (isBlank(byte) || byte === ";" ? "value" : `value${byte}`),
    ],
  ];

  it.each(places)("H10: only space and tab are stripped %s, of all 256 bytes", (_place, header, value) => {
    const read = parse(bytes.flatMap((byte) => [header(byte), `other=1; ${header(byte)}; last=2`]));
    const expected = bytes.flatMap((byte) => [value(byte), value(byte)]);
    expect(read.map((cookies) => cookies?.["name"])).toEqual(expected);
  });

  it("H10: a name that comes twice counts as none, whatever surrounds it", () => {
    const twice = ["a=1; a=2", "a=1; a=1", "a=1; b=2; a=3; a=4", "a=1;a=", " a\t=1;\ta =2", "a=; a="];
    expect(parse(twice).map((cookies) => cookies?.["a"])).toEqual(twice.map(() => undefined));
  });

  it("H10: compares bytes: neither case nor an encoding makes two names one", () => {
    const header = "__Host-a=1; __host-a=2; __Host%2Da=3; __Host-a\u00a0=4; \u00a0__Host-a=5; \u0085__Host-a=6";
    expect(parse([header])[0]).toMatchObject({ "__Host-a": "1", "__host-a": "2" });
  });

  it("H10: a pair without a sign is no cookie, and the first sign ends the name", () => {
    expect(parse(["", ";", "a", "a; a=1", "=a", "a=b=c", "; a=1 ;", "= ; a=1", '"a"="1"'])).toEqual([
      {},
      {},
      {},
      { a: "1" },
      { "": "a" },
      { a: "b=c" },
      { a: "1" },
      { "": "", a: "1" },
      { '"a"': '"1"' },
    ]);
  });

  it("takes no longer for blanks in the middle of a long header", () => {
    expect(parse([`a=1${" ".repeat(1_000_000)}2`])[0]?.["a"]).toHaveLength(1_000_002);
  });
});

describe("headers of a service behind https", () => {
  const service = useService({ baseUrl: "https://auth.example.com", trustedProxies: ["127.0.0.1"] });
  let credentials = "";

  beforeAll(async () => {
    const { headers } = await service.createApp();
    credentials = Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}`)
      .join("\r\n");
  });

  async function statusWith(scheme: string, type: string): Promise<number> {
    const body = JSON.stringify({ redirectUri: "https://app.example/callback" });
    const lines = ["POST /auth/initiate HTTP/1.1", "Host: x", credentials, `X-Forwarded-Proto: ${scheme}`];
    const more = [`Content-Type: ${type}`, `Content-Length: ${body.length}`, "Connection: close", "", body];
    return (await sendBytes(service, Buffer.from([...lines, ...more].join("\r\n"), "latin1")))[0]?.status ?? 0;
  }

  it.each([" ", "\t", "\u00a0", "\u0085"])("H10: only space and tab surround the parts of a list: %j", async (byte) => {
    const isGood = isBlank(byte);
    expect(await statusWith("https", "application/json")).toBe(200);
    expect(await statusWith(`https,${byte}https${byte},https`, "application/json")).toBe(isGood ? 200 : 400);
    expect(await statusWith("https", `application/json${byte};${byte}charset=utf-8`)).toBe(isGood ? 200 : 415);
  });
});

describe("the pages of a service behind https", () => {
  const service = useService({ baseUrl: "https://auth.example.com", trustedProxies: ["127.0.0.1"] });
  let path = "";
  let cookie = "";

  /** Whether the page takes the request for one of the browser that holds the cookie. */
  async function answerTo(header: string): Promise<{ status: number; isKnown: boolean }> {
    const lines = [`GET ${path} HTTP/1.1`, "Host: x", "X-Forwarded-Proto: https", `Cookie: ${header}`];
    const [answer] = await sendBytes(
      service,
      Buffer.from([...lines, "Connection: close", "", ""].join("\r\n"), "latin1"),
    );
    return { status: answer?.status ?? 0, isKnown: answer?.status === 200 && !answer.headers.has("set-cookie") };
  }

  beforeAll(async () => {
    const app = await service.createApp();
    const headers = { "x-forwarded-proto": "https" };
    const session = await initiate(service, { ...app, headers: { ...app.headers, ...headers } });
    path = new URL(session.authUrl).pathname;
    const visitor = new Visitor(headers);
    await visitor.get(service.url + path);
    cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  });

  it("H10: know a browser by no cookie that has another byte before its name", async () => {
    expect(cookie).toMatch(/^__Host-authsvc-visit-\w+=[\w-]{43}$/u);
    // Not the bytes that end a header, or that no header may hold.
    const sent = bytes.filter((byte) => byte === "\t" || (byte >= " " && byte !== "\u007f"));
    const known: string[] = [];
    for (const byte of sent) if ((await answerTo(`a=1;${byte}${cookie}`)).isKnown) known.push(byte);
    expect(known).toEqual(["\t", " ", ";"]);
  });

  it.each([
    ["given twice", () => `${cookie}; ${cookie}`],
    ["without its prefix", () => cookie.replace("__Host-", "")],
    ["with a value that cannot be ours", () => cookie.replace(/=.*/u, "=short")],
    ["given twice, once by somebody else", () => `${cookie.replace(/=.*/u, `=${"A".repeat(43)}`)}; ${cookie}`],
    ["in 8 KiB of names", () => `${"n".repeat(10)}=; `.repeat(585) + cookie.toLowerCase()],
    ["with bytes above 127", () => `${cookie}\u00ff; \u00e9=\u00a0; ${cookie.replace("=", "=\u0080")}`],
    ["without name or value", () => `=${cookie}; =; ;;; ${cookie.split("=")[0]}=`],
  ])("H10: a cookie %s is nobody's, and no failure", async (_, header) => {
    expect(await answerTo(header())).toEqual({ status: 200, isKnown: false });
  });

  it("H10: a cookie among 8 KiB of others, all given twice, is still found", async () => {
    expect(await answerTo(`${cookie}; ${"a=\u00ff; ".repeat(1200)}`)).toEqual({ status: 200, isKnown: true });
  });
});
