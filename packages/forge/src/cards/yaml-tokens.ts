/** The tokens of a YAML text, with bounds on what the text may cost. */

import { CST, Lexer, Parser } from 'yaml'
import { flawAt, refusedTokens } from './yaml-flaw.ts'

const mostDepth = 32
const mostLexemes = 300_000

/** The bounds hold while the text is read, so a text out of bounds is not read to its end. */
export function* readTokens(text: string): Generator<CST.Token, void> {
  const parser = new Parser()
  for (const lexeme of readLexemes(text, parser)) {
    for (const token of parser.next(lexeme)) {
      yield token
      // Everything behind it would be an error again.
      if (token.type === 'error') return
    }
    // The document itself is on the stack too.
    if (parser.stack.length > mostDepth + 1) {
      throw flawAt(text, parser.offset - 1, `is nested deeper than ${mostDepth} levels`)
    }
  }
  yield* parser.end()
}

/** Without comments: the parser takes quadratic time to find out which value they belong to. */
function* readLexemes(text: string, parser: Parser): Generator<string, void> {
  let count = 0
  let isScalar = false
  for (const lexeme of new Lexer().lex(text)) {
    count += 1
    const type = isScalar ? 'scalar' : CST.tokenType(lexeme)
    isScalar = lexeme === CST.SCALAR && !isScalar
    const flaw =
      count > mostLexemes
        ? `comes after more than ${mostLexemes} words and signs`
        : refusedTokens[type ?? '']
    if (flaw !== undefined) throw flawAt(text, parser.offset, flaw)
    if (type !== 'comment') yield lexeme
    else {
      if (/\S/.test(text[parser.offset - 1] ?? '')) {
        throw flawAt(text, parser.offset, 'has no space before its #. Put the text in quotes')
      }
      parser.offset += lexeme.length
    }
  }
}
