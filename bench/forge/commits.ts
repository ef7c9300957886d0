/** A thousand commits by the API in one repository, one after the other. */

import { execFileSync, spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { cpuMicrosWithChildren, ownCpuMicros } from '../machine.ts'
import { type Figure, measuredOf } from '../measure/figure.ts'
import { median } from '../measure/statistics.ts'
import { between, type CpuByRole, cpuByRole, sumOf } from './cpu-by-role.ts'
import {
  commit,
  create,
  fileLine,
  peakMegabytesOf,
  type Side,
  type Spent,
  spentOn,
} from './side.ts'

export async function benchCommits(side: Side, count: number): Promise<readonly Figure[]> {
  const api = await create(side, 'commits')
  const spent: Spent[] = []
  for (let turn = 0; turn < count; turn += 1) {
    const line = fileLine(`folder-${turn % 10}/file-${turn}.txt`, `the file of commit ${turn}`)
    spent.push(await spentOn(side, () => commit(side, api, [line])))
  }
  const tenth = Math.ceil(count / 10)
  const milliseconds = spent.map((one) => one.milliseconds)
  return [
    {
      figure: `a commit of one file, ${count} in one repository`,
      anchor: side.name,
      result: measuredOf(milliseconds, { unit: 'ms' }),
      details: {
        'first tenth ms': median(milliseconds.slice(0, tenth)),
        'last tenth ms': median(milliseconds.slice(-tenth)),
        'CPU ms': meanCpu(spent),
        'peak MB': peakMegabytesOf(side),
      },
    },
  ]
}

const inGroup = 20

/** The CPU of a commit by who spends it, in groups: the system counts in hundredths of a second. */
export async function benchCommitCpu(
  side: Side & { readonly pid: number },
  { folder, groups }: { readonly folder: string; readonly groups: number },
): Promise<Figure> {
  const api = await create(side, 'commit-cpu')
  const one = (name: string) => commit(side, api, [fileLine(name, `the file ${name}`)])
  for (let turn = 0; turn < inGroup; turn += 1) await one(`folder-${turn % 10}/warm-${turn}`)
  const tool = gitRepository(join(folder, 'anchor.git'))
  const [own, ofGit]: [CpuByRole[], number[]] = [[], []]
  for (let group = 0; group < groups; group += 1) {
    const before = cpuByRole(side.pid)
    for (let turn = 0; turn < inGroup; turn += 1) await one(`folder-${turn % 10}/${group}-${turn}`)
    own.push(between(before, cpuByRole(side.pid), inGroup))
    ofGit.push(tool.commitTree(inGroup))
  }
  tool.remove()
  const [best] = own.toSorted((a, b) => sumOf(a) - sumOf(b))
  return {
    ...{ figure: 'CPU of a commit of one file', anchor: 'git commit-tree', goal: { atMost: 15 } },
    result: measuredOf(own.map(sumOf), { unit: 'ms', least: true }),
    details: {
      ...{ 'hub ms': best?.hub, 'forge ms': best?.forge, 'git ms': best?.git },
      'anchor ms': Math.min(...ofGit),
    },
  }
}

/** Commits that git makes of nothing, each in a process that is started for it, with the same guarantee. */
function gitRepository(folder: string) {
  const person = ['-c', 'user.name=bench', '-c', 'user.email=bench@example.org']
  const env = { PATH: process.env['PATH'] ?? '', GIT_DIR: folder, GIT_CONFIG_GLOBAL: '/dev/null' }
  execFileSync('git', ['init', '-q', '--bare', folder])
  const tree = execFileSync('git', ['mktree'], { env, input: '' }).toString().trim()
  return {
    /** Milliseconds of git alone for each. */
    commitTree(count: number): number {
      const endedBefore = cpuMicrosWithChildren(process.pid) - ownCpuMicros()
      for (let turn = 0; turn < count; turn += 1) {
        const words = ['-c', 'core.fsync=all', ...person, 'commit-tree', tree, '-m', `${turn}`]
        spawnSync('git', words, { env })
      }
      const ended = cpuMicrosWithChildren(process.pid) - ownCpuMicros()
      return (ended - endedBefore) / 1000 / count
    },
    remove: () => rmSync(folder, { recursive: true }),
  }
}

export function meanCpu(spent: readonly Spent[]): number | undefined {
  const known = spent.flatMap(({ cpuMilliseconds }) => cpuMilliseconds ?? [])
  return known.length === 0 ? undefined : known.reduce((sum, one) => sum + one, 0) / known.length
}
