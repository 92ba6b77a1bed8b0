/**
 * A 3-wise binary fuse filter (Graf and Lemire, "Binary Fuse Filters: Fast and Smaller Than Xor
 * Filters", 2022): 16 bits a key, no false negative, one false positive in 65,536.
 */

/** What finds a key's slots. All are 32-bit numbers. */
export type Shape = { seed: number; segmentLength: number; segmentCount: number };

/** Keys of 64 bits, each as its low and its high half. */
export type Keys = Uint32Array<ArrayBuffer>;

export type Fingerprints = Uint16Array<ArrayBuffer>;

/** A key's three slots, and the fingerprint that their values must make together. */
export type Place = { first: number; second: number; third: number; fingerprint: number };

const maxSegmentLength = 2 ** 18;
/** One seed fails rarely. */
const maxSeeds = 100;

export function slotCount({ segmentLength, segmentCount }: Shape): number {
  return (segmentCount + 2) * segmentLength;
}

export function newPlace(): Place {
  return { first: 0, second: 0, third: 0, fingerprint: 0 };
}

/** Writes a key's place into `place`: millions of new ones would take most of the time. */
export function locate({ seed, segmentLength, segmentCount }: Shape, low: number, high: number, place: Place): Place {
  // Three rounds of a Feistel network: different keys stay different under every seed.
  const one = low ^ mixed(high ^ seed);
  const two = high ^ mixed(one + 0x9e3779b9);
  const three = one ^ mixed(two ^ 0x85ebca6b);
  place.first = Math.floor(((three >>> 0) / 2 ** 32) * segmentCount * segmentLength);
  place.second = (place.first + segmentLength) ^ (two & (segmentLength - 1));
  place.third = (place.first + 2 * segmentLength) ^ ((two >>> 14) & (segmentLength - 1));
  place.fingerprint = mixed(three + two) >>> 16;
  return place;
}

/** The finalizer of MurmurHash3. */
function mixed(value: number): number {
  let hash = value;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

/** The same keys make the same filter. They must have no duplicates. */
export function buildFilter(keys: Keys): { shape: Shape; fingerprints: Fingerprints } {
  const size = sizeFor(keys.length / 2);
  for (let seed = 1; seed <= maxSeeds; seed += 1) {
    const shape = { ...size, seed };
    const order = peel(keys, shape);
    if (order) return { shape, fingerprints: fill(keys, shape, order) };
  }
  throw new Error("no seed fits: the keys have duplicates");
}

/** The sizes of the paper. */
function sizeFor(count: number): Omit<Shape, "seed"> {
  const logarithm = Math.log(Math.max(count, 2));
  const segmentLength = Math.min(2 ** Math.floor(logarithm / Math.log(3.33) + 2.25), maxSegmentLength);
  const factor = Math.max(1.125, 0.875 + (0.25 * Math.log(1_000_000)) / logarithm);
  const segmentCount = Math.max(1, Math.ceil((count * factor) / segmentLength) - 2);
  return { segmentLength, segmentCount };
}

type Order = { numbers: Uint32Array; ownSlots: Uint32Array };

/** Takes away, again and again, a key that has a slot to itself; undefined if some have none. */
function peel(keys: Keys, shape: Shape): Order | undefined {
  const count = keys.length / 2;
  const size = slotCount(shape);
  const place = newPlace();
  const keysOfSlot = new Uint32Array(size);
  /** All keys of a slot by exclusive or: of a single one, its number. */
  const numbersOfSlot = new Uint32Array(size);
  const single = new Uint32Array(size);
  let singles = 0;

  function put(slot: number, number: number): void {
    keysOfSlot[slot] = (keysOfSlot[slot] ?? 0) + 1;
    numbersOfSlot[slot] = (numbersOfSlot[slot] ?? 0) ^ number;
  }

  function take(slot: number, number: number): void {
    const left = (keysOfSlot[slot] ?? 0) - 1;
    keysOfSlot[slot] = left;
    numbersOfSlot[slot] = (numbersOfSlot[slot] ?? 0) ^ number;
    if (left === 1) single[singles++] = slot;
  }

  for (let number = 0; number < count; number += 1) {
    locateNumber(keys, shape, number, place);
    put(place.first, number);
    put(place.second, number);
    put(place.third, number);
  }
  for (let slot = 0; slot < size; slot += 1) if (keysOfSlot[slot] === 1) single[singles++] = slot;
  const order = { numbers: new Uint32Array(count), ownSlots: new Uint32Array(count) };
  let peeled = 0;
  while (singles > 0) {
    const slot = single[--singles] ?? 0;
    if (keysOfSlot[slot] !== 1) continue;
    const number = numbersOfSlot[slot] ?? 0;
    order.numbers[peeled] = number;
    order.ownSlots[peeled] = slot;
    peeled += 1;
    locateNumber(keys, shape, number, place);
    take(place.first, number);
    take(place.second, number);
    take(place.third, number);
  }
  return peeled === count ? order : undefined;
}

/** Gives each key's own slot the value that it needs, the last peeled first. */
function fill(keys: Keys, shape: Shape, { numbers, ownSlots }: Order): Fingerprints {
  const place = newPlace();
  const fingerprints = new Uint16Array(slotCount(shape));
  for (let n = numbers.length - 1; n >= 0; n -= 1) {
    locateNumber(keys, shape, numbers[n] ?? 0, place);
    const { first, second, third, fingerprint } = place;
    // Its own slot is still zero.
    fingerprints[ownSlots[n] ?? 0] =
      fingerprint ^ (fingerprints[first] ?? 0) ^ (fingerprints[second] ?? 0) ^ (fingerprints[third] ?? 0);
  }
  return fingerprints;
}

function locateNumber(keys: Keys, shape: Shape, number: number, place: Place): void {
  locate(shape, keys[2 * number] ?? 0, keys[2 * number + 1] ?? 0, place);
}
