// The index and its peers behind one face. Every engine is given the same tokens: ours makes them itself from the text,
// the others get them made, with a space between.

import { create, insert, search } from '@orama/orama'
import FlexSearch from 'flexsearch'
import MiniSearch from 'minisearch'
import { createRequire } from 'node:module'
import { DatabaseSync } from 'node:sqlite'

export interface Engine {
  name: string
  add: (doc: number, text: string) => void
  /** Returns the best ten. */
  rank: (query: string) => unknown
  /** Called once after the first texts are in. */
  ready?: () => void
  lengthBytes?: () => number
  /** Takes the text as it is; false: the tokens of it. */
  raw?: boolean
}

export const LIMIT = 10
const split = (text: string): string[] => text.split(' ')

interface BenchIndex {
  add: (doc: number, text: string) => void
  search: (query: string, k: number) => Uint32Array
  lengthBytes: () => number
}
export interface BenchModule {
  checksum: (line: string) => string
  judge: (lines: string) => number
  initSync: (source: { module: Uint8Array }) => unknown
  BenchIndex: { new(): BenchIndex, words: (text: string) => string, queryWords: (text: string) => string }
}

export function ours(module: BenchModule): Engine {
  const index = new module.BenchIndex()
  return {
    name: 'ours',
    raw: true,
    add: (doc, text) => { index.add(doc, text) },
    rank: query => index.search(query, LIMIT),
    lengthBytes: () => index.lengthBytes(),
  }
}

function miniSearch(): Engine {
  const index = new MiniSearch<{ id: number, t: string }>({ fields: ['t'], tokenize: split, processTerm: term => term })
  return { name: 'minisearch', add: (id, t) => { index.add({ id, t }) }, rank: query => index.search(query).slice(0, LIMIT) }
}

function flexSearch(): Engine {
  const index = new FlexSearch.Index({ tokenize: 'strict', encode: split })
  return {
    name: 'flexsearch',
    add: (doc, text) => { index.add(doc, text) },
    // Without `suggest` every word must match, which no other engine here asks.
    rank: query => index.search(query, { limit: LIMIT, suggest: true }),
  }
}

function orama(): Engine {
  const tokenizer = { language: 'english', normalizationCache: new Map<string, string>(), tokenize: split }
  const index = create({ schema: { t: 'string' }, components: { tokenizer } })
  return {
    name: 'orama',
    add: (doc, text) => { void insert(index, { id: String(doc), t: text }) },
    rank: query => search(index, { term: query, limit: LIMIT, threshold: 1 }),
  }
}

interface Wink {
  defineConfig: (config: { fldWeights: Record<string, number> }) => void
  definePrepTasks: (tasks: ((text: string) => string[])[]) => void
  addDoc: (row: { t: string }, id: number) => void
  consolidate: () => void
  search: (query: string, limit: number) => unknown
}

function wink(): Engine {
  const make = createRequire(import.meta.url)('wink-bm25-text-search') as () => Wink
  const index = make()
  index.defineConfig({ fldWeights: { t: 1 } })
  index.definePrepTasks([split])
  return {
    name: 'wink',
    add: (doc, text) => { index.addDoc({ t: text }, doc) },
    ready: () => { index.consolidate() },
    rank: query => index.search(query, LIMIT),
  }
}

function fts5(): Engine {
  const db = new DatabaseSync(':memory:')
  db.exec(`create virtual table f using fts5(t, tokenize = "unicode61 remove_diacritics 0 tokenchars '-_./#@:+\\'")`)
  const put = db.prepare('insert into f(rowid, t) values (?, ?)')
  const best = db.prepare(`select rowid from f where f match ? order by bm25(f) limit ${LIMIT}`)
  return {
    name: 'fts5',
    add: (doc, text) => { put.run(doc + 1, text) },
    rank: query => best.all(split(query).map(word => `"${word}"`).join(' OR ')),
  }
}

/** Engines that cannot take a record once they are searchable are not timed at adding. */
export const closedAfterReady = new Set(['wink'])

/** Makes every engine anew. */
export function engines(module: BenchModule): Engine[] {
  return [ours(module), miniSearch(), flexSearch(), orama(), wink(), fts5()]
}
