/** The facts that the forge reads from a repository's files: its card, its configuration, its parameters and its size. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isGitThere } from '../real-git.ts'
import { safetensors } from '../safetensors-file.ts'
import { type LargeWorld, startLargeForge } from './large-world.ts'

const card = `---
license: apache-2.0
language: [en, de]
tags: [speech]
pipeline_tag: text-classification
library_name: transformers
datasets: [acme/pets]
---
# A model
`
const config = { architectures: ['BertModel'], model_type: 'bert', hidden_size: 4 }
const tokenizer = { eos_token: { content: '</s>' }, chat_template: '{{x}}', added_tokens: [1] }

const weights = safetensors({
  __metadata__: { format: 'pt' },
  a: { dtype: 'F32', shape: [2, 3], data_offsets: [0, 24] },
  b: { dtype: 'F32', shape: [4], data_offsets: [24, 40] },
  c: { dtype: 'I64', shape: [], data_offsets: [40, 48] },
})

describe.skipIf(!isGitThere)('a repository', () => {
  let world: LargeWorld
  beforeAll(async () => {
    world = await startLargeForge()
    await world.create('model', { private: false })
    await world.commit('model', {
      ...{ 'README.md': card, 'config.json': JSON.stringify(config) },
      'tokenizer_config.json': JSON.stringify(tokenizer),
    })
    await world.commitLarge('model', 'model.safetensors', weights)
    await world.create('bare')
  })
  afterAll(() => world?.stopped())

  const info = async (name: string, query = '', as: 'owner' | 'reader' = 'owner') => {
    const { status, json } = await world.ask(`/api/models/acme/${name}${query}`, { as })
    expect(status).toBe(200)
    return json
  }
  const told = {
    cardData: expect.objectContaining({ license: 'apache-2.0', language: ['en', 'de'] }),
    tags: [
      ...['speech', 'transformers', 'text-classification', 'en', 'de', 'safetensors'],
      ...['license:apache-2.0', 'dataset:acme/pets'],
    ],
    ...{ pipeline_tag: 'text-classification', library_name: 'transformers' },
    config: {
      ...{ architectures: ['BertModel'], model_type: 'bert' },
      tokenizer_config: { eos_token: '</s>', chat_template: '{{x}}' },
    },
    safetensors: { parameters: { F32: 10, I64: 1 }, total: 11 },
    siblings: expect.arrayContaining([{ rfilename: 'model.safetensors' }]),
  }

  test('is told with its card, configuration, parameters, size and files', async () => {
    const model = await info('model')
    expect(model).toMatchObject(told)
    const files = (await info('model', '?blobs=true')).siblings as { size: number }[]
    expect(model.usedStorage).toBe(files.reduce((sum, { size }) => sum + size, 0))
    expect(files.find(({ size }) => size === weights.length)).toBeDefined()
  })

  test('without a card and weights is told without them', async () => {
    const bare = await info('bare')
    expect(bare.tags).toEqual([])
    for (const name of ['pipeline_tag', 'library_name', 'config', 'safetensors']) {
      expect([name, bare[name]]).toEqual([name, undefined])
    }
  })

  test('is told with the members alone that a client expands', async () => {
    const model = await info('model', '/revision/HEAD?expand=pipeline_tag&expand[]=config')
    expect(model).toMatchObject({ id: 'acme/model', pipeline_tag: told.pipeline_tag })
    expect(model.config.model_type).toBe('bert')
    for (const name of ['cardData', 'tags', 'safetensors', 'siblings', 'usedStorage']) {
      expect([name, model[name]]).toEqual([name, undefined])
    }
  })

  test.each<[query: string, members: readonly string[]]>([
    ['full=True', ['cardData', 'config', 'pipeline_tag', 'safetensors', 'siblings', 'usedStorage']],
    ['cardData=True', ['cardData', 'pipeline_tag']],
    ['expand=siblings', ['siblings']],
    ['limit=1', []],
  ])('is listed with what a client asks for: %s', async (query, members) => {
    const { json } = await world.ask(`/api/models?search=model&${query}`, { as: 'stranger' })
    expect(json.map(({ id }: { id: string }) => id)).toEqual(['acme/model'])
    const costly = ['cardData', 'config', 'pipeline_tag', 'safetensors', 'siblings', 'usedStorage']
    expect(costly.filter((name) => name in json[0])).toEqual(members)
    if (members.includes('siblings')) expect(json[0].siblings).toHaveLength(5)
  })

  test('tells one account no header that another has read', async () => {
    await info('model')
    world.storage.isRefusing = true
    expect((await info('model')).safetensors).toEqual(told.safetensors)
    expect((await info('model', '', 'reader')).safetensors).toBeUndefined()
    world.storage.isRefusing = false
    expect((await info('model', '', 'reader')).safetensors).toEqual(told.safetensors)
  })

  test('gives a list no member of a card that would make clients fail', async () => {
    const hostile =
      '---\ntags: 7\nlicense: {a: b}\nself: 1\nignore_metadata_errors: 1\nfree: 2\n---\n'
    await world.create('hostile')
    await world.commit('hostile', { 'README.md': hostile, 'config.json': '[1]' })
    const model = await info('hostile')
    expect(model.cardData).toEqual({ free: 2 })
    expect(model.tags).toEqual([])
    await world.commit('hostile', { 'README.md': '---\na: [\n---\n' })
    expect((await info('hostile')).cardData).toEqual({})
  })
})
