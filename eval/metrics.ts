// Numbers over labelled and scored rows, with their 95 % intervals.

/** One labelled sentence with the score it got. */
export interface Scored {
  score: number
  /** Whether it was labelled worth keeping. */
  keep: boolean
  /** Where it comes from; rows of one source are not independent. */
  source: string
}

export interface Point { threshold: number, precision: number, recall: number, written: number }

/** Precision and recall when everything at or above `threshold` is written. Precision is undefined when nothing is. */
export function at(rows: readonly Scored[], threshold: number): { precision: number | undefined, recall: number | undefined, written: number, right: number } {
  const written = rows.filter(row => row.score >= threshold)
  const right = written.filter(row => row.keep).length
  const keepers = rows.filter(row => row.keep).length
  return {
    precision: written.length > 0 ? right / written.length : undefined,
    recall: keepers > 0 ? right / keepers : undefined,
    written: written.length,
    right,
  }
}

/** The precision-recall curve, strictest threshold first. Rows of one score move together; score 0 is a veto and never written. */
export function curve(rows: readonly Scored[]): Point[] {
  const sorted = rows.filter(row => row.score > 0).sort((a, b) => b.score - a.score)
  const keepers = rows.filter(row => row.keep).length
  const points: Point[] = []
  let right = 0
  sorted.forEach((row, index) => {
    if (row.keep) right += 1
    if (sorted[index + 1]?.score === row.score) return
    points.push({ threshold: row.score, precision: right / (index + 1), recall: keepers > 0 ? right / keepers : 0, written: index + 1 })
  })
  return points
}

/** The precision at the strictest threshold that reaches `recall`, undefined when none does. */
export function precisionAt(rows: readonly Scored[], recall: number): number | undefined {
  return curve(rows).find(point => point.recall >= recall - 1e-9)?.precision
}

/** A generator of numbers in 0..1, the same for the same seed. */
export function seeded(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6D2B79F5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

/** The 95 % percentile interval of `statistic` over `samples` draws of whole sources, or of single rows. */
export function interval<T extends Scored>(
  rows: readonly T[], statistic: (rows: T[]) => number | undefined, bySource = false, samples = 1000,
): [number, number] | undefined {
  const groups = new Map<string, T[]>()
  rows.forEach((row, index) => {
    const key = bySource ? row.source : String(index)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [row])
    else group.push(row)
  })
  const units = [...groups.values()]
  const random = seeded(7)
  const values: number[] = []
  for (let n = 0; n < samples; n++) {
    const drawn: T[] = []
    for (let i = 0; i < units.length; i++) drawn.push(...(units[Math.floor(random() * units.length)] ?? []))
    const value = statistic(drawn)
    if (value !== undefined) values.push(value)
  }
  if (values.length === 0) return undefined
  values.sort((a, b) => a - b)
  return [values[Math.floor(0.025 * (values.length - 1))] ?? 0, values[Math.floor(0.975 * (values.length - 1))] ?? 0]
}
