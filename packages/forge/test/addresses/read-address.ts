/** What the table of routes reads from a target, by the kinds of its routes. */

import { isRefusal, type Refusal } from '@latchkey/protocol'
import { findForgeRoute } from '../../src/serve/answer-request.ts'

type Kind = 'api' | 'git' | 'page'

/** Kinds whose names in the metrics say themselves what they are. */
const member = { api: 'route', git: 'service', page: 'view' } as const

const kindOf = (pattern: string, isGit = false): Kind =>
  isGit ? 'git' : pattern.startsWith('/api/') ? 'api' : 'page'

function readAs(kind: Kind) {
  return (method: string, target: string): object | Refusal | undefined => {
    const found = findForgeRoute(method, target)
    if (found === undefined) return undefined
    const other = isRefusal(found) ? findForgeRoute('GET', target) : found
    const known = other === undefined || isRefusal(other) ? findForgeRoute('POST', target) : other
    if (known !== undefined && !isRefusal(known)) {
      if (kindOf(known.row.pattern, known.row.isGit) !== kind) return undefined
    }
    if (isRefusal(found)) return found
    const { row, address } = found
    if ('refuse' in row) {
      const refusal = row.refuse(address)
      const [, later] = /^Latchkey does not support (.*)\.$/.exec(refusal.detail) ?? []
      return later === undefined ? refusal : { later }
    }
    return { ...(address as object), [member[kind]]: row.name.replace(/^git-/, '') }
  }
}

export const readApiAddress = readAs('api')
export const readGitAddress = readAs('git')
export const readPageAddress = readAs('page')
