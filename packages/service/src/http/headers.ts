/** Headers as they come over the wire, and what a client accepts. */

/** Names and values in turn, repeated headers repeated. */
export type HeaderList = readonly string[]

export function headerPairs(headers: HeaderList): [name: string, value: string][] {
  const pairs: [string, string][] = []
  for (let index = 0; index < headers.length; index += 2) {
    pairs.push([headers[index] ?? '', headers[index + 1] ?? ''])
  }
  return pairs
}

/** Every value of a header: Node's own `headers` keeps the first and hides the rest. */
export function headerValues(headers: HeaderList, lowerCaseName: string): string[] {
  const values: string[] = []
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] ?? ''
    if (name.length === lowerCaseName.length && name.toLowerCase() === lowerCaseName) {
      values.push(headers[index + 1] ?? '')
    }
  }
  return values
}

/** The values of a header as one list (RFC 9110 §5.3); undefined where there is none. */
export function joinedValues(headers: HeaderList, lowerCaseName: string): string | undefined {
  const values = headerValues(headers, lowerCaseName)
  return values.length === 0 ? undefined : values.join()
}

/** Whether the client names plain JSON and not the problem format. */
export function wantsPlainJson(accept = ''): boolean {
  return accept.includes('application/json') && !accept.includes('application/problem+json')
}

/** Whether a browser asks for a page. By name: programs that accept everything get what they got before. */
export function acceptsHtml(accept = ''): boolean {
  return accept.split(',').some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    return type === 'text/html' && !parameters.some((one) => /^q=0(\.0*)?$/.test(one))
  })
}
