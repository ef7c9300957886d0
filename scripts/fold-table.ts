/** The characters beyond ASCII whose compatibility form in upper case holds ASCII, as lines of code point and form. */

import { changedCharacters } from '@latchkey/testing/changed-characters'

const beyondAscii = /[^\u0000-\u007f]/gu

export function foldTable(): string {
  const fold = (text: string) => text.normalize('NFKD').toUpperCase()
  return changedCharacters(fold)
    .map((character) => [character, fold(character).replace(beyondAscii, '\ufffd')] as const)
    .filter(([, ascii]) => /[\u0000-\u007f]/.test(ascii))
    .map(([character, ascii]) => `${character.codePointAt(0)?.toString(16)} ${ascii}\n`)
    .join('')
}
