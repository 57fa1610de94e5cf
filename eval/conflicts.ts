// Numbers of the offline detector of contradictions: which of the known memories a new sentence is said to contradict.

import { interval } from './metrics.ts'

export interface Gold { id: string, lang: string, kind: string, pair_origin?: string, repo?: string, new: string, conflict_ids: string[], related_ids?: string[] }
export interface Named { id: string, conflict_ids: string[], ranked: string[] }

interface Row { gold: Gold, right: boolean, paired: boolean, flagged: boolean, first: boolean, five: boolean, score: number, keep: boolean, source: string }

const share = (rows: readonly Row[], of: (row: Row) => boolean): number | undefined => rows.length === 0 ? undefined : rows.filter(of).length / rows.length
const contradicting = (rows: readonly Row[]): Row[] => rows.filter(({ keep }) => keep)
const others = (rows: readonly Row[]): Row[] => rows.filter(({ keep }) => !keep)
const shown = (value: number | undefined, range?: [number, number]): string =>
  value === undefined ? '–' : range === undefined ? value.toFixed(3) : `${value.toFixed(3)} [${range[0].toFixed(2)}, ${range[1].toFixed(2)}]`

/** The lines of a report, and the numbers that a baseline holds. */
export function conflicts(golds: Gold[], predictions: Named[]): { lines: string[], numbers: Record<string, number> } {
  const named = new Map(predictions.map(row => [row.id, row]))
  const rows = golds.map(gold => judged(gold, named.get(gold.id) ?? { id: gold.id, conflict_ids: [], ranked: [] }))
  const views: [string, Row[]][] = [['all', rows], ...by(rows, 'lang'), ...by(rows, 'kind'), ...by(rows, 'pair_origin')]
  const sources = [...new Set(rows.map(({ source }) => source))].filter(Boolean).sort()
  if (sources.length > 1) {
    // Every second source, in order of name: no source is in both halves.
    const even = new Set(sources.filter((_, index) => index % 2 === 0))
    views.push(['one half of the sources', rows.filter(({ source }) => even.has(source))], ['the other half', rows.filter(({ source }) => !even.has(source))])
  }
  const lines = ['## Contradictions, offline', '', 'Right: the old memory and no other for a contradiction, none for anything else.', '',
    '| | cases | contradict | right | paired | false alarm | old memory first | among five |', '|---|---|---|---|---|---|---|---|']
  for (const [name, part] of views) {
    const range = (of: (drawn: Row[]) => number | undefined): [number, number] | undefined => name === 'all' ? interval(part, of) : undefined
    lines.push(`| ${name} | ${part.length} | ${contradicting(part).length} | ${[
      shown(share(part, row => row.right), range(drawn => share(drawn, row => row.right))),
      shown(share(contradicting(part), row => row.paired), range(drawn => share(contradicting(drawn), row => row.paired))),
      shown(share(others(part), row => row.flagged), range(drawn => share(others(drawn), row => row.flagged))),
      shown(share(contradicting(part), row => row.first)), shown(share(contradicting(part), row => row.five)),
    ].join(' | ')} |`)
  }
  return {
    lines,
    numbers: {
      'conflict right': share(rows, row => row.right) ?? 0,
      'conflict paired': share(contradicting(rows), row => row.paired) ?? 0,
      'conflict quiet': 1 - (share(others(rows), row => row.flagged) ?? 0),
    },
  }
}

function judged(gold: Gold, { conflict_ids: named, ranked }: Named): Row {
  const wanted = new Set(gold.conflict_ids)
  const known = gold.conflict_ids.length > 0 ? gold.conflict_ids : gold.related_ids ?? []
  const within = (count: number): boolean => ranked.slice(0, count).some(id => known.includes(id))
  return {
    gold,
    right: wanted.size > 0 ? named.length > 0 && named.every(id => wanted.has(id)) : named.length === 0,
    paired: named.some(id => wanted.has(id)),
    flagged: named.length > 0,
    first: within(1),
    five: within(5),
    score: 1,
    keep: wanted.size > 0,
    source: gold.repo ?? '',
  }
}

function by(rows: readonly Row[], key: 'lang' | 'kind' | 'pair_origin'): [string, Row[]][] {
  return [...new Set(rows.map(({ gold }) => gold[key] ?? ''))].filter(Boolean).sort().map(value => [value, rows.filter(({ gold }) => gold[key] === value)])
}
