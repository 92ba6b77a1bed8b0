import { checkedPicture, maxPictureBytes } from "../../pictures/image.ts";
import type { PictureChange } from "../../pictures/service.ts";
import type { Io } from "../io.ts";
import { readFileOf } from "./ask.ts";

/** What the flag asks for; undefined without it. An empty value removes. Throws INVALID_REQUEST. */
export async function pictureChangeFrom(
  io: Io,
  flag: "--picture-file" | "--logo-file",
  file: string | undefined,
): Promise<PictureChange | undefined> {
  if (file === undefined) return undefined;
  if (file === "") return { kind: "remove" };
  const bytes = await readFileOf(io, { file, flag, most: maxPictureBytes }, (content) => content);
  return { kind: "save", picture: checkedPicture(bytes, flag === "--logo-file" ? "logo" : "person", flag) };
}
