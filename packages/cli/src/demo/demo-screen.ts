/** The demo's first screen: where things are, one hub token, and three commands, on 24 rows of 80 columns. */

import { shellWord } from '@latchkey/service/text'
import type { Colours } from '../output/colours.ts'
import { addressLines, type Demo } from './demo.ts'
import { model, modelId } from './world.ts'

export function demoScreen(demo: Demo, colours: Colours): string {
  const { bold, dim } = colours
  const { tokens, command } = demo
  const ada = tokens.get('demo-write')
  // A large file needs the storage.
  const hasHf = demo.tools.hf && demo.storageUrl !== undefined
  const parts = [
    bold('Latchkey demo') + dim('  a small made-up world, on this machine only'),
    ...addressLines(demo, colours),
    '',
    bold('Paste into a second terminal, in this directory.') + dim(' You are ada of acme.'),
    ...(hasHf ? hfExports(demo) : ownExports(demo)),
    ...(ada?.isReplacement ? [dim('  a new hub token: the one before was revoked')] : []),
    '',
    ...(hasHf ? hfCommands(demo, colours) : ownCommands(demo, colours)),
    '',
    `More to try: ${bold(`${command} demo${dataFlag(demo)}`)}${dim('   Ctrl+C stops everything.')}`,
  ]
  return `\n${parts.join('\n')}\n`
}

function ownExports({ url, tokens }: Demo): string[] {
  return [
    `export LATCHKEY_HUB=${url}`,
    `export LATCHKEY_HUB_TOKEN=${tokens.get('demo-write')?.text}`,
  ]
}

function hfExports({ url, tokens }: Demo): string[] {
  return [`export HF_ENDPOINT=${url}`, `export HF_TOKEN=${tokens.get('demo-write')?.text}`]
}

function ownCommands(demo: Demo, colours: Colours): string[] {
  return demo.storageUrl === undefined ? hubCommands(demo, colours) : threeCommands(demo, colours)
}

function hfCommands(demo: Demo, { green, red }: Colours): string[] {
  const { command, tokens, url, tools } = demo
  const id = modelId
  return [
    `  ${green('1')} a file goes into a model:`,
    `date > now.txt; hf upload ${id} now.txt`,
    `  ${green('2')} the model comes down, with its weights${tools.git ? ', and as a clone' : ''}:`,
    `hf download ${id} --local-dir llama`,
    ...(tools.git ? cloneCommand(url, 'HF_TOKEN', 'llama.clone') : []),
    `  ${red('3')} taken back, the hub token opens nothing any more (401):`,
    `${command} revoke hub-token ${tokens.get('demo-write')?.id} --demo${dataFlag(demo)}`,
    `hf download ${id} config.json`,
  ]
}

/** One shell for all of them: each uses what the ones before have set. */
function threeCommands(demo: Demo, { green, red }: Colours): string[] {
  const { command, url, tools } = demo
  return [
    `  ${green('1')} a file goes into a model, and its hash comes back${tools.git ? '; the model as a clone' : ''}:`,
    `F=$(date | ${command} upload ${model} -); echo $F`,
    ...(tools.git ? cloneCommand(url, 'LATCHKEY_HUB_TOKEN', 'tiny-llama') : []),
    `  ${green('2')} a token for this model, good for 15 minutes, opens the file (200):`,
    `eval "$(${command} token read ${model} --env)"`,
    'ask() { curl -sIH "Authorization: Bearer $CAS_TOKEN" $CAS_URL/v1/files/$F;}; ask',
    `  ${red('3')} taken back, the same token is refused a second later (401):`,
    `${command} revoke account ada --demo${dataFlag(demo)}; sleep 2; ask`,
  ]
}

function hubCommands(demo: Demo, { green, red }: Colours): string[] {
  const { command } = demo
  return [
    `  ${green('1')} a token that reads a model, good for 15 minutes:`,
    `${command} token read ${model}`,
    `  ${red('2')} ci-bot may not write to its releases; the hub says why, step by step:`,
    `${command} explain token write ${model}@release/1.0 --as ci-bot --demo${dataFlag(demo)}`,
    `  ${red('3')} the tokens of ada are taken back:`,
    `${command} revoke account ada --demo${dataFlag(demo)}`,
  ]
}

/**
 * Git asks a credential helper, which reads the variable: the hub token stands neither in the URL, nor in `.git/config`,
 * nor in the list of processes.
 */
function cloneCommand(url: string, variable: string, folder: string): string[] {
  const address = `${url.replace('//', '//ada@')}/${modelId}`
  return [
    `git -c credential.helper='!echo password=$${variable};:' \\`,
    `  clone -q ${address} ${folder}`,
  ]
}

export function dataFlag({ data }: Pick<Demo, 'data'>): string {
  return data === './latchkey-demo' ? '' : ` --data ${shellWord(data)}`
}
