import { copyFileSync, existsSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { join } from "node:path";
import { connect, type PeerCertificate } from "node:tls";
import { afterEach, describe, expect, test } from "vitest";
import { day, isoTime } from "../../src/lib/clock.ts";
import { until } from "../support/receiver.ts";
import { writeCertificate } from "../support/tls-files.ts";
import { authsvc, emptyFolder, finish, outputOf, start } from "./command.ts";
import { authsvc as inProcess } from "./in-process.ts";

const env = {
  AUTHSVC_LISTEN__TLS__CERT_FILE: "cert.pem",
  AUTHSVC_LISTEN__TLS__KEY_FILE: "key.pem",
  AUTHSVC_BASE_URL: "https://localhost",
  AUTHSVC_PASSWORDS__MEMORY_KIB: "19456",
};
const listening = /^listening on https:\/\/\S+:(\d+)\n/;
const started: ReturnType<typeof start>[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
});

describe("a certificate that nobody would accept stops the start: one line, exit code 2, and no database is made", () => {
  const soon = Math.floor(Date.now() / 1000) * 1000;
  const cases: [what: string, prepare: (cwd: string) => Promise<unknown>, line: RegExp][] = [
    ["is missing", async () => {}, /listen\.tls\.certFile: the file \S*cert\.pem does not exist/u],
    [
      "has expired",
      (cwd) => writeCertificate(cwd, { validFrom: soon - 9 * day, validUntil: soon - day }),
      new RegExp(
        `the certificate in \\S*cert\\.pem expired at ${isoTime(soon - day)}; renew it, then start again`,
        "u",
      ),
    ],
    [
      "is not valid yet",
      (cwd) => writeCertificate(cwd, { validFrom: soon + day, validUntil: soon + 9 * day }),
      /is valid only from \S+; check the clock of this machine/u,
    ],
    [
      "has another key",
      async (cwd) => {
        const other = emptyFolder();
        await writeCertificate(other);
        await writeCertificate(cwd);
        copyFileSync(join(other, "key.pem"), join(cwd, "key.pem"));
      },
      /key\.pem does not match the first certificate in \S*cert\.pem/u,
    ],
    [
      "is no certificate",
      async (cwd) => {
        await writeCertificate(cwd);
        writeFileSync(join(cwd, "cert.pem"), "hello\n");
      },
      /cert\.pem contains no PEM certificate/u,
    ],
    [
      "has no key beside it",
      async (cwd) => {
        await writeCertificate(cwd);
        writeFileSync(join(cwd, "key.pem"), "");
      },
      /key\.pem contains no PEM private key without a passphrase/u,
    ],
  ];
  test.each(cases)("one that %s", async (_what, prepare, line) => {
    const cwd = emptyFolder();
    await prepare(cwd);
    const { code, stdout, stderr } = await authsvc(["serve", "--port", "0"], { cwd, env });
    expect(stderr).toMatch(/^authsvc: listen\.tls[^\n]*\n$/u);
    expect(stderr).toMatch(line);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(existsSync(join(cwd, "data/authsvc.db"))).toBe(false);
  });
});

test.skipIf(process.platform === "win32")(
  "SIGHUP changes the certificate under load, and one that cannot be used changes nothing",
  async () => {
    const cwd = emptyFolder();
    await writeCertificate(cwd, { name: "first" });
    const child = start(["serve", "--port", "0"], { cwd, env });
    started.push(child);
    let said = "";
    child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
    const port = Number(listening.exec(await outputOf(child, listening))?.[1]);
    expect((await peerOf(port)).subject.CN).toBe("first");

    const stop = new AbortController();
    const clients = [0, 1, 2, 3].map((client) => ask(port, client % 2 === 0, stop.signal));
    await writeCertificate(cwd, { name: "second" });
    child.kill("SIGHUP");
    await until(async () => (await peerOf(port)).subject.CN === "second");
    expect(said).toContain("certificate reloaded");

    await writeCertificate(cwd, { name: "third", validFrom: Date.now() - 9 * day, validUntil: Date.now() - day });
    child.kill("SIGHUP");
    await until(() => said.includes("cannot be reloaded; the previous one stays in use"));
    expect(said).toMatch(/expired at/u);
    expect((await peerOf(port)).subject.CN).toBe("second");

    const answeredBefore = clients.map(({ answers }) => answers);
    await until(() => clients.every(({ answers }, client) => answers > (answeredBefore[client] ?? 0)));
    stop.abort();
    await Promise.all(clients.map(({ done }) => done));
    expect(clients.flatMap(({ failures }) => failures)).toEqual([]);
    const finished = finish(child);
    child.kill("SIGTERM");
    expect(await finished).toMatchObject({ code: 0 });
  },
);

test("doctor says when a certificate is about to expire, and when it has", async () => {
  const cwd = emptyFolder();
  await writeCertificate(cwd);
  await inProcess(["app", "create", "--name", "Shop"], { cwd });
  const finding = async (): Promise<unknown> => {
    const { stdout } = await inProcess(["doctor", "--json"], { cwd, env });
    return (JSON.parse(stdout) as { check: string }[]).find(({ check }) => check === "certificate");
  };
  expect(await finding()).toMatchObject({ status: "ok" });
  await writeCertificate(cwd, { validUntil: Date.now() + 13 * day });
  expect(await finding()).toMatchObject({ status: "warning", fix: "renew it, then: systemctl reload authsvc" });
  await writeCertificate(cwd, { validUntil: Date.now() - 1000 });
  expect(await finding()).toMatchObject({
    status: "problem",
    message: expect.stringContaining("expired at") as string,
  });
});

async function peerOf(port: number): Promise<PeerCertificate> {
  const { promise, resolve, reject } = Promise.withResolvers<PeerCertificate>();
  const socket = connect({ port, host: "127.0.0.1", servername: "localhost", rejectUnauthorized: false }, () => {
    resolve(socket.getPeerCertificate());
    socket.end();
  });
  socket.on("error", reject);
  return await promise;
}

type Client = { answers: number; failures: string[]; done: Promise<void> };

/**
 * One request after the other until `signal`, over one connection or each over a new one. Counts as
 * it goes.
 */
function ask(port: number, keepAlive: boolean, signal: AbortSignal): Client {
  const agent = new Agent({ keepAlive, maxSockets: 1, rejectUnauthorized: false });
  const client: Client = { answers: 0, failures: [], done: Promise.resolve() };
  const once = async (): Promise<void> => {
    await new Promise<void>((resolve) => {
      request({ port, host: "127.0.0.1", servername: "localhost", path: "/healthz", agent }, (response) => {
        if (response.statusCode === 200) client.answers += 1;
        else client.failures.push(String(response.statusCode));
        response.resume().on("end", resolve);
      })
        .on("error", (error) => {
          client.failures.push(error.message);
          resolve();
        })
        .end();
    });
  };
  const work = async (): Promise<void> => {
    while (!signal.aborted) await once();
    agent.destroy();
  };
  client.done = work();
  return client;
}
