import { execFileSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The only one that resolv.conf can name. */
const port = 53;

export type NameServer = {
  /** What runs a program that asks this name server for every name, `localhost` included. */
  readonly command: string[];
  /** From now on queries are read and not answered. */
  swallow(): void;
  answer(): void;
  swallowed(): number;
  close(): Promise<void>;
};

/** Why no program can be given a name server of its own; undefined where one can. */
export function whyNoNameServer(): string | undefined {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return "needs root of a Linux machine";
  try {
    execFileSync("unshare", ["-m", "mount", "--bind", tmpdir(), tmpdir()], { stdio: "ignore" });
    return undefined;
  } catch {
    return "this process may not make a mount namespace";
  }
}

/** A name server to which every name is 127.0.0.1. */
export async function startNameServer(): Promise<NameServer> {
  // Every address of 127.0.0.0/8 is this machine: one where nobody else listens.
  const address = `127.53.${randomInt(256)}.${randomInt(1, 255)}`;
  let isSilent = false;
  let swallowed = 0;
  const socket = createSocket("udp4").on("message", (query, { address: from, port: to }) => {
    if (isSilent) swallowed += 1;
    else socket.send(answerTo(query), to, from);
  });
  await new Promise<void>((resolve, reject) => {
    socket.once("error", reject).bind(port, address, resolve);
  });
  const files = mkdtempSync(join(tmpdir(), "authsvc-names-"));
  // glibc waits for 75 s, and asks again after 15.
  writeFileSync(join(files, "resolv.conf"), `nameserver ${address}\noptions timeout:15 attempts:5\n`);
  writeFileSync(join(files, "nsswitch.conf"), "hosts: dns\n");
  const mounts = ["resolv.conf", "nsswitch.conf"].map((file) => `mount --bind ${join(files, file)} /etc/${file}`);
  return {
    command: ["unshare", "-m", "sh", "-c", `${mounts.join(" && ")} && exec "$@"`, "sh"],
    swallow() {
      isSilent = true;
    },
    answer() {
      isSilent = false;
    },
    swallowed: () => swallowed,
    close: () => new Promise((resolve) => socket.close(resolve)),
  };
}

/** RFC 1035, section 4: one A record, and nothing for other types. */
function answerTo(query: Buffer): Buffer {
  const headerBytes = 12;
  const questionEnds = query.indexOf(0, headerBytes) + 5;
  const isA = query.readUInt16BE(questionEnds - 4) === 1;
  const header = Buffer.from([0, 0, 0x81, 0x80, 0, 1, 0, isA ? 1 : 0, 0, 0, 0, 0]);
  query.copy(header, 0, 0, 2);
  // A pointer to the question's name, type A, class IN, kept for 0 s, four bytes.
  const record = Buffer.from([0xc0, headerBytes, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, 127, 0, 0, 1]);
  return Buffer.concat([header, query.subarray(headerBytes, questionEnds), ...(isA ? [record] : [])]);
}
