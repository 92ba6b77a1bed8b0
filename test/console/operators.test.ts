import { beforeAll, expect, test } from "vitest";
import * as operators from "../../src/operators/service.ts";
import * as audit from "../../src/records/audit/audit.ts";
import { answer, authsvc } from "../cli/in-process.ts";
import { placeOf } from "../cli/service-place.ts";
import { commandsOn, openConsole } from "../support/console.ts";
import { freePort } from "../support/free-port.ts";
import { useService } from "../support/one-service.ts";
import { follow, makeOperator, signInTo, type TestOperator } from "../support/operators.ts";
import { newEmail, Visitor, type Page } from "../support/person.ts";

const port = await freePort();
const settings = { host: "127.0.0.1", port, baseUrl: `http://127.0.0.1:${port}` };
const service = useService({ console: settings });
const home = `${settings.baseUrl}/console/operators`;
const by = { actor: { kind: "cli", name: "test" } } as const;

let owner: TestOperator;
let visitor: Visitor;

const ctx = () => service.server.app.ctx;
const found = async (id: string) => (await operators.list(ctx())).find((operator) => operator.id === id);

beforeAll(async () => {
  owner = await makeOperator(service, "owner");
  visitor = new Visitor();
  await signInTo(service, await visitor.get(home), owner, visitor);
});

async function submit(page: Page, action: string, values: Record<string, string> = {}): Promise<Page> {
  return await follow(await visitor.submit(page, action, values), visitor);
}

/** Runs a shown command as an operator of the same installation would. */
async function run(command: string) {
  const { cwd, env } = placeOf(service);
  const team = { AUTHSVC_CONSOLE__LISTEN: `127.0.0.1:${port}`, AUTHSVC_CONSOLE__BASE_URL: settings.baseUrl };
  return await authsvc([...command.split(" ").slice(1), "--yes"], { cwd, env: { ...env, ...team } });
}

test("lists the operators with role and last sign-in", async () => {
  const { text } = await visitor.get(home);
  expect(text).toContain(owner.email);
  expect(text).toMatch(/owner[\s\S]*<time/u);
  const listed = (await answer(["operator", "list"], placeOf(service))) as { email: string }[];
  for (const { email } of listed) expect(text).toContain(email);
});

test("J10: invites somebody, with the link shown once; the command of a check does the same", async () => {
  const [one, two] = [newEmail(), newEmail()];
  const checked = await submit(await visitor.get(home), "/operators", { email: two, role: "support", check: "on" });
  expect(checked.text).toContain("This address can be invited.");
  const invited = await submit(await visitor.get(home), "/operators", { email: one, role: "support", link: "on" });
  expect(invited.text).toContain(`${service.url}/invite/`);
  const invite = commandsOn(checked).find((line) => line.includes("invite")) ?? "";
  expect(await run(invite)).toMatchObject({ code: 0 });
  const roles = new Map((await operators.list(ctx())).map(({ email, role }) => [email, role]));
  expect([roles.get(one), roles.get(two)]).toEqual(["support", "support"]);
  const [entry] = (await audit.list(ctx(), { action: "operator.invite", limit: 10 })).slice(-2);
  expect(entry).toMatchObject({ actor: `operator:${owner.id}`, ipAddress: "127.0.0.1" });
});

test("P6: the link that invites an operator works for seven days, and not longer", async () => {
  const input = { email: newEmail(), role: "viewer", name: null };
  const { link } = await operators.invite(ctx(), input, { link: true }, by);
  const { now } = service.clock;
  service.clock.now = now + 7 * 86_400_000 - 1;
  expect((await new Visitor().get(link ?? "")).status).toBe(200);
  service.clock.now += 1;
  expect((await new Visitor().get(link ?? "")).status).toBe(410);
  service.clock.now = now;
});

test("refuses an invitation as the command does, and keeps what was entered", async () => {
  const page = await submit(await visitor.get(home), "/operators", {
    email: "nobody",
    role: "viewer",
    name: "Ada <b>",
  });
  expect(page.status).toBe(400);
  expect(page.text).toContain("email: ");
  expect(page.text).toContain('value="Ada &lt;b&gt;"');
});

test("changes the role of another operator, and removes them, as the commands do", async () => {
  const [one, two] = [await makeOperator(service, "viewer"), await makeOperator(service, "viewer")];
  const page = await visitor.get(`${home}/${one.id}`);
  const forms = page.text.split("<form");
  const toSupport = forms.find((form) => form.includes("/role") && form.includes('value="support"')) ?? "";
  await visitor.submit(page, "/role", { role: "support" });
  const [update = ""] = commandsOn({ text: toSupport } as Page);
  expect(await run(update.replace(one.email, two.email))).toMatchObject({ code: 0 });
  for (const { id } of [one, two]) expect(await found(id)).toMatchObject({ role: "support" });
  const removal = commandsOn(page).find((command) => command.includes("remove")) ?? "";
  const unconfirmed = await submit(page, "/remove", { confirmation: two.email });
  expect([unconfirmed.status, unconfirmed.text.includes(`type ${one.email}`)]).toEqual([400, true]);
  expect((await submit(page, "/remove", { confirmation: ` ${one.email} ` })).text).toContain(
    "The operator was removed.",
  );
  expect(await run(removal.replace(one.email, two.email))).toMatchObject({ code: 0 });
  for (const { id } of [one, two]) expect(await found(id)).toBeUndefined();
});

test("J3: an operator can neither change their own role nor remove themselves", async () => {
  await makeOperator(service, "owner");
  const page = await visitor.get(`${home}/${owner.id}`);
  expect(page.text).toContain("You cannot change your own role");
  expect(() => page.form("/role")).toThrow("no form");
  const { token = "" } = page.form("/sign-out").fields;
  for (const act of ["role", "remove"]) {
    const refused = await visitor.post(`${home}/${owner.id}/${act}`, { token, role: "viewer" });
    expect(refused.status).toBe(409);
    expect(refused.text).toContain("You cannot change your own role or remove yourself.");
  }
  expect(await found(owner.id)).toMatchObject({ role: "owner" });
});

test("sets the networks, and not those that would lock out anybody who sets them", async () => {
  const locked = await submit(await visitor.get(home), "/operators/networks", { networks: "10.0.0.0/8" });
  expect(locked.status).toBe(409);
  expect(locked.text).toContain("This would lock you out");
  expect(locked.text).toContain("10.0.0.0/8</textarea>");
  const wrong = await submit(await visitor.get(home), "/operators/networks", { networks: "127.0.0.0/8\nhere" });
  expect(wrong.status).toBe(400);
  expect(await operators.networks(ctx())).toEqual([]);
  const set = await submit(await visitor.get(home), "/operators/networks", { networks: "127.0.0.0/8\n10.0.0.0/8\n" });
  const networks = ["127.0.0.0/8", "10.0.0.0/8"];
  expect(await operators.networks(ctx())).toEqual(networks);
  const command = commandsOn(set).find((line) => line.includes("networks")) ?? "";
  await operators.setNetworks(ctx(), [], {}, by);
  expect(await run(command)).toMatchObject({ code: 0 });
  expect(await operators.networks(ctx())).toEqual(networks);
  await operators.setNetworks(ctx(), [], {}, by);
});

test("J3: nobody but an owner sees the operators, and authsvc console only says where they are", async () => {
  for (const role of ["viewer", "support"] as const) {
    const [operator, browser] = [await makeOperator(service, role), new Visitor()];
    const page = await signInTo(service, await browser.get(home), operator, browser);
    expect(page.status).toBe(403);
    expect(page.text).not.toContain(owner.email);
  }
  const local = await openConsole(service);
  const { text } = await local.get("/operators");
  expect(text).toContain(`<a href="${settings.baseUrl}">`);
  expect(text).not.toContain(owner.email);
  const { token = "" } = (await local.get("/overview")).form("/sign-out").fields;
  for (const path of ["", "/networks", ...["invite", "withdraw", "role", "remove"].map((act) => `/${owner.id}/${act}`)])
    expect((await local.visitor.post(`${local.url}/console/operators${path}`, { token })).status, path).toBe(404);
  expect((await local.get(`/operators/${owner.id}`)).status).toBe(404);
});

test("says who is invited until when, who is active, and when they were last seen", async () => {
  const { id, email } = await operators.invite(
    ctx(),
    { email: newEmail(), role: "viewer", name: null },
    { link: true },
    by,
  );
  const row = ({ text }: Page, whose: string): string => text.split("<tr").find((each) => each.includes(whose)) ?? "";
  const page = await visitor.get(home);
  expect(row(page, `/operators/${id}"`)).toContain(email);
  expect(row(page, `/operators/${id}"`)).toMatch(/invited<\/span>, expires[\s\S]*<time[\s\S]*never/u);
  expect(row(page, `/operators/${owner.id}"`)).toMatch(/active<\/span>/u);
  expect(await found(owner.id)).toMatchObject({ lastSeenAt: new Date(service.clock.now).toISOString() });
  const { now } = service.clock;
  service.clock.now += 7 * 86_400_000;
  expect(await found(String(id))).toMatchObject({ state: "expired", invitedUntil: null });
  service.clock.now = now;
});

test("J10: sends an invitation again, and the earlier link opens nothing", async () => {
  const { id, link } = await operators.invite(
    ctx(),
    { email: newEmail(), role: "viewer", name: null },
    { link: true },
    by,
  );
  const again = await submit(await visitor.get(home), `/${id}/invite`);
  expect(again.text).toContain(`${service.url}/invite/`);
  expect((await new Visitor().get(link ?? "")).status).toBe(410);
  expect(await found(String(id))).toMatchObject({ role: "viewer", state: "invited" });
});

test("an invitation that is sent again changes no role, and makes nobody an operator who was removed", async () => {
  const input = { email: newEmail(), role: "viewer", name: null };
  const id = String((await operators.invite(ctx(), input, { link: true }, by)).id);
  const again = async () => await operators.invite(ctx(), { id }, { link: true }, by);
  const [, invited] = await Promise.all([operators.update(ctx(), id, { role: "support" }, {}, by), again()]);
  expect([invited.email, (await found(id))?.role]).toEqual([input.email, "support"]);
  const page = await visitor.get(home);
  await operators.remove(ctx(), id, {}, by);
  const { status } = await submit(page, `/${id}/invite`);
  expect([status, (await operators.list(ctx())).filter(({ email }) => email === input.email)]).toEqual([404, []]);
});

test("P6: a withdrawn invitation opens nothing, and an operator who accepted theirs is not withdrawn", async () => {
  const made = async () =>
    await operators.invite(ctx(), { email: newEmail(), role: "owner", name: null }, { link: true }, by);
  const [one, two] = [await made(), await made()];
  const page = await visitor.get(home);
  const command = commandsOn(page).find((line) => line.includes(`--withdraw ${two.email}`)) ?? "";
  expect((await submit(page, `/${one.id}/withdraw`)).text).toContain("The invitation was withdrawn.");
  expect(await run(command)).toMatchObject({ code: 0 });
  for (const { id, link } of [one, two]) {
    expect(await found(String(id))).toBeUndefined();
    expect((await new Visitor().get(link ?? "")).status).toBe(410);
  }
  const active = await makeOperator(service, "viewer");
  const { token = "" } = page.form("/sign-out").fields;
  const refused = await visitor.post(`${home}/${active.id}/withdraw`, { token });
  expect([refused.status, refused.text.includes("has accepted the invitation")]).toEqual([409, true]);
  expect(await found(active.id)).toMatchObject({ state: "active" });
  const entries = await audit.list(ctx(), { action: "operator.invite-withdrawn", limit: 10 });
  expect(entries.map(({ userId }) => userId)).toEqual([one.id, two.id]);
});

test("the audit log names operators by their address, to owners", async () => {
  const { text } = await visitor.get(`${settings.baseUrl}/console/audit?action=operator.invite`);
  expect(text).toContain(owner.email);
  const [viewer, browser] = [await makeOperator(service, "viewer"), new Visitor()];
  const page = await signInTo(service, await browser.get(`${settings.baseUrl}/console/audit`), viewer, browser);
  expect(page.text).toContain(`value="operator:${owner.id}"`);
  expect(page.text).not.toContain(owner.email);
});

test("an unknown operator is not found", async () => {
  expect((await visitor.get(`${home}/usr_nobody`)).status).toBe(404);
});
