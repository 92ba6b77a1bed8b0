import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createClient } from "../support/clients-logout.ts";
import { useService } from "../support/one-service.ts";
import { signedUp } from "../support/person.ts";
import { exifSegment, jpeg, place as location, png, webp } from "../support/pictures.ts";
import { emptyFolder } from "./command.ts";
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

it("user export has uploaded pictures in its lines, and user import checks them as an upload does", async () => {
  const app = await service.createApp();
  const { user } = await signedUp(service, app);
  const id = String(user["id"]);
  const large = Buffer.concat([jpeg().subarray(0, -2), Buffer.alloc(200_000, 7), Buffer.from([0xff, 0xd9])]);
  await answer(["user", "update", id, "--picture-file", written("large.jpg", large)], place());
  const { stdout } = await authsvc(["user", "export", "--app", app.id], place());
  const line = JSON.parse(stdout) as { picture: string };
  expect(line.picture.startsWith("data:image/jpeg;base64,")).toBe(true);
  expect(line.picture.length).toBeLessThan(350_000);

  const other = await service.createApp();
  const lineOf = (email: string, picture: string) => JSON.stringify({ email, picture });
  const data = (bytes: Buffer, type = "image/png") => `data:${type};base64,${bytes.toString("base64")}`;
  const lines = [
    lineOf("same@moved.example", line.picture),
    lineOf("link@moved.example", "https://cdn.example/me.png"),
    lineOf("place@moved.example", data(jpeg(exifSegment()), "image/png")),
    lineOf("svg@moved.example", data(Buffer.from("<svg/>"), "image/svg+xml")),
    lineOf("huge@moved.example", data(Buffer.alloc(300_000))),
    lineOf("path@moved.example", `/pictures/${"r".repeat(22)}/${"d".repeat(16)}`),
  ];
  const imported = await answer(
    ["user", "import", written("users.jsonl", Buffer.from(lines.join("\n"))), "--app", other.id],
    place(),
  );
  expect(imported).toMatchObject({ created: 6, leftOut: 3 });
  const users = (await answer(["user", "list", "--app", other.id], place())) as {
    email: string;
    picture: string | null;
  }[];
  const pictureOf = (name: string) => users.find(({ email }) => email === `${name}@moved.example`)?.picture ?? null;
  const same = Buffer.from(await (await fetch(pictureOf("same") ?? "")).arrayBuffer());
  expect(data(same, "image/jpeg") === line.picture).toBe(true);
  expect(pictureOf("link")).toBe("https://cdn.example/me.png");
  const turned = Buffer.from(await (await fetch(pictureOf("place") ?? "")).arrayBuffer()).toString("latin1");
  expect([turned.includes("Exif"), turned.includes(location)]).toEqual([true, false]);
  expect(["svg", "huge", "path"].map(pictureOf)).toEqual([null, null, null]);
});

it("H11: a state file names the file of a logo; plan and apply compare it, and export writes its digest, which means as it is", async () => {
  const { id } = await service.createApp();
  const folder = emptyFolder();
  const written = (name: string, bytes: Buffer): string => {
    writeFileSync(join(folder, name), bytes);
    return join(folder, name);
  };
  const state = (logo: string): string =>
    written("state.yaml", Buffer.from(`version: 1\napplications:\n  - id: ${id}\n    branding: { logo: "${logo}" }\n`));
  const changesOf = async (command: string[]) => {
    const { changes } = (await answer(command, place())) as {
      changes: { fields: { field: string; after: string }[] }[];
    };
    return changes.flatMap(({ fields }) => fields.map(({ field, after }) => `${field} ${after.slice(0, 7)}`));
  };
  written("one.png", png(4, 4));
  written("two.png", png(4, 5));
  const logoOf = async () => {
    const { branding } = (await answer(["app", "show", id], place())) as { branding: { logo: string | null } };
    return branding.logo;
  };
  expect(await changesOf(["plan", state("file:one.png")])).toEqual(["branding.logo sha256:"]);
  expect(await logoOf()).toBeNull();
  expect(await changesOf(["apply", state("file:one.png")])).toEqual(["branding.logo sha256:"]);
  const first = new URL((await logoOf()) ?? "").pathname;
  expect((await fetch(service.url + first)).status).toBe(200);
  expect(await changesOf(["plan", state("file:one.png")])).toEqual([]);

  const { stdout } = await authsvc(["export"], place());
  const digest = /sha256:[\w-]{16}/u.exec(stdout)?.[0] ?? "";
  expect(first.endsWith(digest.slice("sha256:".length))).toBe(true);
  expect(await changesOf(["apply", state(digest)])).toEqual([]);
  expect(await changesOf(["apply", state("file:two.png")])).toEqual(["branding.logo sha256:"]);
  const refused = await authsvc(["apply", state(digest)], place());
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("the application has another logo")]);
  written("bad.png", Buffer.from("<svg/>"));
  const bad = await authsvc(["plan", state("file:bad.png")], place());
  expect(bad.stderr).toContain("state.yaml line 4, column 17: logo: an SVG file can hold scripts; export it as PNG");
});
