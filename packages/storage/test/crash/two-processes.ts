/** A hub that can be killed and started again at its address, and a storage that runs beside it without its help. */

import { join } from 'node:path'
import { acme } from '@latchkey/testing/hub/acme'
import { askHub } from '@latchkey/testing/hub/ask-hub'
import { commit } from '@latchkey/testing/hub/hub-settings'
import { type Prepared, prepareData } from '@latchkey/testing/hub/prepared-data'
import { type Serving, startServing } from '@latchkey/testing/machine/command'
import { freePort } from '@latchkey/testing/machine/free-port'
import { openRef, type Ref } from './storage-process.ts'

export interface TwoProcesses {
  readonly prepared: Prepared
  /** The data directory of the storage. */
  readonly data: string
  readonly storage: Serving
  startHub(): Promise<void>
  killHub(): Promise<void>
  /** Of `models/acme/bert`. */
  openRef(branch: string): Promise<Ref>
  createBranch(branch: string): Promise<void>
  deleteBranch(branch: string): Promise<void>
  /** Whether the storage says that its hub answers. */
  isLinked(): Promise<boolean>
}

const world = {
  ...acme,
  hubTokens: [...acme.hubTokens, { account: 'maintainer', name: 'storage', kind: 'storage' }],
}

export async function startTwoProcesses(folder: string): Promise<TwoProcesses> {
  const prepared = await prepareData(folder, world)
  const { tokens } = prepared
  const data = join(folder, 'storage')
  const [hubPort, port] = [await freePort(), await freePort()]
  const url = `http://127.0.0.1:${hubPort}`
  const casUrl = ['--cas-url', `http://127.0.0.1:${port}/r/{repo}/{ref}`]
  const atHub = ['--no-storage', '--port', `${hubPort}`, '--data', prepared.data, ...casUrl]
  // Clients keep their tokens to the end of the test.
  const lifetime = ['--token-lifetime-seconds', '86400']
  const serveHub = () => startServing(['serve', ...atHub, ...lifetime], { cwd: folder })
  let hub = await serveHub()
  const storage = await startServing(
    ['storage', 'serve', '--hub', url, '--port', `${port}`, '--data', data, ...casUrl],
    { cwd: folder, env: { LATCHKEY_STORAGE_CREDENTIAL: tokens['maintainer/storage'] ?? '' } },
  )
  const change = async (method: string, path: string, body?: object) => {
    const { status, body: told } = await askHub(url, `/admin/v1/repositories/${path}`, {
      ...{ method, token: tokens['maintainer/admin'] ?? '' },
      ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    })
    if (status >= 300) throw new Error(`the hub answered ${status}: ${told}`)
  }
  return {
    ...{ prepared, data, storage },
    async startHub() {
      hub = await serveHub()
    },
    async killHub() {
      await hub.end('SIGKILL')
    },
    openRef: (branch) => openRef(url, tokens, branch),
    createBranch: (ref) => change('PUT', `models/acme/bert/refs/${ref}`, { commit: commit('a') }),
    deleteBranch: (ref) => change('DELETE', `models/acme/bert/refs/${ref}`),
    async isLinked() {
      const metrics = await (await fetch(`${storage.url}/metrics`)).text()
      return metrics.includes('\nlatchkey_storage_hub_linked 1\n')
    },
  }
}
