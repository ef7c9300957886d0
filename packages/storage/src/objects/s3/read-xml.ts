/** Reads the short documents of a store: elements and text, without attributes, comments, types or entities of its own. */

export interface XmlElement {
  readonly name: string
  readonly text: string
  readonly children: readonly XmlElement[]
}

/** A document that is none of these, or is cut off. */
export class UnreadableXml extends Error {
  override readonly name = 'UnreadableXml'
}

const maxDepth = 16
const token = /<\?[^>]*\?>|<(\/?)([A-Za-z_][\w.:-]*)((?:\s[^<>]*?)?)(\/?)>|[^<]+/y

/** The outermost element. */
export function readXml(text: string): XmlElement {
  const root = newElement('')
  const open = [root]
  token.lastIndex = 0
  while (token.lastIndex < text.length) {
    const found = token.exec(text)
    if (found === null) throw new UnreadableXml('the document has a part that is no element')
    take(found, open)
  }
  const [document] = root.children
  if (open.length > 1 || document === undefined || root.children.length > 1) {
    throw new UnreadableXml('the document is not one whole element')
  }
  return document
}

interface OpenElement extends XmlElement {
  text: string
  readonly children: OpenElement[]
}

function newElement(name: string): OpenElement {
  return { name, text: '', children: [] }
}

function take([whole, slash, name, , empty]: RegExpExecArray, open: OpenElement[]): void {
  const last = open.at(-1)
  if (last === undefined) throw new UnreadableXml('the document ends before its text')
  if (name === undefined) {
    if (!whole.startsWith('<?')) last.text += unescaped(whole)
    return
  }
  if (slash === '/') {
    if (open.length === 1 || last.name !== name) throw new UnreadableXml('an end tag has no start')
    open.pop()
    return
  }
  const element = newElement(name)
  last.children.push(element)
  if (empty !== '/') open.push(element)
  if (open.length > maxDepth) throw new UnreadableXml('the document is nested too deeply')
}

const named: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

function unescaped(text: string): string {
  return text.replace(/&(#x?)?(\w+);/gi, (whole, number: string | undefined, value: string) => {
    if (number === undefined) return named[value] ?? whole
    const code = Number.parseInt(value, number === '#' ? 10 : 16)
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}

export function childrenOf(element: XmlElement, name: string): readonly XmlElement[] {
  return element.children.filter((child) => child.name === name)
}

/** The text of the first element of this name inside it; empty if there is none. */
export function textIn(element: XmlElement, name: string): string {
  return element.children.find((child) => child.name === name)?.text ?? ''
}
