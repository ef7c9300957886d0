import type { ListedRepository } from '@latchkey/admin-api/forge-port'
import { isRefusal, type Refusal, repoId, repoTypes } from '@latchkey/protocol'
import type { Exchange, ForgeDeps, ForgeHandler } from '../handler/exchange.ts'
import { type ForgeReply, json } from '../http/reply.ts'
import { nextLink } from './addresses-of.ts'
import { cursorPlace, openCursor } from './list-repos.ts'
import { limitIn } from './tree.ts'

const maxListed = 500

export const ownRepos: ForgeHandler<unknown> = async (exchange, _, parts) => {
  const caller = await exchange.hub.whoami()
  return isRefusal(caller) ? caller : listAll(exchange, caller.name, parts)
}

/** A namespace that is not there has none, and neither has one in which the caller may see nothing. */
export const namespaceRepos: ForgeHandler<{ readonly namespace: string | undefined }> = async (
  exchange,
  { namespace },
  parts,
) => {
  const caller = await exchange.hub.whoami()
  if (isRefusal(caller)) return caller
  return namespace === undefined ? json([]) : listAll(exchange, namespace, parts)
}

/** One type after the other. */
async function listAll(
  { hub, query, request }: Exchange,
  namespace: string,
  { seal, publicUrl }: ForgeDeps,
): Promise<ForgeReply | Refusal> {
  const cursor = openCursor(query, seal)
  if (isRefusal(cursor)) return cursor
  const [first = repoTypes[0], after] = cursor?.split(' ') ?? []
  const type = repoTypes.find((one) => one === first) ?? repoTypes[0]
  const limit = limitIn(query, maxListed)
  const page = await hub.repositories({ type, namespace, after: after || undefined, limit })
  if (isRefusal(page)) return page
  const following = repoTypes[repoTypes.indexOf(type) + 1]
  const next = page.next === undefined ? following && `${following} ` : `${type} ${page.next}`
  const link = next && { cursor: seal.close(cursorPlace, next) }
  return json(page.repositories.map(repositoryOutput), {
    headers: link ? nextLink(publicUrl, request.url ?? '', link) : [],
  })
}

/** How much the storage holds of it is not known here. */
function repositoryOutput({ repo, visibility, updatedAt }: ListedRepository): object {
  const { type } = repo
  return { id: repoId(repo), type, visibility, updatedAt, storage: 0, storagePercent: 0 }
}
