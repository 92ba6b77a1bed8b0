import { isId } from "./names.ts";
import { isStorable } from "./text.ts";

/** A client id as a segment of a path. A URL is encoded, because no path has encoded slashes. */
export function segmentOf(id: string): string {
  return isId(id) ? id : `~${Buffer.from(id).toString("base64url")}`;
}

/** The client id of a segment that `segmentOf` wrote. */
export function idIn(segment: string): string {
  const id = segment.startsWith("~") ? Buffer.from(segment.slice(1), "base64url").toString("utf8") : segment;
  return isStorable(id) ? id : segment;
}
