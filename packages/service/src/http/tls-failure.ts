/** Why a TLS connection did not come about, and what a person can do about it. */

const named = 'name it, or the certificate of its issuer, with --ca-cert FILE'

const unknownIssuer = `the issuer of its certificate is not known here; ${named}`

const noTls =
  'what answers there does not speak TLS, or no version of it that fits; it may serve plain http'

/** By the code of the system. `--ca-cert` stands only where it would help. */
const reasons: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: `its certificate is self-signed; ${named}`,
  SELF_SIGNED_CERT_IN_CHAIN: unknownIssuer,
  UNABLE_TO_GET_ISSUER_CERT: unknownIssuer,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownIssuer,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownIssuer,
  CERT_UNTRUSTED: unknownIssuer,
  CERT_SIGNATURE_FAILURE:
    'its certificate is not signed by the issuer that is known here under this name; --ca-cert may name an older or another certificate of the issuer',
  CERT_HAS_EXPIRED:
    'its certificate, or that of its issuer, has expired; its operator must renew it',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet; compare the clocks of both machines',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'its certificate is for another host name; use the name that the certificate has',
  EPROTO: noTls,
  ERR_SSL_WRONG_VERSION_NUMBER: noTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: noTls,
}

/** Undefined for a code that has nothing to do with certificates. */
export function tlsReason(code: unknown): string | undefined {
  return typeof code === 'string' && Object.hasOwn(reasons, code) ? reasons[code] : undefined
}
