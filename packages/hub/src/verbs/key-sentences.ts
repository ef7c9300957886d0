/** What a step did to a key, and what it costs that a key leaves at once, in plain words. */

import { longestHeadSeconds } from '@latchkey/token'
import type { Step } from '../keys/due-step.ts'
import type { StoredKey } from '../keys/stored-keys.ts'
import type { KeyPurpose } from '../tables/schema.ts'
import { boundsSentence } from './bounds-sentence.ts'

interface Rows {
  readonly before: readonly StoredKey[]
  readonly after: readonly StoredKey[]
}

export function sentenceOf(step: Step, { before, after }: Rows): string {
  switch (step.do) {
    case 'publish': {
      const known = new Set(before.map(({ kid }) => kid))
      const kid = after.find((key) => !known.has(key.kid))?.kid
      return step.activatesAt === undefined
        ? `${kid} is new and signs from now on`
        : `${kid} is published, and signs after its wait`
    }
    case 'activate':
      return `${step.kid} signs from now on, and the key before it retires`
    case 'remove':
      return `${step.kid} is removed and revoked for ever`
    case 'raise lifetime':
      return `${step.kid} stays published for longer after it has signed`
  }
}

/** A gate that sees an unknown key asks its hub at most this often. */
const fetchedWithinSeconds = 10

export function costOf(purpose: KeyPurpose): string {
  return purpose === 'tokens' ? costOfTokens : costOfRevocations
}

const costOfTokens = [
  boundsSentence('every storage token that a removed key signed'),
  "Latchkey's client asks for new ones by itself. Running transfers of Hugging Face clients fail and must be started again.",
  `A gate fetches the new key when it first sees it, so for up to ${fetchedWithinSeconds} s requests with new tokens may get 503.`,
].join(' ')

const costOfRevocations = [
  'No storage token ends.',
  'A gate fetches the new key with the next head of the revocation list.',
  `Until then it goes on with the head that it has, for at most ${longestHeadSeconds} s unless it was told to admit without news.`,
].join(' ')
