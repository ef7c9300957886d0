/** The real client of JavaScript, with the settings that everybody gives it. */

import { commit, downloadFile } from '@huggingface/hub'
import type { Stage } from './stage.ts'

export interface Transfer {
  readonly branch?: string
  /** Of the writer, unless another is named. */
  readonly hubToken?: string
  readonly fetch?: typeof fetch
  readonly isPullRequest?: boolean
}

export interface Client {
  /** Gives the hash of the commit. */
  upload(files: Readonly<Record<string, Buffer>>, transfer?: Transfer): Promise<string>
  download(path: string, transfer?: Transfer): Promise<Buffer>
}

export function huggingfaceJs({ hub, hubTokens }: Stage): Client {
  const known = { repo: 'acme/bert', hubUrl: hub.url }
  const settings = ({ hubToken: accessToken = hubTokens['writer/write'], ...rest }: Transfer) => ({
    ...known,
    accessToken,
    ...(rest.fetch === undefined ? {} : { fetch: rest.fetch }),
  })
  return {
    async upload(files, transfer = {}) {
      const operations = Object.entries(files).map(([path, content]) => {
        return {
          operation: 'addOrUpdate',
          path,
          content: new Blob([new Uint8Array(content)]),
        } as const
      })
      const { branch = 'main', isPullRequest = false } = transfer
      const where = { ...settings(transfer), branch, isPullRequest }
      const done = await commit({ ...where, title: 'Add', operations })
      return done?.commit.oid ?? ''
    },
    async download(path, transfer = {}) {
      const revision = transfer.branch ?? 'main'
      const blob = await downloadFile({ ...settings(transfer), revision, path })
      if (blob === null) throw new Error(`there is no ${path}`)
      return Buffer.from(await blob.arrayBuffer())
    },
  }
}
