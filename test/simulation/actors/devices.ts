/** A device without a browser, for which a person decides in one. */
import { Violation } from "../model.ts";
import { issuer, postAs, type Answer } from "../programs.ts";
import { time } from "../time.ts";
import { settled } from "./in-flight.ts";
import { Browser, type Reader } from "./reader.ts";
import { look } from "./reader-logins.ts";

const grant = "urn:ietf:params:oauth:grant-type:device_code";

/** From its codes to its login, or to its end. */
export async function useScreen(reader: Reader, browserAt: number): Promise<void> {
  const { world, chances, known } = reader;
  const { screen, web } = world.programs;
  const scopes = ["openid", ...screen.scopes.filter((scope) => scope !== "openid" && chances.chance(0.7))];
  const begun = await postAs(screen, "/oauth2/device_authorization", { scope: scopes.join(" ") });
  if (begun.status !== 200) return;
  const code = String(begun.body["device_code"]);
  const form = { grant_type: grant, device_code: code };
  const poll = async (): Promise<Answer> => await postAs(screen, "/oauth2/token", form);
  await pollEarly(poll, chances.chance(0.5));
  const asked = {
    program: screen,
    scopes,
    nonce: undefined,
    verifier: undefined,
    prompt: "",
    maxAge: undefined,
  } as const;
  const at = time.now();
  const decision = await decide(reader, browserAt, String(begun.body["user_code"])).catch((error: unknown) => {
    reader.browsers[browserAt] = new Browser();
    throw error;
  });
  world.note(`${known.name} decides for a device: ${decision}`);
  const { proof } = reader.browsers[browserAt] as Browser;
  if (chances.chance(0.2)) await time.pause(chances.wait(60_000));
  if (chances.chance(0.1) && web[1]) {
    const { status } = await postAs(web[1], "/oauth2/token", form);
    if (status === 200) throw new Violation("O3", "a device code worked for another program");
  }
  const from = time.now();
  const isTwice = chances.chance(0.4);
  const answers = await settled(isTwice ? [poll, poll] : [poll]);
  const given = answers.filter((answer) => answer?.status === 200);
  world.note(`${known.name}'s device polls: ${answers.map((answer) => answer?.status).join(" ")}`);
  if (given.length > 1) throw new Violation("O3", "a device code gave tokens twice");
  if (isTwice) world.reached("two polls of one device code");
  const [first] = given;
  if (!first) return;
  if (decision !== "allowed" || !proof) throw new Violation("O8", `a device got tokens although it was ${decision}`);
  if (known.touched.some((touch) => touch.ends && touch.from > Math.max(at, proof.to) && (touch.to ?? from) < from))
    throw new Violation("O1", `a device code of ${known.name} outlived the end of all access`);
  const authTime = reader.world.secondsOf(proof);
  const login = reader.begin({ ...asked, scopes, prover: undefined }, first.body, authTime, from);
  world.reached("a login on a device");
  if (isTwice) return login.isBeingEnded(0);
  if (!chances.chance(0.3)) return;
  await time.pause(chances.wait(60_000));
  login.isBeingEnded(time.now());
  const again = await poll();
  world.note(`${login.name} polls again: ${again.status}`);
  world.reached("a device code used again");
  if (again.status === 200) throw new Violation("O3", "a device code gave tokens again");
  if (again.status !== 400) return;
  known.bury(login);
  await look(reader, login);
}

/** Before the person decides: it waits, and is told if it asks too often (RFC 8628 §3.5). */
async function pollEarly(poll: () => Promise<Answer>, isTwice: boolean): Promise<void> {
  const from = time.now();
  const answers = [await poll(), ...(isTwice ? [await poll()] : [])];
  if (answers.some(({ status }) => status === 200))
    throw new Violation("O8", "a device got tokens before a person decided");
  const [first, second] = answers.map(({ body }) => body["error"]);
  if (first === second && first === "authorization_pending" && time.now() - from < 3000)
    throw new Violation("O7", "a device that polls too soon was not told to slow down");
}

/** What the person said; "unknown" if no answer came, or nothing was asked. */
async function decide(reader: Reader, browserAt: number, userCode: string): Promise<"allowed" | "denied" | "unknown"> {
  const { chances } = reader;
  if (chances.chance(0.1)) return "unknown";
  const browser = reader.browsers[browserAt] as Browser;
  const typed = await browser.visitor.submit(await browser.visitor.get(`${issuer}/device`), "/device", {
    code: userCode,
  });
  if (typed.status !== 303) return "unknown";
  const { page, given } = await reader.open(typed.location.href, browserAt);
  if (page.status !== 200 || !page.text.includes("/step/consent")) return "unknown";
  const doesAllow = chances.chance(0.8);
  const done = await browser.visitor.submit(page, doesAllow ? "/step/consent" : "/step/deny", {});
  if (done.status !== 303) return "unknown";
  if (doesAllow && given) browser.prove(given, reader);
  return doesAllow ? "allowed" : "denied";
}
