/** A real Envoy with the shipped configuration between a client and a storage. */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Addresses } from './nginx.ts'
import { type RunningProgram, runProgram } from './running-program.ts'
import { type Replacement, shipped } from './shipped.ts'

export function runEnvoy(
  { gate, storage }: Addresses,
  edits: readonly Replacement[] = [],
): Promise<RunningProgram> {
  return envoyWith((port) =>
    shipped('envoy/envoy.yaml', [
      ['http://127.0.0.1:8082', `http://${gate}`],
      ['port_value: 8082', `port_value: ${portOf(gate)}`],
      ['port_value: 9000', `port_value: ${portOf(storage)}`],
      ['port_value: 8081', `port_value: ${port}`],
      ...edits,
    ]),
  )
}

export function envoyWith(configuration: (port: number) => string): Promise<RunningProgram> {
  return runProgram((folder, port) => {
    const file = join(folder, 'envoy.yaml')
    writeFileSync(file, configuration(port))
    // Several at once would otherwise meet in the same shared memory.
    const alone = ['--use-dynamic-base-id', '--concurrency', '1']
    return { program: 'envoy', args: ['-c', file, ...alone, '-l', 'warning'] }
  })
}

function portOf(address: string): string {
  return new URL(`http://${address}`).port
}
