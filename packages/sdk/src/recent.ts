/** Times and numbers that nothing is before, or after. */
export const never = Number.NEGATIVE_INFINITY;
export const forever = Number.POSITIVE_INFINITY;

/** Sets the newest entry of a map, which forgets its oldest above `max`. */
export function setNewest<Value>(map: Map<string, Value>, key: string, value: Value, max = forever) {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= max) break;
    map.delete(oldest);
  }
}
