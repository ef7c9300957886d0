/** Parts of a generated page in Markdown. */

/** The top of a page: a note for editors, the heading, and the introduction. */
export function opening(title: string, source: string, introduction: string): string {
  return `<!-- \`npm run docs:reference\` writes this page; do not edit it. Its source:
${source} -->

# ${title}

${prose(introduction)}`
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

/** Paragraphs and lists, broken at 100 columns; everything else as it is. */
export function prose(text: string): string {
  let isCode = false
  const blocks = text
    .trim()
    .split(/\n\n+/)
    .map((block) => {
      const wasCode = isCode
      if (block.split('```').length % 2 === 0) isCode = !isCode
      if (wasCode || isCode || /^(?:\||#|```|<)/.test(block)) return block
      return block.startsWith('- ')
        ? block
            .split(/\n(?=- )/)
            .map((item) => wrapped(item, '  '))
            .join('\n')
        : wrapped(block)
    })
  return `${blocks.join('\n\n')}\n`
}

/** One paragraph, broken at 100 columns. */
export function wrapped(text: string, indent = ''): string {
  const lines = ['']
  for (const word of text.match(/(?:`[^`]*`|\S)+/g) ?? []) {
    const line = lines.at(-1) ?? ''
    if (line === '') lines[lines.length - 1] = word
    else if (line.length + word.length < 100) lines[lines.length - 1] = `${line} ${word}`
    else lines.push(`${indent}${word}`)
  }
  return lines.join('\n')
}

export function sentence(text: string): string {
  const [first = ''] = text
  const whole = first.toUpperCase() + text.slice(1)
  return /[.!?]$/.test(whole) ? whole : `${whole}.`
}
