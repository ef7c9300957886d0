/** Draws three ways to run Latchkey, side by side. */

import { arrow, box, svg, text } from './svg.ts'

export function deployments(): string {
  return svg({
    width: 780,
    height: 380,
    title: 'Three ways to run Latchkey',
    description:
      'One machine: a TLS proxy in front of latchkey serve, which runs hub and storage on one data directory. Your own storage: clients get tokens from the hub, and latchkey gate checks requests in front of your storage. Several hubs: a balancer in front of hubs that share a PostgreSQL, and a storage on another machine.',
    parts: [
      ...[260, 520].map((x) => `<line class="thin" x1="${x}" y1="16" x2="${x}" y2="364"/>`),
      ...oneMachine(20),
      ...ownStorage(280),
      ...severalHubs(540),
    ],
  })
}

const heading = (words: string, x: number) => text(words, { x: x + 110, y: 36, kind: 'bold' })

function oneMachine(x: number): readonly string[] {
  return [
    heading('One machine', x),
    box({ x: x + 50, y: 56, width: 120, kind: 'client', lines: ['Clients'] }),
    arrow({ from: [x + 110, 92], to: [x + 110, 126] }),
    box({ x: x + 30, y: 128, width: 160, kind: 'other', lines: ['TLS proxy'] }),
    arrow({ from: [x + 55, 164], to: [x + 55, 198] }),
    arrow({ from: [x + 165, 164], to: [x + 165, 198] }),
    box({ x, y: 200, width: 105, kind: 'own', lines: ['Hub'] }),
    box({ x: x + 115, y: 200, width: 105, kind: 'own', lines: ['Storage'] }),
    text('latchkey serve --forge', { x: x + 110, y: 256 }),
    arrow({ from: [x + 55, 262], to: [x + 55, 298] }),
    arrow({ from: [x + 165, 262], to: [x + 165, 298] }),
    box({
      x,
      y: 300,
      width: 220,
      height: 52,
      kind: 'data',
      lines: ['Data directory', 'SQLite, git, objects'],
    }),
  ]
}

function ownStorage(x: number): readonly string[] {
  return [
    heading('Your own storage', x),
    box({ x: x + 50, y: 56, width: 120, kind: 'client', lines: ['Clients'] }),
    arrow({ from: [x + 80, 92], to: [x + 50, 198] }),
    text('tokens', { x: x + 30, y: 150 }),
    arrow({ from: [x + 140, 92], to: [x + 170, 198] }),
    text('requests', { x: x + 194, y: 150 }),
    box({ x, y: 200, width: 105, kind: 'own', lines: ['Hub'] }),
    box({ x: x + 115, y: 200, width: 105, kind: 'own', lines: ['Gate'] }),
    text('--no-storage', { x: x + 52, y: 256 }),
    text('latchkey gate', { x: x + 168, y: 256 }),
    arrow({ from: [x + 105, 218], to: [x + 114, 218], isDashed: true }),
    arrow({ from: [x + 167, 262], to: [x + 167, 298] }),
    box({
      x: x + 60,
      y: 300,
      width: 160,
      height: 52,
      kind: 'data',
      lines: ['Your storage', 'any language'],
    }),
  ]
}

function severalHubs(x: number): readonly string[] {
  return [
    heading('Several hubs', x),
    box({ x: x + 50, y: 56, width: 120, kind: 'client', lines: ['Clients'] }),
    arrow({ from: [x + 110, 92], to: [x + 110, 126] }),
    box({ x: x + 30, y: 128, width: 160, kind: 'other', lines: ['Balancer with TLS'] }),
    arrow({ from: [x + 40, 164], to: [x + 30, 198] }),
    arrow({ from: [x + 100, 164], to: [x + 100, 198] }),
    arrow({ from: [x + 180, 164], to: [x + 186, 198] }),
    box({ x, y: 200, width: 60, kind: 'own', lines: ['Hub'] }),
    box({ x: x + 70, y: 200, width: 60, kind: 'own', lines: ['Hub'] }),
    box({ x: x + 145, y: 200, width: 80, kind: 'own', lines: ['Storage'] }),
    arrow({ from: [x + 30, 236], to: [x + 40, 298] }),
    arrow({ from: [x + 100, 236], to: [x + 90, 298] }),
    arrow({ from: [x + 185, 236], to: [x + 185, 298] }),
    box({
      x,
      y: 300,
      width: 130,
      height: 52,
      kind: 'data',
      lines: ['PostgreSQL', 'shared by the hubs'],
    }),
    box({ x: x + 145, y: 300, width: 80, height: 52, kind: 'data', lines: ['Disk', 'objects'] }),
  ]
}
