/** What every service reads from the headers of a request. */

/** Whether the client names plain JSON and not the problem format. */
export function wantsPlainJson(accept = ''): boolean {
  return accept.includes('application/json') && !accept.includes('application/problem+json')
}
