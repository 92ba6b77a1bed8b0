import { constants, zstdCompressSync } from "node:zlib";

/** Compresses rarely used files, which remain quick to unpack. */
export function compressed(content: Buffer): Buffer {
  return zstdCompressSync(content, { params: { [constants.ZSTD_c_compressionLevel]: 19 } });
}
