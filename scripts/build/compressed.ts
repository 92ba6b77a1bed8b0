import { constants, zstdCompressSync } from "node:zlib";

/** Small, and quick to unpack: what is read seldom. */
export function compressed(content: Buffer): Buffer {
  return zstdCompressSync(content, { params: { [constants.ZSTD_c_compressionLevel]: 19 } });
}
