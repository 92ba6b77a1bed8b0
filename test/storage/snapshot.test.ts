import { mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { systemRandom } from "../../src/lib/random.ts";
import { writeBackup } from "../../src/storage/backup/backup.ts";
import { copyRows, countRows } from "../../src/storage/backup/copy.ts";
import { fillDatabase, isInUse, openSnapshot } from "../../src/storage/open-snapshot.ts";
import { openStorage } from "../../src/storage/open.ts";
import type { DatabasePlace } from "../../src/storage/snapshot.ts";
import { openSqliteSnapshot } from "../../src/storage/sqlite/snapshot.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { eventOf } from "./rows.ts";

const places: Record<string, () => Promise<DatabasePlace>> = {
  sqlite: async () => ({ url: undefined, file: join(mkdtempSync(join(tmpdir(), "authsvc-snapshot-")), "authsvc.db") }),
  postgres: async () => ({ url: await createTestDatabase(), file: "" }),
};

async function open(kind: string) {
  const place = await places[kind]?.();
  if (!place) throw new Error(kind);
  const storage = await openStorage({ ...place, poolSize: 1 }, 0, () => {});
  let events = 0;
  const write = async (): Promise<void> => {
    events += 1;
    const event = eventOf(`aud_${events}`, events);
    await storage.write(async ({ db, tables }) => void (await db.insert(tables.auditEvents).values(event)));
  };
  return { place, storage, write };
}

async function eventsIn(snapshot: Awaited<ReturnType<typeof openSnapshot>>): Promise<number | undefined> {
  return snapshot && (await countRows(snapshot)).find(({ table }) => table === "audit_events")?.rows;
}

describe.each(Object.keys(places))("a snapshot (%s)", (kind) => {
  it("sees one moment, and holds up nobody who writes", async () => {
    const { place, storage, write } = await open(kind);
    await write();
    const snapshot = await openSnapshot(place);
    await write();
    expect(await eventsIn(snapshot)).toBe(1);
    await snapshot?.close();
    const later = await openSnapshot(place);
    expect(await eventsIn(later)).toBe(2);
    await later?.close();
    await storage.close();
  });

  it("knows whether somebody else has the database open", async () => {
    const { place, storage } = await open(kind);
    expect(await isInUse(place)).toBe(true);
    await storage.close();
    expect(await isInUse(place)).toBe(false);
  });

  it("fills another database wholly or not at all", async () => {
    const { place, storage, write } = await open(kind);
    for (let written = 0; written < 3; written += 1) await write();
    await storage.close();
    const target = await open(kind);
    await target.storage.close();
    const source = await openSnapshot(place);
    if (!source) throw new Error("no source");
    const cutOff = fillDatabase(target.place, async (filling) => {
      await copyRows(source, filling, () => {});
      throw new Error("cut off");
    });
    await expect(cutOff).rejects.toThrow("cut off");
    const lossy = fillDatabase(target.place, async (filling) =>
      copyRows(source, { ...filling, insert: (table, rows) => filling.insert(table, rows.slice(1)) }, () => {}),
    ).catch((error: unknown) => error);
    // Fewer rows arrive than were read.
    expect(await lossy).toMatchObject({ code: "UNUSABLE_STORAGE", message: expect.stringContaining("audit_events") });
    await source.close();
    const after = await openSnapshot(target.place);
    expect(await eventsIn(after)).toBe(0);
    await after?.close();
  });
});

describe.each(Object.keys(places))("a backup (%s)", (kind) => {
  it("that is stopped on the way leaves nothing behind", async () => {
    const { place, storage, write } = await open(kind);
    await write();
    const folder = mkdtempSync(join(tmpdir(), "authsvc-snapshot-"));
    const snapshot = await openSnapshot(place);
    if (!snapshot) throw new Error("no snapshot");
    const stopped = writeBackup(snapshot, join(folder, "a.backup"), { now: 0, random: systemRandom }, () => {
      throw new Error("stopped");
    });
    await expect(stopped).rejects.toThrow("stopped");
    expect(readdirSync(folder)).toEqual([]);
    await snapshot.close();
    await storage.close();
  });
});

describe("a copy of SQLite's pages", () => {
  it("is of the moment of its snapshot, whatever is written while it is made", async () => {
    const { place, storage, write } = await open("sqlite");
    await write();
    const snapshot = await openSqliteSnapshot(place.file);
    await write();
    const file = `${place.file}.copy`;
    await snapshot?.copyPages(file, () => void write());
    await snapshot?.close();
    const copy = await openSnapshot({ url: undefined, file });
    expect(await eventsIn(copy)).toBe(1);
    await copy?.close();
    await storage.close();
  });
});
