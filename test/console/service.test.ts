import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { day } from "../../src/lib/clock.ts";
import { programFiles } from "../../src/lib/program-files.ts";
import { operatorRoles } from "../../src/storage/column-types.ts";
import { authsvc } from "../cli/in-process.ts";
import { commandsOn, openConsole, type Console } from "../support/console.ts";
import type { Page } from "../support/person.ts";
import { describeSqliteFirst, describeOnSqlite, type TestService } from "../support/service.ts";

const patience = { timeout: 60_000, interval: 100 };

function filesOf({ dataDir }: TestService): string[] {
  const folder = join(dataDir, "backups");
  return existsSync(folder) ? readdirSync(folder).toSorted() : [];
}

/** Presses the button, and waits until the backup is made. */
async function backUp(service: TestService, console: Console): Promise<Page> {
  const before = new Set(filesOf(service));
  const page = await console.submit(await console.get("/service"), "/service/backup");
  await vi.waitFor(async () => {
    expect((await console.get("/service")).text).not.toContain("A backup is being made");
    expect(filesOf(service).filter((name) => !before.has(name) && name.endsWith(".backup"))).toHaveLength(1);
  }, patience);
  return page;
}

describeSqliteFirst("the page of the service", (service) => {
  it("makes a backup as a process of its own, which can be restored by the command that the page shows", async () => {
    await service.createApp({ name: "In the backup" });
    const console = await openConsole(service);
    const answer = await backUp(service, console);
    expect(answer.text).toMatch(/The backup (?:was|is being) made/u);
    const [file = ""] = filesOf(service);
    const path = join(service.dataDir, "backups", file);
    expect([statSync(path).mode & 0o777, statSync(join(service.dataDir, "backups")).mode & 0o777]).toEqual([
      0o600, 0o700,
    ]);
    const page = await console.get("/service");
    const shown = commandsOn(page).find((line) => line.includes("db restore") && line.includes("--dry-run")) ?? "";
    expect(shown).toBe(`authsvc db restore ${path} --dry-run`);
    // Into an empty folder: this service is running.
    const fresh = join(service.dataDir, "fresh");
    mkdirSync(fresh, { mode: 0o700 });
    const key = service.config.masterKey ?? readFileSync(join(service.dataDir, "master.key"), "utf8").trim();
    const env = { AUTHSVC_DATA: fresh, AUTHSVC_MASTER_KEY: key };
    const restored = await authsvc(["db", "restore", path, "--yes"], { cwd: fresh, env });
    expect([restored.code, restored.stdout]).toEqual([0, expect.stringContaining("were restored")]);
    expect((await authsvc(["app", "list"], { cwd: fresh, env })).stdout).toContain("In the backup");
  });

  it("is in the audit log twice: who asked for a backup, and that it was made", async () => {
    const console = await openConsole(service);
    await backUp(service, console);
    const { text } = await console.get("/audit?action=database.backup-asked");
    expect(text).toContain("Asked for a backup of the database");
    expect((await console.get("/audit?action=database.backup")).text).toContain("Database backed up");
    expect((await console.get("/service")).text).toMatch(/<dt>Last backup<\/dt>\s*<dd><time/u);
  });
});

describeOnSqlite("backups of the console", (service) => {
  it("are the last three, and nobody else's files are touched", async () => {
    const console = await openConsole(service);
    const folder = join(service.dataDir, "backups");
    mkdirSync(folder, { mode: 0o700 });
    writeFileSync(join(folder, "mine.backup"), "not the service's");
    const old = ["20260101T000000Z", "20260102T000000Z", "20260103T000000Z"].map((at) => `authsvc-${at}-abcdef.backup`);
    for (const name of old) writeFileSync(join(folder, name), "an old one");
    await backUp(service, console);
    const [newest = ""] = filesOf(service).filter((name) => ![...old, "mine.backup"].includes(name));
    await vi.waitFor(() => expect(filesOf(service)).toEqual([...old.slice(1), newest, "mine.backup"]), patience);
    expect(readFileSync(join(folder, "mine.backup"), "utf8")).toBe("not the service's");
  });

  it("are made one at a time, and a failure is said with its reason", async () => {
    const console = await openConsole(service);
    const folder = join(service.dataDir, "backups");
    rmSync(folder, { recursive: true, force: true });
    writeFileSync(folder, "in the way");
    const page = await console.submit(await console.get("/service"), "/service/backup");
    expect([page.status, page.text.includes("is not a folder")]).toEqual([409, true]);
    rmSync(folder);
    const form = await console.get("/service");
    const answers = await Promise.all([1, 2, 3].map(async () => await console.submit(form, "/service/backup")));
    expect(answers.filter(({ text }) => text.includes("A backup is being made. Wait until it is done."))).toHaveLength(
      2,
    );
    await vi.waitFor(async () => {
      expect((await console.get("/service")).text).not.toContain("A backup is being made");
      expect(filesOf(service)).toHaveLength(1);
    }, patience);
  });

  it("are made again after a process that could not begin, and although an old one cannot be removed", async () => {
    const console = await openConsole(service);
    const { command } = programFiles;
    // As without memory, no process is begun.
    programFiles.command = ["no\0program"];
    try {
      const page = await console.submit(await console.get("/service"), "/service/backup");
      expect([page.status, page.text.includes("The backup was not made.")]).toEqual([409, true]);
    } finally {
      programFiles.command = command;
    }
    mkdirSync(join(service.dataDir, "backups", "authsvc-20250101T000000Z-abcdef.backup"), { recursive: true });
    for (let time = 0; time < 4; time += 1) {
      const before = filesOf(service);
      await console.submit(await console.get("/service"), "/service/backup");
      await vi.waitFor(async () => {
        expect((await console.get("/service")).text).not.toContain("A backup is being made");
        expect(filesOf(service)).not.toEqual(before);
      }, patience);
      service.clock.advance(1000);
    }
    expect((await console.get("/service")).status).toBe(200);
  });

  it("J8: are not for an operator of one application, nor for support", async () => {
    const { id: appId } = await service.createApp();
    expect((await (await openConsole(service, { appId })).get("/service")).status).toBe(403);
    for (const role of operatorRoles.filter((each) => each !== "owner"))
      expect((await (await openConsole(service, { role })).get("/service")).text).not.toContain("Back up now");
  });
});

describeOnSqlite("findings on the page of the service", (service) => {
  it("say what is missing with its command and the lines to paste, and what is fine", async () => {
    const console = await openConsole(service);
    const page = await console.get("/service");
    expect(page.text).toContain("No mail is sent");
    expect(page.text).toContain("smtpUrl: smtps://USER:PASSWORD@smtp.example.com");
    expect(commandsOn(page)).toContain("authsvc config check");
    expect(page.text).toContain('<li id="backup">');
    expect(page.text).toContain("The data folder and its files are private.");
    await backUp(service, console);
    await vi.waitFor(
      async () => expect((await console.get("/service")).text).not.toContain('<li id="backup">'),
      patience,
    );
    service.clock.advance(9 * day);
    await vi.waitFor(async () => {
      expect((await console.get("/service")).text).toContain('<li id="backup">');
    }, patience);
  });

  it("hold for ten minutes what a whole check found, which asks other servers too", async () => {
    const console = await openConsole(service, { role: "support" });
    const page = await console.submit(await console.get("/service"), "/service/check");
    expect(page.text).toMatch(/Everything was checked\..*Everything checked <time/su);
    service.clock.advance(11 * 60_000);
    expect((await console.get("/service")).text).not.toContain("Everything checked <time");
  });
});
