/** The namespaces of a directory file, with their members. */

import type { NamespaceEntry } from '@latchkey/admin-api'
import { isRefusal } from '@latchkey/protocol'
import type { Change } from '../tables/change.ts'
import { chunked } from '../tables/columns.ts'
import { yieldToEventLoop } from '../tables/yield-to-event-loop.ts'
import { namespaceTaken, newNamespaceRow } from '../verbs/namespaces.ts'
import { members } from '../verbs/role-kinds.ts'
import { addUnit, at, exactly, type PlanSection } from './planning.ts'
import { replaceRoles } from './replace-roles.ts'
import { storedMembers } from './stored-roles.ts'

export const planNamespaces: PlanSection<NamespaceEntry> = async (planning, entries) => {
  const { work, namespaces } = planning
  const known = entries.flatMap(({ name }) => exactly(namespaces, name)?.id ?? [])
  const roles = await storedMembers(work.tables, known)
  for (const [index, entry] of entries.entries()) {
    await yieldToEventLoop(index)
    const stored = namespaces.get(entry.name.toLowerCase())
    if (stored !== undefined && stored.name !== entry.name) {
      return at(['namespaces', index, 'name'], namespaceTaken(stored.name))
    }
    const place = stored ?? newNamespaceRow(work, entry.name)
    namespaces.set(place.name.toLowerCase(), place)
    const own: Change[] = stored === undefined ? [{ thing: 'namespace', after: place }] : []
    const changes = replaceRoles(planning, members, {
      place,
      stored: roles.get(place.id),
      path: ['namespaces', index, 'members'],
      wanted: entry.members,
    })
    if (isRefusal(changes)) return changes
    if (own.length + changes.length === 0) continue
    const did = stored === undefined ? 'created' : 'changed'
    const [first = [], ...more] = chunked([...own, ...changes])
    addUnit(planning, first, [{ what: 'namespace', name: place.name, did }])
    for (const some of more) addUnit(planning, some, [])
  }
  return undefined
}
