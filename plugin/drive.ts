/** The two ways to drive a job through its questions: on the event loop, and on the thread pool. */
import type { Answer, Job, Step } from '../dist/core.js'
import type { Host, Request } from './host.ts'

/** Requests of one job before it counts as running in a circle. */
const STEPS_MAX = 100_000

/** The caller's signal ended the wait. The job itself goes on to its next step, to release what it holds. */
export class Ended extends Error {}

/** Drives a job on the event loop. */
export function driveSync(job: Job, host: Host): unknown {
  let step = job.resume(undefined) as Step
  for (let count = 0; step.op !== 'done'; count++) {
    if (count > STEPS_MAX) throw new Error('a job did not end')
    step = job.resume(host.answerSync(step as Request), step.number) as Step
  }
  job.free()
  return step.value
}

/** Whether a job's instance may still be used, and whom to tell that it may not. */
export interface Watch { alive: () => boolean, failed: (error: unknown) => void, tell?: (() => void) | undefined }

/** Drives a job on the thread pool. Rejects with `Ended` on `signal`. */
export async function drive(job: Job, host: Host, watch: Watch, signal: AbortSignal | undefined): Promise<unknown> {
  const running = { job: job as Job | undefined }
  if (!signal) return await advance(running, host, watch, undefined)
  const { promise: ended, reject } = Promise.withResolvers<never>()
  const end = (): void => {
    // A job that is over was freed, and must not be touched again.
    if (watch.alive()) running.job?.end()
    reject(new Ended('ended by the caller'))
  }
  ended.catch(() => {})
  if (signal.aborted) end(); else signal.addEventListener('abort', end, { once: true })
  const work = advance(running, host, watch, signal)
  work.catch(watch.failed) // The caller may have left by then.
  try { return await Promise.race([work, ended]) } finally { signal.removeEventListener('abort', end) }
}

interface Answered { answer?: Answer, number?: number | undefined }

async function advance(running: { job: Job | undefined }, host: Host, watch: Watch, signal: AbortSignal | undefined): Promise<unknown> {
  const { job } = running
  if (!job) return undefined
  let step = job.resume(undefined) as Step
  // Requests under way beside each other; of a job that asks one after the other there are none.
  const open = new Map<number, Promise<Answered>>()
  for (let count = 0; step.op !== 'done'; count++) {
    if (count > STEPS_MAX) throw new Error('a job did not end')
    watch.tell?.()
    let answered: Answered = {}
    if (step.op !== 'wait') {
      const { number } = step
      const mine = host.answer(step, signal).then(answer => ({ answer, number }))
      if (step.more || open.size > 0) open.set(number ?? 0, mine); else answered = await mine
    }
    if (!step.more && open.size > 0) answered = await Promise.race(open.values())
    if (!watch.alive()) throw new Error('the core was replaced')
    if (answered.number !== undefined) open.delete(answered.number)
    step = job.resume(answered.answer, answered.number) as Step
  }
  running.job = undefined
  job.free()
  return step.value
}
