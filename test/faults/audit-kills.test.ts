import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { emptyFolder } from "../cli/command.ts";
import { answer } from "../cli/in-process.ts";
import { leftOut, noProgram } from "../support/left-out.ts";
import { newEmail, redeem, signUp } from "../support/person.ts";
import { kill, startProcess } from "../support/process.ts";
import { startReceiver } from "../support/syslog-receiver.ts";
import { writeCertificate } from "../support/tls-files.ts";
import { killAtWork } from "./acknowledged.ts";
import { reportExperiment } from "./experiment.ts";

type Entry = { id: string; at: string; action: string };

const patience = { timeout: 60_000, interval: 100 };

/** All entries, as the log has them. */
async function entriesIn(cwd: string): Promise<Entry[]> {
  return (await answer(["audit", "list", "--sort", "at", "--limit", "10000"], {
    cwd,
    env: { AUTHSVC_DATA: cwd },
  })) as Entry[];
}

it("G7: a receiver has every entry, in order, whenever the process that sends was killed", async () => {
  const receiver = await startReceiver();
  onTestFinished(receiver.close);
  const data = emptyFolder();
  const syslog = {
    AUTHSVC_AUDIT__SYSLOG__URL: `tls://localhost:${receiver.port}`,
    AUTHSVC_AUDIT__SYSLOG__CA_FILE: receiver.caFile,
  };
  const rounds = 4;
  for (let round = 0; round < rounds; round += 1) {
    const { service, app, process } = await startProcess(data, syslog);
    let done = 0;
    const step = async (): Promise<void> => {
      await redeem(service, app, await signUp(service, app, { email: newEmail() }));
      done += 1;
    };
    await killAtWork(process, step, () => done >= 5 && receiver.received.length > round);
  }
  const last = await startProcess(data, syslog);
  // The entries of the first start come before its first turn.
  const first = receiver.received[0]?.id ?? "";
  let entries: Entry[] = [];
  await vi.waitFor(async () => {
    entries = await entriesIn(data);
    expect(receiver.received.map(({ id }) => id)).toContain(entries.at(-1)?.id);
  }, patience);
  await kill(last.process);
  const wanted = entries.slice(entries.findIndex(({ id }) => id === first)).map(({ id }) => id);
  const got = new Set(receiver.received.map(({ id }) => id));
  const lost = wanted.filter((id) => !got.has(id));
  const unordered = receiver.connections.filter((numbers) =>
    numbers.some((number, place) => number <= (numbers[place - 1] ?? 0)),
  );
  const numberOf = new Map<string, number>();
  for (const { id, number } of receiver.received) {
    if ((numberOf.get(id) ?? number) !== number) lost.push(`${id} has two numbers`);
    numberOf.set(id, number);
  }
  expect(unordered).toEqual([]);
  reportExperiment("kill -9 of what sends the audit log", { rounds, checks: wanted.length, lost });
});

const noRsyslog = noProgram("rsyslogd", "-v");

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

it.skipIf(noRsyslog !== undefined)(
  `G8: rsyslog reads each message as the entry that it is, and confirms a connection${leftOut(noRsyslog)}`,
  async () => {
    const folder = emptyFolder();
    await writeCertificate(folder);
    const port = await freePort();
    const file = join(folder, "entries");
    mkdirSync(join(folder, "work"));
    writeFileSync(
      join(folder, "rsyslog.conf"),
      `global(workDirectory="${folder}/work" maxMessageSize="64k" DefaultNetstreamDriverCAFile="${folder}/cert.pem"
  DefaultNetstreamDriverCertFile="${folder}/cert.pem" DefaultNetstreamDriverKeyFile="${folder}/key.pem")
module(load="imtcp" streamdriver.name="ossl" streamdriver.mode="1" streamdriver.authmode="anon")
template(name="entry" type="list") {
  property(name="pri") constant(value="|") property(name="timereported" dateFormat="rfc3339") constant(value="|")
  property(name="hostname") constant(value="|") property(name="app-name") constant(value="|") property(name="msgid")
  constant(value="|") property(name="structured-data") constant(value="|") property(name="msg") constant(value="\\n")
}
ruleset(name="all") { action(type="omfile" file="${file}" template="entry") }
input(type="imtcp" address="127.0.0.1" port="${port}" ruleset="all")
`,
    );
    const rsyslog: ChildProcess = spawn(
      "rsyslogd",
      ["-n", "-f", join(folder, "rsyslog.conf"), "-i", join(folder, "pid")],
      { stdio: "ignore" },
    );
    onTestFinished(() => void rsyslog.kill("SIGKILL"));
    const data = emptyFolder();
    const { service, app, process } = await startProcess(data, {
      AUTHSVC_AUDIT__SYSLOG__URL: `tls://localhost:${port}`,
      AUTHSVC_AUDIT__SYSLOG__CA_FILE: join(folder, "cert.pem"),
    });
    const lines = (): string[][] =>
      existsSync(file)
        ? readFileSync(file, "utf8")
            .split("\n")
            .filter((line) => line !== "")
            .map((line) => line.split("|"))
        : [];
    await vi.waitFor(async () => {
      await redeem(service, app, await signUp(service, app, { email: newEmail() }));
      expect(lines().length).toBeGreaterThan(5);
    }, patience);
    // A stop ends the connection, and waits for rsyslog's end.
    process.kill("SIGTERM");
    await new Promise((resolve) => process.once("exit", resolve));
    const stored = new Map((await entriesIn(data)).map((entry) => [entry.id, entry]));
    for (const [pri, at, host, name, action, structured, ...body] of lines()) {
      const entry = JSON.parse(body.join("|")) as Entry;
      expect(entry).toEqual(stored.get(entry.id));
      expect([pri, host, name, action]).toEqual([
        expect.stringMatching(/^8[46]$/u),
        "localhost",
        "authsvc",
        entry.action,
      ]);
      expect(new Date(at ?? "").toISOString()).toBe(entry.at);
      expect(structured).toContain(`id="${entry.id}"`);
    }
    const { DatabaseSync } = await import("node:sqlite");
    const database = new DatabaseSync(join(data, "authsvc.db"), { readOnly: true });
    onTestFinished(() => database.close());
    const sent = lines().length;
    const waiting = database.prepare("SELECT number FROM audit_sendings").all();
    const { number } = database.prepare("SELECT number FROM audit_senders").get() as { number: number };
    // Only what was written while it stopped.
    expect(number - waiting.length).toBe(sent);
  },
);
