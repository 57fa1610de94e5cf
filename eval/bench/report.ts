// The report: two tables as Markdown, and a plot.

import { View, parse } from 'vega'
import { compile, type TopLevelSpec } from 'vega-lite'
import type { HouseRow } from './house.ts'
import type { RankRow } from './rank.ts'

export interface Report { machine: string, date: string, rank: RankRow[], house: HouseRow[] }

/** Least ratios by size, design's bars; for `native` and bytes the most. */
const bars: Record<string, number[]> = {
  minisearch: [10, 25, 100, 100],
  flexsearch: [1.5, 2.3, 25, 45],
  native: [3, 2.5, 1.5, 1.3],
  add: [1.7, 3, 6, 9],
  bytes: [1200, 350, 200, 170],
}

/** What stands in the way where a ratio misses its bar. */
const reasons: Record<string, string> = {
  minisearch: 'a small store is ranked in the time of the call itself',
  flexsearch: 'a small store is ranked in the time of the call itself',
  native: 'WebAssembly pays for the call and for text that is decoded twice',
  add: 'a document is read into words and parts in both languages',
  bytes: 'a small collection has mostly words of its own',
}

const figure = (value: number): string => value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)

/** Returns the rows that miss their bar, in words. */
export function missed(report: Report): string[] {
  const out: string[] = []
  report.rank.forEach((row, at) => {
    for (const [name, value, atMost] of ratios(row)) {
      const bar = bars[name]?.[at]
      if (bar !== undefined && (atMost ? value > bar : value < bar)) out.push(`${name} at ${row.n}: ${figure(value)}, the bar is ${bar}: ${reasons[name]}`)
    }
  })
  for (const row of report.house) if (row.bar !== undefined && row.value > row.bar) out.push(`${row.what}${row.at && ` (${row.at})`}: ${figure(row.value)} ${row.unit}, the bar is ${row.bar}${row.why === undefined ? '' : `: ${row.why}`}`)
  return out
}

function ratios(row: RankRow): [name: string, value: number, atMost: boolean][] {
  const ours = row.rankUs.ours ?? NaN
  const over = (name: string): number => (row.rankUs[name] ?? NaN) / ours
  return [
    ['minisearch', over('minisearch'), false],
    ['flexsearch', over('flexsearch'), false],
    ['native', 1 / over('native'), true],
    ['add', (row.addUs.flexsearch ?? NaN) / (row.addUs.ours ?? NaN), false],
    ['bytes', row.bytesPerRecord, true],
  ]
}

export function markdown(report: Report): string {
  const names = ['ours', 'native', 'minisearch', 'flexsearch', 'orama', 'wink', 'fts5']
  const head = report.rank.map(row => `N=${row.n.toLocaleString('en')}`)
  const line = (cells: string[]): string => `| ${cells.join(' | ')} |`
  const table = (rows: string[][], first: string): string[] =>
    [line([first, ...head]), line(['---', ...head.map(() => '---')]), ...rows.map(line)]
  const against = (label: string, name: string, unit: string): string[] => [label, ...report.rank.map((row, at) => {
    const [, value = NaN, atMost = false] = ratios(row).find(ratio => ratio[0] === name) ?? []
    const bar = bars[name]?.[at] ?? NaN
    return `${figure(value)}${unit} (${atMost ? '≤' : '≥'} ${bar})`
  })]
  const lines = [
    '# Benchmark', '',
    `Written by \`npm run bench\` on ${report.date}: ${report.machine}. Medians; ratios are of medians inside one run, every`,
    'engine sampled in turn and given the same tokens (`eval/bench/`). Times of the wasm module include the call, the string in and the ids out.', '',
    '![time to rank one sentence](bench.svg)', '',
    '## Ranking', '', 'Ratios, with the bar in parentheses:', '',
    ...table([
      against('rank one sentence, against minisearch 7', 'minisearch', ' ×'),
      against('rank one sentence, against FlexSearch 0.8', 'flexsearch', ' ×'),
      against('slower than our native build', 'native', ' ×'),
      against('add one record, against FlexSearch', 'add', ' ×'),
      against('index bytes a record', 'bytes', ''),
    ], 'what'), '', 'Ranking one sentence, µs:', '',
    ...table(names.map(name => [name, ...report.rank.map(row => figure(row.rankUs[name] ?? NaN))]), 'engine'), '',
    'Adding one record, µs:', '',
    ...table(names.filter(name => report.rank.some(row => name in row.addUs)).map(name => [name, ...report.rank.map(row => figure(row.addUs[name] ?? NaN))]), 'engine'), '',
    '## The whole', '', line(['what', 'at', 'measured', 'bar']), line(['---', '---', '---', '---']),
    ...report.house.map(row => line([row.what, row.at, `${figure(row.value)} ${row.unit}`, row.bar === undefined ? '' : `≤ ${row.bar} ${row.unit}`])), '',
    '## Bars missed', '',
    ...(missed(report).map(text => `- ${text}`)), ...(missed(report).length === 0 ? ['None.'] : []), '',
  ]
  return lines.join('\n')
}

export async function plot(report: Report): Promise<string> {
  const values = report.rank.flatMap(row => Object.entries(row.rankUs).map(([engine, us]) => ({ n: row.n, engine, us })))
  const spec: TopLevelSpec = {
    background: 'white', width: 520, height: 320, data: { values },
    title: 'Time to rank one sentence',
    mark: { type: 'line', point: true },
    encoding: {
      x: { field: 'n', type: 'quantitative', scale: { type: 'log' }, title: 'records', axis: { values: report.rank.map(row => row.n), format: '~s' } },
      y: { field: 'us', type: 'quantitative', scale: { type: 'log' }, title: 'µs, median' },
      color: { field: 'engine', type: 'nominal', sort: ['ours', 'native'], title: 'engine' },
    },
  }
  const view = new View(parse(compile(spec).spec), { renderer: 'none' })
  return await view.toSVG()
}
