const untrusted = "its certificate is not trusted on this machine";

const words: Record<string, string> = {
  ENOTFOUND: "its name cannot be resolved",
  ENODATA: "its name cannot be resolved",
  EAI_AGAIN: "its name cannot be resolved right now",
  ETIMEOUT: "its name cannot be resolved right now",
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was closed",
  UND_ERR_SOCKET: "the connection was closed",
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  CERT_HAS_EXPIRED: "its certificate has expired",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another name",
  ERR_SSL_WRONG_VERSION_NUMBER: "it does not speak TLS on this port",
};

/** The meaning of a failed connection's code, without any part of the address. */
export function connectionFailure(code: string): string | undefined {
  return words[code];
}
