import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, request as plainRequest, type IncomingMessage } from "node:http";
import { connect } from "node:http2";
import { request } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { connect as tlsConnect } from "node:tls";
import { expect, onTestFinished, test, vi } from "vitest";
import { emptyFolder } from "../cli/command.ts";
import { freePort } from "../support/free-port.ts";
import { writeCertificate } from "../support/tls-files.ts";
import { noProgram } from "../support/left-out.ts";

const root = join(import.meta.dirname, "../..");
const host = "auth.example.com";

type Place = { folder: string; http: number; https: number; upstream: number };
type Proxy = {
  file: string;
  program: string;
  /** The file of deploy/ with the ports of a test, and what else the program needs. */
  prepare(text: string, place: Place): { check: string[]; run: string[] };
};

const inPlace = (text: string, { folder, upstream }: Place): string =>
  text
    .replaceAll("127.0.0.1:8080", `127.0.0.1:${upstream}`)
    .replace(/\/\S+fullchain\.pem(?=;?$)/mu, join(folder, "cert.pem"))
    .replace(/\/\S+privkey\.pem(?=;?$)/mu, join(folder, "key.pem"));

const nginx = (program: string): Proxy => ({
  file: "nginx/authsvc.conf",
  program,
  prepare(text, place) {
    const { folder, http, https } = place;
    const own = inPlace(text, place)
      .replace("listen 80;", `listen ${http};`)
      .replace("listen 443 ", `listen ${https} `);
    writeFileSync(join(folder, "authsvc.conf"), own);
    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
      (name) => `${name}_temp_path ${folder};`,
    );
    writeFileSync(
      join(folder, "nginx.conf"),
      `daemon off; pid ${folder}/pid; error_log stderr; events {} http { access_log off; ${temporary.join(" ")} include authsvc.conf; }`,
    );
    const args = [program, "-p", folder, "-c", "nginx.conf", "-e", "stderr"];
    return { check: [...args, "-t"], run: args };
  },
});

const modules = "mpm_event authn_core authz_core alias ssl http2 headers proxy proxy_http socache_shmcb setenvif".split(
  " ",
);

const proxies: Proxy[] = [
  nginx("nginx"),
  // A newer one than Debian's, for the deprecated form.
  ...(process.env["AUTHSVC_TEST_NEW_NGINX"] ? [nginx(process.env["AUTHSVC_TEST_NEW_NGINX"])] : []),
  {
    file: "apache/authsvc.conf",
    program: "apache2",
    prepare(text, place) {
      const { folder, http, https } = place;
      const own = inPlace(text, place).replace("*:80>", `*:${http}>`).replace("*:443>", `*:${https}>`);
      const loaded = modules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`);
      const head = [
        `ServerRoot ${folder}`,
        `DefaultRuntimeDir ${folder}`,
        `PidFile ${folder}/pid`,
        "ErrorLog /dev/stderr",
      ];
      const ports = [`Listen ${http}`, `Listen ${https}`, `ServerName ${host}`, "User nobody", "Group nogroup"];
      writeFileSync(join(folder, "apache.conf"), [...head, ...loaded, ...ports, own].join("\n"));
      const args = ["apache2", "-d", folder, "-f", join(folder, "apache.conf")];
      return { check: [...args, "-t"], run: [...args, "-D", "FOREGROUND"] };
    },
  },
  {
    file: "haproxy/haproxy.cfg",
    program: "haproxy",
    prepare(text, place) {
      const { folder, http, https } = place;
      const file = join(folder, "haproxy.cfg");
      const pem = join(folder, "both.pem");
      writeFileSync(pem, ["cert.pem", "key.pem"].map((name) => readFileSync(join(folder, name), "utf8")).join(""));
      writeFileSync(
        file,
        inPlace(text, place)
          .replace("bind :80\n", `bind 127.0.0.1:${http}\n`)
          .replace("bind :443 ", `bind 127.0.0.1:${https} `)
          .replace(/crt \S+/u, `crt ${pem}`),
      );
      return { check: ["haproxy", "-c", "-f", file], run: ["haproxy", "-db", "-f", file] };
    },
  },
  {
    file: "caddy/Caddyfile",
    program: "caddy",
    prepare(text, place) {
      const { folder, http, https } = place;
      const file = join(folder, "Caddyfile");
      // A certificate of its own authority: nobody issues one here.
      const options = `{\n admin off\n http_port ${http}\n https_port ${https}\n skip_install_trust\n local_certs\n storage file_system ${folder}\n}\n`;
      writeFileSync(file, options + inPlace(text, place));
      const args = ["--config", file, "--adapter", "caddyfile"];
      return { check: ["caddy", "validate", ...args], run: ["caddy", "run", ...args] };
    },
  },
];

test.for(proxies)("$program accepts $file of deploy/, and serves by it", async (proxy, { skip }) => {
  const missing = noProgram(proxy.program, "-v");
  skip(missing !== undefined, missing);
  const folder = emptyFolder();
  await writeCertificate(folder, { name: host });
  const place = { folder, http: await freePort(), https: await freePort(), upstream: await startEcho() };
  const env = { PATH: process.env["PATH"], HOME: folder };
  const { check, run } = proxy.prepare(readFileSync(join(root, "deploy", proxy.file), "utf8"), place);
  const { status, stdout, stderr } = spawnSync(check[0] ?? "", check.slice(1), { encoding: "utf8", env });
  expect([status, status === 0 ? "" : stdout + stderr]).toEqual([0, ""]);

  const running = spawn(run[0] ?? "", run.slice(1), { env, stdio: "ignore" });
  onTestFinished(async () => await end(running));
  const path = "/sign-in/a%2Fb//c?d=%20e&f=%2F";
  // What a client says of itself is replaced.
  const claims = { "x-forwarded-for": "203.0.113.9", "x-forwarded-proto": "http" };
  const seen = {
    path,
    host,
    "x-forwarded-for": "127.0.0.1",
    "x-forwarded-proto": "https",
  };
  await vi.waitFor(async () => expect(await ask(place.https, path, claims)).toMatchObject(seen), { timeout: 60_000 });
  expect(await askByHttp2(place.https, path, claims)).toMatchObject(seen);

  const redirected = await plainly(place.http, "/account?x=1");
  expect([301, 302, 308]).toContain(redirected.status);
  expect(redirected.location?.replace(`:${place.https}`, "")).toBe(`https://${host}/account?x=1`);
});

/** An upstream that answers with what it was asked. */
async function startEcho(): Promise<number> {
  const server = createServer(({ url, headers }, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ ...headers, path: url }));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

async function ask(port: number, path: string, headers: Record<string, string>): Promise<unknown> {
  const options = { host: "127.0.0.1", port, path, servername: host, rejectUnauthorized: false, agent: false };
  const asked = request({ ...options, headers: { ...headers, host } });
  asked.end();
  const [response] = (await once(asked, "response")) as [IncomingMessage];
  return await json(response);
}

async function askByHttp2(port: number, path: string, headers: Record<string, string>): Promise<unknown> {
  const session = connect(`https://${host}`, {
    createConnection: () =>
      tlsConnect({ host: "127.0.0.1", port, servername: host, rejectUnauthorized: false, ALPNProtocols: ["h2"] }),
  });
  try {
    return await json(session.request({ ":path": path, ":authority": host, ...headers }));
  } finally {
    session.close();
  }
}

async function plainly(
  port: number,
  path: string,
): Promise<{ status: number | undefined; location: string | undefined }> {
  const asked = plainRequest({ host: "127.0.0.1", port, path, headers: { host }, agent: false });
  asked.end();
  const [response] = (await once(asked, "response")) as [IncomingMessage];
  response.resume();
  return { status: response.statusCode, location: response.headers.location };
}

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  if (child.exitCode === null && child.kill()) await ended;
}
