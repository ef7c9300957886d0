/** Gives the links of a page their targets on the site, and keeps Vue out of code. */

import { relative } from 'node:path'
import { repositoryUrl } from '../packages/home.ts'
import { targetOf } from './links.ts'
import { docsFolder } from './pages.ts'

/** The parts of a token of markdown-it that this file uses. */
interface Token {
  type: string
  content: string
  children: Token[] | null
  attrGet(name: string): string | null
  attrSet(name: string, value: string): void
}

interface ParserState {
  readonly tokens: readonly Token[]
  /** `path` is the page's file. */
  readonly env: { readonly path: string }
}

interface Parser {
  readonly core: {
    readonly ruler: { push(name: string, rule: (state: ParserState) => void): void }
  }
}

export function withTargets(parser: Parser): void {
  parser.core.ruler.push('latchkey-links', ({ tokens, env }) => {
    const page = relative(docsFolder, env.path)
    for (const { children } of tokens) {
      retarget(children ?? [], page)
      children?.filter(({ type }) => type === 'code_inline').forEach(keepFromVue)
    }
  })
}

/** VitePress does this for blocks of code. */
function keepFromVue(token: Token): void {
  token.attrSet('v-pre', '')
}

/** A link to a file that the site does not have becomes its text, with the file's path. */
function retarget(tokens: readonly Token[], page: string): void {
  const withoutAddress: string[] = []
  let text = ''
  for (const token of tokens) {
    text += token.content
    if (token.type === 'link_open') {
      const target = targetOf(page, token.attrGet('href') ?? '', repositoryUrl)
      if (target.kind === 'address') token.attrSet('href', target.address)
      else {
        withoutAddress.push(target.path)
        toHtml(token, `<span title="${target.path}">`)
      }
      text = ''
    } else if (token.type === 'link_close') {
      const path = withoutAddress.pop()
      if (path !== undefined) toHtml(token, `</span>${spelledOut(path, text)}`)
    }
  }
}

/** The table of tests has hundreds of them, and its text names the file already. */
function spelledOut(path: string, text: string): string {
  return path === text || path.endsWith('.test.ts') ? '' : ` (<code>${path}</code>)`
}

function toHtml(token: Token, html: string): void {
  token.type = 'html_inline'
  token.content = html
}
