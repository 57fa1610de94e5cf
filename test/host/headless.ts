/** One headless run of the real host. */
import type { Ended, Home } from './home.ts'
import type { Model, ModelRequest } from './model.ts'

export interface Run extends Ended { requests: ModelRequest[] }

/** Gives the host one task and returns its answer, exit code and the model requests it made. */
export async function headless(
  home: Home, model: Model, task: string,
  options: { cwd: string, env?: Record<string, string>, limitMs?: number },
): Promise<Run> {
  const before = model.requests.at(-1)?.id ?? 0
  const ended = await home.run(['--profile', 'headless', task], options)
  return { ...ended, requests: model.turns().filter(request => request.id > before) }
}
