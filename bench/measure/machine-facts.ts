/** What a reader of the figures has to know of the machine and the programs. */

import { spawnSync } from 'node:child_process'
import { cpus, loadavg, release, totalmem } from 'node:os'
import { join } from 'node:path'
import { findPostgres } from '@latchkey/testing/tools/postgres-programs'
import { nginxProgram } from '../gate/nginx.ts'
import { wrkProgram } from './wrk.ts'

export function machineFacts() {
  const postgres = findPostgres()
  const here = { cwd: import.meta.dirname }
  return {
    measuredAt: new Date().toISOString(),
    commit: firstLine('git', ['rev-parse', 'HEAD'], here),
    machine: {
      processor: cpus()[0]?.model ?? 'unknown',
      cores: cpus().length,
      memoryGigabytes: Math.round(totalmem() / 2 ** 30),
      system: `${process.platform} ${release()} ${process.arch}`,
      /** Above the number of cores, others were at work too. */
      loadAtTheEnd: loadavg()[0],
    },
    versions: {
      node: process.version,
      openssl: process.versions.openssl,
      postgres: postgres && firstLine(join(postgres, 'postgres'), ['--version']),
      nginx: nginxProgram && firstLine(nginxProgram, ['-v']),
      wrk: wrkProgram && firstLine(wrkProgram, ['-v']),
    },
  }
}

function firstLine(program: string, words: readonly string[], options = {}): string | undefined {
  const { stdout, stderr, error } = spawnSync(program, words, { encoding: 'utf8', ...options })
  return error === undefined ? (stdout || stderr).split('\n')[0]?.trim() : undefined
}
