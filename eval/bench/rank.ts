// Ranking: time to rank one sentence and to add one record, and the bytes an index holds.

import { execFileSync } from 'node:child_process'
import { corpus } from './corpus.ts'
import { closedAfterReady, engines, type BenchModule, type Engine } from './engines.ts'

export interface RankRow {
  n: number
  /** Medians in microseconds by engine, `native` among them for ranking. */
  rankUs: Record<string, number>
  addUs: Record<string, number>
  bytesPerRecord: number
}

const QUERIES = 40
/** Times an engine's samples stop at: the slowest peers take tenths of a second a query at 100,000. */
const SPENT_MAX_MS = 4_000
const ROUNDS = 40
/** Runs before the first sample: compilers of both kinds work in tiers. */
const WARM_UP = 3_000
const WARM_MAX_MS = 400
/** Samples an engine gives before the next has its turn. */
const BLOCK = 40
const ADDED = 800
/** Records are added in batches: one alone is near the clock's resolution. */
const BATCH = 10

export const median = (values: number[]): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[sorted.length >> 1] ?? NaN
}

export function rankAt(n: number, module: BenchModule, native: string | undefined): RankRow {
  const texts = corpus(n, 1)
  const extra = corpus(ADDED, 3)
  const queries = corpus(QUERIES, 2)
  const words = new Map([...texts, ...extra].map(text => [text, module.BenchIndex.words(text)]))
  const queryWords = queries.map(query => module.BenchIndex.queryWords(query))
  const form = (engine: Engine, text: string): string => engine.raw ? text : words.get(text) ?? ''
  const all = engines(module)
  for (const engine of all) {
    texts.forEach((text, doc) => { engine.add(doc, form(engine, text)) })
    engine.ready?.()
  }
  const bytesPerRecord = (all[0]?.lengthBytes?.() ?? NaN) / n
  const rankUs = interleaved(all, engine => {
    const given = engine.raw ? queries : queryWords
    return at => { engine.rank(given[at % QUERIES] ?? '') }
  }, QUERIES * ROUNDS, WARM_UP)
  const addUs = interleaved(all.filter(engine => !closedAfterReady.has(engine.name)), engine => {
    const given = extra.map(text => form(engine, text))
    return at => { for (let i = at * BATCH; i < (at + 1) * BATCH; i++) engine.add(n + i, given[i] ?? '') }
  }, ADDED / BATCH, 0)
  for (const name of Object.keys(addUs)) addUs[name] = (addUs[name] ?? NaN) / BATCH
  if (native) {
    const input = JSON.stringify({ texts, queries, rounds: n > 10_000 ? 10 : ROUNDS })
    const output = JSON.parse(execFileSync(native, { input, encoding: 'utf8', maxBuffer: 1 << 28 })) as { rankUs: number }
    rankUs.native = output.rankUs
  }
  return { n, rankUs, addUs, bytesPerRecord }
}

/** Gives every engine a block of samples in turn, so that a slow second of the machine falls on all of them. */
function interleaved(all: Engine[], work: (engine: Engine) => (at: number) => void, samples: number, warmUp: number): Record<string, number> {
  const lanes = all.map(engine => ({ engine, run: work(engine), times: [] as number[], spentMs: 0 }))
  for (const lane of lanes) {
    const begin = performance.now()
    for (let at = 0; at < warmUp && performance.now() - begin < WARM_MAX_MS; at++) lane.run(at)
  }
  for (let first = 0; first < samples; first += BLOCK) {
    for (const lane of lanes) {
      for (let at = first; at < first + BLOCK && at < samples && lane.spentMs < SPENT_MAX_MS; at++) {
        const begin = performance.now()
        lane.run(at)
        const spent = performance.now() - begin
        lane.spentMs += spent
        lane.times.push(spent * 1e3)
      }
    }
  }
  return Object.fromEntries(lanes.map(lane => [lane.engine.name, median(lane.times)]))
}
