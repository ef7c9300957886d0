/** The characters beyond ASCII whose compatibility form in upper case holds ASCII, as lines of code point and form. */

const beyondAscii = /[^\u0000-\u007f]/gu
const surrogates = { first: 0xd800, last: 0xdfff }

export function foldTable(): string {
  const lines: string[] = []
  for (let code = 0x80; code <= 0x10ffff; code += 1) {
    if (code >= surrogates.first && code <= surrogates.last) continue
    const character = String.fromCodePoint(code)
    const form = character.normalize('NFKD').toUpperCase()
    if (form === character) continue
    const ascii = form.replace(beyondAscii, '\ufffd')
    if (/[\u0000-\u007f]/.test(ascii)) lines.push(`${code.toString(16)} ${ascii}\n`)
  }
  return lines.join('')
}
