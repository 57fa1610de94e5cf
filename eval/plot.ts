// Draws precision against recall as an SVG, with the 95 % band and the default threshold marked.

import type { Point } from './metrics.ts'

export interface Line {
  name: string
  points: Point[]
  band: { recall: number, low: number, high: number }[]
  mark: { precision: number | undefined, recall: number | undefined }
}

const WIDTH = 640
const HEIGHT = 420
const EDGE = 50
const COLOURS = ['#222222', '#c0392b', '#2463a8', '#2e8b57']

/** Returns the picture as text; the same lines give the same bytes. */
export function draw(lines: readonly Line[]): string {
  const x = (recall: number): string => (EDGE + recall * (WIDTH - 2 * EDGE)).toFixed(1)
  const y = (precision: number): string => (HEIGHT - EDGE - precision * (HEIGHT - 2 * EDGE)).toFixed(1)
  const out = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="white"/>`,
  ]
  for (const step of [0, 0.2, 0.4, 0.6, 0.8, 1]) {
    out.push(`<line x1="${x(step)}" y1="${y(0)}" x2="${x(step)}" y2="${y(1)}" stroke="#e4e4e4"/>`, `<line x1="${x(0)}" y1="${y(step)}" x2="${x(1)}" y2="${y(step)}" stroke="#e4e4e4"/>`)
    out.push(`<text x="${x(step)}" y="${HEIGHT - EDGE + 18}" text-anchor="middle">${step}</text>`, `<text x="${EDGE - 8}" y="${y(step)}" text-anchor="end" dominant-baseline="middle">${step}</text>`)
  }
  out.push(`<text x="${WIDTH / 2}" y="${HEIGHT - 10}" text-anchor="middle">recall</text>`, `<text x="14" y="${HEIGHT / 2}" text-anchor="middle" transform="rotate(-90 14 ${HEIGHT / 2})">precision</text>`)
  lines.forEach((line, index) => {
    const colour = COLOURS[index % COLOURS.length] ?? '#222222'
    if (index === 0 && line.band.length > 1) {
      const edge = [...line.band.map(b => `${x(b.recall)},${y(b.high)}`), ...line.band.toReversed().map(b => `${x(b.recall)},${y(b.low)}`)]
      out.push(`<polygon points="${edge.join(' ')}" fill="${colour}" fill-opacity="0.1"/>`)
    }
    if (index > 0) {
      for (const b of line.band) out.push(`<line x1="${x(b.recall)}" y1="${y(b.low)}" x2="${x(b.recall)}" y2="${y(b.high)}" stroke="${colour}" stroke-opacity="0.35"/>`)
    }
    out.push(`<polyline points="${line.points.map(point => `${x(point.recall)},${y(point.precision)}`).join(' ')}" fill="none" stroke="${colour}" stroke-width="1.6"/>`)
    if (line.mark.precision !== undefined && line.mark.recall !== undefined) out.push(`<circle cx="${x(line.mark.recall)}" cy="${y(line.mark.precision)}" r="4.5" fill="white" stroke="${colour}" stroke-width="2"/>`)
    out.push(`<text x="${EDGE + 12}" y="${HEIGHT - EDGE - 12 - 16 * (lines.length - 1 - index)}" fill="${colour}">${line.name}${index === 0 ? ' (band: 95 %; circle: default threshold)' : ''}</text>`)
  })
  out.push('</svg>')
  return `${out.join('\n')}\n`
}
