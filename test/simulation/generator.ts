import { hash } from "node:crypto";

/** Numbers that a seed decides. Each fork draws its own, so that one actor changes no other. */
export class Generator {
  readonly #seed: string;
  #block: Buffer = Buffer.alloc(0);
  #used = 0;
  #count = 0;

  constructor(seed: string) {
    this.#seed = seed;
  }

  fork(name: string): Generator {
    return new Generator(hash("sha256", `${this.#seed}/${name}`));
  }

  bytes(size: number): Uint8Array {
    const drawn = new Uint8Array(size);
    for (let at = 0; at < size; at += 1) {
      if (this.#used === this.#block.length) {
        this.#block = hash("sha512", `${this.#seed}.${this.#count}`, "buffer");
        this.#count += 1;
        this.#used = 0;
      }
      drawn[at] = this.#block[this.#used] ?? 0;
      this.#used += 1;
    }
    return drawn;
  }

  /** From 0 up to, but not, 1. */
  next(): number {
    const [a = 0, b = 0, c = 0, d = 0] = this.bytes(4);
    return (((a << 24) | (b << 16) | (c << 8) | d) >>> 0) / 2 ** 32;
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<Item>(items: readonly [Item, ...Item[]] | readonly Item[]): Item {
    return items[this.below(items.length)] as Item;
  }

  /** Many short waits and a few long ones, in milliseconds. */
  wait(usual: number): number {
    return Math.round(-Math.log(1 - this.next()) * usual);
  }
}
