/** What git-lfs and old clients ask a forge for, over a storage that keeps what they send. */

import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { sha256Of } from '../isolation/content.ts'
import type { ForgeStage, Who } from './forge-stage.ts'

export const publicUrl = 'https://hub.example'

export interface LfsObject {
  readonly oid: string
  readonly size: number
  // biome-ignore lint/suspicious/noExplicitAny: a test says by its expectations what it must be
  readonly [member: string]: any
}

export interface LfsAnswer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: the same
  readonly json: any
}

/** An account, or one of its hub tokens. */
export type Sender = Who | 'writer/reading'

export interface Action {
  readonly href: string
  readonly header: Readonly<Record<string, string>>
}

export interface BatchWish {
  readonly as?: Sender | undefined
  readonly ref?: string | undefined
  readonly more?: object
}

export function objectOf(bytes: Buffer): LfsObject {
  return { oid: sha256Of(bytes), size: bytes.length }
}

export function lfsWorld(stage: ForgeStage) {
  const { world } = stage
  const here = (href: string) => href.replace(publicUrl, world.hub.url)
  const passwordOf = (as: Sender) =>
    world.tokens[as.includes('/') ? as : `${as}/token`]?.reveal() ?? ''
  const post = async (
    path: string,
    body: object,
    header: Readonly<Record<string, string>>,
  ): Promise<LfsAnswer> => {
    const response = await fetch(here(path), {
      method: 'POST',
      headers: { 'content-type': 'application/vnd.git-lfs+json', ...header },
      body: JSON.stringify(body),
    })
    const { status, headers } = response
    return { status, headers, json: await response.json() }
  }
  const credentials = (as: Sender | undefined): Readonly<Record<string, string>> =>
    as === undefined ? {} : { authorization: `Basic ${btoa(`${as}:${passwordOf(as)}`)}` }
  const batch = (model: string, objects: readonly object[], wish: BatchWish = {}) => {
    const { as, ref, more } = { as: 'writer' as const, ...wish }
    const path = `${world.hub.url}/acme/${model}.git/info/lfs/objects/batch`
    const body = {
      ...{ operation: 'upload', transfers: ['basic', 'multipart'], objects },
      ...(ref && { ref: { name: ref } }),
      ...more,
    }
    return post(path, body, credentials(as))
  }
  return {
    ...{ batch, here },
    ask: (path: string, body: object, as: Sender) => post(path, body, credentials(as)),
    /** As git-lfs does, with no other header than that of the action. */
    verify: ({ href, header }: Action, object: object) => post(href, object, header),
    /** The actions for one object that has to be sent. */
    async actions(model: string, object: object, wish: BatchWish = { ref: 'refs/heads/main' }) {
      const { status, json } = await batch(model, [object], wish)
      const actions = json.objects?.[0]?.actions
      if (actions === undefined) throw new Error(`${status}: ${JSON.stringify(json)}`)
      return actions
    },
    /** As Python does: no credentials, and no header of the action. */
    put(href: string, body: Iterable<Uint8Array>, headers: Readonly<Record<string, string>> = {}) {
      return new Promise<LfsAnswer>((resolve, reject) => {
        const sending = request(here(href), { method: 'PUT', headers, agent: false })
        sending.on('response', async (answer) => {
          const json = JSON.parse(await text(answer))
          const { statusCode: status = 0 } = answer
          resolve({ status, headers: new Headers(answer.headers as Record<string, string>), json })
        })
        sending.on('error', reject)
        for (const part of body) sending.write(part)
        sending.end()
      })
    },
  }
}
