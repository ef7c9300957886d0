/** How many bytes a value has as JSON: a control character has six, so a short text may become a long one. */

import { JsonText } from './json-text.ts'

/** Stops to count beyond `max`; the result is larger than `max` then. */
export function jsonBytes(value: unknown, max: number): number {
  if (typeof value === 'string') {
    return value.length > max ? value.length : Buffer.byteLength(JSON.stringify(value))
  }
  if (typeof value !== 'object' || value === null) return String(value).length
  if (value instanceof JsonText) return value.bytes
  let bytes = 2
  const count = (part: unknown) => {
    bytes += 1 + jsonBytes(part, max - bytes)
    return bytes > max
  }
  if (Array.isArray(value)) value.some(count)
  else Object.entries(value).some(([name, member]) => count(name) || count(member))
  return bytes
}

const stepLength = 256

/** The beginning of a text that has at most so many bytes within the quotes of JSON. */
export function cutToJson(text: string, maxBytes: number): string {
  if (text.length * 6 <= maxBytes) return text
  let [at, bytes] = [0, 0]
  while (at < text.length) {
    bytes += jsonBytes(text.slice(at, at + stepLength), maxBytes) - 2
    if (bytes > maxBytes) return text.slice(0, isSplit(text, at) ? at - 1 : at)
    at += stepLength
  }
  return text
}

/** Whether a character of two halves lies across this place. */
function isSplit(text: string, at: number): boolean {
  return (text.codePointAt(at - 1) ?? 0) > 0xffff
}
