const p = 2n ** 255n - 19n;
/** The constant of the curve −x² + y² = 1 + d·x²·y² (RFC 8032 §5.1). */
const d = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;

/**
 * Whether 32 bytes encode an Ed25519 point that is not of small order. node:crypto imports any 32
 * bytes, but some are not points, and anyone can forge signatures for a point of small order.
 */
export function isUsablePoint(bytes: Uint8Array): boolean {
  // Little-endian; the highest bit is the sign of x.
  const y = BigInt(`0x${Buffer.from(bytes.toReversed()).toString("hex")}`) & (2n ** 255n - 1n);
  if (y >= p) return false;
  // x² = u / v
  const u = modulo(y * y - 1n);
  const v = modulo(d * y * y + 1n);
  // x = 0 has order 1 or 2, y = 0 has order 4, and x² = −y² has order 8: doubled, its y is 0.
  if (u === 0n || y === 0n || modulo(u + v * y * y) === 0n) return false;
  return isSquare(modulo(u * v));
}

/** By Euler's criterion. */
function isSquare(value: bigint): boolean {
  let [result, base] = [1n, value];
  for (let exponent = (p - 1n) / 2n; exponent > 0n; exponent /= 2n) {
    if (exponent % 2n === 1n) result = modulo(result * base);
    base = modulo(base * base);
  }
  return result === 1n;
}

function modulo(value: bigint): bigint {
  const rest = value % p;
  return rest < 0n ? rest + p : rest;
}
