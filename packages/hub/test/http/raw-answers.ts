/** What a hub said on a bare connection, cut into its answers. */

export interface RawAnswer {
  readonly status: number
  readonly headers: Headers
  readonly body: string
  /** The problem document, where the body is one. */
  readonly json: Record<string, unknown>
}

export function readAnswers(received: string): RawAnswer[] {
  const answers: RawAnswer[] = []
  for (let rest = received; rest !== ''; ) {
    const end = rest.indexOf('\r\n\r\n')
    if (end === -1) throw new Error(`no whole answer in ${JSON.stringify(rest)}`)
    const [start = '', ...lines] = rest.slice(0, end).split('\r\n')
    const headers = new Headers()
    for (const line of lines) {
      const colon = line.indexOf(':')
      headers.append(line.slice(0, colon), line.slice(colon + 1).trim())
    }
    const length = Number(headers.get('content-length') ?? 0)
    const body = rest.slice(end + 4, end + 4 + length)
    const status = Number(start.split(' ')[1])
    answers.push({ status, headers, body, json: body.startsWith('{') ? JSON.parse(body) : {} })
    rest = rest.slice(end + 4 + length)
  }
  return answers
}

/** The one answer there is. */
export function readAnswer(received: string): RawAnswer {
  const [answer, another] = readAnswers(received)
  if (answer === undefined || another !== undefined) {
    throw new Error(`expected one answer, received ${JSON.stringify(received)}`)
  }
  return answer
}

/** A request as text, from its first line and its headers. */
export function requestText(line: string, ...headers: readonly string[]): string {
  return [line, 'Host: hub.example', ...headers, '', ''].join('\r\n')
}
