/** Text that Vue reads as code and GitHub shows: VitePress makes Vue components of pages. */

export function hostileSyntax(text: string): readonly string[] {
  const prose = text
    .replaceAll(/^( *)(```+)[^\n]*\n.*?^\1\2$/gms, '')
    .replaceAll(/<!--.*?-->/gs, '')
    .replaceAll(/(`+)(?!`).*?(?<!`)\1(?!`)/gs, '')
    .replaceAll(/<https?:[^\s>]+>/g, '')
  return Array.from(prose.matchAll(/\{\{|<\/?[A-Za-z][^>\n]*>?/g), ([found]) => found)
}
