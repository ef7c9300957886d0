/** A real Traefik with the shipped configuration between a client and a storage. */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { ask } from '@latchkey/testing/http/ask'
import type { Addresses } from './nginx.ts'
import { type RunningProgram, runProgram } from './running-program.ts'
import { shipped } from './shipped.ts'

export function runTraefik({ gate, storage }: Addresses): Promise<RunningProgram> {
  return traefikWith(
    (port, dynamic) =>
      shipped('traefik/traefik.yml', [
        ['/etc/traefik/dynamic.yml', dynamic],
        ['127.0.0.1:8081', `127.0.0.1:${port}`],
      ]),
    shipped('traefik/dynamic.yml', [
      ['127.0.0.1:8082', gate],
      ['127.0.0.1:9000', storage],
    ]),
  )
}

/** `fixed` gets the port and the file in which the dynamic part is. */
export async function traefikWith(
  fixed: (port: number, dynamicFile: string) => string,
  dynamic: string,
  statusAt = async (url: string) => (await ask(url, { path: '/' })).status,
): Promise<RunningProgram> {
  const running = await runProgram((folder, port) => {
    const [file, dynamicFile] = [join(folder, 'traefik.yml'), join(folder, 'dynamic.yml')]
    writeFileSync(dynamicFile, dynamic)
    writeFileSync(file, fixed(port, dynamicFile))
    return { program: 'traefik', args: [`--configFile=${file}`] }
  })
  await knowsItsRoutes(running, statusAt)
  return running
}

/** Traefik listens before it has read where requests go, and answers 404 until then. */
async function knowsItsRoutes(
  { url, said, stop }: RunningProgram,
  statusAt: (url: string) => Promise<number>,
): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const status = await statusAt(url).catch(() => 404)
    if (status !== 404) return
    await wait(50)
  }
  await stop()
  throw new Error(`Traefik does not route anything. ${said()}`)
}
