import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { authsvc, answer } from "../cli/in-process.ts";
import { signedUp } from "../support/person.ts";
import { kill, killAll, startProcess, stop } from "../support/process.ts";
import { mountSmallDisk, noSmallDisk, type SmallDisk } from "../support/small-disk.ts";
import { reportExperiment } from "./experiment.ts";

const people = 5;
/** Before a test sets another. */
const outside = tmpdir();
const disks: SmallDisk[] = [];

afterEach(async () => {
  await killAll();
  for (const disk of disks.splice(0)) disk.remove();
});

type Service = "running" | "stopped" | "killed" | "killed, its -shm lost";
type Fault = "full" | "read-only";
const cases: [service: Service, fault: Fault][] = [
  ["running", "full"],
  ["stopped", "full"],
  ["stopped", "read-only"],
  ["killed", "full"],
  ["killed", "read-only"],
  ["killed, its -shm lost", "full"],
  ["killed, its -shm lost", "read-only"],
];

it.for(cases)("service %s, disk %s: db backup, db check and db status work", async ([state, fault], { skip }) => {
  const disk = mountSmallDisk(16);
  if (!disk) return skip(noSmallDisk);
  disks.push(disk);
  const data = disk.folder;
  const { service, app, process } = await startProcess(data);
  for (let person = 0; person < people; person += 1) await signedUp(service, app);
  if (state === "stopped") await stop(process);
  else if (state !== "running") await kill(process);
  if (state === "killed, its -shm lost") rmSync(join(data, "authsvc.db-shm"));
  if (fault === "full") disk.fill();
  else disk.setReadOnly(true);

  const target = mkdtempSync(join(outside, "authsvc-backups-"));
  const temporary = mkdtempSync(join(outside, "authsvc-tmp-"));
  const before = globalThis.process.env["TMPDIR"];
  globalThis.process.env["TMPDIR"] = temporary;
  try {
    const place = { cwd: target, env: { AUTHSVC_DATA: data } };
    const status = (await answer(["db", "status"], place)) as Counted;
    const check = await answer(["db", "check"], place);
    const made = await authsvc(["db", "backup", "a.backup", "--json", "--quiet"], place);
    const restored = await restoredUsers(join(target, "a.backup"), data);
    const lost = [
      ...(usersOf(status) === people ? [] : [`status counts ${usersOf(status)} users`]),
      ...((check as { ok: boolean }).ok ? [] : ["check finds problems"]),
      ...(made.code === 0 ? [] : [made.stderr]),
      ...(restored === people ? [] : [`the backup has ${restored} users`]),
      ...(readdirSync(temporary).length === 0 ? [] : ["a copy stays in the temporary folder"]),
      ...(readdirSync(target).join() === "a.backup" ? [] : ["a copy stays beside the backup"]),
    ];
    // What little room is left may do for a line of the audit log; a read-only disk has none.
    if (fault === "read-only" || made.stderr !== "")
      expect(made.stderr).toMatch(/^authsvc: warning: this backup is not in the audit log: [^\n]+\n$/u);
    reportExperiment(`commands with the service ${state} and the disk ${fault}`, { rounds: 1, checks: 6, lost });
  } finally {
    if (before === undefined) delete globalThis.process.env["TMPDIR"];
    else globalThis.process.env["TMPDIR"] = before;
    if (fault === "read-only") disk.setReadOnly(false);
  }
});

type Counted = { tables: { table: string; rows: number }[] };

function usersOf({ tables }: Counted): number | undefined {
  return tables.find(({ table }) => table === "users")?.rows;
}

/** Of a restore somewhere else, with the key of the old place. */
async function restoredUsers(backup: string, data: string): Promise<number | undefined> {
  const folder = mkdtempSync(join(outside, "authsvc-restored-"));
  const place = {
    cwd: folder,
    env: { AUTHSVC_DATA: folder, AUTHSVC_MASTER_KEY_FILE: join(data, "master.key") },
  };
  return usersOf((await answer(["db", "restore", backup], place)) as Counted);
}
