/** The characters beyond ASCII that a reading of text, such as its upper case, turns into others. */

const surrogates = { first: 0xd800, last: 0xdfff }
const blockLength = 128

/** Asked in blocks first: text that stays as it is holds no character that changes, and most blocks stay. */
export function changedCharacters(read: (text: string) => string, end = 0x110000): string[] {
  const changed: string[] = []
  for (let code = blockLength; code < end; code += blockLength) {
    if (code >= surrogates.first && code <= surrogates.last) continue
    const codes = Array.from({ length: blockLength }, (_, at) => code + at)
    const block = String.fromCodePoint(...codes)
    if (read(block) === block) continue
    changed.push(...Array.from(block).filter((character) => read(character) !== character))
  }
  return changed
}
