import { spawn, type ChildProcess } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { join } from "node:path";
import { connect } from "node:tls";
import type { Block } from "../../src/forward-auth/blocks/block.ts";
import type { ProxyName } from "../../src/forward-auth/blocks/block.ts";
import { freePort } from "./free-port.ts";
import { noProgram } from "./left-out.ts";
import { writeCertificate } from "./tls-files.ts";

/** A proxy as an administrator sets it up from the printed text: only ports and paths are own. */
export type RunningProxy = {
  /** The port that stands for 443, and for any other that the hosts have. */
  portOf(host: string): number;
  log(): string;
  stop(): Promise<void>;
};

type Place = { folder: string; ports: Map<number, number> };

/** A proxy, and the program that it is: Caddy is tried twice. */
export type TriedProxy = { proxy: ProxyName; program: string };

export const triedProxies: TriedProxy[] = [
  { proxy: "nginx", program: "nginx" },
  { proxy: "apache", program: "apache2" },
  { proxy: "haproxy", program: "haproxy" },
  { proxy: "caddy", program: "caddy" },
  { proxy: "caddy", program: process.env["TEST_NEW_CADDY"] ?? "new-caddy" },
  { proxy: "traefik", program: process.env["TEST_TRAEFIK"] ?? "traefik" },
];

/** Why a proxy cannot be tried here. */
export function cannotRun({ proxy, program }: TriedProxy): string | undefined {
  const missing = noProgram(program, ["caddy", "traefik"].includes(proxy) ? "version" : "-v");
  if (proxy === "apache" && missing === undefined && !existsSync("/usr/share/lua/5.3/socket.lua"))
    return "there is no apache2 with lua-socket here (Debian: apt-get install lua-socket)";
  if (missing === undefined || ["nginx", "apache2", "haproxy", "caddy"].includes(program)) return missing;
  return proxy === "caddy"
    ? "a newer Caddy is not installed here; TEST_NEW_CADDY may say where it is"
    : "Traefik is not installed here; TEST_TRAEFIK may say where it is";
}

export async function startProxy(
  { proxy, program }: TriedProxy,
  { text, files }: Block,
  { folder, hosts, keepsPorts = false }: { folder: string; hosts: string[]; keepsPorts?: boolean },
): Promise<RunningProxy> {
  await writeCertificate(folder, { name: hosts[0]?.replace(/:\d+$/u, "") ?? "" });
  const ports = new Map<number, number>();
  for (const host of hosts) {
    const port = Number(/:(\d+)$/u.exec(host)?.[1] ?? 443);
    if (!ports.has(port)) ports.set(port, keepsPorts ? port : await freePort());
  }
  const child = spawn(program, await prepare[proxy]({ text, files }, { folder, ports }), {
    env: { PATH: process.env["PATH"], HOME: folder, XDG_DATA_HOME: folder },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let log = "";
  const errorLog = join(folder, "error.log");
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data: Buffer) => (log += data.toString()));
  const running = {
    portOf: (host: string): number => ports.get(Number(/:(\d+)$/u.exec(host)?.[1] ?? 443)) ?? 0,
    log: () => log + (existsSync(errorLog) ? readFileSync(errorLog, "utf8") : ""),
    stop: async () => await ended(child),
  };
  try {
    for (const host of hosts) await answering(running.portOf(host), host, child);
  } catch (error) {
    await ended(child);
    throw new Error(`${proxy} does not start:\n${log}`, { cause: error });
  }
  return running;
}

/** Some listen before they have read what they serve. */
async function answering(port: number, host: string, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`);
    const { status, body } = await sendTo(port, host.replace(/:\d+$/u, ""), `GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    if (status !== 0 && !body.startsWith("404 page not found")) return;
    await new Promise((again) => setTimeout(again, 50));
  }
}

async function ended(child: ChildProcess): Promise<void> {
  const gone = once(child, "exit");
  if (child.exitCode === null && child.signalCode === null && child.kill()) await gone;
}

const apacheModules =
  "mpm_event authn_core authz_core authz_host env ssl http2 headers lua remoteip proxy proxy_http proxy_http2 proxy_wstunnel socache_shmcb setenvif".split(
    " ",
  );

/** Writes what the proxy reads; the arguments of its program. */
const prepare: Record<ProxyName, (block: Block, place: Place) => string[] | Promise<string[]>> = {
  nginx({ text, files }, { folder, ports }) {
    const texts = [{ name: "first.conf", text }, ...files];
    const servers = texts.map((file, index) => {
      writeFileSync(join(folder, `included-${index}.conf`), file.text);
      // The server block is in the comment.
      const lines = file.text.split("\n");
      const server = lines.slice(lines.indexOf("# server {"), lines.indexOf("# }") + 1);
      return server
        .map((line) => line.slice(2))
        .join("\n")
        .replace(/listen (\d+)/u, (_, port: string) => `listen 127.0.0.1:${ports.get(Number(port))}`)
        .replace(/\/\S+fullchain\.pem/u, join(folder, "cert.pem"))
        .replace(/\/\S+privkey\.pem/u, join(folder, "key.pem"))
        .replace(/include \S+;/u, `include ${join(folder, `included-${index}.conf`)};`);
    });
    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
      (name) => `${name}_temp_path ${folder};`,
    );
    writeFileSync(
      join(folder, "nginx.conf"),
      `daemon off; pid ${folder}/pid; user root; error_log stderr; events {} http { access_log off; ${temporary.join(" ")}\n${servers.join("\n")}\n}`,
    );
    return ["-p", folder, "-c", "nginx.conf", "-e", "stderr"];
  },
  apache({ text, files }, { folder, ports }) {
    // Its processes are those of nobody.
    chmodSync(folder, 0o755);
    for (const file of files) writeFileSync(join(folder, file.name), file.text);
    const own = [...ports].reduce(
      (so, [port, real]) => so.replaceAll(`*:${port}>`, `*:${real}>`),
      text
        .replaceAll("/etc/apache2", folder)
        .replace(/\/\S+fullchain\.pem/gu, join(folder, "cert.pem"))
        .replace(/\/\S+privkey\.pem/gu, join(folder, "key.pem")),
    );
    const head = [
      `ServerRoot ${folder}`,
      `DefaultRuntimeDir ${folder}`,
      `PidFile ${folder}/pid`,
      `ErrorLog ${folder}/error.log`,
      ...apacheModules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`),
      ...[...ports.values()].map((port) => `Listen 127.0.0.1:${port}`),
      "ServerName localhost",
      "User nobody",
      "Group nogroup",
      "Protocols h2 http/1.1",
    ];
    writeFileSync(join(folder, "apache.conf"), `${head.join("\n")}\n${own}`);
    return ["-d", folder, "-f", join(folder, "apache.conf"), "-D", "FOREGROUND"];
  },
  haproxy({ text, files }, { folder, ports }) {
    for (const file of files) writeFileSync(join(folder, file.name), file.text);
    const pem = join(folder, "both.pem");
    writeFileSync(pem, ["cert.pem", "key.pem"].map((name) => readFileSync(join(folder, name), "utf8")).join(""));
    const own = text
      .replaceAll("/etc/haproxy/certs/", pem)
      .replaceAll("/etc/haproxy", folder)
      .replace(/bind :(\d+)/gu, (_, port: string) => `bind 127.0.0.1:${ports.get(Number(port))}`);
    writeFileSync(join(folder, "haproxy.cfg"), own);
    return ["-db", "-f", join(folder, "haproxy.cfg")];
  },
  async caddy({ text }, { folder, ports }) {
    // A certificate of its own authority: nobody issues one here.
    const options = `{\n admin off\n http_port ${await freePort()}\n https_port ${ports.get(443) ?? 0}\n skip_install_trust\n local_certs\n storage file_system ${folder}\n}\n`;
    const own = text.replace(
      /^https:\/\/(\S+):(\d+) \{/gmu,
      (_, name: string, port: string) => `https://${name}:${ports.get(Number(port))} {`,
    );
    const file = join(folder, "Caddyfile");
    writeFileSync(file, options + own);
    return ["run", "--config", file, "--adapter", "caddyfile"];
  },
  traefik({ text, files }, { folder, ports }) {
    const dynamic = join(folder, "authsvc.yml");
    writeFileSync(dynamic, text);
    const [file] = files;
    const own = (file?.text ?? "")
      .replace("/etc/traefik/authsvc.yml", dynamic)
      .replace(/address: ":(\d+)"/gu, (_, port: string) => `address: "127.0.0.1:${ports.get(Number(port))}"`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "traefik.yml"), own);
    return [`--configFile=${join(folder, "traefik.yml")}`];
  },
};

/** What the program behind the proxy saw. */
export type Seen = { method: string; url: string; headers: [name: string, value: string][]; body: number };

/** A plain program, which answers with what it saw; it takes part in a WebSocket's handshake. */
export async function startProgram(): Promise<{ port: number; seen: Seen[]; close(): Promise<void> }> {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const entry = seenIn(request);
    seen.push(entry);
    request.on("data", (chunk: Buffer) => (entry.body += chunk.length));
    request.once("end", () => {
      response.writeHead(200, { "content-type": "application/json", "x-program": "here" });
      response.end(JSON.stringify(entry));
    });
  });
  server.on("upgrade", (request, socket) => {
    seen.push(seenIn(request));
    const accept = createHash("sha1")
      .update(`${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest("base64");
    const head = ["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade", "X-Program: here"];
    socket.write([...head, `Sec-WebSocket-Accept: ${accept}`, "", ""].join("\r\n"));
    socket.on("data", (data: Buffer) => socket.write(data));
    socket.on("error", () => undefined);
  });
  // Also those of WebSockets, which the server forgets.
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    seen,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

function seenIn({ method = "", url = "", rawHeaders }: IncomingMessage): Seen {
  const headers = rawHeaders.flatMap((name, index): [string, string][] =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ""]] : [],
  );
  return { method, url, headers, body: 0 };
}

export type Answer = { status: number; headers: Map<string, string>; body: string };

/** Sends bytes as they are over TLS, and reads one answer; status 0 if there is none. */
export async function sendTo(port: number, servername: string, bytes: string): Promise<Answer> {
  return await new Promise<Answer>((resolve) => {
    let received = "";
    const isHead = bytes.startsWith("HEAD ");
    const socket = connect({
      host: "127.0.0.1",
      port,
      servername,
      rejectUnauthorized: false,
      ALPNProtocols: ["http/1.1"],
    });
    const end = (): void => {
      socket.destroy();
      resolve(answerIn(received, isHead) ?? { status: 0, headers: new Map(), body: received });
    };
    socket.setTimeout(60_000, end);
    socket.on("data", (data) => {
      received += data.toString("latin1");
      if (answerIn(received, isHead)?.isWhole) end();
    });
    socket.on("error", end);
    socket.once("close", end);
    socket.write(Buffer.from(bytes, "latin1"));
  });
}

function answerIn(text: string, isHead: boolean): (Answer & { isWhole: boolean }) | undefined {
  const rest = text.replace(/^(?:HTTP\/1\.1 100[^\r]*\r\n(?:[^\r]+\r\n)*\r\n)+/u, "");
  const at = rest.indexOf("\r\n\r\n");
  if (at === -1) return undefined;
  const [start = "", ...lines] = rest.slice(0, at).split("\r\n");
  const headers = new Map<string, string>();
  for (const line of lines) {
    const name = line.split(":")[0]?.toLowerCase() ?? "";
    const value = line.slice(line.indexOf(":") + 1).trim();
    headers.set(name, headers.has(name) ? `${headers.get(name)}, ${value}` : value);
  }
  const status = Number(/^HTTP\/1\.[01] (\d{3})/u.exec(start)?.[1] ?? 0);
  const body = rest.slice(at + 4);
  const length = headers.get("content-length");
  if (isHead || status === 101 || status === 204 || status === 304) return { status, headers, body, isWhole: true };
  if (length !== undefined) return { status, headers, body, isWhole: body.length >= Number(length) };
  const isChunked = headers.get("transfer-encoding") === "chunked";
  return {
    status,
    headers,
    body: isChunked ? unchunked(body) : body,
    isWhole: isChunked && `\r\n${body}`.endsWith("\r\n0\r\n\r\n"),
  };
}

function unchunked(body: string): string {
  let text = "";
  for (let rest = body; ;) {
    const size = Number.parseInt(rest, 16);
    const at = rest.indexOf("\r\n");
    if (!size || at === -1) return text;
    text += rest.slice(at + 2, at + 2 + size);
    rest = rest.slice(at + 4 + size);
  }
}
