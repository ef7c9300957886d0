import type { RevisionAddress } from '../addresses/find-route.ts'
/** `POST …/paths-info/{revision}`: what is at some paths; those that lead to nothing are left out. */

import { isRefusal, type Refusal, refuse } from '@latchkey/protocol'
import { parseTreePath, type TreePath } from '../git/index.ts'
import type { ForgeHandler } from '../handler/exchange.ts'
import { formOrJson } from '../http/bodies.ts'
import { json } from '../http/reply.ts'
import { describeFiles } from '../large-files/describe-files.ts'
import {
  isFilled,
  lacksObjects,
  objectsMissing,
  openRevision,
} from '../large-files/open-revision.ts'
import { isFlagSet } from '../words/query.ts'
import { maxExpanded, withCommits } from './tree.ts'

const maxPaths = 1000
/** The paths, and whether they are expanded. Python sends a form. */
const bounds = { pairs: maxPaths + 1, formBytes: 1024 * 1024, jsonBytes: 256 * 1024 }

export const pathsInfo: ForgeHandler<RevisionAddress> = async (
  exchange,
  { repo, revision },
  parts,
) => {
  const { hub, signal } = exchange
  const { git, xetHashes } = parts
  const opened = await openRevision(hub, git, { repo, revision, scope: 'read' })
  if (isRefusal(opened)) return opened
  const members = await formOrJson(exchange, bounds)
  if (isRefusal(members)) return members
  if (lacksObjects(opened)) return objectsMissing(opened)
  const requestedPaths = members.get('paths') ?? []
  const isExpanded = isFlagSet(members, 'expand')
  if (requestedPaths.length > (isExpanded ? maxExpanded : maxPaths)) return tooMany()
  if (!isFilled(opened)) return json([])
  const paths = requestedPaths.map((text) => parseTreePath(text.replace(/\/$/, ''))).filter(isPath)
  const found = await opened.repository.findEntries(opened.tree, paths)
  const described = await describeFiles(opened.repository, [...found.values()])
  const files = await xetHashes.addTo(described, { hub, permitted: opened.permitted, revision })
  return json(isExpanded ? await withCommits(hub, opened, files, signal) : files)
}

function tooMany(): Refusal {
  const detail = `Name at most ${maxPaths} paths in a request, and with "expand" at most ${maxExpanded}. Ask for the others in further requests.`
  return refuse('bad_request', detail)
}

function isPath(path: TreePath | undefined): path is TreePath {
  return path !== undefined
}
