/** Headers that may not come from outside, because somebody behind the gate would believe them. */

import { type Refusal, refuse } from '@latchkey/protocol'

interface HeaderRule {
  readonly pattern: RegExp
  readonly sentence: string
}

/** CGI-like servers make `_` of `-` and of everything else that is neither letter nor digit. */
const identity: HeaderRule = {
  pattern: /^latchkey(?![a-z0-9])/i,
  sentence: 'Headers that begin with Latchkey- are set by the gate alone. Leave them out.',
}

/** Object stores copy, move or link what such a header names, which is not compared with the token (`X-Amz-Copy-Source`). */
const override: HeaderRule = {
  pattern:
    /^(?:x[^a-z0-9](?:(?:http[^a-z0-9]method(?:[^a-z0-9]override)?|method[^a-z0-9]override|original[^a-z0-9]url|rewrite[^a-z0-9]url)$|(?:[a-z0-9]*[^a-z0-9])*(?:(?:copy|rename|move|symlink)[^a-z0-9](?:source|from|target)|object[^a-z0-9]manifest)(?![a-z0-9]))|destination$)/i,
  sentence:
    'Headers that name another method or URL than the request are not accepted. Leave them out.',
}

const upgrade: HeaderRule = {
  pattern: /^(?:upgrade|http2-settings)$/i,
  sentence: 'The gate does not change protocols. Leave the Upgrade header out.',
}

const letter = (name: string) => name.charCodeAt(0) | 0x20
const [l, x, d, u, h] = [letter('l'), letter('x'), letter('d'), letter('u'), letter('h')]

/** By the first letter of the names they are about: all other headers pass at once. */
function ruleFor(name: string): HeaderRule | undefined {
  switch (letter(name)) {
    case l:
      return identity
    case x:
    case d:
      return override
    case u:
    case h:
      return upgrade
  }
  return undefined
}

/** Refuses a header of this name, whatever its value. */
export function refuseHeader(name: string): Refusal | undefined {
  const rule = ruleFor(name)
  return rule?.pattern.test(name) === true ? refuse('bad_request', rule.sentence) : undefined
}

/** Whether a list of header names, as in `Trailer`, names one of the gate's own. */
export function namesIdentity(list: string): boolean {
  return list.split(',').some((name) => identity.pattern.test(name.trim()))
}
