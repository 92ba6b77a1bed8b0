import { newEmail } from "../lib/email.ts";
import { AppError, invalidRequest } from "../lib/errors.ts";
import { displayName, isHttpsAddress, maxNameCharacters } from "../lib/text.ts";
import { checkedEmail } from "./list-query.ts";

/** The canonical form of a new address. Throws INVALID_REQUEST. */
export function checkedNewEmail(text: string): string {
  const email = newEmail(text);
  if (email !== undefined) return email;
  checkedEmail(text);
  throw invalidRequest(
    "email: a new address may not hold any of ` $ { } | & ! ' %, begin with '-', or end in a number",
  );
}

/** Null if there is none. Throws INVALID_REQUEST. */
export function checkedName(text: string | null): string | null {
  const name = text === null ? null : displayName(text);
  if (name === undefined) throw invalidRequest(`name: at most ${maxNameCharacters} characters, no control characters`);
  return name;
}

/** Throws INVALID_REQUEST. */
export function checkedPicture(picture: string | null): string | null {
  if (picture !== null && !isHttpsAddress(picture))
    throw invalidRequest("picture: an https address of at most 2048 characters, or null");
  return picture;
}

export function addressTaken(): AppError {
  return new AppError("CONFLICT", "A user of this application already has this address.");
}
