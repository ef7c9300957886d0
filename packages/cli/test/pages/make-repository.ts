/** A repository with a README that attacks its readers. */

import { findProgram } from '@latchkey/testing/tools/find-program'

export const isGitThere: boolean = findProgram('git') !== undefined

const readme = `---
license: mit
---
# A card

<script>ran = 'script'</script>
<img src="x" onerror="ran = 'handler'">
<iframe src="https://elsewhere.example/"></iframe>
![picture](https://elsewhere.example/x.png)
[link](javascript:ran='link') [other](https://elsewhere.example/) [own](data/a.html)
<style>body { background: url(https://elsewhere.example/) }</style>

| ${'very wide '.repeat(30)} | ${'x'.repeat(300)} |
|---|---|
`

export async function makeRepository(hub: string, token: string, id: string): Promise<void> {
  const [organization, name] = id.split('/')
  await post(`${hub}/api/repos/create`, token, JSON.stringify({ name, organization }))
  const file = (path: string, content: string) => ({ key: 'file', value: { path, content } })
  const lines = [
    { key: 'header', value: { summary: 'an attack' } },
    file('README.md', readme),
    file('data/a.html', '<script>ran = 1</script>'),
  ]
  const body = lines.map((line) => JSON.stringify(line)).join('\n')
  await post(`${hub}/api/models/${id}/commit/main`, token, body)
}

async function post(address: string, token: string, body: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const answer = await fetch(address, { method: 'POST', headers, body })
  if (!answer.ok) throw new Error(await answer.text())
}
