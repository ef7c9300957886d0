/** Files and commits of the demo's repositories. Author and time are fixed, so that every demo has the same commits. */

export interface DemoCommit {
  readonly repository: string
  readonly hash: string
  /** Undefined for the first one of its repository. */
  readonly parent: string | undefined
  readonly message: string
  /** All that it adds or changes, by path. */
  readonly files: Readonly<Record<string, string>>
}

export const author = { name: 'ada', email: 'ada@users.noreply.localhost' } as const

/** 2026-01-05, 09:00 UTC. */
export const committedAt = 1_767_603_600

export const hashes = {
  llama: 'b69799ac279c4ef1468a1af2b5aafd8ea9ca8cbb',
  longContext: 'a9e0dd195b09a57b31adfa78a218a8e1bb399eab',
  assistant: '2a2e23cf646e444cbad459a9310cbbbcd2ab0fe4',
  tickets: 'abaccc46cddbd98c9d5ea76e7056dadb2b2b9496',
  playground: 'f46adf70cf3a89a2ac209fc39b90611330514699',
} as const

/** As a new repository has them, in short. */
const attributes = '*.safetensors filter=lfs diff=lfs merge=lfs -text\n'

const card = (title: string, text: string) =>
  `---\nlicense: apache-2.0\n---\n\n# ${title}\n\n${text}\n`

const config = (contextTokens: number) =>
  `${JSON.stringify({ model_type: 'llama', hidden_size: 64, max_position_embeddings: contextTokens }, undefined, 2)}\n`

export const commits: readonly DemoCommit[] = [
  {
    repository: 'models/acme/tiny-llama',
    hash: hashes.llama,
    parent: undefined,
    message: 'A card and a configuration',
    files: {
      '.gitattributes': attributes,
      'README.md': card('Tiny llama', 'A made-up model of the demo. Its weights are noise.'),
      'config.json': config(2048),
    },
  },
  {
    repository: 'models/acme/tiny-llama',
    hash: hashes.longContext,
    parent: hashes.llama,
    message: 'Four times the context',
    files: { 'config.json': config(8192) },
  },
  {
    repository: 'models/acme/assistant',
    hash: hashes.assistant,
    parent: undefined,
    message: 'A card',
    files: {
      '.gitattributes': attributes,
      'README.md': card('Assistant', 'A private model of the demo: members of acme see it.'),
    },
  },
  {
    repository: 'datasets/acme/support-tickets',
    hash: hashes.tickets,
    parent: undefined,
    message: 'A card and two tickets',
    files: {
      '.gitattributes': attributes,
      'README.md': card('Support tickets', 'A private dataset of the demo.'),
      'tickets.csv': 'id,text\n1,The key does not fit.\n2,The door is open.\n',
    },
  },
  {
    repository: 'spaces/acme/playground',
    hash: hashes.playground,
    parent: undefined,
    message: 'A card',
    files: {
      '.gitattributes': attributes,
      'README.md': card('Playground', 'A space of the demo: files alone, nothing runs.'),
    },
  },
]

/** A file that lies in the storage; git has a pointer to it. */
export const weights = {
  repository: 'models/acme/tiny-llama',
  path: 'model.safetensors',
  message: 'Weights',
  bytes: 200_000,
} as const
