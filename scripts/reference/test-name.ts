/** The name of a test or group in its source: `test('…')`, `test.each([…])('…')`, `test.skipIf(…)('…')`. */

/** Of the call that begins at this place; undefined where no text is its first argument. */
export function testNameAt(text: string, start: number): string | undefined {
  const callee = /[\w$.]+/y
  callee.lastIndex = start
  if (!callee.test(text)) return undefined
  let at = callee.lastIndex
  while (text[at] === '(') {
    const argument = skipSpace(text, at + 1)
    if (isQuote(text[argument])) return literal(text, argument)
    callee.lastIndex = endOfGroup(text, at)
    at = callee.lastIndex
    if (callee.test(text)) at = callee.lastIndex
  }
  return undefined
}

function literal(text: string, start: number): string {
  const raw = text.slice(start + 1, endOfText(text, start) - 1)
  return raw.replaceAll(/\\(['"`\\])/g, '$1').replaceAll(/\s+/g, ' ')
}

function isQuote(sign: string | undefined): boolean {
  return sign === "'" || sign === '"' || sign === '`'
}

function skipSpace(text: string, start: number): number {
  const space = /(?:\s|\/\/.*)*/y
  space.lastIndex = start
  space.test(text)
  return space.lastIndex
}

/** Behind the bracket that closes the one at the start. */
function endOfGroup(text: string, start: number): number {
  let depth = 0
  for (let at = start; at < text.length; ) {
    const sign = text[at] ?? ''
    if (isQuote(sign)) at = endOfText(text, at)
    else if (sign === '/') at = endOfSlash(text, at)
    else {
      if ('([{'.includes(sign)) depth += 1
      if (')]}'.includes(sign)) depth -= 1
      at += 1
      if (depth === 0) return at
    }
  }
  return text.length
}

/** Behind the closing quote. */
function endOfText(text: string, start: number): number {
  const quote = text[start]
  for (let at = start + 1; at < text.length; ) {
    if (text[at] === '\\') at += 2
    else if (text[at] === quote) return at + 1
    else if (quote === '`' && text.startsWith('${', at)) at = endOfGroup(text, at + 1)
    else at += 1
  }
  return text.length
}

/** Behind a comment, a regular expression, or the sign of a division. */
function endOfSlash(text: string, start: number): number {
  const before = text.slice(0, start).trimEnd().at(-1) ?? ''
  const pattern = '(,=:[!&|?{};>'.includes(before)
    ? /\/\/.*|\/\*[\s\S]*?\*\/|\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n])+\/\w*/y
    : /\/\/.*|\/\*[\s\S]*?\*\/|\//y
  pattern.lastIndex = start
  return pattern.test(text) ? pattern.lastIndex : start + 1
}
