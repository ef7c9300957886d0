/** The parts of a JSON Schema (2020-12), so that each schema reads like a type. */

export type Schema = Readonly<Record<string, unknown>> | boolean
type Members = Readonly<Record<string, Schema>>

export const text: Schema = { type: 'string' }
export const filledText: Schema = { type: 'string', minLength: 1 }
export const integer: Schema = { type: 'integer' }
export const number: Schema = { type: 'number' }
export const count: Schema = { type: 'integer', minimum: 0 }
export const flag: Schema = { type: 'boolean' }
export const anything: Schema = true
export const nothing: Schema = { type: 'null' }

export const scope = word('read', 'write')
export const repoType = word('model', 'dataset', 'space')
/** In Unix seconds, of a time that everybody reads in the same unit. */
export const seconds: Schema = { type: 'integer', minimum: 0, maximum: 9_999_999_999 }
/** Numbers of the journal, and milliseconds. */
export const milliseconds: Schema = { type: 'integer', minimum: 0, maximum: 2 ** 53 - 1 }
export const url = shaped('^https?://[^\\s]+$')
/** The base64url of a SHA-256. */
export const digest = shaped('^[A-Za-z0-9_-]{43}$')
export const base64 = shaped('^[A-Za-z0-9+/]*={0,2}$')
export const refName = shaped('^refs/')
export const commit = shaped('^(?:[0-9a-f]{40}|[0-9a-f]{64})$')
export const errorCode = shaped('^[a-z][a-z_]*$')
export const about = list(filledText)

/** No other members than these. */
export function record(required: Members, optional: Members = {}): Schema {
  return {
    type: 'object',
    properties: { ...required, ...optional },
    required: Object.keys(required),
    additionalProperties: false,
  }
}

/** Any names, with values of one form. */
export function map(values: Schema): Schema {
  return { type: 'object', additionalProperties: values }
}

export function list(items: Schema, minItems = 1): Schema {
  return { type: 'array', items, minItems }
}

export function tuple(...prefixItems: readonly Schema[]): Schema {
  return {
    type: 'array',
    prefixItems,
    items: false,
    minItems: prefixItems.length,
    maxItems: prefixItems.length,
  }
}

export function word(...values: readonly string[]): Schema {
  return { type: 'string', enum: values }
}

export function status(...values: readonly number[]): Schema {
  return { type: 'integer', enum: values }
}

export function exactly(value: string | number | boolean): Schema {
  return { type: typeof value === 'number' ? 'integer' : typeof value, const: value }
}

export function shaped(pattern: string): Schema {
  return { type: 'string', pattern }
}

export function either(...anyOf: readonly Schema[]): Schema {
  return { anyOf }
}

export function definition(name: string): Schema {
  return { $ref: `#/$defs/${name}` }
}

const common = { kid: digest, use: exactly('sig') }
const p256 = { ...common, alg: exactly('ES256'), kty: exactly('EC'), crv: exactly('P-256') }
const ed25519 = { ...common, alg: exactly('EdDSA'), kty: exactly('OKP'), crv: exactly('Ed25519') }

export const publicKey = either(
  record({ ...p256, x: digest, y: digest }),
  record({ ...ed25519, x: digest }),
)
export const privateKey = either(
  record({ ...p256, x: digest, y: digest, d: digest }),
  record({ ...ed25519, x: digest, d: digest }),
)
export const keySet = record({ keys: list(publicKey) })
export const seenRef = record({ uid: filledText, before: milliseconds })

export const claims = record({
  iss: url,
  aud: url,
  sub: filledText,
  client_id: filledText,
  scope,
  repo: record({ type: repoType, id: shaped('^[^/]+/[^/]+$'), uid: filledText }),
  ref: record({ name: filledText, uid: filledText }),
  commit,
  as_of: milliseconds,
  sees: list(seenRef, 0),
  iat: seconds,
  exp: seconds,
  jti: filledText,
})
