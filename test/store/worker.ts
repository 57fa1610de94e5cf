/**
 * One process with the real core over a data folder, for the tests of `processes.test.ts`.
 *
 *   node worker.ts FOLDER NAME COUNT [note]   commits COUNT turns of one rule each; 0 goes on until it is killed.
 *                                             With `note` it commits notes instead, which needs no lexicon and starts fast.
 *
 * Prints a line of JSON as each thing happens, in one write each: a killed process leaves no half line that reads as one.
 */
import { writeSync } from 'node:fs'
import type { Health, Learned, Turn } from '../../dist/core.js'
// The compiled shim: a process that is killed after a few milliseconds should not spend them on stripping types.
import { CoreHandle } from '../../dist/core-handle.js'

/** How often a turn is tried again when another process held the lock for the whole budget. */
const ATTEMPTS = 5

export type Said =
  | { said: 'open', memories: number }
  | { said: 'kept', id: string, text: string, ms: number }
  | { said: 'noted', text: string, ms: number }
  | { said: 'failed', code: string, detail: string, ms: number }
  | { said: 'end', memories: number, problems: string[] }

const [folder = '', name = '', count = '0', kind = 'turn'] = process.argv.slice(2)

const tell = (what: Said): void => { writeSync(1, `${JSON.stringify(what)}\n`) }

const handle = new CoreHandle({ config: { dataDir: folder, judge: 'heuristic', minImportance: 0 }, defaultDataDir: folder, hostVersion: 'test' }, () => {})
if (handle.fault) throw new Error(handle.fault)
const health = (): Health => handle.use('health', core => core.health()) as Health
tell({ said: 'open', memories: health().memories })

const isDone = (step: number): boolean => count !== '0' && step > Number(count)

async function note(step: number): Promise<void> {
  const text = `${name} ${process.pid} ${step}`
  const before = performance.now()
  handle.note('test', text)
  const { problems } = await handle.run('settle', core => core.settle()) as Health
  const ms = performance.now() - before
  const others = problems.filter(({ code }) => code !== 'test')
  if (others.length > 0) throw new Error(JSON.stringify(others))
  tell({ said: 'noted', text, ms })
}

const session = { id: `s-${name}-${process.pid}`, cwd: folder, child: false }

async function learn(turn: number): Promise<void> {
  const text = `From now on, always name the release of part ${name}${process.pid} step ${turn} in English.`
  const input: Turn = { session, turn, readTo: turn * 2, events: [{ kind: 'human', seq: turn * 2 - 1, turn, at: Date.now(), text }] }
  for (let attempt = 1; ; attempt++) {
    const before = performance.now()
    const learned = await handle.run('learn', core => core.learn(Buffer.from(JSON.stringify(input)))) as Learned
    const ms = performance.now() - before
    const id = learned.kept[0]?.id
    if (id !== undefined) {
      tell({ said: 'kept', id, text, ms })
      break
    }
    tell({ said: 'failed', code: learned.failed?.code ?? 'skipped', detail: learned.failed?.detail ?? '', ms })
    if (attempt >= ATTEMPTS || learned.failed?.code !== 'lock-busy') process.exit(3)
  }
  // A large part of the commits is followed by the checkpoint, as in a host.
  if (turn % 3 === 0) await handle.run('settle', core => core.settle())
}

if (kind === 'turn') await handle.run('attach', core => core.attach(session, 0, 0))
for (let step = 1; !isDone(step); step++) await (kind === 'turn' ? learn(step) : note(step))
await handle.run('refresh', core => core.refresh())
tell({ said: 'end', memories: health().memories, problems: health().problems.map(({ code }) => code) })
