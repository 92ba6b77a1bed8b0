import { expect, test } from "vitest";
import { createProofs } from "../../packages/sdk/src/dpop.ts";
import { newProver, prove } from "../support/dpop.ts";
import { useService } from "../support/one-service.ts";
import { codeFor, newParty } from "../support/openid-tokens.ts";
import { usePython } from "./python.ts";
import { verifiers } from "./verifiers.ts";
import { changedProofs, writerOf, wrongProofs } from "./wrong-proofs.ts";

const current = useService();
const { clientOf } = verifiers(current);
/** Every run tries others, CI the same. To repeat one: AUTHSVC_FUZZ_SEED=… */
const seed = Number(process.env["AUTHSVC_FUZZ_SEED"] ?? (process.env["CI"] ? 20_261_128 : Date.now() % 1_000_000_000));
const count = Number(process.env["AUTHSVC_FUZZ_INPUTS"] ?? 300);

/** What `verify` says to each proof: "taken", an error code, or the name of any other exception. */
const python = usePython(`
import json, sys, time
time.time = lambda: given["now"]
import authsvc
for line in sys.stdin:
    given = json.loads(line)
    client = authsvc.Authsvc(*given["client"], allowed_clients=given["allowed"])
    answers = []
    for proof in given["proofs"]:
        try:
            client.verify(given["token"], authsvc.ProvenCall(given["method"], given["url"], proof))
            answers.append("taken")
        except authsvc.AuthsvcError as error:
            answers.append(error.code)
        except Exception as error:
            answers.append(repr(error))
    print(json.dumps(answers), flush=True)
`);

async function prepared() {
  const party = await newParty(current());
  const prover = await newProver(current());
  const form = await codeFor(current(), party);
  const { body } = await prove(current(), party, form, await prover.proof("POST", "/oauth2/token"));
  const now = current().clock.now;
  const url = "https://api.example.com/orders";
  const target = { prover, token: String(body["access_token"]), method: "GET", url, now };
  const { client } = clientOf(party.app, { allowedClients: [party.client.id] });
  const proofs = createProofs({ now: () => now });

  async function typescript(given: string[]): Promise<string[]> {
    const answers: string[] = [];
    for (const proof of given)
      answers.push(
        await client.verify(target.token, proofs.of({ ...target, proof })).then(
          () => "taken",
          (error: unknown) => (error as { code?: string }).code ?? String(error),
        ),
      );
    return answers;
  }
  const credentials = { client: [current().url, party.app.id, party.app.apiKey], allowed: [party.client.id] };
  const { token, method } = target;
  const inPython = async (given: string[]) =>
    await python<string[]>({ ...credentials, token, method, url, now: now / 1000, proofs: given });
  return { target, packages: { typescript, python: inPython } };
}

test.each(["typescript", "python"] as const)(
  "T7: a stranger's malformed proof is refused, and never an exception of another kind (%s)",
  async (name) => {
    const { target, packages } = await prepared();
    const rows = wrongProofs(target);
    const answers = await packages[name](rows.map(([, proof]) => proof));
    expect(rows.map(([what], nth) => [what, answers[nth]])).toEqual(rows.map(([what]) => [what, "INVALID_TOKEN"]));
    const dots = { htu: '"HTTPS://api.example.com:443/./a/%2E%2e/ord%65rs?x#y"', jti: '"dots"' };
    const right = [writerOf(target).write({}), writerOf(target).write({ claims: dots })];
    expect(await packages[name](right)).toEqual(["taken", "taken"]);
  },
);

test("both packages say the same to proofs that are changed at random", async () => {
  const { target, packages } = await prepared();
  const proofs = changedProofs(target, seed, count);
  const [one, other] = [await packages.typescript(proofs), await packages.python(proofs)];
  const said = (answers: string[]) => answers.map((answer, nth) => [answer, proofs[nth]]);
  expect(said(one), `AUTHSVC_FUZZ_SEED=${seed}`).toEqual(said(other));
  expect(one.filter((answer) => !["taken", "INVALID_TOKEN"].includes(answer))).toEqual([]);
});
