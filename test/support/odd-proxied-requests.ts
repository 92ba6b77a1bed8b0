/** Requests as nobody sends them by accident, for what stands between a browser and a program. */

export type OddRequest = {
  name: string;
  method: string;
  target: string;
  version: string;
  /** Beside `Host` and `Cookie`, as bytes. */
  lines: string[];
  /** Instead of the host's own name. */
  hosts: string[] | undefined;
  /** What the `Cookie` header is made of; `%` is the cookie that opens the host. */
  cookies: string[];
  body: string;
  /** Whether the program has to get it from somebody who is signed in. */
  passes: boolean;
};

type Given = Partial<OddRequest>;

const plain: Omit<OddRequest, "name"> = {
  method: "GET",
  target: "/page?of=1",
  version: "HTTP/1.1",
  lines: [],
  hosts: undefined,
  cookies: ["theme=dark; %; lang=en"],
  body: "",
  passes: false,
};

/** Headers by which a program could be told who somebody is. */
const identityHeaders = [
  "Remote-User",
  "Remote-Email",
  "Remote-Name",
  "Remote-Groups",
  "Remote-Groups-Omitted",
  "X-WebAuth-User",
  "X-Authsvc-Assertion",
  "X-Authsvc-Decision",
  "X-Authsvc-Other",
];

const aliasCharacters = "!#$%&'*+.^_`|~".split("");

const forged: Given[] = [
  ...identityHeaders.flatMap((name): Given[] => [
    { lines: [`${name}: admin`] },
    { lines: [`${name.toLowerCase()}: admin`] },
    { lines: [`${name.toUpperCase()}: admin`, `${name}: root`] },
    { lines: [`${name.replaceAll("-", "_")}: admin`] },
    { lines: [`${name.replaceAll("-", ".")}: admin`] },
    { lines: [`${name}:`] },
  ]),
  ...aliasCharacters.map((other): Given => ({ lines: [`X-WebAuth${other}User: admin`, `Remote${other}User: admin`] })),
  ...aliasCharacters.slice(0, 4).map((other): Given => ({ lines: [`X${other}WebAuth${other}User: admin`] })),
  { lines: ["Remote-User : admin"] },
  { lines: ["Remote-User\t: admin"] },
  { lines: ["X-Other: a", " Remote-User: admin"] },
  { lines: ["\u0000Remote-User: admin"] },
  { lines: ["Remote-User: admin\rRemote-Email: admin"] },
  { lines: ["Remote-User\u00a0: admin"] },
  { lines: ["REMOTE_USER: admin", "HTTP_REMOTE_USER: admin"] },
];

const connections: Given[] = [
  ...[
    ...identityHeaders,
    "X-Forwarded-Host",
    "X-Forwarded-Proto",
    "X-Forwarded-For",
    "Cookie",
    "Host",
    "Authorization",
  ].map((name): Given => ({ lines: [`Connection: ${name}`] })),
  { lines: ["Connection: keep-alive, Remote-User, Remote-Email"], passes: true },
  { lines: ["Connection: keep-alive", "Connection: remote-user"] },
  { lines: ["Connection: Upgrade, Remote-User", "Upgrade: websocket"] },
  { lines: ["Proxy-Connection: Remote-User"] },
  { lines: ["Keep-Alive: timeout=5", "Connection: Keep-Alive, X-Forwarded-Uri, X-Original-Url"] },
  { lines: ["Connection: X-Forwarded-Method, X-Original-Method"] },
  { lines: ["TE: trailers", "Connection: TE"] },
  { lines: ["Trailer: Remote-User"] },
];

const targets: Given[] = [
  ...[
    "http://OTHER/page",
    "https://OTHER/page",
    "http://HOST/page",
    "https://HOST/page",
    "HTTP://HOST/page",
    "http://user:pass@HOST/page",
    "http://HOST:80/page",
    "http://HOST",
    "http://HOST?x",
    "http:///page",
    "//OTHER/page",
    "ftp://HOST/page",
    "HOST:443",
    "*",
    "",
    "page",
    "?x",
    "/page#fragment",
    "/page?a=%zz",
    "/page?https://OTHER/",
  ].map((target): Given => ({ target })),
  { method: "OPTIONS", target: "*" },
  { method: "CONNECT", target: "HOST:443" },
  { method: "CONNECT", target: "127.0.0.1:22" },
  ...["PROPFIND", "PURGE", "TRACE", "get", "Q", "DELETE", "PATCH", "REPORT"].map((method): Given => ({ method })),
  { method: "OPTIONS", lines: ["Origin: https://OTHER", "Access-Control-Request-Method: GET"], passes: true },
  { version: "HTTP/1.0" },
  { version: "HTTP/1.2" },
  { version: "HTTP/0.9" },
];

const hosts: Given[] = [
  [],
  ["OTHER"],
  ["HOST", "OTHER"],
  ["OTHER", "HOST"],
  ["HOST.", "HOST:443"].slice(0, 1),
  ["HOST:443"],
  ["HOST:8443"],
  ["HOST:1"],
  ["user@HOST"],
  ["HOST/page"],
  ["HOST, OTHER"],
  ["HOST "],
  ["[::1]"],
  ["127.0.0.1"],
  [""],
  ["%48OST"],
].map((given) => ({ hosts: given }));

const paths: Given[] = [
  ...[
    "/a%20b//c",
    "//page",
    "/./page",
    "/x/../page",
    "/../page",
    "/%2e%2e/page",
    "/x/%2e%2e%2fpage",
    "/x%2f..%2fpage",
    "/x%5c..%5cpage",
    "/x\\..\\page",
    "/page;a=1",
    "/page%3fa=1",
    "/page%00",
    "/page%0a",
    "/page%0d%0aRemote-User:%20admin",
    "/page%",
    "/page%zz",
    "/%c0%ae%c0%ae/page",
    "/\u00e9\u00ff",
    "/page\u0001",
    "/page\u007f",
    `/${"a".repeat(3000)}`,
    `/page?${"a=1&".repeat(1500)}`,
    "/.authsvc",
    "/.AUTHSVC/start",
    "/%2eauthsvc/start",
    "/.authsvc%2fstart",
    "/.authsvc/../page",
    "/.authsvc/../forward-auth",
    "/.authsvc/%2e%2e/auth-request",
    "/.authsvc//start",
    "//.authsvc/start",
    "/x/../.authsvc/start",
    "/.authsvc/nothing",
    "/.authsvc-check",
    "/forward-auth",
    "/auth-request",
    "/public",
    "/public/",
    "/public/x",
    "/publicity",
    "/Public/x",
    "/public/../page",
    "/public/%2e%2e/page",
    "/public/..%2fpage",
    "/public/..;/page",
    "/public//x",
    "/public/x;y",
    "/public/x%20y",
    "/public\\..\\page",
    "/public/x\u0001",
    "/public/.",
    "//public/x",
    "/x/../public/x",
    "/public?/../page",
  ].map((target): Given => ({ target })),
  { target: "/deep/link?a=b&c=%20d", passes: true },
];

const forwarded: Given[] = [
  "X-Forwarded-Host: OTHER",
  "X-Forwarded-Proto: http",
  "X-Forwarded-Uri: /public",
  "X-Forwarded-Method: OPTIONS",
  "X-Forwarded-For: 203.0.113.9",
  "X-Forwarded-Port: 80",
  "X-Forwarded-Server: OTHER",
  "X-Forwarded-Prefix: /public",
  "X-Original-Url: https://OTHER/public",
  "X-Original-Method: OPTIONS",
  "X_Forwarded_Host: OTHER",
  "X_Original_Url: https://HOST/public",
  "X.Original.Url: https://HOST/public",
  "Forwarded: for=203.0.113.9;host=OTHER;proto=http",
  "X-Rewrite-Url: /public",
  "X-Http-Method-Override: OPTIONS",
  "X-Real-Ip: 203.0.113.9",
]
  .flatMap((line): Given[] => [{ lines: [line], passes: true }, { lines: [line, line] }])
  .map((given) => (given.lines?.some((line) => /^X[_.]/u.test(line)) ? { ...given, passes: false } : given));

const cookies: Given[] = [
  ["%"],
  ["%; %"],
  ["a=1;%"],
  ["%;"],
  ["a=1", "%"],
  ["%", "a=1"],
  ["evil%; %"],
  ["evil%"],
  ["%x"],
  ['"%"'],
  ["a=1, %"],
  [" %"],
  ["=; %"],
  ["; ; %; ;"],
  [`${"a=1; ".repeat(200)}%`],
  ["__host-authsvc-proxy=x"],
  ["__Host-authsvc-proxy=x; %"],
  ["__Host-authsvc-proxy-8443=x; %"],
  [""],
  [],
].map((given) => ({ cookies: given }));

const credentials: Given[] = [
  "Basic dXNlcjpwYXNz",
  "Bearer foreign",
  "Bearer OURS",
  "bearer foreign",
  "Negotiate abc==",
  "Bearer",
  "",
  `Bearer ${"a".repeat(7000)}`,
  'Digest username="a", realm="b"',
].flatMap((value): Given[] => [
  { lines: [`Authorization: ${value}`] },
  { lines: [`Authorization: ${value}`, "Authorization: Bearer other"] },
]);

const bodies: Given[] = [
  { method: "POST", lines: ["Content-Length: 3"], body: "abc", passes: true },
  { method: "POST", lines: ["Transfer-Encoding: chunked"], body: "3\r\nabc\r\n0\r\n\r\n", passes: true },
  { method: "POST", lines: ["Transfer-Encoding: chunked", "Content-Length: 3"], body: "3\r\nabc\r\n0\r\n\r\n" },
  { method: "POST", lines: ["Transfer-Encoding: chunked"], body: "3\r\nabc\r\n0\r\nRemote-User: admin\r\n\r\n" },
  { method: "POST", lines: ["Transfer-Encoding: xchunked", "Content-Length: 3"], body: "abc" },
  { method: "POST", lines: ["Transfer-Encoding : chunked", "Content-Length: 3"], body: "abc" },
  { method: "POST", lines: ["Content-Length: 3", "Content-Length: 4"], body: "abcd" },
  { method: "POST", lines: ["Content-Length: +3"], body: "abc" },
  { method: "GET", lines: ["Content-Length: 3"], body: "abc" },
  { method: "PUT", lines: ["Content-Length: 3", "Expect: 100-continue"], body: "abc", passes: true },
  { method: "HEAD", passes: true },
  { lines: ["Range: bytes=0-1"], passes: true },
  { lines: ['If-None-Match: "a"', "If-Modified-Since: Thu, 01 Jan 2026 00:00:00 GMT"], passes: true },
  { lines: ['If-Match: "a"'], passes: true },
  { lines: ["Upgrade: h2c", "Connection: Upgrade, HTTP2-Settings", "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA"] },
  { lines: ["Upgrade: TLS/1.2", "Connection: Upgrade"] },
  { lines: ["Upgrade: websocket"] },
  { lines: ["Origin: null", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"], passes: true },
  { lines: ["Sec-Fetch-Mode: cors", "Sec-Fetch-Site: cross-site"], passes: true },
  { lines: ["Sec-Fetch-Mode: navigate", "Sec-Fetch-Mode: cors"] },
  { lines: ["Service-Worker: script"], passes: true },
  { lines: ["Purpose: prefetch", "Sec-Purpose: prefetch"], passes: true },
  { lines: ["X-Requested-With: XMLHttpRequest", "HX-Request: true", "Turbo-Frame: a"], passes: true },
  { lines: Array.from({ length: 60 }, (_, index) => `X-Other-${index}: ${"a".repeat(60)}`), passes: true },
];

const sections: Record<string, Given[]> = {
  plain: [{ passes: true }, { lines: ["User-Agent: curl/8", "Accept: */*"], passes: true }],
  forged,
  connection: connections,
  target: targets,
  host: hosts,
  path: paths,
  forwarded,
  cookie: cookies,
  authorization: credentials,
  body: bodies,
};

/** Some two hundred and fifty. */
export const oddProxiedRequests: OddRequest[] = Object.entries(sections).flatMap(([section, given]) =>
  given.map((each, index) => ({ name: `${section} ${index}: ${shortly(each)}`, ...plain, ...each })),
);

function shortly(given: Given): string {
  const { name: _, passes: __, ...rest } = given;
  return JSON.stringify(rest).slice(0, 120);
}

/** What stands for the capital words. `cookie` opens the host, if somebody is signed in. */
export type Filling = { host: string; other: string; token: string; cookie: string | undefined };

export function bytesOf(request: OddRequest, { host, other, token, cookie }: Filling): string {
  const filled = (text: string): string =>
    text.replaceAll("HOST", host).replaceAll("OTHER", other).replaceAll("OURS", token);
  const { method, target, version, lines, cookies: jars, body } = request;
  const cookieLines = jars
    .map((jar) => (cookie === undefined ? jar.replaceAll("%", "none=1") : jar.replaceAll("%", cookie)))
    .map((jar) => `Cookie: ${jar}`);
  return [
    `${method} ${filled(target)} ${version}`,
    ...(request.hosts ?? ["HOST"]).map((name) => `Host: ${filled(name)}`),
    ...cookieLines,
    ...lines.map(filled),
    "",
    body,
  ].join("\r\n");
}
