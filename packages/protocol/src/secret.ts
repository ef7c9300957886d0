/** A secret that cannot be printed: the only way to its text is `reveal()`. */

export type SecretKind =
  | 'hub-token'
  | 'client-secret'
  | 'access-token'
  | 'id-token'
  | 'provider-token'
  | 'device-code'
  | 'refresh-token'
  | 'master-key'
  | 'assertion-key'
  | 'blob-url-key'
  | 'storage-master-key'
  | 'database-password'
  | 'database-url'
  | 's3-credentials'

const inspect = Symbol.for('nodejs.util.inspect.custom')

export class Secret<Kind extends SecretKind> {
  readonly kind: Kind
  readonly #text: string

  constructor(kind: Kind, text: string) {
    this.kind = kind
    this.#text = text
  }

  /** The secret itself. A test lists the files that may call this. */
  reveal(): string {
    return this.#text
  }

  toString(): string {
    return `[${this.kind}]`
  }

  toJSON(): string {
    return this.toString()
  }

  [inspect](): string {
    return this.toString()
  }
}

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
