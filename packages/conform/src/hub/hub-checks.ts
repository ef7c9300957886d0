import type { Check } from '../check.ts'
import { expectStatus, type HubTarget, send } from './hub-target.ts'

export const hubChecks: readonly Check<HubTarget>[] = [
  {
    id: 'get-issues-token',
    clause: 'Endpoints / The method is GET',
    profiles: ['token-api'],
    title: 'A GET request with a hub token gets 200',
    run: async (hub) =>
      expectStatus(
        await send(hub, { path: '/api/models/conform/private/storage-read-token/main' }),
        200,
      ),
  },
]
