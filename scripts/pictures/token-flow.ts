/** Draws five messages between client, hub, gate and storage. */

import { arrow, box, type Kind, svg, text } from './svg.ts'

const columns = { client: 80, hub: 320, gate: 520, storage: 660 }

type Column = keyof typeof columns

interface Message {
  readonly from: Column
  readonly to: Column
  readonly words: string
  readonly isDashed?: boolean
}

const messages: readonly Message[] = [
  { from: 'client', to: 'hub', words: '1  hub token, repository, revision' },
  { from: 'hub', to: 'client', words: '2  storage token, storage URL' },
  { from: 'client', to: 'gate', words: '3  request with the storage token' },
  { from: 'gate', to: 'storage', words: '4  verified request' },
  { from: 'hub', to: 'gate', words: '5  revocation list, every 5 s', isDashed: true },
]

const [firstY, step, bottom] = [104, 44, 310]

export function tokenFlow(): string {
  return svg({
    width: 740,
    height: 326,
    title: 'Token flow',
    description:
      'The client sends its hub token, a repository and a revision to the hub. The hub returns a storage token and the storage URL. The client sends a request with the storage token to the gate. The gate forwards the verified request to the storage. Every 5 seconds the gate downloads the revocation list of the hub.',
    parts: [
      ...Object.values(columns).map(
        (x) => `<line class="thin" x1="${x}" y1="60" x2="${x}" y2="${bottom}"/>`,
      ),
      columnBox('client', 'client', 'Client'),
      columnBox('hub', 'own', 'Hub'),
      columnBox('gate', 'own', 'Gate'),
      columnBox('storage', 'data', 'Storage'),
      ...messages.flatMap(lineOf),
    ],
  })
}

function columnBox(column: Column, kind: Kind, name: string): string {
  return box({ x: columns[column] - 60, y: 22, width: 120, kind, lines: [name] })
}

function lineOf({ from, to, words, isDashed = false }: Message, index: number): readonly string[] {
  const y = firstY + index * step
  const [start, end] = [columns[from], columns[to]]
  return [
    text(words, { x: (start + end) / 2, y: y - 8 }),
    arrow({ from: [start, y], to: [end, y], isDashed }),
  ]
}
