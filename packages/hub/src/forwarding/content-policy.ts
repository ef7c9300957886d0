/** The policy that the hub sets on every response of the forge. */

const nothing = "default-src 'none'"

/**
 * The pages of the forge load nothing and have one style of their own, whose hash only the forge knows: it says so in a policy
 * beside this one. A style alone reads nothing of the hub. No form of a forge that was taken over can pass for one of the hub's.
 */
const ofPages = [
  nothing,
  "style-src 'unsafe-inline'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** A browser gives all other content an origin of its own. */
const ofBytes = `${nothing}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox`

const isHtml = /^\s*text\/html\s*(?:;|$)/i

/** Security boundary: no content type lets a script run on the origin of the hub. */
export function contentPolicy(contentTypes: readonly string[]): string {
  return contentTypes.length === 1 && isHtml.test(contentTypes[0] ?? '') ? ofPages : ofBytes
}
