/** The demo's first screen: addresses, one hub token, and commands to paste, on 24 rows of 80 columns. */

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
    bold('Latchkey demo') + dim('  example accounts and repositories, on this machine only'),
    ...addressLines(demo, colours, pageOf(demo)),
    '',
    `${bold('Paste these lines into a second terminal, in this directory.')}${dim(' You are ada.')}`,
    ...(hasHf ? hfExports(demo) : ownExports(demo)),
    ...(ada?.isReplacement ? [dim('  This hub token is new: the previous one was revoked.')] : []),
    '',
    ...(hasHf ? hfCommands(demo, colours) : ownCommands(demo, colours)),
    '',
    `More commands: ${bold(`${command} demo${dataFlag(demo)}`)}${dim('   Ctrl+C stops the demo.')}`,
  ]
  return `\n${parts.join('\n')}\n`
}

/** Without git the hub has no pages of repositories. */
function pageOf({ url, tools }: Demo): Readonly<Record<string, string>> {
  return tools.git ? { page: `${url}/${modelId}` } : {}
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
  const { command, tokens, tools } = demo
  const id = modelId
  return [
    `  ${green('1')} Upload a file to a model. The page then shows it:`,
    `date > now.txt; hf upload ${id} now.txt`,
    `  ${green('2')} Download the model with its weights${tools.git ? ', and clone it' : ''}:`,
    `hf download ${id} --local-dir llama`,
    ...(tools.git ? [cloneCommand(demo, 'llama.clone')] : []),
    `  ${red('3')} Revoke the hub token. The next request gets status 401:`,
    `${command} revoke hub-token ${tokens.get('demo-write')?.id} --demo${dataFlag(demo)}`,
    `hf download ${id} config.json`,
  ]
}

/** One shell for all of them: each uses variables that the ones before have set. */
function threeCommands(demo: Demo, { green, red }: Colours): string[] {
  const { command, tools } = demo
  return [
    `  ${green('1')} Upload a file to the storage and print its hash${tools.git ? '; clone the model' : ''}:`,
    `F=$(date | ${command} upload ${model} -); echo $F`,
    ...(tools.git ? [cloneCommand(demo, 'tiny-llama')] : []),
    `  ${green('2')} Get a storage token for this model, and use it (status 200):`,
    // The token comes from standard input, because other users can read the arguments of a process.
    'ask() { curl -sIH@- $CAS_URL/v1/files/$F <<<"Authorization: Bearer $CAS_TOKEN";}',
    `eval "$(${command} token read ${model} --env)"; ask`,
    `  ${red('3')} Revoke ada's storage tokens. The same token then gets status 401:`,
    `${command} revoke account ada --demo${dataFlag(demo)}; sleep 2; ask`,
  ]
}

function hubCommands(demo: Demo, { green, red }: Colours): string[] {
  const { command } = demo
  return [
    `  ${green('1')} Get a storage token that reads one model for 15 minutes:`,
    `${command} token read ${model}`,
    `  ${red('2')} See why ci-bot cannot write to the branch release/1.0:`,
    `${command} explain token write ${model}@release/1.0 --as ci-bot --demo${dataFlag(demo)}`,
    `  ${red('3')} Revoke ada's storage tokens:`,
    `${command} revoke account ada --demo${dataFlag(demo)}`,
  ]
}

/** The demo gives public repositories to callers without a hub token, so git asks for none. */
function cloneCommand({ url }: Demo, folder: string): string {
  return `git clone -q ${url}/${modelId} ${folder}`
}

export function dataFlag({ data }: Pick<Demo, 'data'>): string {
  return data === './latchkey-demo' ? '' : ` --data ${shellWord(data)}`
}
