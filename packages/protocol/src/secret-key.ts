/** A secret of 32 bytes, as operators write it: in base64. */

import { Secret, type SecretKind } from './secret.ts'

/** Undefined unless the text is the one base64 spelling of 32 bytes; blanks around it do not matter. */
export function parseSecretKey<Kind extends SecretKind>(
  kind: Kind,
  text: string,
): Secret<Kind> | undefined {
  const canonical = text.trim()
  // 43 digits hold 32 bytes and two bits, which must be zero: then the last digit is one of sixteen.
  return /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/.test(canonical)
    ? new Secret(kind, canonical)
    : undefined
}
