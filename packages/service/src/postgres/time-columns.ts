/** Unix seconds become moments of PostgreSQL wherever a query writes a time column or compares one. */

import {
  AggregateFunctionNode,
  AndNode,
  type BinaryOperationNode,
  CaseNode,
  ColumnNode,
  type ColumnUpdateNode,
  FunctionNode,
  type InsertQueryNode,
  type KyselyPlugin,
  type OperationNode,
  OperationNodeTransformer,
  OperatorNode,
  ParensNode,
  PrimitiveValueListNode,
  ReferenceNode,
  TupleNode,
  ValueListNode,
  ValueNode,
  type ValuesItemNode,
  ValuesNode,
} from 'kysely'
import { timeText } from './time-text.ts'

const arithmetic = new Set<string>(['+', '-', '*', '/', '%', '^', '&', '|', '#', '<<', '>>'])
/** Functions whose result is one of their arguments. */
const choosing = new Set(['coalesce', 'greatest', 'least', 'min', 'max', 'nullif'])

/** The names hold in every table. Raw `sql` is not looked into. */
export function timeColumns(names: readonly string[]): KyselyPlugin {
  const transformer = new TimeTransformer(new Set(names))
  return {
    transformQuery: ({ node, queryId }) => transformer.transformNode(node, queryId),
    transformResult: async ({ result }) => result,
  }
}

class TimeTransformer extends OperationNodeTransformer {
  readonly #names: ReadonlySet<string>

  constructor(names: ReadonlySet<string>) {
    super()
    this.#names = names
  }

  protected override transformInsertQuery(node: InsertQueryNode): InsertQueryNode {
    const query = super.transformInsertQuery(node)
    const { columns = [], values } = query
    if (values === undefined || !ValuesNode.is(values)) return query
    const isTime = columns.map((column) => this.#isTime(column))
    if (!isTime.includes(true)) return query
    return { ...query, values: ValuesNode.create(values.values.map((row) => asRow(row, isTime))) }
  }

  protected override transformColumnUpdate(node: ColumnUpdateNode): ColumnUpdateNode {
    const update = super.transformColumnUpdate(node)
    return this.#isTime(update.column) ? { ...update, value: asTime(update.value) } : update
  }

  protected override transformFunction(node: FunctionNode): FunctionNode {
    const call = super.transformFunction(node)
    return this.#isTime(call) ? { ...call, arguments: call.arguments.map(asTime) } : call
  }

  protected override transformBinaryOperation(node: BinaryOperationNode): BinaryOperationNode {
    const { operator, ...operation } = super.transformBinaryOperation(node)
    const { leftOperand: left, rightOperand: right } = operation
    if (TupleNode.is(left) && TupleNode.is(right)) {
      return { ...operation, operator, rightOperand: this.#asTuple(left, right) }
    }
    const isLeft = this.#isTime(left)
    if (!isLeft && !this.#isTime(right)) return { ...operation, operator }
    if (OperatorNode.is(operator) && arithmetic.has(operator.operator)) {
      throw new TypeError(
        `a time column cannot be calculated with in a query: ${operator.operator}`,
      )
    }
    return isLeft
      ? { ...operation, operator, rightOperand: asTime(right) }
      : { ...operation, operator, leftOperand: asTime(left) }
  }

  #asTuple(left: TupleNode, right: TupleNode): TupleNode {
    const isTime = left.values.map((value) => this.#isTime(value))
    return TupleNode.create(
      right.values.map((value, index) => (isTime[index] === true ? asTime(value) : value)),
    )
  }

  #isTime(node: OperationNode): boolean {
    if (ReferenceNode.is(node)) return this.#isTime(node.column)
    if (ColumnNode.is(node)) return this.#names.has(node.column.name)
    if (ParensNode.is(node)) return this.#isTime(node.node)
    if (FunctionNode.is(node)) return this.#isChosen(node.func, node.arguments)
    return AggregateFunctionNode.is(node) && this.#isChosen(node.func, node.aggregated)
  }

  #isChosen(name: string, from: readonly OperationNode[]): boolean {
    return choosing.has(name) && from.some((node) => this.#isTime(node))
  }
}

function asRow(row: ValuesItemNode, isTime: readonly boolean[]): ValuesItemNode {
  if (PrimitiveValueListNode.is(row)) {
    return PrimitiveValueListNode.create(
      row.values.map((value, index) => (isTime[index] === true ? asMoment(value) : value)),
    )
  }
  return ValueListNode.create(
    row.values.map((value, index) => (isTime[index] === true ? asTime(value) : value)),
  )
}

/** Values anywhere in an operand; references, subqueries and raw SQL stay as they are. */
function asTime(node: OperationNode): OperationNode {
  if (ValueNode.is(node)) return { ...node, value: asMoment(node.value) } as ValueNode
  if (PrimitiveValueListNode.is(node)) {
    return PrimitiveValueListNode.create(node.values.map(asMoment))
  }
  if (ValueListNode.is(node)) return ValueListNode.create(node.values.map(asTime))
  if (ParensNode.is(node)) return ParensNode.create(asTime(node.node))
  if (AndNode.is(node)) return AndNode.create(asTime(node.left), asTime(node.right))
  if (CaseNode.is(node)) return asCase(node)
  if (FunctionNode.is(node) && choosing.has(node.func)) {
    return FunctionNode.create(node.func, node.arguments.map(asTime))
  }
  return node
}

function asCase(node: CaseNode): CaseNode {
  return {
    ...node,
    ...(node.when !== undefined && {
      when: node.when.map((when) =>
        when.result === undefined ? when : { ...when, result: asTime(when.result) },
      ),
    }),
    ...(node.else !== undefined && { else: asTime(node.else) }),
  }
}

function asMoment(value: unknown): unknown {
  return typeof value === 'number' || typeof value === 'bigint' ? timeText(Number(value)) : value
}
