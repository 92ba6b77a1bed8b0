/** The parts of a 64-bit little-endian ELF file that tell the system's loader what to load. */
export type Elf = {
  segments: Segment[];
  dynamic: DynamicEntry[];
  /** The value of the first entry with this tag. */
  dynamicValue(tag: number): number;
  /** Where the loaded address is in the file. */
  offsetOf(address: number): number;
  /** A name that the loader reads. */
  nameAt(index: number): string;
  /** The libraries that the loader must find, and the versions of each that the file needs. */
  libraries: string[];
  versionNeeds: VersionNeed[];
};

export type Segment = { at: number; type: number; flags: number; offset: number; address: number; size: number };
type DynamicEntry = { at: number; tag: number; value: number };
/** A version's number stands for it in the table of symbols. */
export type VersionNeed = { at: number; library: string; versions: { name: string; number: number }[] };

/** PT_LOAD, and a segment's flag PF_X. */
export const loadedSegment = 1;
export const executableSegment = 1;
const dynamicSegment = 2;

/** Tags of dynamic entries: DT_NEEDED and so on. */
export const dynamicTags = {
  needed: 1,
  pltRelocationsSize: 2,
  names: 5,
  symbols: 6,
  relocations: 7,
  relocationsSize: 8,
  pltRelocations: 23,
  flags: 30,
  versionNeeds: 0x6ffffffe,
  versionNeedsCount: 0x6fffffff,
  symbolVersions: 0x6ffffff0,
};

export function expectElf(program: Buffer): void {
  if (program.readUInt32BE(0) !== 0x7f454c46 || program[4] !== 2 || program[5] !== 1)
    throw new Error("not a 64-bit little-endian ELF file");
}

export function readElf(program: Buffer): Elf {
  expectElf(program);
  const number = (at: number): number => Number(program.readBigUInt64LE(at));
  const segments = Array.from({ length: program.readUInt16LE(56) }, (_, index): Segment => {
    const at = number(32) + index * 56;
    const [type, flags] = [program.readUInt32LE(at), program.readUInt32LE(at + 4)];
    return { at, type, flags, offset: number(at + 8), address: number(at + 16), size: number(at + 32) };
  });

  const dynamic: DynamicEntry[] = [];
  const place = segments.find(({ type }) => type === dynamicSegment);
  for (let at = place?.offset ?? program.length; at < program.length && number(at) !== 0; at += 16)
    dynamic.push({ at, tag: number(at), value: number(at + 8) });

  const elf = { segments, dynamic, dynamicValue, offsetOf, nameAt };
  const libraries = dynamic.filter(({ tag }) => tag === dynamicTags.needed).map(({ value }) => nameAt(value));
  return { ...elf, libraries, versionNeeds: readVersionNeeds(program, elf) };

  function dynamicValue(tag: number): number {
    return dynamic.find((entry) => entry.tag === tag)?.value ?? 0;
  }

  function offsetOf(address: number): number {
    const segment = segments.find(
      (each) => each.type === loadedSegment && address >= each.address && address < each.address + each.size,
    );
    if (segment === undefined) throw new Error(`nothing is loaded to the address 0x${address.toString(16)}`);
    return address - segment.address + segment.offset;
  }

  function nameAt(index: number): string {
    const at = offsetOf(dynamicValue(dynamicTags.names)) + index;
    return program.toString("latin1", at, program.indexOf(0, at));
  }
}

/** Two lists: of libraries, and of versions in each. An entry says how far the next one is. */
function readVersionNeeds(
  program: Buffer,
  { dynamicValue, offsetOf, nameAt }: Pick<Elf, "dynamicValue" | "offsetOf" | "nameAt">,
): VersionNeed[] {
  const address = dynamicValue(dynamicTags.versionNeeds);
  if (address === 0) return [];
  return follow(offsetOf(address), 12).map((at) => ({
    at,
    library: nameAt(program.readUInt32LE(at + 4)),
    versions: follow(at + program.readUInt32LE(at + 8), 12).map((version) => ({
      name: nameAt(program.readUInt32LE(version + 8)),
      number: program.readUInt16LE(version + 6),
    })),
  }));

  function follow(first: number, next: number): number[] {
    const found = [first];
    for (let at = first, step; (step = program.readUInt32LE(at + next)) !== 0;) found.push((at += step));
    return found;
  }
}
