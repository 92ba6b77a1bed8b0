import { expect, it } from "vitest";
import { goodPassword, initiate, newEmail, signUp, Visitor } from "../../support/person.ts";
import { describeOnSqlite } from "../../support/service.ts";

const mark = /aria-describedby="used-last"/u;

describeOnSqlite("the way that was used last in a browser", (current) => {
  it("is marked for that application alone, once a sign-in is finished", async () => {
    const service = current();
    const [app, other] = [await service.createApp(), await service.createApp()];
    const email = newEmail();
    await signUp(service, app, { email });
    const visitor = new Visitor();
    const open = async (of = app) => await visitor.get((await initiate(service, of)).authUrl);

    const before = await open();
    expect(before.text).not.toMatch(mark);
    await visitor.submit(before, "/password", { email, password: "not the password at all" });
    expect((await open()).text).not.toMatch(mark);

    const done = await visitor.submit(await open(), "/password", { email, password: goodPassword });
    expect(done.status).toBe(303);
    const cookies = done.headers.getSetCookie().filter((line) => /=password;/u.test(line));
    expect(cookies).toEqual([
      expect.stringMatching(/^authsvc-\w+=password; Path=\/; Max-Age=31536000; HttpOnly; SameSite=Lax/u),
    ]);
    expect((await open()).text).toMatch(mark);
    expect((await open(other)).text).not.toMatch(mark);
  });
});
