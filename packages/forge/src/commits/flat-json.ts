/** JSON of a line, parsed only if it is as flat as every line of a commit. */

/** A line has two objects, one in the other, and a handful of members. */
const maxDepth = 2
const maxMembers = 16

const quote = 0x22
const backslash = 0x5c
const opening: ReadonlySet<number> = new Set([0x5b, 0x7b])
const closing: ReadonlySet<number> = new Set([0x5d, 0x7d])
const comma = 0x2c

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Undefined for what is not flat, or no JSON. A long line of brackets would take a hundred times its own memory. */
export function parseFlatJson(line: Uint8Array): unknown {
  if (!isFlat(line)) return undefined
  try {
    return JSON.parse(utf8.decode(line))
  } catch {
    return undefined
  }
}

function isFlat(line: Uint8Array): boolean {
  let depth = 0
  let members = 0
  for (let at = 0; at < line.length; at += 1) {
    const byte = line[at] ?? 0
    if (byte === quote) {
      at = endOfText(line, at + 1)
    } else if (opening.has(byte)) {
      depth += 1
    } else if (closing.has(byte)) {
      depth -= 1
    } else if (byte === comma) {
      members += 1
    }
    if (depth > maxDepth || members > maxMembers) return false
  }
  return true
}

/** Where the closing quote is, or the end of the line. */
function endOfText(line: Uint8Array, start: number): number {
  for (let at = line.indexOf(quote, start); at !== -1; at = line.indexOf(quote, at + 1)) {
    let before = at
    while (line[before - 1] === backslash && before > start) before -= 1
    if ((at - before) % 2 === 0) return at
  }
  return line.length
}
