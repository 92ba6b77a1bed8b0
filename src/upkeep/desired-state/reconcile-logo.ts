import * as applications from "../../applications/service.ts";
import { invalidRequest } from "../../lib/errors.ts";
import { storedPicture } from "../../lib/stored-picture.ts";
import { checkedPicture } from "../../pictures/image.ts";
import type { Actor } from "../../records/audit/audit.ts";
import type { Context } from "../../runtime/context.ts";
import type { DesiredApplication } from "./state-schema.ts";

/** An uploaded logo as the file has it: `export` writes no bytes. */
export function logoInFile(logo: unknown): unknown {
  const stored = typeof logo === "string" ? storedPicture(logo) : undefined;
  return stored ? `sha256:${stored.digest}` : logo;
}

/** Whether the file's logo is the digest of an uploaded one, which is no value of the setting. */
export function isUploadedLogo(logo: unknown): boolean {
  return typeof logo === "string" && logo.startsWith("sha256:");
}

/**
 * Saves the logo of the file that it names, unless it is the present one. Throws INVALID_REQUEST
 * for a refused file, and for the digest of another logo than the present one.
 */
export async function reconcileLogo(ctx: Context, desired: DesiredApplication, actor: Actor): Promise<void> {
  const { id, branding } = desired as { id: string; branding?: { logo?: string | { file: string } | null } };
  const logo = branding?.logo ?? null;
  if (logo === null || (typeof logo === "string" && !isUploadedLogo(logo))) return;
  const application = await applications.find(ctx, ctx.storage.reader, id);
  const present = storedPicture(application?.branding.logo ?? null)?.digest;
  if (typeof logo === "string") {
    if (logo === `sha256:${present}`) return;
    throw invalidRequest("branding.logo", "the application has another logo; name its file, as file:PATH");
  }
  const picture = checkedPicture(Buffer.from(logo.file, "base64"), "logo", "branding.logo");
  if (picture.digest !== present) await applications.changeLogo(ctx, id, { kind: "save", picture }, { actor });
}
