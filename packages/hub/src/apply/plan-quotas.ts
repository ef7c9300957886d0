/** The quotas of a directory file: the repositories of a namespace may not have more together than it. */

import type { Refusal } from '@latchkey/protocol'
import { dividedBytes, refuseOverdivided } from '../verbs/quotas.ts'
import { at, type Planning } from './planning.ts'

/** Asked when all changes are planned: one repository may give to another, and a deleted one has no quota. */
export async function refuseOverdividing({
  work,
  namespaces,
  units,
}: Planning): Promise<Refusal | undefined> {
  const added = new Map<string, number>()
  const concerned = new Set<string>()
  for (const change of units.flatMap(({ changes }) => changes)) {
    if (change.thing === 'namespace') {
      const { before, after } = change
      if (after !== undefined && after.quota_bytes !== before?.quota_bytes) concerned.add(after.id)
    }
    if (change.thing !== 'repository') continue
    const { before, after } = change
    const more = (after?.quota_bytes ?? 0) - (before?.quota_bytes ?? 0)
    const id = (after ?? before)?.namespace_id ?? ''
    added.set(id, (added.get(id) ?? 0) + more)
    if (more > 0) concerned.add(id)
  }
  const touched = [...namespaces.values()].filter(({ id }) => concerned.has(id))
  const divided = await dividedBytes(work.tables, touched)
  for (const row of touched) {
    const { id } = row
    const refusal = refuseOverdivided(row, (divided.get(id) ?? 0) + (added.get(id) ?? 0))
    if (refusal !== undefined) return at(['namespaces'], refusal)
  }
  return undefined
}
