/** Text made safe for a terminal: what could move the cursor or reorder the line is written out. */

import { scrub } from '@latchkey/protocol'

/** Control, formatting (bidirectional, invisible), private and unassigned characters, line separators. */
const unsafe = /[\p{C}\p{Zl}\p{Zp}]/gu

export function escapeText(text: string): string {
  return text.toWellFormed().replace(unsafe, (character) => {
    const code = character.codePointAt(0) ?? 0
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`
  })
}

/** A value somebody gave, as an error line may repeat it: quoted, short, without passwords in URLs. */
export function quoteGiven(value: unknown): string {
  const text = typeof value === 'string' ? `"${value}"` : (JSON.stringify(value) ?? 'nothing')
  const masked = scrub(text).replace(/\/\/[^/\s]*@/g, '//…@')
  return escapeText(masked.length > 80 ? `${masked.slice(0, 79)}…` : masked)
}

export function shellWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** As a person would type it: quoted only where a shell would read it otherwise. */
export function typedWord(text: string): string {
  return /^[\w@%+:,./-][\w@%+=:,./-]*$/.test(text) ? text : shellWord(text)
}
