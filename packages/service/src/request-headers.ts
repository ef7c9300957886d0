/** What every service reads from request headers, straight from the wire. */

/** Every value of a header among names and values in turn: Node's own `headers` keeps the first and hides the rest. */
export function headerValues(headers: readonly string[], lowerCaseName: string): string[] {
  const values: string[] = []
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] ?? ''
    if (name.length === lowerCaseName.length && name.toLowerCase() === lowerCaseName) {
      values.push(headers[index + 1] ?? '')
    }
  }
  return values
}

/** Whether the client names plain JSON and not the problem format. */
export function wantsPlainJson(accept = ''): boolean {
  return accept.includes('application/json') && !accept.includes('application/problem+json')
}
