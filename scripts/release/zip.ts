import { buffer } from "node:stream/consumers";
import { ZipFile } from "yazl";

export type ZipEntry = { name: string; mode: number; content: Buffer | string };

/** A zip file that depends on nothing but its entries and `epoch`, seconds. */
export async function zipOf(entries: ZipEntry[], epoch: number): Promise<Buffer> {
  const time = new Date(epoch * 1000);
  // A zip file has no time zone, and yazl writes the local time.
  const mtime = new Date(time.getTime() + time.getTimezoneOffset() * 60_000);
  const zip = new ZipFile();
  for (const { name, mode, content } of entries)
    zip.addBuffer(Buffer.from(content), name, {
      mode: 0o100000 | mode,
      mtime,
      forceDosTimestamp: true,
      compressionLevel: 9,
    });
  zip.end();
  return await buffer(zip.outputStream);
}
