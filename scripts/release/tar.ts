import { buffer } from "node:stream/consumers";
import { pack, type Header } from "tar-stream";

/** `owner`: the number of user and group; root if it is missing. */
export type TarEntry = { name: string; mode: number; owner?: number } & (
  | { content: Buffer | string }
  | { linkTo: string }
  | { isFolder: true }
);

/** A tar file that depends on nothing but its entries and `epoch`, seconds. */
export async function tarOf(entries: TarEntry[], epoch: number): Promise<Buffer> {
  const tar = pack();
  const whole = buffer(tar);
  for (const entry of entries) {
    const { name, mode, owner = 0 } = entry;
    const header: Partial<Header> & { name: string } = {
      name,
      mode,
      uid: owner,
      gid: owner,
      mtime: new Date(epoch * 1000),
    };
    if ("content" in entry) tar.entry(header, entry.content);
    else if ("linkTo" in entry) tar.entry({ ...header, type: "symlink", linkname: entry.linkTo });
    else tar.entry({ ...header, type: "directory" });
  }
  tar.finalize();
  return await whole;
}

const block = 512;

/**
 * Puts every entry of a tar file into a folder, by the field of its header for that: `authsvc
 * update` of 1.0.0 looks for the name `authsvc` alone (docs/decisions/0083).
 */
export function inFolder(tar: Buffer, folder: string): Buffer {
  const moved = Buffer.from(tar);
  for (let at = 0; at + block <= moved.length && moved[at] !== 0;) {
    const header = moved.subarray(at, at + block);
    header.write(folder, 345, "latin1");
    // The checksum is counted with blanks in its place.
    header.fill(" ", 148, 156);
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
    at += block + Math.ceil(Number.parseInt(header.toString("latin1", 124, 136), 8) / block) * block;
  }
  return moved;
}
