/** Bounds on text, counted in the bytes of its UTF-8. */

const utf8 = new TextEncoder()

export function isLongerThan(text: string, bytes: number): boolean {
  // No character takes more than three bytes for each of its UTF-16 units.
  return text.length * 3 > bytes && utf8.encode(text).length > bytes
}
