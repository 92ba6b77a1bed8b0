import { createHash } from "node:crypto";

/** The parts of a 64-bit little-endian Mach-O file that a signature is about. */
type MachO = { text: Segment; linkedit: Segment; commandsEnd: number; firstSection: number; isSigned: boolean };
type Segment = { at: number; fileOffset: number; fileSize: number };

const magic = 0xfeedfacf;
const headerSize = 32;
/** LC_SEGMENT_64 and LC_CODE_SIGNATURE. */
const segmentCommand = 0x19;
const signatureCommand = 0x1d;
const signatureCommandSize = 16;
const pageBits = 12;
/** Of the memory of an Apple processor. */
const memoryPage = 0x4000;
const superBlobHeader = 20;
const directoryHeader = 88;

/**
 * Signs for macOS as linkers do: with digests of all pages and no identity. macOS on Apple
 * processors starts no program without (docs/decisions/0065).
 */
export function signAdHoc(program: Buffer, name: string): Buffer {
  const { text, linkedit, commandsEnd, firstSection, isSigned } = readMachO(program);
  if (isSigned) throw new Error("the program is signed already");
  if (commandsEnd + signatureCommandSize > firstSection) throw new Error("no room for the command of a signature");
  if (linkedit.fileOffset + linkedit.fileSize !== program.length) throw new Error("__LINKEDIT is not the last segment");

  const codeSize = Math.ceil(program.length / 16) * 16;
  const pages = Math.ceil(codeSize / 2 ** pageBits);
  const identifier = Buffer.from(`${name}\0`);
  const hashesAt = directoryHeader + identifier.length;
  const signature = Buffer.alloc(Math.ceil((superBlobHeader + hashesAt + pages * 32) / 16) * 16);
  const signed = Buffer.concat([program, Buffer.alloc(codeSize - program.length), signature]);

  signed.writeUInt32LE(signed.readUInt32LE(16) + 1, 16);
  signed.writeUInt32LE(signed.readUInt32LE(20) + signatureCommandSize, 20);
  for (const [index, value] of [signatureCommand, signatureCommandSize, codeSize, signature.length].entries())
    signed.writeUInt32LE(value, commandsEnd + index * 4);
  const linkeditSize = signed.length - linkedit.fileOffset;
  signed.writeBigUInt64LE(BigInt(linkeditSize), linkedit.at + 48);
  signed.writeBigUInt64LE(BigInt(Math.ceil(linkeditSize / memoryPage) * memoryPage), linkedit.at + 32);

  // What macOS reads of a signature is big-endian. One blob: the code directory, in slot 0.
  const blob = signed.subarray(codeSize);
  const directorySize = hashesAt + pages * 32;
  words(blob, 0, [0xfade0cc0, superBlobHeader + directorySize, 1, 0, superBlobHeader]);
  const directory = blob.subarray(superBlobHeader);
  // Version 2.4; flags: ad hoc, by a linker; no special slots.
  words(directory, 0, [0xfade0c02, directorySize, 0x20400, 0x20002, hashesAt, directoryHeader, 0, pages, codeSize]);
  // Size and kind (SHA-256) of a digest, platform, page size.
  directory.set([32, 2, 0, pageBits], 36);
  directory.writeBigUInt64BE(BigInt(text.fileOffset), 64);
  directory.writeBigUInt64BE(BigInt(text.fileSize), 72);
  // CS_EXECSEG_MAIN_BINARY.
  directory.writeBigUInt64BE(1n, 80);
  identifier.copy(directory, directoryHeader);
  for (let page = 0; page < pages; page += 1) {
    const start = page * 2 ** pageBits;
    const content = signed.subarray(start, Math.min(start + 2 ** pageBits, codeSize));
    createHash("sha256")
      .update(content)
      .digest()
      .copy(directory, hashesAt + page * 32);
  }
  return signed;
}

function readMachO(program: Buffer): MachO {
  if (program.readUInt32LE(0) !== magic) throw new Error("not a 64-bit little-endian Mach-O file");
  const segments = new Map<string, Segment>();
  let firstSection = program.length;
  let isSigned = false;
  let at = headerSize;
  for (let left = program.readUInt32LE(16); left > 0; left -= 1) {
    const command = program.readUInt32LE(at);
    isSigned ||= command === signatureCommand;
    if (command === segmentCommand) {
      const name = program.toString("latin1", at + 8, at + 24).replace(/\0+$/u, "");
      const [fileOffset, fileSize] = [at + 40, at + 48].map((place) => Number(program.readBigUInt64LE(place)));
      segments.set(name, { at, fileOffset: fileOffset ?? 0, fileSize: fileSize ?? 0 });
      for (let section = program.readUInt32LE(at + 64) - 1; section >= 0; section -= 1) {
        const offset = program.readUInt32LE(at + 72 + section * 80 + 48);
        // Sections without content have none.
        if (offset > 0) firstSection = Math.min(firstSection, offset);
      }
    }
    at += program.readUInt32LE(at + 4);
  }
  const [text, linkedit] = [segments.get("__TEXT"), segments.get("__LINKEDIT")];
  if (text === undefined || linkedit === undefined) throw new Error("the program has no __TEXT or no __LINKEDIT");
  return { text, linkedit, commandsEnd: at, firstSection, isSigned };
}

function words(target: Buffer, at: number, values: number[]): void {
  for (const [index, value] of values.entries()) target.writeUInt32BE(value, at + index * 4);
}
