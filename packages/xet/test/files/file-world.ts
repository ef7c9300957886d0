/** A hub and its storage as processes, and clients for them. */

import type { StorageClientOptions } from '@latchkey/client'
import { prepareData } from '@latchkey/testing/hub/prepared-data'
import { type BreakableLine, breakableLine } from '@latchkey/testing/machine/breakable-line'
import { serve } from '@latchkey/testing/machine/command'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import { freePort } from '@latchkey/testing/machine/free-port'

export interface FileWorld {
  /** Of a client for the main branch of a repository; the account may write, unless told otherwise. */
  options(who?: string): Pick<StorageClientOptions, 'hubUrl' | 'hubToken' | 'repo'> & {
    readonly hubToken: string
  }
  close(): Promise<void>
}

export interface BreakableWorld extends FileWorld {
  readonly line: BreakableLine
}

export async function openFileWorld(words: readonly string[] = []): Promise<FileWorld> {
  const folder = sharedFolder()
  const { data, tokens } = await prepareData(folder)
  const hub = await serve(['--data', data, ...words], { cwd: folder })
  return {
    options: (who = 'writer/write') => ({
      ...{ hubUrl: hub.url, hubToken: tokens[who] ?? '', repo: 'models/acme/bert' },
    }),
    async close() {
      await hub.end()
    },
  }
}

/** With a line to the storage that can be broken. The origins are those of pages. */
export async function openBreakableWorld(origins: readonly string[] = []): Promise<BreakableWorld> {
  const storagePort = await freePort()
  const line = await breakableLine(storagePort)
  const places = ['--storage-port', `${storagePort}`, '--cas-url', `${line.url}/r/{repo}/{ref}`]
  const cors = origins.length === 0 ? [] : ['--cors-origins', origins.join(',')]
  const world = await openFileWorld([...places, ...cors])
  return {
    ...world,
    line,
    async close() {
      await world.close()
      await line.close()
    },
  }
}
