/** Clocks of other zones than the machine's, by the tables of the runtime. */
const formats = new Map<string, Intl.DateTimeFormat>()
/** Zones whose format is kept; a client has one. */
const FORMATS_MAX = 16

/** Minutes to add to UTC in `zone` at `at`, milliseconds since the epoch; undefined when there is no such zone. */
export function offsetIn(zone: string, at: number): number | undefined {
  try {
    const part: Record<string, number> = {}
    for (const { type, value } of formatOf(zone).formatToParts(at)) part[type] = Number(value)
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part
    const local = Date.UTC(year, month - 1, day, hour, minute, second)
    return Math.round((local - Math.floor(at / 1000) * 1000) / 60_000)
  } catch { return undefined }
}

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known) return known
  const numeric = 'numeric' as const
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone, hourCycle: 'h23', year: numeric, month: numeric, day: numeric, hour: numeric, minute: numeric, second: numeric
  })
  if (formats.size >= FORMATS_MAX) formats.clear()
  formats.set(zone, format)
  return format
}
