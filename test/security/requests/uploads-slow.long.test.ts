import { describe, expect, it } from "vitest";
import { openAccount } from "../../support/account.ts";
import { signedUpIn } from "../../support/adding.ts";
import { openEndless } from "../../support/endless-upload.ts";
import { useService } from "../../support/one-service.ts";
import { fileOf, png } from "../../support/pictures.ts";

describe.each([1, 2])("a form with a file whose end does not come, where %d threads serve", (threads) => {
  const service = useService({
    listen: { host: "127.0.0.1", port: 0, maxConnections: 100, threads, tls: undefined },
  });

  it("H11: is cut after five seconds when another of its caller waits", async () => {
    const app = await service.createApp();
    const { visitor } = await signedUpIn(service, app);
    const page = await openAccount(service, app, visitor, "/picture");
    const { action, fields } = page.form("/account/picture");
    const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const held = [];
    for (let count = 0; count < 2; count += 1)
      held.push(await openEndless(service, action, { cookie, token: fields["token"] ?? "" }));
    // Otherwise it waits for the 13 seconds of a whole request.
    const startedAt = performance.now();
    expect((await visitor.upload(page, action, fileOf(png(2, 2)))).status).toBe(303);
    expect(performance.now() - startedAt).toBeLessThan(12_000);
    for (const socket of held) socket.destroy();
  });
});
