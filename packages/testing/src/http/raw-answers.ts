/** The answers that were heard on a line, told apart as any client would. */

export interface RawAnswer {
  readonly status: number
  /** Names in lower case and values, in turn as they came. */
  readonly headers: readonly (readonly [string, string])[]
  readonly body: string
}

export function headerOf({ headers }: RawAnswer, name: string): string | undefined {
  return headers.find(([own]) => own === name)?.[1]
}

/** Every answer that is there in whole; an incomplete one at the end is an error. */
export function answersIn(heard: string): readonly RawAnswer[] {
  const answers: RawAnswer[] = []
  let rest = heard
  while (rest !== '') {
    const end = rest.indexOf('\r\n\r\n')
    if (end === -1) throw new Error(`an answer without the end of its headers: ${rest}`)
    const [first = '', ...lines] = rest.slice(0, end).split('\r\n')
    const headers = lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const
    })
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1])
    if (Number.isNaN(status)) throw new Error(`not the first line of an answer: ${first}`)
    const { body, after } = bodyOf(rest.slice(end + 4), status, new Map(headers))
    answers.push({ status, headers, body })
    rest = after
  }
  return answers
}

function bodyOf(
  text: string,
  status: number,
  headers: ReadonlyMap<string, string>,
): { readonly body: string; readonly after: string } {
  if (status < 200 || status === 204 || status === 304) return { body: '', after: text }
  if (headers.get('transfer-encoding') === 'chunked') return chunksOf(text)
  const length = Number(headers.get('content-length') ?? 0)
  if (text.length < length) throw new Error(`${text.length} of ${length} bytes`)
  return { body: text.slice(0, length), after: text.slice(length) }
}

function chunksOf(text: string): { readonly body: string; readonly after: string } {
  let body = ''
  let rest = text
  for (;;) {
    const line = rest.indexOf('\r\n')
    const length = Number.parseInt(rest.slice(0, line), 16)
    if (line === -1 || Number.isNaN(length)) throw new Error('a chunk without its length')
    if (rest.length < line + 4 + length) throw new Error('a chunk that is not whole')
    body += rest.slice(line + 2, line + 2 + length)
    rest = rest.slice(line + 4 + length)
    if (length === 0) return { body, after: rest }
  }
}
