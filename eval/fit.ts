// Fits the weights of the offline judge to a labelled corpus: `node eval/fit.ts FOLDER [--write] [--lambda N] [--rows FILE]`.
//
// The model is logistic regression over the rows of the core's tables. Each weight is drawn to its `prior`, set by hand, with
// strength lambda: the score is the most probable one under a normal prior. Few rows and many signals: without the prior the
// fit learns the corpus by heart. Shown are numbers of halves and fifths of the sources that the fit did not see, over several
// splits; `--write` puts the weights of a fit to the whole corpus into the tables, `--rows` the held-out score of each row's id into a
// file, to be read beside the corpus.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inputs, native, root, rows } from './core.ts'
import { at, precisionAt, seeded, type Scored } from './metrics.ts'

interface Gold { id: string, label: 0 | 1 | 'unsure', repo?: string | null, channel?: string, lang: string, stratum?: string }
interface Signals { veto: [string, string] | null, signals: string[] }
interface Entry { id: string, prior: number, weight: number }
interface Row { gold: Gold, keep: boolean, source: string, vetoed: boolean, active: number[] }

/** Share of the keepers that the default threshold is set to find on rows the fit did not see. */
const RECALL_AT_DEFAULT = 0.47
/** The default of `minImportance`. */
const DEFAULT_THRESHOLD = 0.6
const SPLITS = 10
/** Rows of which a corpus of messages has hardly an example: their weight is the one set by hand. */
const HELD = ['lone-rule', 'lone-fact', 'role-play', 'example-of-rule', 'supposed', 'disowned', 'reported', 'elsewhere', 'others-habit', 'points-at-rule', 'for-today', 'rule-in-quotes']
const HELD_STRENGTH = 1000

const predict = native()
const table = rows<Entry>(predict('table', ''))
const place = new Map(table.map((entry, index) => [entry.id, index]))
const bias = table.length - 1
const prior = table.map(entry => entry.prior)

const options = process.argv.slice(2)
const folder = options[0]
if (folder === undefined) throw new Error('node eval/fit.ts FOLDER [--write] [--lambda N] [--rows FILE]')
const lambdaAt = options.indexOf('--lambda')
const lambda = lambdaAt < 0 ? 4 : Number(options[lambdaAt + 1])

const data = load(join(folder, 'write.jsonl'))
const decided = data.filter(row => row.gold.label !== 'unsure')

const weights = fit(decided)
const shift = shiftToDefault()
for (const [name, parts] of [['half', 2], ['fifth', 5]] as const) {
  const splits = Array.from({ length: SPLITS }, (_, seed) => outOfFold(parts, seed + 1))
  show(`weights of the other sources, each ${name} left out, mean and range over ${SPLITS} splits`, splits, 1 / (1 + Math.exp(shift - logit(DEFAULT_THRESHOLD))))
}
show('weights as they are in the tables (training numbers, if they were fitted to this corpus)', [score(decided, table.map(entry => entry.weight))], DEFAULT_THRESHOLD)
const rowsAt = options.indexOf('--rows')
if (rowsAt >= 0) {
  const scored = outOfFold(5, 1).map(({ row, score }) => JSON.stringify({ id: row.gold.id, score: 1 / (1 + Math.exp(-logit(Math.min(Math.max(score, 1e-9), 1 - 1e-9)) - shift)) }))
  writeFileSync(options[rowsAt + 1] ?? 'rows.jsonl', `${scored.join('\n')}\n`)
}
if (options.includes('--write')) write(weights.map((weight, index) => (index === bias ? weight + shift : weight)))

function load(path: string): Row[] {
  const [text = ''] = inputs(path)
  const gold = rows<Gold>(text)
  const found = rows<Signals>(predict('signals', text))
  return gold.map((row, index) => ({
    gold: row,
    keep: row.label === 1,
    source: row.repo ?? '',
    vetoed: found[index]?.veto !== null,
    active: [...(found[index]?.signals ?? []).map(id => place.get(id) ?? bias), bias],
  }))
}

/** Newton's method; the penalty makes the matrix positive definite. The bias is held only loosely. */
function fit(data: readonly Row[]): number[] {
  const n = table.length
  const weights = [...prior]
  for (let round = 0; round < 30; round++) {
    const gradient = new Float64Array(n)
    const matrix = Array.from({ length: n }, () => new Float64Array(n))
    for (const row of data) {
      if (row.vetoed) continue
      const p = probability(row, weights)
      const h = Math.max(p * (1 - p), 1e-6)
      for (const i of row.active) {
        gradient[i]! += p - Number(row.keep)
        for (const j of row.active) matrix[i]![j]! += h
      }
    }
    for (let i = 0; i < n; i++) {
      const hold = i === bias ? 0.05 : HELD.includes(table[i]!.id) ? HELD_STRENGTH : lambda
      gradient[i]! += hold * (weights[i]! - prior[i]!)
      matrix[i]![i]! += hold
    }
    const step = solve(matrix, gradient)
    step.forEach((value, i) => { weights[i]! -= value })
    if (Math.max(...step.map(Math.abs)) < 1e-7) break
  }
  return weights
}

/** Solves a symmetric positive definite system by Cholesky's method, in place. */
function solve(matrix: Float64Array[], right: Float64Array): Float64Array {
  const n = right.length
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = matrix[i]![j]!
      for (let k = 0; k < j; k++) sum -= matrix[i]![k]! * matrix[j]![k]!
      matrix[i]![j] = i === j ? Math.sqrt(Math.max(sum, 1e-12)) : sum / matrix[j]![j]!
    }
  }
  const out = Float64Array.from(right)
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < i; k++) out[i]! -= matrix[i]![k]! * out[k]!
    out[i]! /= matrix[i]![i]!
  }
  for (let i = n - 1; i >= 0; i--) {
    for (let k = i + 1; k < n; k++) out[i]! -= matrix[k]![i]! * out[k]!
    out[i]! /= matrix[i]![i]!
  }
  return out
}

function probability(row: Row, weights: readonly number[]): number {
  return 1 / (1 + Math.exp(-row.active.reduce((sum, i) => sum + weights[i]!, 0)))
}

function score(data: readonly Row[], weights: readonly number[]): (Scored & { row: Row })[] {
  return data.map(row => ({ row, keep: row.keep, source: row.source, score: row.vetoed ? 0 : probability(row, weights) }))
}

/** Scores each part of the sources with weights fitted to the other parts. */
function outOfFold(parts: number, seed: number): (Scored & { row: Row })[] {
  const random = seeded(seed)
  const sources = [...new Set(decided.map(row => row.source))]
    .map(source => ({ source, n: decided.filter(row => row.source === source).length, order: random() }))
    .sort((a, b) => Number(b.n > 40) - Number(a.n > 40) || a.order - b.order)
  const sizes = Array.from({ length: parts }, () => 0)
  const part = new Map<string, number>()
  for (const { source, n } of sources) {
    const smallest = sizes.indexOf(Math.min(...sizes))
    part.set(source, smallest)
    sizes[smallest]! += n
  }
  return sizes.flatMap((_, index) => {
    const weights = fit(decided.filter(row => part.get(row.source) !== index))
    return score(decided.filter(row => part.get(row.source) === index), weights)
  })
}

function shiftToDefault(): number {
  const cuts = Array.from({ length: SPLITS }, (_, seed) => {
    const keepers = outOfFold(5, seed + 1).filter(row => row.keep).map(row => row.score).sort((a, b) => b - a)
    return logit(keepers[Math.floor(RECALL_AT_DEFAULT * keepers.length)] ?? DEFAULT_THRESHOLD)
  })
  return logit(DEFAULT_THRESHOLD) - cuts.reduce((a, b) => a + b, 0) / cuts.length
}

function logit(p: number): number {
  return Math.log(p / (1 - p))
}

function show(title: string, splits: (Scored & { row: Row })[][], threshold: number): void {
  console.log(`\n${title}`)
  const views: [string, (gold: Gold) => boolean][] = [
    ['all', () => true],
    ['user messages', gold => gold.channel === 'user-message'],
    ['rules files', gold => gold.channel === 'rules-file'],
    ['zh', gold => gold.lang === 'zh'],
    ['en', gold => gold.lang === 'en'],
    ['random stratum', gold => gold.stratum === 'random'],
  ]
  for (const [name, holds] of views) {
    const over = (statistic: (rows: Scored[]) => number | undefined): string => {
      const values = splits.map(split => statistic(split.filter(scored => holds(scored.row.gold)))).filter(value => value !== undefined)
      const mean = values.reduce((a, b) => a + b, 0) / values.length
      return values.length === 0 ? '  -' : `${mean.toFixed(2)} (${Math.min(...values).toFixed(2)}..${Math.max(...values).toFixed(2)})`
    }
    console.log(`  ${name.padEnd(15)} P at R .15 ${over(rows => precisionAt(rows, 0.15))}  .20 ${over(rows => precisionAt(rows, 0.2))}  .40 ${over(rows => precisionAt(rows, 0.4))}`
      + `  | at the default: P ${over(rows => at(rows, threshold).precision)} R ${over(rows => at(rows, threshold).recall)} false per 100 ${over(rows => { const found = at(rows, threshold); return 100 * (found.written - found.right) / rows.length })}`)
  }
}

/** Puts the weights into the tables, by the id of the row. */
function write(weights: readonly number[]): void {
  const value = (id: string): string | undefined => {
    const index = place.get(id)
    return index === undefined ? undefined : round(weights[index] ?? 0)
  }
  const replace = (file: string, pattern: RegExp): void => {
    const path = join(root, 'crate/src', file)
    const text = readFileSync(path, 'utf8')
    writeFileSync(path, text.replace(pattern, (match: string, head: string, id: string, middle: string) => {
      const number = value(id)
      return number === undefined ? match : `${head}${middle}${number}`
    }))
  }
  const signal = /((?=id: "([a-z-]+)"))(id: "[a-z-]+",\s*prior: -?[\d.]+,\s*weight: )-?[\d.]+/g
  replace('screen/signal/english.rs', signal)
  replace('screen/signal/chinese.rs', signal)
  const shape = /((?=row\(\s*"([a-z-]+)"))(row\(\s*"[a-z-]+",\s*-?[\d.]+,\s*)-?[\d.]+/g
  replace('screen/shape.rs', shape)
  replace('screen/compound.rs', shape)
  const path = join(root, 'crate/src/judge/heuristic.rs')
  writeFileSync(path, readFileSync(path, 'utf8').replace(/(pub const BIAS: f64 = )-?[\d.]+/, `$1${round(weights[bias] ?? 0)}`))
  console.log('\nwritten; now: cargo fmt, cargo test, npm run eval')
}

function round(value: number): string {
  const text = value.toFixed(2)
  return text === '-0.00' ? '0.00' : text
}
