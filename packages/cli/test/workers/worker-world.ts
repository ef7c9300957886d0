/** A hub of several workers in processes of their own, on data of its own. */

import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { pathOf } from '@latchkey/testing/hub/ask'
import { type Prepared, prepareData } from '@latchkey/testing/hub/prepared-data'
import { childrenOf } from '@latchkey/testing/machine/child-processes'
import { type Serving, serve } from '@latchkey/testing/machine/command'
import { copyOfData, sharedFolder, temporaryFolder } from '@latchkey/testing/machine/folder'
import { beforeAll, expect, onTestFinished } from 'vitest'

export interface WorkerHub extends Serving {
  readonly folder: string
  readonly data: string
  token(name: string): string
  /** The ids of its child processes; without a storage these are the workers. */
  children(): readonly number[]
  /** What the log says so far; fails where a line is not whole. */
  lines(): readonly LogLine[]
  metric(name: string): Promise<number>
}

export interface LogLine extends Readonly<Record<string, unknown>> {
  readonly event: string
  readonly worker?: number
}

export const wanted = 'read models/acme/bert@main'

/** By default until the test is over. */
type Start = (
  args: readonly string[],
  folder?: string,
  atEnd?: (close: () => Promise<void>) => void,
) => Promise<WorkerHub>

/** Gives the function that starts one. */
export function workerWorld(): Start {
  const shared = sharedFolder()
  let prepared: Prepared
  beforeAll(async () => {
    prepared = await prepareData(shared)
  })
  return async (args, folder = temporaryFolder(), atEnd = onTestFinished) => {
    const data = copyOfData(prepared.data, join(folder, 'data'))
    const hub = await serve(['--data', data, ...args], { cwd: folder })
    atEnd(async () => {
      if (hub.child.exitCode === null) await hub.end('SIGKILL')
    })
    const { pid } = hub.child
    return {
      ...hub,
      folder,
      data,
      token: (name) => prepared.tokens[name] ?? '',
      children: () => childrenOf(pid),
      lines: linesOf(() => hub.output().stdout),
      async metric(name) {
        const text = await (await fetch(`${hub.url}/metrics`)).text()
        const values = text.split('\n').filter((line) => line.startsWith(`${name} `))
        expect(values).toHaveLength(1)
        return Number(values[0]?.slice(name.length + 1))
      },
    }
  }
}

/** One for all tests of a `describe`, in their order; in a folder that `prepare` has written to. */
export function sharedHub(
  start: Start,
  args: readonly string[],
  prepare: (folder: string) => void = () => {},
): () => WorkerHub {
  const folder = sharedFolder()
  let hub: WorkerHub | undefined
  beforeAll(async () => {
    prepare(folder)
    let close = async () => {}
    hub = await start(args, folder, (closing) => {
      close = closing
    })
    return close
  })
  return () => {
    if (hub === undefined) throw new Error('the hub was not started')
    return hub
  }
}

/** Tests ask many times a second, and a line is read once. */
function linesOf(output: () => string): () => readonly LogLine[] {
  const lines: LogLine[] = []
  let readTo = 0
  return () => {
    const text = output()
    const end = text.lastIndexOf('\n') + 1
    for (const line of text.slice(readTo, end).split('\n').slice(0, -1)) {
      lines.push(JSON.parse(line))
    }
    readTo = end
    return lines
  }
}

export interface Answer {
  /** 0 where no answer came. */
  readonly status: number
  readonly reason?: string
  readonly sentAt: number
}

/** One request; on a connection of its own unless an agent is given. */
export function askOnce(
  { url }: Pick<Serving, 'url'>,
  token: string,
  agent: Agent | false = false,
): Promise<Answer> {
  const sentAt = performance.now()
  const { promise, resolve } = Promise.withResolvers<Answer>()
  const headers = { authorization: `Bearer ${token}` }
  const sent = request(url + pathOf(wanted), { agent: agent as Agent, headers }, (response) => {
    response.on('error', (error) => resolve({ status: 0, reason: error.message, sentAt }))
    response.on('end', () => resolve({ status: response.statusCode ?? 0, sentAt }))
    response.resume()
  })
  sent.setTimeout(20_000, () => sent.destroy(new Error('no answer in 20 s')))
  sent.on('error', (error) => resolve({ status: 0, reason: error.message, sentAt }))
  sent.end()
  return promise
}

export interface Load {
  readonly answers: readonly Answer[]
  stop(): Promise<void>
}

export const connections = 8

/** Clients that ask one request after the other: most on connections that they keep, some on new ones. */
export function putUnderLoad(hub: Pick<Serving, 'url'>, token: string): Load {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const answers: Answer[] = []
  let isOver = false
  const client = async (own: Agent | false) => {
    while (!isOver) {
      answers.push(await askOnce(hub, token, own))
      // Clients without a pause would take the processor from the workers and the tests beside them.
      await new Promise((resolve) => setTimeout(resolve, 250))
    }
  }
  const clients = [...Array.from({ length: connections }, () => client(agent)), client(false)]
  const stop = async () => {
    isOver = true
    await Promise.all(clients)
    agent.destroy()
  }
  onTestFinished(stop)
  return { answers, stop }
}
