import { expectElf } from "./elf.mjs";

/** Sections that a running program does not need: function names and debugging information. */
const dispensable = /^\.(symtab|strtab|debug_.*|comment|gnu\.build\.attributes)$/;

const sectionHeaderSize = 64;
/** SHF_ALLOC: part of what is loaded. */
const loaded = 2n;

type Section = {
  header: Buffer;
  name: string;
  flags: bigint;
  offset: number;
  size: number;
  link: number;
  info: number;
};

/**
 * Removes the symbols of a 64-bit little-endian ELF program, a quarter of Node, like `strip` of
 * binutils. That is not available everywhere, only knows its own machine's formats, and its output
 * varies by version. Nothing that is loaded moves.
 */
export function stripElf(program: Buffer): Buffer {
  expectElf(program);
  const sections = readSections(program);
  const kept = sections.filter(({ name, flags }) => (flags & loaded) !== 0n || !dispensable.test(name));
  const numbers = new Map(kept.map((section, number) => [sections.indexOf(section), number]));

  const isInside = ({ flags, offset }: Section): boolean => (flags & loaded) !== 0n || offset === 0;
  const end = Math.max(
    ...kept.filter(isInside).map(({ header, offset, size }) => offset + (hasBytes(header) ? size : 0)),
  );
  const parts: Buffer[] = [program.subarray(0, end)];
  let length = end;
  for (const section of kept) {
    if (!isInside(section)) {
      const padding = Buffer.alloc(-length & 7);
      parts.push(padding, program.subarray(section.offset, section.offset + section.size));
      section.header.writeBigUInt64LE(BigInt(length + padding.length), 24);
      length += padding.length + section.size;
    }
    // Sections refer to each other by number.
    section.header.writeUInt32LE(numbers.get(section.link) ?? 0, 40);
    if (refersByInfo(section)) section.header.writeUInt32LE(numbers.get(section.info) ?? 0, 44);
  }
  const padding = Buffer.alloc(-length & 7);
  const whole = Buffer.concat([...parts, padding, ...kept.map(({ header }) => header)]);
  whole.writeBigUInt64LE(BigInt(length + padding.length), 40);
  whole.writeUInt16LE(kept.length, 60);
  whole.writeUInt16LE(numbers.get(program.readUInt16LE(62)) ?? 0, 62);
  return whole;
}

function readSections(program: Buffer): Section[] {
  const table = Number(program.readBigUInt64LE(40));
  const headers = Array.from({ length: program.readUInt16LE(60) }, (_, number) =>
    Buffer.from(program.subarray(table + number * sectionHeaderSize, table + (number + 1) * sectionHeaderSize)),
  );
  const names = headers[program.readUInt16LE(62)];
  const namesAt = names === undefined ? 0 : Number(names.readBigUInt64LE(24));
  return headers.map((header) => {
    const nameAt = namesAt + header.readUInt32LE(0);
    return {
      header,
      name: program.toString("latin1", nameAt, program.indexOf(0, nameAt)),
      flags: header.readBigUInt64LE(8),
      offset: Number(header.readBigUInt64LE(24)),
      size: Number(header.readBigUInt64LE(32)),
      link: header.readUInt32LE(40),
      info: header.readUInt32LE(44),
    };
  });
}

/** SHT_NOBITS (.bss) takes up memory only. */
function hasBytes(header: Buffer): boolean {
  return header.readUInt32LE(4) !== 8;
}

/** SHF_INFO_LINK: the relocations of a section. */
function refersByInfo({ flags }: Section): boolean {
  return (flags & 0x40n) !== 0n;
}
