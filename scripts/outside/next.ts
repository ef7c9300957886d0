/** The forms of a project of Next.js, which looks at types and bundles by itself: an application each. */

import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Form } from './cells.ts'
import { compile, folderOfForm, resolutions, takeTypesAway } from './forms.ts'
import type { Machine } from './machine.ts'
import { run } from './run.ts'

const next = 'node_modules/next/dist/bin/next'
const quiet = { NEXT_TELEMETRY_DISABLED: '1' }

/** On the project's oldest Node. */
export async function buildNext(
  project: string,
  form: Form,
  { node, env }: Machine,
): Promise<void> {
  const folder = folderOfForm[form]
  if (form === 'JavaScript') await takeTypesAway(project, join(folder, 'src'))
  else await writeTypeScript(project, form)
  await run(node, [next, 'build', folder], { cwd: project, env: { ...env, ...quiet } })
}

/** Checked as the other projects are, and once more by Next.js, with the older compiler that it wants. */
async function writeTypeScript(project: string, form: keyof typeof resolutions): Promise<void> {
  await compile(project, form, ['--noEmit'])
  const folder = join(project, folderOfForm[form])
  cpSync(join(project, 'src'), join(folder, 'src'), { recursive: true })
  const config = JSON.parse(readFileSync(join(project, 'tsconfig.json'), 'utf8'))
  const own = { ...resolutions[form], noEmit: true, skipLibCheck: true }
  const compilerOptions = { ...config.compilerOptions, ...own }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ ...config, compilerOptions }))
}

export function startNext(form: Form, port: number): readonly string[] {
  return [next, 'start', folderOfForm[form], '--hostname', '127.0.0.1', '--port', `${port}`]
}
