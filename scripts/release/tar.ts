import { buffer } from "node:stream/consumers";
import { pack, type Header } from "tar-stream";

export type TarEntry = { name: string; mode: number } & (
  | { content: Buffer | string }
  | { linkTo: string }
  | { isFolder: true }
);

/** Depends on nothing but the entries and `epoch`, seconds. Everything belongs to root. */
export async function tarOf(entries: TarEntry[], epoch: number): Promise<Buffer> {
  const tar = pack();
  const whole = buffer(tar);
  for (const entry of entries) {
    const { name, mode } = entry;
    const header: Partial<Header> & { name: string } = { name, mode, uid: 0, gid: 0, mtime: new Date(epoch * 1000) };
    if ("content" in entry) tar.entry(header, entry.content);
    else if ("linkTo" in entry) tar.entry({ ...header, type: "symlink", linkname: entry.linkTo });
    else tar.entry({ ...header, type: "directory" });
  }
  tar.finalize();
  return await whole;
}
