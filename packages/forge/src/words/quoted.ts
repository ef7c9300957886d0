/** Text from outside as it may stand in a sentence: short, and with nothing that a terminal or a reader obeys. */

const longest = 80

export function quoted(text: string): string {
  const shortText = text.length > longest ? `${text.slice(0, longest)}…` : text
  return JSON.stringify(shortText.toWellFormed()).replace(
    /[\p{Cc}\p{Cf}\u2028\u2029]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  )
}
