/**
 * One process with the real core over a data folder, for the tests of `processes.test.ts`.
 *
 *   node worker.mjs FOLDER NAME COUNT [KIND]   commits COUNT turns of one rule each; 0 goes on until it is killed.
 *
 * KIND: `turn`; `note` commits notes instead, which needs no lexicon and starts fast; `wait` stays after its turns until
 * standard input ends, reads what the others wrote, and closes.
 *
 * Prints a line of JSON as each thing happens, in one write each: a killed process leaves no half line that reads as one.
 * Plain JavaScript: hundreds of these are started, and taking the types off costs as much as all the rest.
 */
import { writeSync } from 'node:fs'
import { CoreHandle } from '../../dist/core-handle.js'

/**
 * @typedef {import('../../dist/core.js').Health} Health
 * @typedef {import('../../dist/core.js').Learned} Learned
 * @typedef {{ said: 'open', memories: number }
 *   | { said: 'kept', id: string, text: string, ms: number }
 *   | { said: 'noted', text: string, ms: number }
 *   | { said: 'failed', code: string, detail: string, ms: number }
 *   | { said: 'done' }
 *   | { said: 'end', memories: number, problems: string[] }} Said
 */

/** How often a turn is tried again when another process held the lock for the whole budget. */
const ATTEMPTS = 5

const [folder = '', name = '', count = '0', kind = 'turn'] = process.argv.slice(2)

/** @param {Said} what */
const tell = what => { writeSync(1, `${JSON.stringify(what)}\n`) }

const handle = new CoreHandle({ config: { dataDir: folder, judge: 'heuristic', minImportance: 0 }, defaultDataDir: folder, hostVersion: 'test' }, () => {})
if (handle.fault) throw new Error(handle.fault)
const health = () => /** @type {Health} */ (handle.use('health', core => core.health()))
tell({ said: 'open', memories: health().memories })

/** @param {number} step */
const isDone = step => count !== '0' && step > Number(count)

/** @param {number} step */
async function note(step) {
  const text = `${name} ${process.pid} ${step}`
  const before = performance.now()
  handle.note('test', text)
  const { problems } = /** @type {Health} */ (await handle.run('settle', core => core.settle()))
  const ms = performance.now() - before
  const others = problems.filter(({ code }) => code !== 'test')
  if (others.length > 0) throw new Error(JSON.stringify(others))
  tell({ said: 'noted', text, ms })
}

const session = { id: `s-${name}-${process.pid}`, cwd: folder, child: false }

/** @param {number} turn */
async function learn(turn) {
  const text = `From now on, always name the release of part ${name}${process.pid} step ${turn} in English.`
  const input = { session, turn, readTo: turn * 2, events: [{ kind: 'human', seq: turn * 2 - 1, turn, at: Date.now(), text }] }
  for (let attempt = 1; ; attempt++) {
    const before = performance.now()
    const learned = /** @type {Learned} */ (await handle.run('learn', core => core.learn(Buffer.from(JSON.stringify(input)))))
    const ms = performance.now() - before
    // Rules that differ in a number alone are held as contradictions, and are committed all the same.
    const id = (learned.kept[0] ?? learned.held?.[0])?.id
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

if (kind !== 'note') await handle.run('attach', core => core.attach(session, 0, 0))
for (let step = 1; !isDone(step); step++) await (kind === 'note' ? note(step) : learn(step))
if (kind === 'wait') {
  tell({ said: 'done' })
  for await (const _ of process.stdin) { /* Until it ends. */ }
}
await handle.run('refresh', core => core.refresh())
const { memories, problems } = health()
if (kind === 'wait') await handle.close(AbortSignal.timeout(10_000))
tell({ said: 'end', memories, problems: problems.map(({ code }) => code) })
