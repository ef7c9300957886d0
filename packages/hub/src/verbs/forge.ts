import { findForge, forgeRow } from '../forge/forge-place.ts'
import type { Does } from './does.ts'

/** The forge before it is refused from now on, in the middle of its changes too. */
export const adoptForge: Does<'forge adopt'> = async ({ tables, put }, { forge }) => {
  const before = await findForge(tables)
  const isNew = before?.id !== forge
  if (isNew) await put([{ thing: 'forge', before, after: forgeRow(forge) }])
  return { forge, ...(before && isNew && { before: before.id }) }
}
