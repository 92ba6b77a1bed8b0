/**
 * An uploaded picture as a column names it: `/pictures/{random}/{16 of the digest}`, without
 * `baseUrl`. Behind `#`: the ground that a logo needs under it.
 */
const form = /^(\/pictures\/([\w-]{22})\/([\w-]{16}))(?:#(light|dark))?$/u;

export type StoredPicture = { path: string; id: string; digest: string; ground: "light" | "dark" | null };

/** Undefined for an address elsewhere, and for none. */
export function storedPicture(value: string | null): StoredPicture | undefined {
  const [, path, id, digest, ground] = form.exec(value ?? "") ?? [];
  if (path === undefined || id === undefined || digest === undefined) return undefined;
  return { path, id, digest, ground: ground === "light" || ground === "dark" ? ground : null };
}

/** As everybody else reads it: an address, which others can load. */
export function pictureAddress<Value extends string | null>(baseUrl: string, value: Value): Value {
  const stored = storedPicture(value);
  return stored ? (`${baseUrl}${stored.path}` as Value) : value;
}

/** As forms have it: an uploaded picture is not an address that somebody entered. */
export function enteredAddress(value: string | null): string | null {
  return storedPicture(value) ? null : value;
}

/** The uploaded picture of an address that `pictureAddress` made. */
export function pictureHere(baseUrl: string, address: string | null | undefined): StoredPicture | undefined {
  return address?.startsWith(`${baseUrl}/`) === true ? storedPicture(address.slice(baseUrl.length)) : undefined;
}
