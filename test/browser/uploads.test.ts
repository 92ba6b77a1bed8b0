import type { BrowserContextOptions, Page } from "playwright-core";
import { expect, it } from "vitest";
import { openConsole } from "../support/console.ts";
import { signedUpIn } from "../support/adding.ts";
import { bearer } from "../support/methods.ts";
import { call } from "../support/person.ts";
import { exifSegment, png, webp } from "../support/pictures.ts";
import { narrow, sidewaysPixels, violations } from "./support/everybody.ts";
import { describeInBrowser } from "./support/stage.ts";
import { button, heading, inPage, pageFor } from "./support/steps.ts";

describeInBrowser("an upload in a browser", (stage) => {
  async function openPicture(options: BrowserContextOptions = {}) {
    const { service } = stage;
    const app = await service.createApp();
    const { accessToken, visitor } = await signedUpIn(service, app);
    const page = await pageFor(stage, { url: service.url, visitor }, options);
    const open = () => page.goto(`${service.url}/account/picture?app_id=${app.id}`);
    await open();
    const picture = async () =>
      String((await call(service, "GET", "/users/profile", bearer(accessToken))).body["picture"]);
    return { page, open, picture };
  }

  async function choose(page: Page, buffer: Buffer, mimeType = "image/png"): Promise<void> {
    await page.getByLabel(/file/iu).setInputFiles({ name: "holiday.png", mimeType, buffer });
  }

  /** Its type, its size, and its sides as the browser draws it. */
  async function drawn(page: Page, address: string) {
    const response = await fetch(address);
    const bytes = Buffer.from(await response.arrayBuffer());
    const sides = await inPage<[number, number]>(
      page,
      `async () => { const image = new Image(); image.src = "${new URL(address).pathname}"; await image.decode(); return [image.naturalWidth, image.naturalHeight]; }`,
    );
    return { type: response.headers.get("content-type"), bytes, sides };
  }

  let seed = 47;
  const noise = (): number => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) % 256;

  it("is made small, upright and without metadata before it is sent, as soon as a file is chosen", async () => {
    const { page, open, picture } = await openPicture();
    const large = png(700, 600, { pixel: () => [noise(), noise(), noise(), 255] });
    expect(large.length).toBeGreaterThan(256 * 1024);
    await choose(page, large);
    await page.getByText("Your picture is saved.").waitFor();
    const small = await drawn(page, await picture());
    expect(small).toMatchObject({ type: "image/jpeg", sides: [512, 439] });
    expect(small.bytes.length).toBeLessThanOrEqual(256 * 1024);

    const base64 = await inPage<string>(
      page,
      "() => { const canvas = document.createElement('canvas'); canvas.width = 40; canvas.height = 20; canvas.getContext('2d').fillRect(0, 0, 9, 9); return canvas.toDataURL('image/jpeg').split(',')[1]; }",
    );
    const jpeg = Buffer.from(base64, "base64");
    await open();
    await choose(page, Buffer.concat([jpeg.subarray(0, 2), exifSegment(), jpeg.subarray(2)]), "image/jpeg");
    await page.getByText("Your picture is saved.").waitFor();
    const upright = await drawn(page, await picture());
    expect(upright.sides).toEqual([20, 40]);
    expect(upright.bytes.includes("Exif")).toBe(false);
  });

  it("is the file itself where a canvas answers with noise, and without a script", async () => {
    const noisy = await openPicture();
    await noisy.page.addInitScript(
      "const read = CanvasRenderingContext2D.prototype.getImageData; CanvasRenderingContext2D.prototype.getImageData = function (...all) { const image = read.apply(this, all); image.data[5] ^= 1; return image; };",
    );
    await noisy.open();
    const file = png(20, 10);
    await choose(noisy.page, file);
    await noisy.page.getByText("Your picture is saved.").waitFor();
    expect(Buffer.compare((await drawn(noisy.page, await noisy.picture())).bytes, file)).toBe(0);

    const plain = await openPicture({ javaScriptEnabled: false });
    await choose(plain.page, file);
    await button(plain.page, "Save picture").click();
    await plain.page.getByText("Your picture is saved.").waitFor();
    const served = await fetch(await plain.picture());
    expect(Buffer.compare(Buffer.from(await served.arrayBuffer()), file)).toBe(0);
  });

  it("says beside the field why a file is refused; axe finds nothing, on a phone neither", async () => {
    const { page } = await openPicture({ viewport: narrow });
    expect(await violations(page)).toEqual([]);
    stage.expectComplaint(/422/u);
    await choose(page, Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>"), "image/svg+xml");
    await page.getByText("This kind of file isn't shown everywhere.").waitFor();
    expect(await heading(page).textContent()).toBe("Change your picture");
    // The field can say it: no banner.
    expect([await page.getByRole("alert").count(), await page.locator(":focus").getAttribute("id")]).toEqual([
      0,
      "file",
    ]);
    expect([await violations(page), await sidewaysPixels(page)]).toEqual([[], 0]);
  });

  it("turns a WebP logo into PNG for the console, so that mails can show it", async () => {
    const { service } = stage;
    const app = await service.createApp();
    const console = await openConsole(service, { appId: app.id });
    const page = await pageFor(stage, console);
    // Of the preview, which is sandboxed.
    stage.expectComplaint(/Blocked script execution/u);
    await page.goto(`${console.url}/console/applications/${app.id}/branding`);
    await button(page, "Add a logo").click();
    await choose(page, webp, "image/webp");
    await page.getByText("It was saved.").waitFor();
    const address = await page.getByAltText("The logo on a dark page").getAttribute("src");
    const served = await fetch(console.url + String(address));
    expect(served.headers.get("content-type")).toBe("image/png");
    expect(await violations(page)).toEqual([]);
  });
});
