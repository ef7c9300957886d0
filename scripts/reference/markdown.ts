/** Parts of a generated page in Markdown. */

/** The top of a page: a note for editors, the heading, and the introduction. */
export function opening(title: string, source: string, introduction: string): string {
  return `<!-- \`npm run docs:reference\` writes this page from ${source}. Do not edit it. -->

# ${title}

${introduction.trim()}
`
}

export function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [titles, titles.map(() => '---'), ...rows.map((row) => row.map(cell))]
  return `${lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n`
}

export function code(text: string): string {
  return `\`${text}\``
}

/** One line. A bar ends a cell; outside of code `<` begins HTML, and `*` emphasis. */
function cell(text: string): string {
  const parts = text
    .replaceAll(/\s+/g, ' ')
    .trim()
    .split(/(`[^`]*`)/)
  const plain = parts.map((part) =>
    part.startsWith('`') ? part : part.replaceAll(/<(?=[\w/])|\*/g, '\\$&'),
  )
  return plain.join('').replaceAll('|', '\\|')
}

/** Breaks prose at 100 columns. */
export function wrapped(text: string): string {
  const lines = ['']
  for (const word of text.trim().split(/\s+/)) {
    const line = lines.at(-1) ?? ''
    if (line === '') lines[lines.length - 1] = word
    else if (line.length + word.length < 100) lines[lines.length - 1] = `${line} ${word}`
    else lines.push(word)
  }
  return lines.join('\n')
}

export function sentence(text: string): string {
  const [first = ''] = text
  const whole = first.toUpperCase() + text.slice(1)
  return /[.!?]$/.test(whole) ? whole : `${whole}.`
}
