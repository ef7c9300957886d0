/** A line with the id under which its request is found in a log. */

/** The other side chose it, and may have chosen anything. */
const maxIdLength = 100

export function traced(line: string, requestId: string | undefined): string {
  return requestId === undefined ? line : `${line} (request ${requestId.slice(0, maxIdLength)})`
}
