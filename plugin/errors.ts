/** What the memory as a library refuses. Names, codes and statuses are the core's (`crate/src/decide/error.rs`). */

/** A refusal. `status` 409: the same call may succeed later. 422: it will not. */
export class MemoryError extends Error {
  readonly code: string
  readonly status: 409 | 422

  constructor(message: string, code: string, status: 409 | 422) {
    super(message)
    this.name = new.target.name
    this.code = code
    this.status = status
  }
}

/** An action and its target do not fit, or a source does not fit the budget. The source is kept. */
export class DecisionContextError extends MemoryError {}
/** A judge's reply misses a question, adds one, answers with another type or names an unknown option; or a vector is none. */
export class JudgeContractError extends MemoryError {}
/** No judge answered. */
export class JudgeUnavailableError extends MemoryError {}
/** The model that extracts, or the embedding service, did not answer. */
export class ModelUnavailableError extends MemoryError {}
/** A linked head changed elsewhere, more often than is tried. */
export class StaleDecisionError extends MemoryError {}
/** Another input under a request id that is taken. */
export class IdempotencyConflictError extends MemoryError {}
/** A setting that is unknown, removed, nested or of the wrong kind. */
export class SettingsError extends MemoryError {}
/** The folder holds something else, or a newer version's files. Nothing in it was touched. */
export class ForeignFormatError extends MemoryError {}
/** An argument of the wrong kind. */
export class InputError extends MemoryError {}
/** No memory of that id. */
export class NotFoundError extends MemoryError {}
/** The folder could not be read or written. */
export class StorageError extends MemoryError {}

const CLASSES: Record<string, typeof MemoryError> = {
  DecisionContextError, JudgeContractError, JudgeUnavailableError, ModelUnavailableError, StaleDecisionError,
  IdempotencyConflictError, SettingsError, ForeignFormatError, InputError, NotFoundError, StorageError,
}

/** A refusal as it crosses. */
export interface Refusal { name: string, code: string, status: 409 | 422, message: string }

export const errorOf = ({ name, code, status, message }: Refusal): MemoryError => new (CLASSES[name] ?? MemoryError)(message, code, status)
