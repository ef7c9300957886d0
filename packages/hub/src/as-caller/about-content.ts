/** Security boundary: a ticket stands for a session, which a forge may have taken: it changes nothing, and writes nothing. */

import type { CallerQuestions } from '@latchkey/admin-api/forge-port'
import { refuse } from '@latchkey/protocol'

const refused = async () => notByTicket

/** Every question is named: a new one must be allowed here before a ticket answers it. */
export function aboutContent(questions: CallerQuestions): CallerQuestions {
  const { payer, visitor, decide, describe, refs, repositories, storageToken } = questions
  return {
    ...{ payer, visitor, describe, refs, repositories },
    decide: async (target) => (target.scope === 'read' ? decide(target) : notByTicket),
    storageToken: async (target) =>
      target.scope === 'read' && target.without === undefined ? storageToken(target) : notByTicket,
    ...{ admit: refused, whoami: refused, newRef: refused, dependents: refused },
    ...{ mayForce: refused, openUpload: refused, uploadTokens: async () => [] },
    ...{
      createRepository: refused,
      deleteRepository: refused,
      moveRef: refused,
      deleteRef: refused,
    },
  }
}

const notByTicket = refuse(
  'permission_denied',
  'The session of a browser shows content here, and changes nothing. Use a hub token.',
  { missing: 'a hub token' },
)
