/** A hub and its storage as processes, with a line to the storage that can be broken, and clients for both. */

import type { StorageClientOptions } from '@latchkey/client'
import { prepareData } from '@latchkey/testing/hub/prepared-data'
import { type BreakableLine, breakableLine } from '@latchkey/testing/machine/breakable-line'
import { serve } from '@latchkey/testing/machine/command'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import { freePort } from '@latchkey/testing/machine/free-port'

export interface FileWorld {
  readonly line: BreakableLine
  /** Of a client for the main branch of a repository; the account may write, unless told otherwise. */
  options(who?: string): Pick<StorageClientOptions, 'hubUrl' | 'hubToken' | 'repo'> & {
    readonly hubToken: string
  }
  close(): Promise<void>
}

export async function openFileWorld(origins: readonly string[] = []): Promise<FileWorld> {
  const folder = sharedFolder()
  const { data, tokens } = await prepareData(folder)
  const storagePort = await freePort()
  const line = await breakableLine(storagePort)
  const places = ['--data', data, '--storage-port', `${storagePort}`]
  const cors = origins.length === 0 ? [] : ['--cors-origins', origins.join(',')]
  const casUrl = ['--cas-url', `${line.url}/r/{repo}/{ref}`]
  const hub = await serve([...places, ...casUrl, ...cors], { cwd: folder })
  return {
    line,
    options: (who = 'writer/write') => ({
      ...{ hubUrl: hub.url, hubToken: tokens[who] ?? '', repo: 'models/acme/bert' },
    }),
    async close() {
      await hub.end()
      await line.close()
    },
  }
}
