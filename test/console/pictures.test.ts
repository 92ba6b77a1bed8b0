import { expect, it } from "vitest";
import * as applications from "../../src/applications/service.ts";
import * as audit from "../../src/records/audit/audit.ts";
import { createClient } from "../support/clients-logout.ts";
import { commandsOn, openConsole, type Console } from "../support/console.ts";
import { useService } from "../support/one-service.ts";
import { signedUp, type Page } from "../support/person.ts";
import { fileOf, jpeg, png, webp } from "../support/pictures.ts";
import { updateApp } from "../support/service.ts";

const service = useService();

/** Chooses a file in the form of a page of the console, and follows to the page after it. */
async function upload(console: Console, path: string, action: string, file: File): Promise<Page> {
  const page = await console.get(path);
  const answered = await console.visitor.upload(page, action, file);
  return answered.status === 303 ? await console.visitor.get(answered.location.href) : answered;
}

const dark = { pixel: (x: number): [number, number, number, number] => [20, 20, 30, x < 3 ? 255 : 0] };
const light = { pixel: (x: number): [number, number, number, number] => [250, 250, 250, x < 3 ? 255 : 0] };
const middle = { pixel: (x: number): [number, number, number, number] => [30, 130, 200, x < 3 ? 255 : 0] };

it("gives a person a picture, shows it from its own address, goes back and removes it", async () => {
  const app = await service.createApp();
  const { user } = await signedUp(service, app);
  const path = `/people/${String(user["id"])}`;
  const console = await openConsole(service, { role: "support" });
  const saved = await upload(console, path, "/picture", fileOf(png(3, 2)));
  expect(saved.text).toContain("It was saved.");
  const [, address = ""] = /<img class="portrait" src="([^"]+)"/u.exec(saved.text) ?? [];
  expect(address).toMatch(/^\/console\/pictures\//u);
  const served = await fetch(`${console.url}${address}`);
  expect([served.status, served.headers.get("content-type")]).toEqual([200, "image/png"]);
  expect(commandsOn(saved)).toContain(`authsvc user update ${String(user["id"])} --picture-file FILE`);

  const renamed = await console.submit(saved, "/profile", { name: "Ada", picture: "" });
  expect(renamed.text).toContain(address);
  const undone = await console.submit(renamed, "/picture/undo");
  expect(undone.text).toContain("The change was undone.");
  expect(undone.text).not.toContain('class="portrait"');
  await upload(console, path, "/picture", fileOf(webp));
  const removed = await console.submit(await console.get(path), "/picture/remove");
  expect(removed.text).not.toContain('class="portrait"');
  expect(removed.text).not.toContain("/picture/undo");
});

it("says beside the form why a file is refused, and keeps what is there", async () => {
  const app = await service.createApp();
  const console = await openConsole(service);
  const path = `/applications/${app.id}/branding`;
  await upload(console, path, "/logo", fileOf(png(4, 4)));
  for (const [file, words] of [
    [fileOf(webp), "mail programs do not show WebP; save the logo as PNG"],
    [
      fileOf(Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>")),
      "an SVG file can hold scripts; export it as PNG",
    ],
    [fileOf(Buffer.alloc(0)), "choose a file"],
    [fileOf(jpeg().subarray(0, 60)), "the file is damaged or incomplete"],
  ] as const) {
    const page = await upload(console, path, "/logo", file);
    expect(page.status).toBe(400);
    expect(page.text).toContain(words);
  }
  const { branding } = (await applications.get(service.server.app.ctx, app.id)) as { branding: { logo: string } };
  expect((await fetch(branding.logo)).status).toBe(200);
});

it("shows a logo on both grounds, under it the one without which it cannot be seen, and gives it to pages and mails", async () => {
  const app = await service.createApp();
  const console = await openConsole(service);
  const path = `/applications/${app.id}/branding`;
  const grounds = [];
  for (const look of [dark, light, middle]) {
    const page = await upload(console, path, "/logo", fileOf(png(6, 4, look)));
    grounds.push([...page.text.matchAll(/data-page="(\w+)"\s+data-ground="(\w+)"/gu)].map((match) => match.slice(1)));
  }
  expect(grounds).toEqual([[["dark", "light"]], [["light", "dark"]], []]);
  const saved = await console.get(path);
  expect(saved.text).toMatch(/name="logo"[^>]*value=""/u);
  const coloured = await console.submit(saved, "/branding", { primaryColor: "#123456", logo: "" });
  expect(coloured.text).toContain('data-page="dark"');
  const preview = await console.get(`/applications/${app.id}/preview?logo=`);
  expect(preview.text).toContain('<img src="/console/pictures/');
});

it("gives a client a logo, which goes with the client", async () => {
  const app = await service.createApp();
  const clientId = await createClient(service, app);
  const console = await openConsole(service);
  const path = `/applications/${app.id}/clients/${clientId}`;
  const saved = await upload(console, path, "/logo", fileOf(jpeg()));
  expect(saved.text).toContain('data-page="light"');
  const [, address = ""] = /<img src="(\/console\/pictures[^"]+)"/u.exec(saved.text) ?? [];
  expect((await fetch(`${console.url}${address}`)).status).toBe(200);
  await console.submit(saved, `/clients/${clientId}/delete`, { confirmation: clientId });
  expect((await fetch(`${console.url}${address}`)).status).toBe(404);
});

it("J4: reads no file without a session, of another session's form, or for another act", async () => {
  const app = await service.createApp();
  const console = await openConsole(service);
  const page = await console.get(`/applications/${app.id}/branding`);
  const { action, fields } = page.form("/logo");
  const send = async (url: string, token: string, cookie: string): Promise<number> => {
    const body = new FormData();
    body.set("token", token);
    body.set("file", fileOf(png(2, 2)));
    const origin = console.url;
    return (
      await fetch(`${console.url}${url}`, { method: "POST", body, headers: { origin, cookie }, redirect: "manual" })
    ).status;
  };
  const cookie = [...console.visitor.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const { token = "" } = fields;
  expect(await send(action, token, "")).toBe(403);
  expect(await send(action, `${token}x`, cookie)).toBe(403);
  expect(await send(`/console/applications/${app.id}/branding`, token, cookie)).toBe(403);
  expect((await applications.get(service.server.app.ctx, app.id)).branding.logo).toBeNull();
  expect(await send(action, token, cookie)).toBe(303);
});

it("J3: takes no file of a role that may not change it", async () => {
  const app = await service.createApp();
  const owner = await openConsole(service);
  const support = await openConsole(service, { role: "support" });
  const page = await owner.get(`/applications/${app.id}/branding`);
  const { token = "" } = (await support.get("/overview")).form("/sign-out").fields;
  const body = new FormData();
  body.set("token", token);
  body.set("file", fileOf(png(2, 2)));
  const cookie = [...support.visitor.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const { status } = await fetch(`${support.url}${page.form("/logo").action}`, {
    method: "POST",
    body,
    headers: { cookie },
  });
  expect(status).toBe(403);
});

it("keeps a logo from elsewhere as it is, and goes back to it", async () => {
  const app = await service.createApp();
  const logo = "https://cdn.acme.example/logo.svg";
  await updateApp(service, app, { branding: { logo } });
  const console = await openConsole(service);
  const saved = await upload(console, `/applications/${app.id}/branding`, "/logo", fileOf(png(4, 4)));
  await console.submit(saved, "/logo/undo");
  expect((await applications.get(service.server.app.ctx, app.id)).branding.logo).toBe(logo);
});

it("keeps a logo when the address of an older one is sent back, and refuses another application's", async () => {
  const [app, other] = [await service.createApp(), await service.createApp()];
  const console = await openConsole(service);
  const logoOf = async ({ id }: { id: string }) => {
    const { logo } = (await applications.get(service.server.app.ctx, id)).branding;
    return logo ?? "";
  };
  for (const { id } of [app, other]) await upload(console, `/applications/${id}/branding`, "/logo", fileOf(png(4, 4)));
  const older = await logoOf(app);
  await upload(console, `/applications/${app.id}/branding`, "/logo", fileOf(png(4, 5)));
  const present = await logoOf(app);
  expect(present).not.toBe(older);
  await updateApp(service, app, { branding: { logo: older } });
  expect(await logoOf(app)).toBe(present);
  await expect(updateApp(service, app, { branding: { logo: await logoOf(other) } })).rejects.toThrow();
  expect(await logoOf(app)).toBe(present);
});

it("replaces an uploaded logo by an address", async () => {
  const app = await service.createApp();
  const console = await openConsole(service);
  const uploaded = await upload(console, `/applications/${app.id}/branding`, "/logo", fileOf(png(4, 4)));
  const logo = "https://cdn.acme.example/logo.svg";
  const saved = await console.submit(uploaded, "/branding", { logo });
  expect(saved.text).toContain("The branding was saved.");
  expect((await applications.get(service.server.app.ctx, app.id)).branding.logo).toBe(logo);
});

it("names the application or client of a logo in the audit log, so that its changes have it", async () => {
  const app = await service.createApp();
  const clientId = await createClient(service, app);
  const console = await openConsole(service);
  for (const [path, target] of [
    [`/applications/${app.id}/branding`, app.id],
    [`/applications/${app.id}/clients/${clientId}`, clientId],
  ] as const) {
    const uploaded = await upload(console, path, "/logo", fileOf(png(4, 4)));
    await console.submit(uploaded, "/logo/remove");
    const events = await audit.list(service.server.app.ctx, { target, limit: 100 });
    const changes = events.filter(({ action }) => action.endsWith(".update"));
    expect(changes.map(({ target: named }) => named)).toEqual([target, target]);
  }
});
