import { once } from "node:events";
import { connect as connectHttp2, createServer, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import { connect } from "node:tls";
import { expect, test, vi } from "vitest";
import type { Block } from "../../src/forward-auth/blocks/block.ts";
import type { ProxyName } from "../../src/forward-auth/blocks/block.ts";
import { checkHost } from "../../src/forward-auth/host-check.ts";
import { forProxies } from "../support/forward-auth.ts";
import { leftOut } from "../support/left-out.ts";
import { oddProxiedRequests } from "../support/odd-proxied-requests.ts";
import { cannotRun, triedProxies, type TriedProxy } from "../support/proxies.ts";
import { compare, protect } from "../support/proxied-comparison.ts";
import { describeOnSqlite, useApp } from "../support/service.ts";

describeOnSqlite("a program behind a reverse proxy, by the text that is printed", forProxies, (service) => {
  const app = useApp(service);

  for (const tried of triedProxies) {
    const { program: name } = tried;
    const reason = cannotRun(tried);
    test.skipIf(reason !== undefined)(
      `Y10: ${name.split("/").at(-1)}: of ${oddProxiedRequests.length} odd requests, the program sees only what was decided${leftOut(reason)}`,
      async () => {
        const place = await protect(service, app, tried);
        const complaints: string[] = [];
        let [strangers, signedIn] = [0, 0];
        for (const request of oddProxiedRequests) {
          for (const isSignedIn of [false, true]) {
            const outcome = await compare(place, request, isSignedIn);
            if (isSignedIn) signedIn += outcome.seen.length;
            else strangers += outcome.seen.length;
            complaints.push(
              ...outcome.complaints.map((text) => `${isSignedIn ? "in" : "out"} ${request.name}: ${text}`),
            );
          }
        }
        await place.stop();
        expect(complaints).toEqual([]);
        // Else nothing was compared. Strangers get to public paths only.
        expect(strangers).toBeGreaterThan(3);
        expect(strangers).toBeLessThan(20);
        expect(signedIn).toBeGreaterThan(180);
      },
    );

    test.skipIf(reason !== undefined)(
      `${name.split("/").at(-1)}: WebSockets, uploads and HEAD work, a check finds it well, and it closes with authsvc${leftOut(reason)}`,
      async () => {
        const place = await protect(service, app, tried);
        const { host, cookie, program, running } = place;
        const request = (start: string, ...lines: string[]): string =>
          [`${start} HTTP/1.1`, `Host: ${host}`, `Cookie: ${cookie}`, ...lines, "", ""].join("\r\n");

        const key = "dGhlIHNhbXBsZSBub25jZQ==";
        const upgrade = ["Connection: Upgrade", "Upgrade: websocket", `Sec-WebSocket-Key: ${key}`];
        const handshake = request("GET /socket", ...upgrade, "Sec-WebSocket-Version: 13");
        expect(await echoed(running.portOf(host), host, handshake, "frames")).toBe("frames");
        expect((await place.send(handshake.replace(cookie, "a=1"))).status).toBe(401);

        const size = 20 * 1024 * 1024;
        const upload = request("POST /upload", `Content-Length: ${size}`) + "a".repeat(size);
        expect((await place.send(upload)).status).toBe(200);
        expect(program.seen.at(-1)).toMatchObject({ method: "POST", url: "/upload", body: size });
        const head = await place.send(request("HEAD /page"));
        expect(head.status).toBe(200);
        expect(program.seen.at(-1)).toMatchObject({ method: "HEAD" });

        const at = { host: "127.0.0.1", port: running.portOf(host) };
        const findings = await checkHost(host, at);
        expect(findings.filter(({ ok, check }) => !ok && check !== "certificate")).toEqual([]);

        const before = program.seen.length;
        await place.closeDoor();
        for (const target of ["/page", "/public/x"])
          expect((await place.send(request(`GET ${target}`))).status).toBeGreaterThanOrEqual(500);
        expect(program.seen.length).toBe(before);
        await place.stop();
      },
    );
  }

  test("a check says that a text has no effect", async ({ skip }) => {
    const reason = cannotRun(ofDebian("nginx"));
    skip(reason !== undefined, reason);
    const place = await protect(service, app, ofDebian("nginx"), {
      changed: ({ text, files }) => ({ text: text.replace("auth_request /.authsvc-check;", ""), files }),
    });
    const { host, running } = place;
    const findings = await checkHost(host, { host: "127.0.0.1", port: running.portOf(host) });
    const failed = findings
      .filter(({ ok, check }) => !ok && check !== "certificate")
      .map(({ check, text }) => [check, text]);
    expect(failed).toEqual([
      ["/", "OPEN: a stranger gets 200 and no question; the text of the proxy has no effect"],
      ["strange host", "200 and a page: if that is the program, another site of the proxy leads to it"],
      ["upgrade", "OPEN: a stranger gets 101 and no question; the text of the proxy has no effect"],
    ]);
    await place.stop();
  });

  test.for(triedProxies)("$proxy: one balancer alone says who asks", async (tried, { skip }) => {
    const reason = cannotRun(tried);
    skip(reason !== undefined, reason);
    for (const [behind, expected] of [
      ["127.0.0.1", /^(?:203\.0\.113\.9, )?198\.51\.100\.7(?:, 127\.0\.0\.1)?$/u],
      ["127.0.0.9", /^127\.0\.0\.1$/u],
    ] as const) {
      const place = await protect(service, app, tried, { choices: { behind } });
      const lines = [`Host: ${place.host}`, `Cookie: ${place.cookie}`, "X-Forwarded-For: 203.0.113.9, 198.51.100.7"];
      await place.send(["GET /page HTTP/1.1", ...lines, "", ""].join("\r\n"));
      const [seen] = place.program.seen;
      expect(seen?.headers.find(([name]) => name.toLowerCase() === "x-forwarded-for")?.[1]).toMatch(expected);
      await place.stop();
    }
  });

  test.for(triedProxies)("$proxy: calls of gRPC reach a program, with their trailers", async (tried, { skip }) => {
    const reason = cannotRun(tried);
    skip(reason !== undefined, reason);
    const users: unknown[] = [];
    const program = createServer();
    program.on("stream", (stream: ServerHttp2Stream, headers) => {
      users.push(headers["remote-user"]);
      stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
      stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
      stream.resume().once("end", () => stream.end("answer"));
    });
    program.listen(0, "127.0.0.1");
    await once(program, "listening");
    const upstream = `h2c://127.0.0.1:${(program.address() as AddressInfo).port}`;
    const place = await protect(service, app, tried, { choices: { upstream } });
    const { host, cookie, userId, running } = place;
    expect(await called(running.portOf(host), host, cookie)).toEqual({ status: 200, trailer: "0" });
    expect(await called(running.portOf(host), host, "a=1")).toEqual({ status: 401, trailer: undefined });
    expect(users).toEqual([userId]);
    program.close();
    await place.stop();
  });

  /** A script that fails, and one that says nothing. */
  const failures = [(text: string) => text.replace(/\.request\(|:get\(/u, ".nothing("), () => "-- nothing"];
  test.for(["haproxy", "apache"] as const)("Y13: %s: a script that fails lets nobody in", async (proxy, { skip }) => {
    const reason = cannotRun(ofDebian(proxy));
    skip(reason !== undefined, reason);
    for (const [index, failure] of failures.entries()) {
      // HAProxy does not even start without the action.
      if (proxy === "haproxy" && index > 0) continue;
      const place = await protect(service, app, ofDebian(proxy), {
        changed: ({ text, files }) => ({ text, files: files.map((file) => ({ ...file, text: failure(file.text) })) }),
      });
      const lines = [`Host: ${place.host}`, `Cookie: ${place.cookie}`];
      const answer = await place.send(["GET /public/x HTTP/1.1", ...lines, "", ""].join("\r\n"));
      expect(answer.status).toBeGreaterThanOrEqual(500);
      expect(place.program.seen).toEqual([]);
      await place.stop();
    }
  });

  const api = "GET /api/x HTTP/1.1";
  /** What administrators add: another way to the same program. */
  const additions: [ProxyName, (block: Block, program: number) => Block][] = [
    [
      "nginx",
      ({ text, files }, program) => ({
        text: `${text}location /api/ { proxy_pass http://127.0.0.1:${program}; proxy_set_header X-Own 1; }\n`,
        files,
      }),
    ],
    [
      "haproxy",
      ({ text, files }) => ({
        text: text.replace(
          /( {4}use_backend )(authsvc-(?!pages)\S+)( if \{)/u,
          "    use_backend $2 if { path_beg /api/ }\n$1$2$3",
        ),
        files,
      }),
    ],
    [
      "apache",
      ({ text, files }) => ({
        text: text.replace("</VirtualHost>", "<Location /api/>\nRequire all granted\n</Location>\n</VirtualHost>"),
        files,
      }),
    ],
  ];
  test.for(additions)(
    "Y10: %s: a second location asks, too, and lets nothing forged in",
    async ([proxy, changed], { skip }) => {
      const reason = cannotRun(ofDebian(proxy));
      skip(reason !== undefined, reason);
      const place = await protect(service, app, ofDebian(proxy), { changed });
      const { host, cookie, program } = place;
      const send = async (...lines: string[]) =>
        await place.send([api, `Host: ${host}`, ...lines, "", ""].join("\r\n"));
      expect((await send()).status).toBe(401);
      expect((await send("Remote-User: admin")).status).not.toBe(200);
      expect(program.seen).toEqual([]);
      for (const line of ["X-Other: 1", "Remote-User: admin", "remote-email: admin", "X-Authsvc-Assertion: a"])
        await send(`Cookie: ${cookie}`, line);
      expect(program.seen.length).toBeGreaterThan(0);
      expect(JSON.stringify(program.seen)).not.toContain("admin");
      await place.stop();
    },
  );
});

function ofDebian(proxy: ProxyName): TriedProxy {
  return { proxy, program: proxy === "apache" ? "apache2" : proxy };
}

/** A call as gRPC makes it, over HTTP/2. */
async function called(port: number, host: string, cookie: string): Promise<{ status: unknown; trailer: unknown }> {
  const address = { host: "127.0.0.1", port, servername: host, rejectUnauthorized: false, ALPNProtocols: ["h2"] };
  const session = connectHttp2(`https://${host}`, { createConnection: () => connect(address) });
  const stream = session.request({
    ":method": "POST",
    ":path": "/package.Service/Method",
    "content-type": "application/grpc",
    te: "trailers",
    cookie,
  });
  const answer: { status: unknown; trailer: unknown } = { status: undefined, trailer: undefined };
  stream.once("response", (headers) => (answer.status = headers[":status"]));
  stream.once("trailers", (trailers) => (answer.trailer = trailers["grpc-status"]));
  stream.resume().end("question");
  await once(stream, "close");
  session.destroy();
  return answer;
}

/** What a WebSocket's other end sends back, after the handshake. */
async function echoed(port: number, servername: string, handshake: string, text: string): Promise<string> {
  const socket = connect({
    host: "127.0.0.1",
    port,
    servername,
    rejectUnauthorized: false,
    ALPNProtocols: ["http/1.1"],
  });
  let received = "";
  socket.on("data", (data) => (received += data.toString("latin1")));
  socket.write(handshake);
  await vi.waitFor(() => expect(received).toContain("\r\n\r\n"), { timeout: 30_000 });
  const head = received.length;
  socket.write(text);
  await vi.waitFor(() => expect(received.length).toBeGreaterThanOrEqual(head + text.length), { timeout: 30_000 });
  socket.destroy();
  return received.slice(head);
}
