/** A secret that is looked for, byte by byte, wherever it must not be. */

export interface Canary {
  readonly name: string
  /** Any of these gives the secret, or a good part of it, away. */
  readonly needles: readonly Buffer[]
  /** Each needle has one of these in it. They are few, so they are looked for first. */
  readonly parts: readonly Buffer[]
}

/** Twelve characters of a random text do not turn up by chance; four of them are shown as a hint. */
const fragmentLength = 12
/** Wherever a fragment begins, a whole part lies in it. */
const partLength = fragmentLength / 2

export function hubTokenCanary(name: string, token: string): Canary {
  const secret = token.slice(token.indexOf('_') + 1)
  return { name, needles: fragmentsOf(secret), parts: partsOf(secret) }
}

/** Header and claims alone open nothing; the signature makes the credential. */
export function accessTokenCanary(name: string, token: string): Canary {
  const [, payload = '', signature = ''] = token.split('.')
  const claims = Buffer.from(payload)
  return {
    name,
    needles: [claims, ...fragmentsOf(signature)],
    parts: [claims, ...partsOf(signature)],
  }
}

/** Bytes that may show up raw or in any usual text form. */
export function keyCanary(name: string, bytes: Buffer): Canary {
  const forms = (['base64', 'base64url', 'hex'] as const).map((form) =>
    Buffer.from(bytes.toString(form).replace(/=+$/, '')),
  )
  const needles = [bytes, ...forms]
  return { name, needles, parts: needles }
}

/** Where something came out of a hub, and what. */
export type Outlets = ReadonlyMap<string, string | Buffer>

/** The canaries that sing, and where: nothing, when all is well. */
export function found(canaries: readonly Canary[], outlets: Outlets): string[] {
  return [...outlets].flatMap(([outlet, content]) => {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content
    return canaries.flatMap(({ name, needles, parts }) => {
      if (!parts.some((part) => bytes.includes(part))) return []
      const needle = needles.find((each) => bytes.includes(each))
      return needle === undefined ? [] : [`${name} in ${outlet}: ${around(bytes, needle)}`]
    })
  })
}

function fragmentsOf(text: string): Buffer[] {
  const count = text.length - fragmentLength + 1
  return Array.from({ length: count }, (_, start) =>
    Buffer.from(text.slice(start, start + fragmentLength)),
  )
}

function partsOf(text: string): Buffer[] {
  const count = Math.floor(text.length / partLength)
  return Array.from({ length: count }, (_, index) =>
    Buffer.from(text.slice(index * partLength, (index + 1) * partLength)),
  )
}

function around(bytes: Buffer, needle: Buffer): string {
  const at = bytes.indexOf(needle)
  return JSON.stringify(bytes.toString('latin1', Math.max(0, at - 60), at + 60))
}
