// The core's predictions, from the built package or, for the fit, from a native build of the same code.

import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadSync } from '../plugin/instance.ts'

export const root = fileURLToPath(new URL('..', import.meta.url))

/** Predictions of one task over the text of a corpus file; `crate/src/evaluate.rs` has the tasks and formats. */
export type Predict = (task: string, input: string, memories?: string) => string

interface Core {
  predict: (task: string, input: string, memories: string) => string | undefined
}

/** Loads the built WebAssembly module. */
export function built(): Predict {
  const core: Core = loadSync()
  return (task, input, memories = '') => {
    const out = core.predict(task, input, memories)
    if (out === undefined) throw new Error(`no such task: ${task}`)
    return out
  }
}

/** Uses the program of `cargo build --example predict`: the same code, without the long build. */
export function native(): Predict {
  const program = join(root, 'target/debug/examples/predict')
  if (!existsSync(program)) throw new Error('run first: cargo build --example predict')
  return (task, input, memories = '') => {
    const folder = mkdtempSync(join(tmpdir(), 'predict-'))
    try {
      const [inputFile, memoriesFile] = [join(folder, 'input'), join(folder, 'memories')]
      writeFileSync(inputFile, input)
      writeFileSync(memoriesFile, memories)
      return execFileSync(program, [task, inputFile, memoriesFile], { maxBuffer: 1 << 28 }).toString()
    } finally {
      rmSync(folder, { recursive: true })
    }
  }
}

/** The texts of a corpus file, or of each JSON file of a folder, in order of name. */
export function inputs(path: string): string[] {
  if (!statSync(path).isDirectory()) return [readFileSync(path, 'utf8')]
  return readdirSync(path).filter(name => name.endsWith('.json')).sort().map(name => readFileSync(join(path, name), 'utf8'))
}

/** The JSON objects of a text with one a line. */
export function rows<T>(text: string): T[] {
  return text.split('\n').filter(line => line.trim() !== '').map(line => JSON.parse(line) as T)
}
