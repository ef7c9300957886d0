/** Checks between clients, the hub and a forge that was taken over. */

import type { RemovedCheck } from './removed-check.ts'

const answers = 'forwarding/answers.test.ts'
const requests = 'forwarding/requests.test.ts'

export const checksOfForwarding: readonly RemovedCheck[] = [
  {
    check: 'headers of the forge that the hub does not know are dropped',
    edits: [['forwarding/forge-headers.ts', '!passed.has(lower) ||', '']],
    test: [answers, 'headers by which a taken-over forge would act as the hub are dropped'],
  },
  {
    check: 'every response of the forge has the policy of the hub',
    edits: [['forwarding/forge-headers.ts', "...['Content-Security-Policy', policy],", '']],
    test: [answers, 'comes with a policy of the hub'],
  },
  {
    check: 'cookies and tickets of clients stay at the hub',
    edits: [['forwarding/forge-headers.ts', "'cookie', 'referer', 'latchkey(?:-.*)?'", '']],
    test: [requests, 'and nothing of others'],
  },
  {
    check: 'paths of the hub are its own in any spelling',
    edits: [
      [
        'forwarding/own-paths.ts',
        "decodeOnce(segments[0] ?? '')?.toLowerCase()",
        "(segments[0] ?? '')",
      ],
    ],
    test: [requests, '/%61dmin/v1/x does not reach the forge'],
  },
  {
    check: 'a path with dots is not forwarded',
    edits: [['forwarding/own-paths.ts', 'segments.some(isDots) ? undefined : target', 'target']],
    test: [requests, '/acme/%2e%2E/admin does not reach the forge'],
  },
  {
    check: 'a session counts for pages alone',
    edits: [
      [
        'forwarding/visit.ts',
        'return !/^\\/api(?:\\/|$)/i.test(path) && !/(?:\\.|%2e)git(?:\\/|%2f|$)/i.test(path)',
        'return path !== undefined',
      ],
    ],
    test: ['forwarding/visits.test.ts', 'a route of the API comes without a ticket'],
  },
]
