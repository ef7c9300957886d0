/** The last line of defence against telling secrets: whatever has the shape of one is cut out of the text. */

import { tokenShape } from './token-shape.ts'

const token = new RegExp(tokenShape, 'g')
const bearer = /\bbearer\s+[\w\-.~+/]{8,}=*/gi

/** Characters that would let a value pretend to be another line or reorder the text on a screen. */
const misleading = /[\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

/** Hardly any text has anything to hide; one pass finds out. */
const suspicious =
  /_[0-9A-Za-z]{49}|%(?:25)*5[Ff]|eyJ|[Bb][Ee][Aa][Rr][Ee][Rr]|[\u007f-\u009f\u061c\u200e-\u2069]/

export function scrub(text: string): string {
  if (!suspicious.test(text)) return text
  return text.replace(token, named).replace(bearer, 'Bearer [secret]').replace(misleading, escaped)
}

function named(token: string): string {
  return token.startsWith('eyJ') ? '[access-token]' : '[hub-token]'
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
