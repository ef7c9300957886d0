/** Recognises a token that somebody put where a name belongs, so that it is neither stored nor repeated. */

/** Hub tokens of any prefix, also percent-encoded; anything that begins like a JWS. */
const shape = /(?:_|%(?:25)*5[fF])[0-9A-Za-z]{49}|eyJ[\w-]{16,}/

export const tokenIsNoName = 'looks like a token, which belongs nowhere here'

export function looksSecret(text: string): boolean {
  return shape.test(text)
}
