/** Reads Markdown as sentences: code, tables and link targets are removed first. */

const fence = /^ *(```|~~~)[\s\S]*?^ *\1[^\n]*$/gm

export function withoutCode(markdown: string): string {
  return markdown.replaceAll(fence, (block) => '\n'.repeat(block.split('\n').length - 1))
}

export function proseOf(markdown: string): string {
  return withoutCode(markdown)
    .replaceAll(/<!--[\s\S]*?-->/g, '')
    .replaceAll(/^ *\|.*$/gm, '')
    .replaceAll(/`[^`]*`/g, 'x')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/<[^>\n]+>/g, '')
}

export function wordsIn(text: string): number {
  return text.match(/[A-Za-z0-9'’-]+/g)?.length ?? 0
}

/** Every word that a reader sees; of a link its text. */
export function allWords(markdown: string): number {
  return wordsIn(markdown.replaceAll(/\]\([^)]*\)/g, ']'))
}

/** Blocks are paragraphs, headings and items of lists; a sentence ends before a capital or at the end of its block. */
export function sentencesIn(prose: string): readonly string[] {
  return prose
    .split(/\n\s*\n|\n *[-*] |\n *\d+\. |^#+ .*$/m)
    .flatMap((block) => block.replaceAll(/\s+/g, ' ').split(/(?<=[.!?]["”)*]*) (?=["“*[(]*[A-Z])/))
    .map((sentence) => sentence.replace(/^[\s*#>_[("“-]+/, '').trim())
    .filter((sentence) => wordsIn(sentence) > 2)
}

export function headingsIn(markdown: string): readonly string[] {
  return Array.from(withoutCode(markdown).matchAll(/^#+ (.*)$/gm), ([, heading = '']) => heading)
}
