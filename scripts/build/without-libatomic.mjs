// @ts-check
// Plain JavaScript, since scripts/bootstrap.mjs uses it on Node 20.
import { dynamicTags, executableSegment, loadedSegment, readElf } from "./elf.mjs";

/** @import { Elf, VersionNeed } from "./elf.mjs" */

export const library = "libatomic.so.1";
const replaced = "__atomic_compare_exchange";

/**
 * `__atomic_compare_exchange(8, object, expected, desired, …)` as machine code, with the strictest
 * memory order. Any other size ends the program: Node calls it with 8 only.
 *
 * @type {Record<number, { code: Buffer, byName: number, byAddress: number }>}
 */
const machines = {
  // x86-64: cmp $8,%rdi; jne 1f; mov (%rdx),%rax; mov (%rcx),%rcx; lock cmpxchg %rcx,(%rsi);
  // mov %rax,(%rdx); sete %al; ret; 1: ud2
  62: {
    code: Buffer.from("4883ff087512488b02488b09f0480fb10e4889020f94c0c30f0b", "hex"),
    byName: 7,
    byAddress: 8,
  },
  // AArch64: cmp x0,#8; b.ne 3f; ldr x8,[x2]; ldr x9,[x3]; 1: ldaxr x10,[x1]; cmp x10,x8; b.ne 2f;
  // stlxr w11,x9,[x1]; cbnz w11,1b; mov w0,#1; ret; 2: clrex; str x10,[x2]; mov w0,#0; ret; 3: brk
  183: {
    code: Buffer.from(
      "1f2000f1c1010054480040f9690040f92afc5fc85f0108eba100005429fc0bc88bffff35" +
        "20008052c0035fd65f3f03d54a0000f900008052c0035fd6200020d4",
      "hex",
    ),
    byName: 1026,
    byAddress: 1027,
  },
};

/**
 * Node needs libatomic for one small function, and Debian, Ubuntu and RHEL do not
 * install it. Adds the function to the program, and removes the library (docs/decisions/0050).
 *
 * @param {Buffer} program
 */
export function withoutLibatomic(program) {
  const elf = readElf(program);
  const need = elf.versionNeeds.find((each) => each.library === library);
  if (need === undefined) return;
  const versions = new Set(need.versions.map(({ number }) => number));
  const address = addFunction(program, elf);
  useAddress(program, elf, versions, address);
  removeLibrary(program, elf, need);
}

/** @param {Buffer} program */
function machineOf(program) {
  const machine = machines[program.readUInt16LE(18)];
  if (machine === undefined) throw new Error(`${library}: no replacement for this processor`);
  return machine;
}

/**
 * Behind the code, in the rest of its last page: it is loaded anyway, and nothing has to move.
 *
 * @param {Buffer} program
 * @param {Elf} elf
 */
function addFunction(program, { segments }) {
  const { code } = machineOf(program);
  const loaded = segments.filter(({ type }) => type === loadedSegment);
  const segment = loaded.find(({ flags }) => (flags & executableSegment) !== 0);
  if (segment === undefined) throw new Error("the program has no code");
  const start = Math.ceil((segment.offset + segment.size) / 16) * 16;
  const size = start + code.length - segment.offset;
  const next = loaded.find(({ address }) => address > segment.address);
  if (next !== undefined && (start + code.length > next.offset || segment.address + size > next.address))
    throw new Error(`${library}: there is no room for its function behind the code`);
  code.copy(program, start);
  for (const sizeAt of [segment.at + 32, segment.at + 40]) program.writeBigUInt64LE(BigInt(size), sizeAt);
  return segment.address + start - segment.offset;
}

/**
 * The loader wrote the address of the named function into Node's table. Now it writes ours.
 *
 * @param {Buffer} program
 * @param {Elf} elf
 * @param {Set<number>} versions
 * @param {number} address
 */
function useAddress(program, elf, versions, address) {
  const { byName, byAddress } = machineOf(program);
  const { dynamicValue, offsetOf, nameAt } = elf;
  // DF_BIND_NOW: before the start. Later, the loader does not accept an address.
  if ((dynamicValue(dynamicTags.flags) & 8) === 0) throw new Error("the program looks functions up while it runs");
  const symbols = offsetOf(dynamicValue(dynamicTags.symbols));
  const symbolVersions = offsetOf(dynamicValue(dynamicTags.symbolVersions));
  for (const at of relocations(elf)) {
    const symbol = program.readUInt32LE(at + 12);
    const versionAt = symbolVersions + symbol * 2;
    if (!versions.has(program.readUInt16LE(versionAt))) continue;
    const name = nameAt(program.readUInt32LE(symbols + symbol * 24));
    if (name !== replaced || program.readUInt32LE(at + 8) !== byName)
      throw new Error(`${library}: the program needs ${name}, which has no replacement`);
    program.writeBigUInt64LE(BigInt(byAddress), at + 8);
    program.writeBigUInt64LE(BigInt(address), at + 16);
    // 1: of no library.
    program.writeUInt16LE(1, versionAt);
  }
}

/** @param {Elf} elf */
function relocations({ dynamicValue, offsetOf }) {
  const { relocations, relocationsSize, pltRelocations, pltRelocationsSize } = dynamicTags;
  const tables = [
    { table: relocations, size: relocationsSize },
    { table: pltRelocations, size: pltRelocationsSize },
  ];
  return tables.flatMap(({ table, size }) =>
    Array.from({ length: dynamicValue(size) / 24 }, (_, index) => offsetOf(dynamicValue(table)) + index * 24),
  );
}

/**
 * Out of the list of libraries, and out of that of their versions.
 *
 * @param {Buffer} program
 * @param {Elf} elf
 * @param {VersionNeed} need
 */
function removeLibrary(program, elf, need) {
  const { dynamic, versionNeeds, nameAt } = elf;
  const count = versionNeeds.length - 1;
  for (const { at, tag } of dynamic)
    if (tag === dynamicTags.versionNeedsCount) program.writeBigUInt64LE(BigInt(count), at + 8);
  const index = versionNeeds.indexOf(need);
  const [before, next] = [versionNeeds[index - 1], versionNeeds[index + 1]];
  if (next !== undefined) {
    // The next entry takes its place. Its distances count from there.
    program.copy(program, need.at, next.at, next.at + 16);
    for (const at of [need.at + 8, need.at + 12]) {
      const distance = program.readUInt32LE(at);
      if (distance !== 0) program.writeUInt32LE(distance + next.at - need.at, at);
    }
  } else if (before !== undefined) program.writeUInt32LE(0, before.at + 12);

  const place = dynamic.findIndex(({ tag, value }) => tag === dynamicTags.needed && nameAt(value) === library);
  for (const { at } of dynamic.slice(place)) program.copy(program, at, at + 16, at + 32);
}
