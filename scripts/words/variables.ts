/** Finds variables, parameters and destructured names that are bare participles: `given`, `asked`. */

const participle = '(?:given|asked|wanted|told|said|known|kept|seen|taken|shown)'

const declaration = new RegExp(`\\b(?:const|let) (${participle})\\b`, 'g')
const pattern = /\b(?:const|let) ([{[][^=]*?[}\]])(?= =| of )/g
const listStart = /(?:\bfunction\*? ?\w*|^ +(?:async )?\*?#?\w+\??)(?:<[^()]*>)?\(|\(/gm
const keyword = /^ +(?:if|for|while|switch|catch|return|await)\b/
const inBraces = /\{[^{}]*\}/g
const inBrackets = /\[[^[\]]*\]/g
const plainName = new RegExp(
  `(?:^|,)\\s*(?:\\.\\.\\.)?(${participle})\\b(?=\\??\\s*(?:[:,=]|$))`,
  'g',
)
const nameInBraces = new RegExp(`(?:[{,]\\s*|:\\s*|\\.\\.\\.)(${participle})(?=\\s*[,}=])`, 'g')
const nameInBrackets = new RegExp(`[[,]\\s*(?:\\.\\.\\.)?(${participle})(?=\\s*[,\\]=])`, 'g')

export function bareVariables(text: string): readonly string[] {
  const lists = [...parameterLists(text), ...firstGroups(text, pattern)]
  return [...firstGroups(text, declaration), ...lists.flatMap(namesIn)]
}

/** The text between the parentheses of each function, method and function type. */
function parameterLists(text: string): readonly string[] {
  return Array.from(text.matchAll(listStart)).flatMap(({ 0: head, index }) => {
    const start = index + head.length
    const end = closingParenthesis(text, start)
    const isDeclaration =
      head !== '(' && !keyword.test(head) && /^(?:: | \{)/.test(text.slice(end + 1))
    const isArrow = /^(?:: [^\n]*?)? => ?/.test(text.slice(end + 1, end + 200))
    return isDeclaration || isArrow ? [text.slice(start, end)] : []
  })
}

function closingParenthesis(text: string, start: number): number {
  let depth = 1
  let at = start
  for (; at < text.length && depth > 0; at += 1) {
    if (text[at] === '(') depth += 1
    if (text[at] === ')') depth -= 1
  }
  return at - 1
}

function namesIn(list: string): readonly string[] {
  const plain = list.replaceAll(inBraces, '').replaceAll(inBrackets, '')
  const braces = list.match(inBraces) ?? []
  const brackets = list.match(inBrackets) ?? []
  return [
    ...firstGroups(plain, plainName),
    ...braces.flatMap((part) => firstGroups(part, nameInBraces)),
    ...brackets.flatMap((part) => firstGroups(part, nameInBrackets)),
  ]
}

function firstGroups(text: string, expression: RegExp): readonly string[] {
  return Array.from(text.matchAll(expression), ([, name = '']) => name)
}
