/** Where the object stores are that tests write to. */

import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { findProgram, isPathAlone, toolsFolder } from './find-program.ts'

/** The module of Go, and the hash of its bytes as Go writes it. */
export const versitygw = {
  module: 'github.com/versity/versitygw',
  version: 'v1.8.0',
  sum: 'h1:au+wI+aybno/STsQiSm35Uu6Q6iK5MWReQxgO6SEMFc=',
  folder: join(toolsFolder, 'go/bin'),
} as const

/** The artefacts of Maven, and the hash of all files that they and what they need consist of. */
export const s3Proxy = {
  artefacts: ['org.gaul:s3proxy:4.1.0', 'com.fasterxml.jackson.core:jackson-annotations:2.21'],
  sha256: '26bc35a3d5896465dbfef1dc2f85e06fd46997040bc83706c36e0b396f642c06',
  folder: join(toolsFolder, 'maven/s3proxy-4.1.0'),
} as const

export function findVersitygw(): string | undefined {
  return findProgram('versitygw')
}

export interface JavaProgram {
  readonly java: string
  readonly classPath: string
}

/** Only files whose hashes were checked are in that folder. */
export function findS3Proxy(): JavaProgram | undefined {
  const java = findJava()
  const isThere = existsSync(s3Proxy.folder) && readdirSync(s3Proxy.folder).length > 0
  if (isPathAlone || java === undefined || !isThere) return undefined
  return { java, classPath: join(s3Proxy.folder, '*') }
}

/** One that is new enough. */
export function findJava(): string | undefined {
  const java = findProgram('java')
  if (java === undefined) return undefined
  const { stderr } = spawnSync(java, ['-version'], { encoding: 'utf8' })
  const major = /version "(\d+)/.exec(stderr ?? '')?.[1]
  return Number(major) >= 17 ? java : undefined
}

/** Says aloud what is not tested where there is no versitygw. `so` ends the sentence. */
export function isVersitygwMissing(so: string): boolean {
  const isMissing = findVersitygw() === undefined
  if (isMissing) console.warn(`SKIPPED: versitygw is not installed, so ${so}`)
  return isMissing
}

/** The same for S3Proxy. */
export function isS3ProxyMissing(so: string): boolean {
  const isMissing = findS3Proxy() === undefined
  if (isMissing) console.warn(`SKIPPED: S3Proxy is not installed, so ${so}`)
  return isMissing
}
