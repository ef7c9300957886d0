/** A real Traefik with the shipped configuration between a client and a storage. */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { ask } from '@latchkey/testing/http/ask'
import type { Addresses } from './nginx.ts'
import { type RunningProgram, runProgram } from './running-program.ts'
import { shipped } from './shipped.ts'

export async function runTraefik({ gate, storage }: Addresses): Promise<RunningProgram> {
  const running = await runProgram((folder, port) => {
    const dynamic = join(folder, 'dynamic.yml')
    const fixed = join(folder, 'traefik.yml')
    writeFileSync(
      dynamic,
      shipped('traefik/dynamic.yml', [
        ['127.0.0.1:8082', gate],
        ['127.0.0.1:9000', storage],
      ]),
    )
    writeFileSync(
      fixed,
      shipped('traefik/traefik.yml', [
        ['/etc/traefik/dynamic.yml', dynamic],
        ['127.0.0.1:8081', `127.0.0.1:${port}`],
      ]),
    )
    return { program: 'traefik', args: [`--configFile=${fixed}`] }
  })
  await knowsItsRoutes(running)
  return running
}

/** Traefik listens before it has read where requests go, and answers 404 until then. */
async function knowsItsRoutes({ url, said, stop }: RunningProgram): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    if ((await ask(url, { path: '/' })).status !== 404) return
    await wait(50)
  }
  await stop()
  throw new Error(`Traefik does not route anything. ${said()}`)
}
