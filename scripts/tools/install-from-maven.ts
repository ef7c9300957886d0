/** An object store in Java, taken from Maven only if all of its files are the pinned ones. */

import { createHash } from 'node:crypto'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { findProgram } from '@latchkey/testing/tools/find-program'
import { findJava, s3Proxy } from '@latchkey/testing/tools/s3-stores'
import { run } from './run.ts'

export async function installS3Proxy(): Promise<void> {
  const maven = findProgram('mvn')
  if (maven === undefined || findJava() === undefined) return
  mkdirSync(dirname(s3Proxy.folder), { recursive: true })
  const download = mkdtempSync(`${s3Proxy.folder}-`)
  try {
    writeFileSync(join(download, 'pom.xml'), projectOf(s3Proxy.artefacts))
    const files = join(download, 'files')
    const words = ['-q', '-B', '-C', `-DoutputDirectory=${files}`, '-DincludeScope=runtime']
    const copies = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies'
    if (!(await run(maven, [...words, copies], { cwd: download }))) return
    const sha256 = hashOf(files)
    if (sha256 !== s3Proxy.sha256) {
      console.error(`The files of S3Proxy are not what was pinned: ${sha256}. They are not used.`)
      return
    }
    rmSync(s3Proxy.folder, { recursive: true, force: true })
    renameSync(files, s3Proxy.folder)
  } finally {
    rmSync(download, { recursive: true, force: true })
  }
}

function projectOf(artefacts: readonly string[]): string {
  const elements = (values: Readonly<Record<string, string | undefined>>) =>
    Object.entries(values)
      .map(([name, value]) => `<${name}>${value}</${name}>`)
      .join('')
  const dependencies = artefacts.map((artefact) => {
    const [groupId, artifactId, version] = artefact.split(':')
    return `<dependency>${elements({ groupId, artifactId, version })}</dependency>`
  })
  const own = { groupId: 'latchkey', artifactId: 'tests', version: '1', packaging: 'pom' }
  const parts = [elements({ modelVersion: '4.0.0', ...own })]
  return `<project>${parts}<dependencies>${dependencies.join('')}</dependencies></project>\n`
}

/** Of the names and the bytes of all files. */
function hashOf(folder: string): string {
  const lines = readdirSync(folder)
    .sort()
    .map((name) => `${sha256(readFileSync(join(folder, name)))}  ${name}\n`)
  return sha256(lines.join(''))
}

function sha256(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
