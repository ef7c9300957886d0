import { type Html, html } from '@latchkey/service/http/html'

/** Characters that no reader sees, or that turn the text around them, are written out. */
export function shownText(text: string): Html {
  const visible = text.replace(
    /[\p{Cc}\p{Cf}\u2028\u2029]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  )
  return html`<bdi>${visible}</bdi>`
}

const units = ['bytes', 'kB', 'MB', 'GB', 'TB', 'PB'] as const

export function shownSize(bytes: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1)
  const number = bytes / 1000 ** power
  return `${power === 0 || number >= 100 ? Math.round(number) : number.toFixed(1)} ${units[power]}`
}

export function shownTime(seconds: number): Html {
  const iso = new Date(seconds * 1000).toISOString()
  return html`<time datetime="${iso}">${iso.slice(0, 10)}</time>`
}
