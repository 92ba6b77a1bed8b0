import { expect, it } from "vitest";
import { openAccount, press } from "../../support/account.ts";
import { signedUpIn } from "../../support/adding.ts";
import { bearer } from "../../support/methods.ts";
import { call, type Page, type Visitor } from "../../support/person.ts";
import {
  cmykJpeg,
  exifSegment,
  fileOf,
  jpeg,
  jpegOfScans,
  movingWebp,
  place,
  png,
  pngChunk,
  pngOf,
  segment,
  webp,
} from "../../support/pictures.ts";
import { deflateSync } from "node:zlib";
import { describeSqliteFirst, type TestApp, type TestService } from "../../support/service.ts";

async function person(service: TestService) {
  const app = await service.createApp();
  const { accessToken, visitor, email } = await signedUpIn(service, app);
  const profile = async () => (await call(service, "GET", "/users/profile", bearer(accessToken))).body;
  return { app, visitor, email, accessToken, profile };
}

async function upload(service: TestService, app: TestApp, visitor: Visitor, file: File): Promise<Page> {
  const page = await openAccount(service, app, visitor, "/picture");
  return await visitor.upload(page, `/account/picture?app_id=${app.id}`, file);
}

async function served(url: unknown): Promise<{ response: Response; bytes: Buffer }> {
  const response = await fetch(String(url), { redirect: "manual" });
  return { response, bytes: Buffer.from(await response.arrayBuffer()) };
}

describeSqliteFirst("a picture that a person uploads", (service) => {
  it("H11: is saved at once, is the picture of the profile by an address of this service, and is served as an image only", async () => {
    const { app, visitor, profile } = await person(service);
    const file = png(4, 3);
    const done = await upload(service, app, visitor, fileOf(file, "me.txt", "text/html"));
    expect([done.status, done.location.search]).toEqual([303, `?app_id=${app.id}&notice=picture`]);
    const { picture } = await profile();
    expect(picture).toMatch(new RegExp(`^${service.url}/pictures/[\\w-]{22}/[\\w-]{16}$`, "u"));
    const { response, bytes } = await served(picture);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "image/png",
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; sandbox",
      "cross-origin-resource-policy": "cross-origin",
      "access-control-allow-origin": "*",
      "cache-control": "public, max-age=3600",
    });
    expect(bytes.equals(file)).toBe(true);
    const again = await fetch(String(picture), { headers: { "if-none-match": response.headers.get("etag") ?? "" } });
    expect(again.status).toBe(304);
    const account = await openAccount(service, app, visitor);
    expect(account.text).toContain(`<image href="${new URL(String(picture)).pathname}"`);
    expect(account.headers.get("content-security-policy")).toContain("img-src 'self';");
  });

  it("leads from an old address to the new one, goes back for an hour, and is gone at once when it is removed", async () => {
    const { app, visitor, profile } = await person(service);
    await upload(service, app, visitor, fileOf(png(2, 2)));
    const { picture: first } = await profile();
    await upload(service, app, visitor, fileOf(png(3, 3)));
    const { picture: second } = await profile();
    const old = await served(first);
    expect([old.response.status, old.response.headers.get("location")]).toEqual([
      302,
      new URL(String(second)).pathname,
    ]);

    const form = await openAccount(service, app, visitor, "/picture");
    await press(app, visitor, form, "/picture/undo");
    expect((await profile())["picture"]).toBe(first);
    expect((await served(first)).response.status).toBe(200);
    expect((await press(app, visitor, form, "/picture/undo")).status).toBe(422);

    await upload(service, app, visitor, fileOf(png(5, 5)));
    const { picture: last } = await profile();
    const page = await openAccount(service, app, visitor, "/picture");
    await press(app, visitor, page, "/picture/remove");
    expect((await profile())["picture"]).toBeNull();
    for (const address of [first, second, last]) expect((await served(address)).response.status).toBe(404);
    expect((await openAccount(service, app, visitor, "/picture")).text).not.toContain("/picture/undo");
  });

  it("goes back for no longer than an hour: what was there before is then forgotten", async () => {
    const { app, visitor } = await person(service);
    await upload(service, app, visitor, fileOf(png(2, 2)));
    await upload(service, app, visitor, fileOf(png(5, 5)));
    const late = await openAccount(service, app, visitor, "/picture");
    service.clock.advance(61 * 60_000);
    expect((await press(app, visitor, late, "/picture/undo")).text).toContain("This can&#39;t be undone any more.");
    await service.server.app.sweep();
    const { db, tables } = service.server.app.ctx.storage.reader;
    const rows = await db.select().from(tables.pictures);
    expect(rows.filter(({ previousBytes }) => previousBytes !== null)).toEqual([]);
  });

  it("goes with the account", async () => {
    const { app, visitor, profile, accessToken } = await person(service);
    await upload(service, app, visitor, fileOf(png(2, 2)));
    const { picture, id } = await profile();
    expect((await call(service, "DELETE", "/users/profile", bearer(accessToken))).status).toBe(200);
    expect((await served(picture)).response.status).toBe(404);
    const { db, tables } = service.server.app.ctx.storage.reader;
    expect((await db.select().from(tables.pictures)).filter(({ userId }) => userId === id)).toEqual([]);
  });

  it("is replaced by a link, and stays when its own address is sent back", async () => {
    const { app, visitor, profile, accessToken } = await person(service);
    await upload(service, app, visitor, fileOf(png(2, 2)));
    const { picture } = await profile();
    const patch = (value: unknown) => call(service, "PATCH", "/users/profile", bearer(accessToken), { picture: value });
    expect((await patch(picture)).body["picture"]).toBe(picture);
    expect((await served(picture)).response.status).toBe(200);
    const older = await patch(String(picture).replace(/.$/u, (last) => (last === "A" ? "B" : "A")));
    expect(older.body["picture"]).toBe(picture);
    const other = await person(service);
    await upload(service, other.app, other.visitor, fileOf(png(2, 3)));
    const { status, body } = await patch((await other.profile())["picture"]);
    expect([status, JSON.stringify(body)]).toEqual([
      400,
      expect.stringContaining("picture: not the address of this person's present picture"),
    ]);
    const link = "https://cdn.example/me.png";
    expect((await patch(link)).body["picture"]).toBe(link);
    expect((await served(picture)).response.status).toBe(404);

    await upload(service, app, visitor, fileOf(png(2, 4)));
    await press(app, visitor, await openAccount(service, app, visitor, "/picture"), "/picture/undo");
    expect((await profile())["picture"]).toBe(link);
  });

  it("stays when a form of the profile is saved that was opened before", async () => {
    const { app, visitor, profile } = await person(service);
    const link = "https://cdn.example/me.png";
    const save = async (form: Page, picture: string) =>
      await press(app, visitor, form, "/profile", { name: "Ada", picture });
    await save(await openAccount(service, app, visitor, "/profile"), link);
    const form = await openAccount(service, app, visitor, "/profile");
    await upload(service, app, visitor, fileOf(png(2, 2)));
    const { picture } = await profile();
    const refused = await press(app, visitor, form, "/profile", { name: "", picture: link });
    expect(refused.status).toBe(422);
    expect((await save(refused, link)).status).toBe(303);
    expect(await profile()).toMatchObject({ name: "Ada", picture });
  });

  it("is in the data that a person downloads, as a file", async () => {
    const { app, visitor } = await person(service);
    const file = png(2, 2);
    await upload(service, app, visitor, fileOf(file));
    const data = await press(app, visitor, await openAccount(service, app, visitor, "/data"), "/data");
    const { profile } = data.json() as { profile: { picture: string } };
    expect(profile.picture).toBe(`data:image/png;base64,${file.toString("base64")}`);
  });

  it("may come twice at once: one of the two is there, whole", async () => {
    const { app, visitor, profile } = await person(service);
    const files = [png(8, 9), png(9, 8)];
    const page = await openAccount(service, app, visitor, "/picture");
    const action = `/account/picture?app_id=${app.id}`;
    const both = await Promise.all(files.map((file) => visitor.upload(page, action, fileOf(file))));
    expect(both.map(({ status }) => status)).toEqual([303, 303]);
    const { bytes } = await served((await profile())["picture"]);
    expect(files.some((file) => file.equals(bytes))).toBe(true);
    const { db, tables } = service.server.app.ctx.storage.reader;
    const { id } = await profile();
    expect((await db.select().from(tables.pictures)).filter(({ userId }) => userId === id)).toHaveLength(1);
  });
});

describeSqliteFirst("a file that is not a picture as it should be", (service) => {
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
  const megapixels = pngOf(10_000, 10_000, deflateSync(Buffer.alloc(1_000_000)));
  // Exif with the one entry that is kept, and nothing behind it.
  const short = pngChunk("eXIf", Buffer.from("4d4d002a000000080001011200030000000100060000", "hex"));
  const grows = pngOf(2, 2, Buffer.alloc(256 * 1024 - pngOf(2, 2, Buffer.alloc(0), [short]).length), [short]);
  const longHead = Buffer.concat([
    png(2, 2).subarray(0, 8),
    pngChunk("IHDR", Buffer.concat([png(2, 2).subarray(16, 29), Buffer.alloc(1)])),
    png(2, 2).subarray(33),
  ]);
  const cases: [what: string, bytes: Buffer, words: string][] = [
    ["nothing", Buffer.alloc(0), "Choose a file."],
    ["HTML with the name of a picture", Buffer.from("<!doctype html><script>alert(1)</script>"), "JPEG or PNG"],
    ["an SVG with a script", svg, "JPEG or PNG"],
    ["HEIC", Buffer.from("0000001866747970686569630000", "hex"), "JPEG or PNG"],
    ["a GIF", Buffer.from("GIF89a animated"), "This picture moves."],
    ["an executable", Buffer.from("MZ\u0090\0\u0003", "latin1"), "JPEG or PNG"],
    ["100 megapixels in a small file", megapixels, "more than 4,096 pixels"],
    ["a moving PNG", png(2, 2, { more: [pngChunk("acTL", Buffer.alloc(8))] }), "This picture moves."],
    ["a moving WebP", movingWebp(), "This picture moves."],
    ["CMYK", cmykJpeg(), "CMYK"],
    ["more than 256 KiB", Buffer.concat([png(2, 2), Buffer.alloc(300_000)]), "larger than 256 KB"],
    ["more than 256 KiB after it is written anew", grows, "larger than 256 KB"],
    ["half a PNG", png(40, 40).subarray(0, 60), "damaged or incomplete"],
    ["half a JPEG", jpeg().subarray(0, -6), "damaged or incomplete"],
    ["half a WebP", webp.subarray(0, -4), "damaged or incomplete"],
    ["a PNG with a longer head", longHead, "damaged or incomplete"],
    ["a JPEG that is drawn again and again", jpegOfScans(101), "JPEG or PNG"],
    ["a PNG with a changed byte", Buffer.from(png(2, 2)).fill(7, 20, 21), "damaged or incomplete"],
  ];

  it("H11: is refused with a sentence that says what to do, and the picture from before stays", async () => {
    const { app, visitor, profile } = await person(service);
    await upload(service, app, visitor, fileOf(png(2, 2)));
    const { picture } = await profile();
    for (const [what, bytes, words] of cases) {
      const page = await upload(service, app, visitor, fileOf(bytes));
      expect([what, page.status], page.text).toEqual([what, 422]);
      expect(page.text, what).toContain(words);
    }
    expect((await profile())["picture"]).toBe(picture);
    expect((await served(picture)).response.status).toBe(200);
  });

  it("H11: loses what is not the picture: a place, comments, another file behind it; it stays turned as it was", async () => {
    const { app, visitor, profile } = await person(service);
    const comment = pngChunk("tEXt", Buffer.from(`Comment\0${place}`, "latin1"));
    const page = Buffer.from("<script>alert(1)</script>");
    const files = [
      Buffer.concat([png(2, 2, { more: [comment] }), page]),
      Buffer.concat([jpeg(exifSegment(), Buffer.from("\u00ff\u00fe\0\u0014<script>alert(1)</", "latin1")), page]),
      Buffer.concat([webp, page]),
      // Segments that have no meaning in a picture: \u00f0 and \u00df.
      jpeg(exifSegment(), ...[0xf0, 0xdf, 0x02].map((marker) => segment(marker, page))),
      jpeg(exifSegment(), segment(0xdd, Buffer.from([0, 1]))),
      jpegOfScans(100),
    ];
    for (const file of files) {
      expect((await upload(service, app, visitor, fileOf(file))).status).toBe(303);
      const { bytes } = await served((await profile())["picture"]);
      const text = bytes.toString("latin1");
      expect(text).not.toContain("script");
      expect(text).not.toContain(place);
      expect(bytes.includes(segment(0xdd, Buffer.from([0, 1])))).toBe(
        file.includes(segment(0xdd, Buffer.from([0, 1]))),
      );
      if (file.includes("Exif"))
        expect(text).toContain("Exif\0\0MM\0*\0\0\0\u0008\0\u0001\u0001\u0012\0\u0003\0\0\0\u0001\0\u0006");
    }
  });
});
