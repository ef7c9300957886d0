/** The rules of the gate, told a second time and in another way, so that the vectors are not what the gate happens to do. */

const letters = /[A-Za-z]/
const digits = /[0-9]/

/** Whether a path is in the one spelling that is accepted: looked at character by character. */
export function isNormal(path: string): boolean {
  if (path === '/') return true
  if (!path.startsWith('/')) return false
  return path
    .slice(1)
    .split('/')
    .every((segment) => !['', '.', '..'].includes(segment) && isSpelledPlainly(segment))
}

function isSpelledPlainly(text: string): boolean {
  const bytes: number[] = []
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at)
    if (character !== '%') {
      if (!mayStandAsItIs(character)) return false
      bytes.push(character.charCodeAt(0))
      continue
    }
    const code = text.slice(at + 1, at + 3)
    if (!/^[0-9A-Fa-f]{2}$/.test(code) || !mayBeEncoded(Number.parseInt(code, 16))) return false
    bytes.push(Number.parseInt(code, 16))
    at += 2
  }
  return isTextWithoutControls(bytes)
}

/** RFC 3986 §3.3, without the semicolon. */
export function mayStandAsItIs(character: string): boolean {
  return letters.test(character) || digits.test(character) || "-._~!$&'()*+,=:@".includes(character)
}

/** Not what need not be encoded (RFC 3986 §2.3), no control, nothing that parts or ends a path. */
export function mayBeEncoded(byte: number): boolean {
  if (byte > 0x7f) return true
  if (byte < 0x20 || byte === 0x7f) return false
  const character = String.fromCharCode(byte)
  return !letters.test(character) && !digits.test(character) && !'-._~/\\%;?#'.includes(character)
}

/** UTF-8, and none of the controls beyond ASCII, which it writes as C2 80 to C2 9F. */
function isTextWithoutControls(bytes: readonly number[]): boolean {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(bytes))
    return Array.from(text, (character) => character.charCodeAt(0)).every(
      (code) => code < 0x80 || code > 0x9f,
    )
  } catch {
    return false
  }
}

/** For paths in which nothing but spaces is encoded. */
export function scopeOf(method: string, path: string): 'read' | 'write' {
  if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') return 'read'
  if (method !== 'POST') return 'write'
  const beginnings = path.split('/').map((segment) => segment.toLowerCase())
  const isWritten = beginnings.some((text) => text.startsWith('shard') || text.startsWith('xorb'))
  return isWritten ? 'write' : 'read'
}
