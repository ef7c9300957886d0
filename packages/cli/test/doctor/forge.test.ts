/** The forge in the doctor's lines: beside the hub, and elsewhere. */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { examine, installations } from './installation.ts'

const installation = installations()

/** A service that answers with these statuses and bodies, by path. */
async function answering(
  answers: Readonly<Record<string, readonly [number, object]>>,
): Promise<number> {
  const server = createServer(({ url = '' }, response) => {
    const [status, body] = answers[url] ?? [404, {}]
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

const about = (lines: readonly string[]) => lines.filter((line) => line.startsWith('forge:'))

describe('a separate forge', () => {
  test('does not answer, which is a warning: the hub may reach it', async () => {
    const { of } = await examine(await installation(), ['--forge-url', 'http://127.0.0.1:1'])
    expect(about(of('warning'))).toEqual([
      'forge: http://127.0.0.1:1 does not respond to this machine: ECONNREFUSED',
    ])
  })

  // biome-ignore format: a table is read by its columns
  test.each<[what: string, status: number, body: object, result: string, line: RegExp]>([
    ['serves its repositories',           200, {},                               'good',    /is ready$/],
    ['is not ready, and says why',        503, { detail: 'It has another hub.' }, 'wrong',   /is not ready: It has another hub\.$/],
    ['is watched at another port',        404, {},                               'skipped', /does not report whether it is ready$/],
  ])('%s', async (_, status, body, result, line) => {
    const port = await answering({ '/readyz': [status, body] })
    const { of } = await examine(await installation(), ['--forge-url', `http://127.0.0.1:${port}`])
    expect(about(of(result))).toEqual([expect.stringMatching(line)])
  })
})

describe('a forge of the hub', () => {
  test.each([
    ['ready', 'good', 'forge: its process runs and is ready'],
    ['down', 'wrong', 'forge: its process does not respond, or is not ready'],
    [undefined, 'wrong', 'forge: the hub runs without a forge, and these settings have one'],
  ])('that the hub calls %s is told as that', async (forge, result, line) => {
    const ready = { status: 'ready', storage: 'ready', ...(forge && { forge }) }
    const port = await answering({
      '/healthz': [200, { status: 'ok' }],
      '/readyz': [200, ready],
      '/openapi.json': [200, { info: {} }],
    })
    const { of } = await examine(await installation(), ['--forge', '--port', `${port}`])
    expect(about(of(result))).toEqual([line])
  })
})
