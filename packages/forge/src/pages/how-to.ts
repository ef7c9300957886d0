/** Lines to paste that clone, download and upload, with the address of this hub. */

import { type RepoRef, repoId } from '@latchkey/protocol'
import { type Html, html } from '@latchkey/service/http/html'
import { pageUrl } from '../api/addresses-of.ts'

export interface HowTo {
  readonly publicUrl: string
  readonly repo: RepoRef
  /** Undefined for the default branch. */
  readonly revision: string | undefined
}

export function howTo({ publicUrl, repo, revision }: HowTo): Html {
  const id = repoId(repo)
  const options = optionsOf(repo, revision)
  const named = [
    `"${id}"`,
    ...(repo.type === 'model' ? [] : [`repo_type="${repo.type}"`]),
    ...(revision === undefined ? [] : [`revision=${pythonText(revision)}`]),
  ].join(', ')
  return html`<h2>Clone</h2>
${block([`git clone ${pageUrl(publicUrl, repo)}`])}
<p class="note">Git asks for a user name and a password: any name, and a hub token.</p>
<h2>Download and upload</h2>
${block([
  `export HF_ENDPOINT=${shellText(publicUrl)}`,
  'export HF_TOKEN_PATH=~/hub.token',
  `hf download ${id}${options}`,
  `hf upload ${id} ./folder .${options}`,
])}
<p class="note">The file hub.token holds your hub token. Only you should be able to read it.</p>
<h2>Use from Python</h2>
${block([
  'import os',
  `os.environ["HF_ENDPOINT"] = ${pythonText(publicUrl)}`,
  '',
  'from huggingface_hub import snapshot_download',
  `folder = snapshot_download(${named})`,
])}
<p class="note">HF_ENDPOINT must be set before the import.</p>
`
}

/** Undefined for a name that a terminal would not show as it is. */
export function downloadCommand(
  { publicUrl, repo, revision }: HowTo,
  path: string,
): Html | undefined {
  if (path.startsWith('-') || /[\p{C}\u2028\u2029]/u.test(path)) return undefined
  const command = `hf download ${repoId(repo)} ${shellText(path)}${optionsOf(repo, revision)}`
  return block([`export HF_ENDPOINT=${shellText(publicUrl)}`, command])
}

function optionsOf({ type }: RepoRef, revision: string | undefined): string {
  const kind = type === 'model' ? '' : ` --repo-type=${type}`
  return revision === undefined ? kind : `${kind} --revision=${shellText(revision)}`
}

function pythonText(text: string): string {
  return JSON.stringify(text)
}

/** A block that can be scrolled can be reached with the keyboard. */
function block(lines: readonly string[]): Html {
  return html`<pre tabindex="0"><code>${lines.join('\n')}</code></pre>`
}

export function shellText(text: string): string {
  return /^[\w./:@+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
