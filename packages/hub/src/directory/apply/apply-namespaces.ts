/** The namespaces of a directory file, with their members. */

import type { NamespaceEntry } from '@latchkey/admin-api'
import { isRefusal } from '@latchkey/protocol'
import { namespaceTaken, newNamespaceRow } from '../nouns/namespaces.ts'
import { members } from '../nouns/role-kinds.ts'
import type { Change } from '../port/change.ts'
import { yieldToEventLoop } from '../port/yield-to-event-loop.ts'
import { type ApplyStep, at } from './applying.ts'
import { replaceRoles } from './replace-roles.ts'

export const applyNamespaces: ApplyStep<NamespaceEntry> = async (applying, entries) => {
  const { work, namespaces, changes } = applying
  const made: Change[] = []
  for (const [index, entry] of entries.entries()) {
    await yieldToEventLoop(index)
    const stored = namespaces.get(entry.name.toLowerCase())
    if (stored !== undefined && stored.name !== entry.name) {
      return at(['namespaces', index, 'name'], namespaceTaken(stored.name))
    }
    const place = stored ?? newNamespaceRow(work, entry.name)
    const isNew = stored === undefined
    if (isNew) {
      made.push({ thing: 'namespace', after: place })
      namespaces.set(place.name.toLowerCase(), place)
    }
    const path = ['namespaces', index, 'members']
    const roles = await replaceRoles(applying, members, {
      place,
      isNew,
      path,
      wanted: entry.members,
    })
    if (isRefusal(roles)) return roles
    for (const role of roles) made.push(role)
    if (isNew) changes.push({ what: 'namespace', name: place.name, did: 'created' })
    else if (roles.length > 0) changes.push({ what: 'namespace', name: place.name, did: 'changed' })
  }
  await work.put(made)
  return undefined
}
