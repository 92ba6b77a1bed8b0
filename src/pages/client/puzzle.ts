// Solves the puzzle of a sign-in and sends the form: searches a counter whose SHA-256 has a prefix.
// In small portions: workers need another file, and Web Crypto https.

type Parameters = { nonce: string; salt: string; keyPrefix: string };

/** Milliseconds between two looks at the page. */
const portion = 30;

const rounds = fractions(Math.cbrt, 64);
const start = fractions(Math.sqrt, 8);

const form = document.querySelector<HTMLFormElement>("form[data-puzzle]");
if (form) void solve(form);

async function solve(form: HTMLFormElement): Promise<void> {
  form.hidden = false;
  const { challenge, solution } = Object.fromEntries(
    ["challenge", "solution"].map((name) => [name, form.elements.namedItem(name)]),
  ) as Record<string, HTMLInputElement>;
  const bar = form.querySelector("progress");
  if (!challenge || !solution || !bar) return;
  const { parameters } = JSON.parse(challenge.value) as { parameters: Parameters };
  const most = Number(form.dataset["puzzle"]);
  const found = await search(parameters, most, (part) => (bar.value = part * 100));
  if (!found) return;
  solution.value = JSON.stringify(found);
  form.requestSubmit();
}

async function search(
  { nonce, salt, keyPrefix }: Parameters,
  most: number,
  tell: (part: number) => void,
): Promise<{ counter: number; derivedKey: string } | undefined> {
  const bytes = [...fromHex(salt), ...fromHex(nonce)];
  const block = blockOf(bytes);
  const words = new Int32Array(8);
  const prefix = Number.parseInt(keyPrefix.slice(0, 8), 16) | 0;
  const place = bytes.length / 4;
  let portionEnds = performance.now() + portion;
  for (let counter = 0; counter <= most; counter += 1) {
    block[place] = counter;
    sha256(block, words);
    if (words[0] === prefix) {
      const derivedKey = [...words].map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
      if (derivedKey.startsWith(keyPrefix)) return { counter, derivedKey };
    }
    if (counter % 256 !== 0 || performance.now() < portionEnds) continue;
    tell(counter / most);
    await new Promise((resolve) => setTimeout(resolve));
    portionEnds = performance.now() + portion;
  }
  return undefined;
}

function fromHex(text: string): number[] {
  return (text.match(/../gu) ?? []).map((pair) => Number.parseInt(pair, 16));
}

/** The only block of the message: these bytes, 4 of the counter, and the padding. */
function blockOf(bytes: number[]): Int32Array {
  const block = new Int32Array(64);
  bytes.forEach((byte, at) => (block[at >> 2] = (block[at >> 2] ?? 0) | (byte << (24 - 8 * (at % 4)))));
  block[bytes.length / 4 + 1] = 1 << 31;
  block[15] = (bytes.length + 4) * 8;
  return block;
}

/** The digest of one padded block; its other 48 words are overwritten. */
function sha256(w: Int32Array, digest: Int32Array): void {
  for (let at = 16; at < 64; at += 1) {
    const [x, y] = [w[at - 15] ?? 0, w[at - 2] ?? 0];
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    w[at] = (w[at - 16] ?? 0) + s0 + (w[at - 7] ?? 0) + s1;
  }
  let a = start[0] ?? 0;
  let b = start[1] ?? 0;
  let c = start[2] ?? 0;
  let d = start[3] ?? 0;
  let e = start[4] ?? 0;
  let f = start[5] ?? 0;
  let g = start[6] ?? 0;
  let h = start[7] ?? 0;
  for (let at = 0; at < 64; at += 1) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + (rounds[at] ?? 0) + (w[at] ?? 0)) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  [a, b, c, d, e, f, g, h].forEach((word, at) => (digest[at] = word + (start[at] ?? 0)));
}

/** 32 bits of the fractions of roots of the first primes (FIPS 180-4, 4.2.2 and 5.3.3). */
function fractions(root: (prime: number) => number, count: number): Int32Array {
  const primes: number[] = [];
  for (let each = 2; primes.length < count; each += 1)
    if (primes.every((prime) => each % prime !== 0)) primes.push(each);
  return Int32Array.from(primes, (prime) => (root(prime) % 1) * 2 ** 32);
}
