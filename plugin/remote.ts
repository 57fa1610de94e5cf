/** What carries files between devices: a git remote, or a folder that some other program carries. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** A file by its name at the remote, `/` between folder and file. */
export interface File { name: string, content: string }

export interface Remote {
  /** How many new files were put, and how many were put in the place of others. */
  readonly sent: number
  readonly rewritten: number
  /** Every file there, with a stamp that changes when it does. */
  list(): Promise<Map<string, string>>
  /** The content of files, in runs of about so many bytes. One that is gone or too long is left out. */
  read(names: readonly string[], bytes: number): AsyncIterable<File[]>
  /** Puts files on their way. */
  put(files: readonly File[], again: boolean): Promise<void>
  /**
   * Makes what was put be there, all of it or none; `rewrite` leaves no older state behind.
   *
   * @throws `Problem` `busy` when somebody else was first: read again, and try again.
   */
  publish(rewrite: boolean): Promise<void>
  /** The stamps of what was put. */
  written(): Record<string, string>
  close(): Promise<void>
}

/** Longest file that is read, and most files of one remote. */
export const FILE_MAX_BYTES = 64 << 20
export const FILES_MAX = 100_000

/** What is wrong with a remote, by a code that the core has words for. */
export class Problem extends Error {
  readonly code: string
  readonly what: string
  readonly detail: string

  constructor(code: string, what: string, detail: string) {
    super(detail)
    this.code = code
    this.what = what
    this.detail = detail
  }
}

const SCHEME = /^(?:https?|ssh|git|file):\/\//i
/** `host:path`, as ssh takes it; a drive letter is no host. */
const SHORT = /^(?:[\w.-]+@)?[\w.-]{2,}:(?!:)/

/** Whether an address is one of git's own forms, and no path here. */
export const isUrl = (address: string): boolean => SCHEME.test(address) || SHORT.test(address)

/**
 * Tells a git remote from a folder.
 *
 * @throws `Problem` `bad-remote` for what git would take as an option or a program, and for a password.
 */
export function kindOf(address: string): 'git' | 'folder' {
  const isWrong = /^-|^\w[\w+.-]*::|[\0\r\n]/.test(address) || /:\/\//.test(address) && !SCHEME.test(address) || /^\w+:\/\/[^/@]*:[^/@]*@/.test(address)
  if (isWrong) throw new Problem('bad-remote', address.replace(/\/\/[^/@]*@/, '//…@').slice(0, 80), '')
  if (isUrl(address)) return 'git'
  const path = resolve(address)
  const isRepository = existsSync(join(path, '.git')) || existsSync(join(path, 'HEAD')) && existsSync(join(path, 'objects'))
  return isRepository || /\.git$/.test(path) ? 'git' : 'folder'
}

/** Whether an address may be written down: a name in one over the web, or a query, may be a token. */
export const isKept = (address: string): boolean => !/^https?:\/\/(?:[^/]*@|.*[?#])/i.test(address)

/** Cuts names into runs. */
export function* runs<T>(items: readonly T[], size: (item: T) => number, max: number): Generator<T[]> {
  let run: T[] = []
  let length = 0
  for (const item of items) {
    if (run.length > 0 && length + size(item) > max) { yield run; run = []; length = 0 }
    run.push(item)
    length += size(item)
  }
  if (run.length > 0) yield run
}
