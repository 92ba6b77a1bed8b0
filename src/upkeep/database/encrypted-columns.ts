import { providerSecretContext } from "../../applications/providers/provider-input.ts";
import { factorContext } from "../../factors/service.ts";
import { oauthStateContext } from "../../credentials/identities/authorization-requests.ts";
import { organizationVisitContext } from "../../companies/visits.ts";
import { emailTokenContext } from "../../credentials/mailed/service.ts";
import { mailContext } from "../../records/mail/service.ts";
import { providerSecretContext as organizationSecretContext } from "../../organizations/provider/provider.ts";
import { secretContext } from "../../records/webhooks/endpoint.ts";
import type { EncryptedColumn } from "../../secrets/unreadable.ts";
import type { StoredRow } from "../../storage/table-names.ts";
import { signingKeyContext } from "../../tokens/new-signing-key.ts";

/** Every column encrypted under the master key, with the encryption context of its domain. */
export const encryptedColumns: EncryptedColumn[] = [
  {
    table: "signingKeys",
    key: ["id"],
    column: "encryptedPrivateJwk",
    context: (row) => signingKeyContext(text(row, "id")),
  },
  {
    table: "oauthProviders",
    key: ["appId", "name"],
    column: "encryptedSecret",
    context: (row) => providerSecretContext(text(row, "appId"), text(row, "name")),
  },
  {
    table: "organizationProviders",
    key: ["organizationId", "state"],
    column: "encryptedSecret",
    context: (row) => organizationSecretContext({ organizationId: text(row, "organizationId") }),
  },
  {
    table: "webhookEndpoints",
    key: ["id"],
    column: "encryptedSecret",
    context: (row) => secretContext(text(row, "id")),
  },
  {
    table: "webhookEndpoints",
    key: ["id"],
    column: "encryptedOldSecret",
    context: (row) => secretContext(text(row, "id")),
  },
  {
    table: "secondFactors",
    key: ["userId"],
    column: "encryptedSecret",
    context: (row) => factorContext(text(row, "userId")),
  },
  { table: "mails", key: ["id"], column: "encryptedMail", context: (row) => mailContext(text(row, "id")) },
  {
    table: "emailTokens",
    key: ["digest"],
    column: "encryptedSessionId",
    context: (row) => emailTokenContext(text(row, "digest")),
  },
  {
    table: "oauthStates",
    key: ["digest"],
    column: "encryptedSessionId",
    context: (row) => oauthStateContext(text(row, "digest")),
  },
  {
    table: "organizationVisits",
    key: ["digest"],
    column: "encryptedSessionId",
    context: (row) => organizationVisitContext(text(row, "digest")),
  },
];

function text(row: StoredRow, column: string): string {
  return String(row[column]);
}
