/** Files that `hf` sends to a hub and gets back: one large, and many small. */

import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type Figure, measuredOf } from '../measure/figure.ts'
import { median } from '../measure/statistics.ts'
import { sha256Of, writeContent } from '../transfer/contents.ts'
import { cpuSecondsOf, create, type Side } from './side.ts'

interface Took {
  readonly seconds: number
  readonly cpuSeconds: number
  readonly hubCpuSeconds: number | undefined
}

export interface Transferring {
  readonly python: string
  /** For homes and files. */
  readonly folder: string
  readonly rounds: number
}

type Work = (side: Side, round: number) => Promise<{ readonly up: Took; readonly down: Took }>

export async function benchTransfers(
  sides: readonly Side[],
  transferring: Transferring,
): Promise<readonly Figure[]> {
  const { folder, rounds } = transferring
  const file = join(folder, 'large.safetensors')
  const large: Work = async (side, round) => {
    const repo = await named(side, `large-${round}`)
    const up = await hf(side, transferring, ['upload', repo, file, 'large.safetensors'])
    const got = mkdtempSync(join(folder, 'got-'))
    const down = await hf(side, transferring, [
      'download',
      repo,
      'large.safetensors',
      '--local-dir',
      got,
    ])
    if ((await sha256Of(join(got, 'large.safetensors'))) !== (await sha256Of(file))) {
      throw new Error(`${side.name} has given another file than it got`)
    }
    rmSync(got, { recursive: true })
    return { up, down }
  }
  const many = join(folder, 'many')
  const small: Work = async (side, round) => {
    const repo = await named(side, `small-${round}`)
    const up = await hf(side, transferring, ['upload', repo, many, '.'])
    const got = mkdtempSync(join(folder, 'got-'))
    const down = await hf(side, transferring, ['download', repo, '--local-dir', got])
    const count = readdirSync(got, { recursive: true }).filter((name) =>
      String(name).endsWith('.txt'),
    )
    if (count.length !== 1000)
      throw new Error(`${side.name} has given ${count.length} of 1000 files`)
    rmSync(got, { recursive: true })
    return { up, down }
  }
  const figures: Figure[] = []
  for (const [what, work, count] of [
    ['30 MB', large, rounds],
    ['1000 files of 1 KB', small, 1],
  ] as const) {
    const took = new Map(sides.map((side) => [side, [] as Awaited<ReturnType<Work>>[]]))
    for (let round = 0; round < count; round += 1) {
      if (work === large) writeContent(file, 'random', 30)
      else writeMany(many)
      for (const side of sides) took.get(side)?.push(await work(side, round))
    }
    for (const [side, all] of took) {
      figures.push(
        figureOf(
          `hf upload, ${what}`,
          side,
          all.map(({ up }) => up),
        ),
      )
      figures.push(
        figureOf(
          `hf download, ${what}`,
          side,
          all.map(({ down }) => down),
        ),
      )
    }
  }
  return figures
}

function figureOf(figure: string, side: Side, all: readonly Took[]): Figure {
  const hub = all.flatMap(({ hubCpuSeconds }) => hubCpuSeconds ?? [])
  return {
    figure,
    anchor: side.name,
    result: measuredOf(
      all.map(({ seconds }) => seconds),
      { unit: 's' },
    ),
    details: {
      'hf CPU s': median(all.map(({ cpuSeconds }) => cpuSeconds)),
      'hub CPU s': hub.length === 0 ? undefined : median(hub),
    },
  }
}

function writeMany(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
  for (let number = 0; number < 1000; number += 1) {
    const place = join(folder, `folder-${number % 10}`)
    mkdirSync(place, { recursive: true })
    writeFileSync(join(place, `${number}.txt`), `${number} `.repeat(1000).slice(0, 1000))
  }
}

async function named(side: Side, name: string): Promise<string> {
  const api = await create(side, name)
  return api.replace('/api/models/', '')
}

/** Every call has a new home, so that no client remembers an earlier one. */
async function hf(
  side: Side,
  { python, folder }: Transferring,
  words: readonly string[],
): Promise<Took> {
  const home = mkdtempSync(join(folder, 'home-'))
  const env = {
    ...{ HOME: home, HF_HOME: join(home, 'hf'), HF_ENDPOINT: side.url, HF_TOKEN: side.token },
    ...{ HF_HUB_DISABLE_TELEMETRY: '1', HF_HUB_DISABLE_PROGRESS_BARS: '1' },
    PATH: process.env['PATH'] ?? '',
  }
  const program = join(import.meta.dirname, '../transfer/run_measured.py')
  const before = cpuSecondsOf(side)
  const child = spawn(python, ['-B', program], { stdio: ['pipe', 'pipe', 'inherit'] })
  const command = [join(dirname(python), 'hf'), ...words]
  child.stdin.end(JSON.stringify({ command, env, home, input: '' }))
  const { code, stderr, seconds, cpuSeconds } = JSON.parse(await text(child.stdout))
  const after = cpuSecondsOf(side)
  rmSync(home, { recursive: true, force: true })
  if (code !== 0) throw new Error(`${side.name}: hf ${words.join(' ')}: ${code} ${stderr}`)
  const hasCpu = before !== undefined && after !== undefined
  return { seconds, cpuSeconds, hubCpuSeconds: hasCpu ? after - before : undefined }
}
