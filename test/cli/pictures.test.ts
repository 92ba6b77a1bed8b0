import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createClient } from "../support/clients-logout.ts";
import { useService } from "../support/one-service.ts";
import { signedUp } from "../support/person.ts";
import { jpeg, png, webp } from "../support/pictures.ts";
import { answer, authsvc } from "./in-process.ts";
import { placeOf } from "./service-place.ts";

const service = useService();
const place = () => placeOf(service);

function written(name: string, bytes: Buffer): string {
  const file = join(service.dataDir, name);
  writeFileSync(file, bytes);
  return file;
}

it("user update uploads a picture by its content, changes nothing in a dry run, and removes it", async () => {
  const app = await service.createApp();
  const { user } = await signedUp(service, app);
  const id = String(user["id"]);
  const file = written("picture.txt", webp);
  const command = ["user", "update", id, "--picture-file", file];
  expect(await answer([...command, "--dry-run"], place())).toMatchObject({ id, picture: null });
  expect(await answer(["user", "show", id], place())).toMatchObject({ picture: null });
  const { picture } = (await answer(command, place())) as { picture: string };
  const served = await fetch(picture);
  expect([served.status, served.headers.get("content-type")]).toEqual([200, "image/webp"]);
  expect(await answer(["user", "update", id, "--picture-file", ""], place())).toMatchObject({ picture: null });
  expect((await fetch(picture)).status).toBe(404);
});

it("app update and client update upload a logo, and say why they refuse a file", async () => {
  const app = await service.createApp();
  const clientId = await createClient(service, app);
  const file = written("logo.png", png(4, 4));
  const { branding } = (await answer(["app", "update", app.id, "--logo-file", file], place())) as {
    branding: { logo: string };
  };
  expect((await fetch(branding.logo)).status).toBe(200);
  const listed = (await answer(["app", "list"], place())) as { id: string; branding: { logo: string | null } }[];
  const { logo } = listed.find(({ id }) => id === app.id)?.branding ?? { logo: null };
  // Without the master key, the port is the configured one.
  expect(new URL(logo ?? "").pathname).toBe(new URL(branding.logo).pathname);
  await answer(["client", "update", clientId, "--logo-file", written("logo.jpg", jpeg())], place());
  for (const [bytes, words] of [
    [webp, "--logo-file: mail programs do not show WebP; save the logo as PNG"],
    [Buffer.alloc(300_000, 1), "--logo-file: the file is larger than 256 KiB"],
  ] as const) {
    const { code, stderr } = await authsvc(["app", "update", app.id, "--logo-file", written("no", bytes)], place());
    expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
  }
});
