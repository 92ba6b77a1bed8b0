// @ts-check
// Plain JavaScript, since scripts/bootstrap.mjs uses it on Node 20.

/**
 * The parts of a 64-bit little-endian ELF file that tell the system's loader what to load.
 *
 * @typedef {object} Elf
 * @property {Segment[]} segments
 * @property {DynamicEntry[]} dynamic
 * @property {(tag: number) => number} dynamicValue The value of the first entry with this tag.
 * @property {(address: number) => number} offsetOf Where the loaded address is in the file.
 * @property {(index: number) => string} nameAt A name that the loader reads.
 * @property {string[]} libraries The libraries that the loader must find.
 * @property {VersionNeed[]} versionNeeds The versions of each library that the file needs.
 */
/**
 * @typedef {object} Segment
 * @property {number} at
 * @property {number} type
 * @property {number} flags
 * @property {number} offset
 * @property {number} address
 * @property {number} size
 */
/** @typedef {{ at: number, tag: number, value: number }} DynamicEntry */
/**
 * A version's number stands for it in the table of symbols.
 *
 * @typedef {object} VersionNeed
 * @property {number} at
 * @property {string} library
 * @property {{ name: string, number: number }[]} versions
 */

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

/** @param {Buffer} program */
export function expectElf(program) {
  if (program.readUInt32BE(0) !== 0x7f454c46 || program[4] !== 2 || program[5] !== 1)
    throw new Error("not a 64-bit little-endian ELF file");
}

/**
 * @param {Buffer} program
 * @returns {Elf}
 */
export function readElf(program) {
  expectElf(program);
  const number = (/** @type {number} */ at) => Number(program.readBigUInt64LE(at));
  const segments = Array.from({ length: program.readUInt16LE(56) }, (_, index) => {
    const at = number(32) + index * 56;
    const [type, flags] = [program.readUInt32LE(at), program.readUInt32LE(at + 4)];
    return { at, type, flags, offset: number(at + 8), address: number(at + 16), size: number(at + 32) };
  });

  /** @type {DynamicEntry[]} */
  const dynamic = [];
  const place = segments.find(({ type }) => type === dynamicSegment);
  for (let at = place?.offset ?? program.length; at < program.length && number(at) !== 0; at += 16)
    dynamic.push({ at, tag: number(at), value: number(at + 8) });

  const elf = { segments, dynamic, dynamicValue, offsetOf, nameAt };
  const libraries = dynamic.filter(({ tag }) => tag === dynamicTags.needed).map(({ value }) => nameAt(value));
  return { ...elf, libraries, versionNeeds: readVersionNeeds(program, elf) };

  /** @param {number} tag */
  function dynamicValue(tag) {
    return dynamic.find((entry) => entry.tag === tag)?.value ?? 0;
  }

  /** @param {number} address */
  function offsetOf(address) {
    const segment = segments.find(
      (each) => each.type === loadedSegment && address >= each.address && address < each.address + each.size,
    );
    if (segment === undefined) throw new Error(`nothing is loaded to the address 0x${address.toString(16)}`);
    return address - segment.address + segment.offset;
  }

  /** @param {number} index */
  function nameAt(index) {
    const at = offsetOf(dynamicValue(dynamicTags.names)) + index;
    return program.toString("latin1", at, program.indexOf(0, at));
  }
}

/**
 * Two lists: of libraries, and of versions in each. An entry says how far the next one is.
 *
 * @param {Buffer} program
 * @param {Pick<Elf, "dynamicValue" | "offsetOf" | "nameAt">} elf
 * @returns {VersionNeed[]}
 */
function readVersionNeeds(program, { dynamicValue, offsetOf, nameAt }) {
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

  /**
   * @param {number} first
   * @param {number} next
   */
  function follow(first, next) {
    const found = [first];
    for (let at = first, step; (step = program.readUInt32LE(at + next)) !== 0;) found.push((at += step));
    return found;
  }
}
