/** The path of a storage request, taken in its one normal spelling only: routers repair the others, each in its own way. */

/** A path that every router reads alike. */
export type NormalPath = string & { readonly brand: 'normal-path' }

/** RFC 3986 `pchar` without `;`, after which some routers stop reading. */
const plain = "[A-Za-z0-9._~!$&'()*+,=:@-]"

/** Encoded characters that no router takes for a letter, a separator, a dot or the end of the path. */
const encoded = '%(?:2[0-246-9A-C]|3[AC-E]|40|5[BDE]|60|7[B-D]|[89A-F][0-9A-F])'

/** A segment that is neither empty nor dots; unrolled, so that a long path costs one pass. */
const segment = `(?!\\.{0,2}(?:/|$))${plain}*(?:${encoded}${plain}*)*`
const normal = new RegExp(`^/(?:${segment}(?:/${segment})*)?$`, 'i')

/** Far more than any storage has; what is judged before a token is must stay cheap. */
const maxPathLength = 8192

/**
 * Reads the raw path of a request; undefined when it is not already normal.
 *
 * @example
 * ```ts
 * parseNormalPath('/v1/files/0123') // a NormalPath
 * parseNormalPath('/v1/../files/0123') // undefined
 * ```
 */
export function parseNormalPath(path: string): NormalPath | undefined {
  if (path.length > maxPathLength || !normal.test(path)) return undefined
  return path.includes('%') && !decodesWell(path) ? undefined : (path as NormalPath)
}

/** Spellings of slashes that an operator may let through to a storage whose keys hold them. */
export const slashForms = ['encoded-slash', 'trailing-slash'] as const

export type SlashForm = (typeof slashForms)[number]

/**
 * Reads the raw path of a request like `parseNormalPath`, and also takes the given forms of slashes. Read with plain
 * slashes the path must be normal too, so that `a%2F..%2Fb` leads nowhere.
 */
export function parseStoragePath(
  path: string,
  allowed: readonly SlashForm[],
): NormalPath | undefined {
  const normalPath = parseNormalPath(path)
  if (normalPath !== undefined || path.length > maxPathLength) return normalPath
  const decoded = allowed.includes('encoded-slash') ? decodeSlashes(path) : path
  const plain = allowed.includes('trailing-slash') ? withoutTrailingSlash(decoded) : decoded
  return plain !== path && parseNormalPath(plain) !== undefined ? (path as NormalPath) : undefined
}

/** The ways in which routers read the slashes of such a path: `%2F` as itself or as `/`, with and without the last one. */
export function slashReadings(path: NormalPath): readonly NormalPath[] {
  const decoded = decodeSlashes(path)
  if (decoded === path && !path.endsWith('/')) return [path]
  return [path, decoded, withoutTrailingSlash(path), withoutTrailingSlash(decoded)] as NormalPath[]
}

const encodedSlash = /%2f/gi

function decodeSlashes(path: string): string {
  return path.includes('%') ? path.replaceAll(encodedSlash, '/') : path
}

/** Two slashes at the end stay: they are an empty segment. */
function withoutTrailingSlash(path: string): string {
  return /[^/]\/$/.test(path) ? path.slice(0, -1) : path
}

/** Whether what is encoded is UTF-8, without the controls beyond ASCII. */
function decodesWell(path: string): boolean {
  const text = decodeSegment(path)
  return text !== undefined && !/[\u0080-\u009f]/.test(text)
}

/** Undefined when the encoded bytes are no UTF-8. */
export function decodeSegment(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}
