/** Faults of ways to sign in: what they prove, who may change them, and what is said of them. */
import { alone, type Bug } from "../planted.ts";

export const methodBugs: readonly Bug[] = [
  {
    name: "an-old-proof-changes-an-account",
    file: "sign-in/fresh-proofs.ts",
    replaced: "  if (isOver(provenAt + proofIsFresh, proofIsFresh, now)) return false;\n",
    by: "",
    oracle: "O8",
  },
  {
    name: "another-authenticator-answers",
    file: "credentials/passkeys/webauthn.ts",
    replaced: "    if (passkey.backupEligible !== null && passkey.backupEligible !== backupEligible) {",
    by: "    if (backupEligible === null) {",
    oracle: "O8",
    without: alone("students"),
  },
  {
    name: "an-entry-without-its-method",
    file: "credentials/methods/service.ts",
    replaced: "const details = { method: method.type, methodId: method.id };",
    by: "const details = { methodId: method.id };",
    oracle: "O9",
  },
  {
    name: "programs-offered-to-everybody",
    file: "sign-in/launchable.ts",
    replaced:
      "if (!(await groups.admits(reader, withDefaultAccess({ client, application }).client, userId))) continue;",
    by: "void [groups, withDefaultAccess];",
    oracle: "O8",
  },
];
