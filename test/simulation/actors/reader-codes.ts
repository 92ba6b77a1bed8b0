/** What is tried with a code of a program's sign-in. */
import { Violation } from "../model.ts";
import { postAs, ProgramKey, type ClientLogin, type Program } from "../programs.ts";
import { time } from "../time.ts";
import { settled } from "./in-flight.ts";
import { another, type Code, type Reader } from "./reader.ts";
import { look } from "./reader-logins.ts";

export async function signInAndRedeem(reader: Reader, program: Program, browserAt: number): Promise<void> {
  const code = await reader.signIn(reader.ask(program), browserAt);
  if (!code) return;
  const { chances } = reader;
  const how = chances.next();
  if (how < 0.1) await redeemTwice(reader, code);
  else if (how < 0.2) await redeemWrongly(reader, code);
  else if (how < 0.27) await redeemAsAnother(reader, code);
  else {
    if (how < 0.4) await time.pause(chances.wait(20_000));
    const login = await reader.redeem(code);
    if (login && how > 0.92) await redeemAgain(reader, code, login);
  }
}

/** O3: of two redemptions of one code, one succeeds. */
async function redeemTwice(reader: Reader, code: Code): Promise<void> {
  const given = await settled([() => reader.redeem(code), () => reader.redeem(code)]);
  reader.world.reached("two redemptions of a client's code");
  const logins = given.filter((login) => login !== undefined);
  if (logins.length > 1) throw new Violation("O3", `two answers for one code of ${reader.known.name}`);
  for (const login of logins) login.isBeingEnded(0);
}

/** O3: a wrong verifier or none, or another key, gets nothing, and uses the code up. */
async function redeemWrongly(reader: Reader, code: Code): Promise<void> {
  const { asked } = code;
  if (asked.verifier === undefined) return;
  const { code_verifier: verifier = "", ...without } = reader.formOf(code);
  const isLeftOut = reader.chances.chance(0.5);
  const wrong = isLeftOut ? without : { ...without, code_verifier: `${verifier.slice(1)}x` };
  const { status } = await postAs(asked.program, "/oauth2/token", wrong, { prover: asked.prover });
  reader.world.reached(isLeftOut ? "a code without its verifier" : "a code with another verifier");
  if (status === 200) throw new Violation("O3", `a code of ${asked.program.id} worked without its verifier`);
  if (status !== 400) return;
  code.hasEnded(time.now());
  await reader.redeem(code);
}

async function redeemAsAnother(reader: Reader, code: Code): Promise<void> {
  const { program, prover } = code.asked;
  const thief = another(reader, program);
  const key = thief.isBound ? new ProgramKey(reader.chances.fork(`thief ${(reader.count += 1)}`)) : prover;
  const { status } = await postAs(thief, "/oauth2/token", reader.formOf(code), { prover: key });
  reader.world.reached("a code in another program");
  if (status === 200) throw new Violation("O3", `${thief.id} redeemed a code of ${program.id}`);
  await reader.redeem(code);
}

/** O3: a second use of a code ends its login. */
async function redeemAgain(reader: Reader, code: Code, login: ClientLogin): Promise<void> {
  await time.pause(reader.chances.wait(30_000));
  login.isBeingEnded(time.now());
  const { program, prover } = code.asked;
  const { status } = await postAs(program, "/oauth2/token", reader.formOf(code), { prover });
  reader.world.note(`${login.name} redeems its code again: ${status}`);
  reader.world.reached("a client's code used again");
  if (status === 200) throw new Violation("O3", `a code of ${program.id} worked again`);
  if (status !== 400) return;
  reader.known.bury(login);
  await look(reader, login);
}
