/** The routes that a storage follows its hub by. */

import { linkPrefix } from '@latchkey/admin-api'
import type { Route } from '@latchkey/service/http/routes'
import { answerChanges } from './answer-changes.ts'
import { answerEpochs } from './answer-epochs.ts'
import { answerPlaces } from './answer-places.ts'
import type { LinkPorts } from './ports.ts'
import { serveLink } from './serve-link.ts'

export function linkRoutes(ports: LinkPorts): readonly Route[] {
  const serve = serveLink(ports)
  // biome-ignore format: a table is read by its columns
  return [
    { method: 'GET',  path: `${linkPrefix}/changes`, handle: serve('changes', answerChanges) },
    { method: 'POST', path: `${linkPrefix}/epochs`,  handle: serve('epochs',  answerEpochs) },
    { method: 'POST', path: `${linkPrefix}/places`,  handle: serve('places',  answerPlaces) },
  ]
}
