/** Headers that may not come from outside, because somebody behind the gate would believe them. */

/** CGI-like servers read `_` and `-` alike. */
const identity = /^latchkey(?:[-_]|$)/i
const override =
  /^x[-_](?:http[-_]method(?:[-_]override)?|method[-_]override|original[-_]url|rewrite[-_]url)$/i
const upgrade = /^(?:upgrade|http2-settings)$/i

/** First letters of the names above; all others pass at once. */
const suspect = /^[lxuh]/i

/** What is wrong with a header of this name; undefined when nothing is. */
export function headerProblem(name: string): string | undefined {
  if (!suspect.test(name)) return undefined
  if (identity.test(name)) {
    return 'Headers that begin with Latchkey- are set by the gate alone. Leave them out.'
  }
  if (override.test(name)) {
    return 'Headers that name another method or URL than the request are not accepted. Leave them out.'
  }
  return upgrade.test(name)
    ? 'The gate does not change protocols. Leave the Upgrade header out.'
    : undefined
}

/** Whether a list of header names, as in `Trailer`, names one of the gate's own. */
export function namesIdentity(list: string): boolean {
  return list.split(',').some((name) => identity.test(name.trim()))
}
