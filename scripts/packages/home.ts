/** Where the project lives: manifests and the site read it here. */

import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from './packages.ts'

/** The repository, as `https://HOST/OWNER/NAME`; empty until there is one. */
export const repositoryUrl: string = ''

/** Of npm and of Python, as paths from the root. */
export const manifests: readonly string[] = globSync(
  ['package.json', 'packages/*/package.json', 'vectors/package.json', 'clients/*/pyproject.toml'],
  { cwd: root },
).sort()

/** The text of a manifest with the addresses of a repository, or without any if there is none. */
export function manifestWithHome(manifest: string, url: string): string {
  const text = readFileSync(join(root, manifest), 'utf8')
  return withHome(manifest, text, url)
}

export function withHome(manifest: string, text: string, url: string): string {
  return manifest.endsWith('.toml') ? tomlWithHome(text, url) : jsonWithHome(manifest, text, url)
}

type Fields = Readonly<Record<string, unknown>>

function jsonWithHome(manifest: string, text: string, url: string): string {
  const {
    homepage: _homepage,
    repository: _repository,
    bugs: _bugs,
    ...fields
  }: Fields = JSON.parse(text)
  const withFields = Object.entries(fields).flatMap(([name, value]) =>
    name === 'license'
      ? [[name, value], ...Object.entries(npmFields(manifest, url))]
      : [[name, value]],
  )
  return `${JSON.stringify(Object.fromEntries(withFields), null, 2)}\n`
}

function npmFields(manifest: string, url: string): Fields {
  if (url === '') return {}
  const folder = dirname(manifest)
  const directory = folder === '.' ? {} : { directory: folder }
  return {
    homepage: `${url}#readme`,
    repository: { type: 'git', url: `git+${url}.git`, ...directory },
    bugs: { url: `${url}/issues` },
  }
}

function tomlWithHome(text: string, url: string): string {
  const without = text.replace(/^\[project\.urls\]\n(?:[^[\n].*\n|\n)*/m, '')
  if (url === '') return without
  const lines = { Homepage: url, Repository: url, Issues: `${url}/issues` }
  const table = Object.entries(lines).map(([name, address]) => `${name} = "${address}"\n`)
  return without.replace(
    /^\[(?!build-system\]|project\]).*\]$/m,
    `[project.urls]\n${table.join('')}\n$&`,
  )
}
