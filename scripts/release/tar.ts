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
