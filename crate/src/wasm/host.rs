//! The ports as the host implements them: requests through the job's mailbox, and the few questions that must be
//! answered at once through a typed import.

use super::job::{Mailbox, request};
use crate::error::FilesError;
use crate::memory::Millis;
use crate::port::{
    Answer, Clock, FileEntry, Files, Liveness, Owner, Ports, Publication, Published, Random,
};
use js_sys::{Array, Date, Reflect, Uint8Array};
use std::rc::Rc;
use wasm_bindgen::prelude::*;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** What the core asks synchronously of the program it lives in. */
export interface Host {
  /** This process: host name, pid, and start time in the system's own unit ('' where the system does not tell). */
  owner(): { host: string; pid: number; started: string };
  /** Whether that process still runs. */
  liveness(host: string, pid: number, started: string): 'alive' | 'dead' | 'unknown';
  /** A short text that changes whenever the file does (inode, length, modification time in ns); '' when there is no file. */
  stamp(path: string): string;
  /** Minutes to add to UTC in an IANA zone at `at`, milliseconds since the epoch; undefined when the zone is not known. */
  zoneOffset(zone: string, at: number): number | undefined;
}

/**
 * The next step of a job. Answer with `{ ok: value }` or `{ error: { code, message } }`, `code` as Node names it, and with its `number`. With `more`,
 * `resume` without an answer brings another request, to be answered beside this one; `wait`: until one of those is answered.
 */
export type Step = Asked & { number?: number; more?: boolean };
export type Asked =
  | { op: 'wait' }
  | { op: 'done'; value: unknown }
  | { op: 'clock.sleep'; ms: number }                          // ok: undefined
  | { op: 'files.read'; path: string; from: number; most: number } // ok: Uint8Array, the bytes from `from` to the end, at most `most`
  | { op: 'files.list'; path: string }                         // ok: { name, length, folder }[]
  | { op: 'files.append'; path: string; bytes: Uint8Array }    // ok: undefined; one write, then fdatasync
  | { op: 'files.replace'; path: string; bytes: Uint8Array }   // ok: undefined; all or nothing, durable
  | { op: 'files.stage'; path: string; from: number; bytes: Uint8Array } // ok: undefined; the next piece of a replacement, 0 begins one
  | { op: 'files.replace-if'; path: string; stamp: string | undefined; from: number; bytes: Uint8Array } // the last piece; ok: string, the new file's stamp; '' when the file's stamp is not `stamp`
  | { op: 'files.copy'; from: string; to: string }             // ok: undefined; all or nothing, durable
  | { op: 'files.begins-with'; path: string; beginning: string } // ok: boolean
  | { op: 'files.create'; path: string; bytes: Uint8Array }    // ok: boolean, false when it exists
  | FilesPublish
  | { op: 'files.truncate'; path: string; length: number }     // ok: undefined; durable
  | { op: 'files.rename'; from: string; to: string }           // ok: undefined; an existing target is EEXIST
  | { op: 'files.remove'; path: string }                       // ok: undefined, also when it is not there
  | { op: 'files.real-path'; path: string }                    // ok: string
  | HttpSend | LlmGenerate
  | { op: 'http.key'; credential: string; timeoutMs: number }  // ok: string, `service:<source>`, `file`, `config`, `env` or `none`
  | { op: 'llm.route' };                                       // ok: string, the default selection as `provider/model`, or ''

/**
 * One commit. `claim` is put in the file `owner` of this process alone, which is linked as `lock`; `path` must be `end` bytes long and end with `tail`,
 * `beside` must have `stamp`; `bytes` are appended as by `files.append`, and `lock` is removed. Past `withinMs` nothing is written or removed.
 * Ok: `busy` (nothing happened), `taken` (the lock is held, nothing was written), `kept` (appended, the lock is held), `done`, or `{ code, message }`: the lock
 * is held and the append failed.
 */
export interface FilesPublish { op: 'files.publish'; lock: string; owner: string; claim: Uint8Array; path: string; end: number; tail: Uint8Array; beside: string; stamp: string; bytes: Uint8Array; withinMs: number }

/**
 * A request to a service. The key known as `credential` goes with it as a bearer, attached here, '' for none.
 * Ok: `{ status, headers: [name in lower case, value][], body: Uint8Array }`. Error codes: `NO_KEY`, `TIMEOUT`, `ENDED`; any other is of the transport.
 */
export interface HttpSend { op: 'http.send'; method: string; url: string; headers: Record<string, string>; body: Uint8Array; credential: string; timeoutMs: number }

/**
 * One call of the host's own model, without thinking. `provider` and `model` in place of the session's route when both are given.
 * Ok: `{ text, model, inputTokens, outputTokens }`. Error codes: `NO_ROUTE`, `TIMEOUT`, `ENDED`, else the provider's.
 */
export interface LlmGenerate { op: 'llm.generate'; sessionId: string; provider: string; model: string; system: string; prompt: string; maxTokens: number; timeoutMs: number }

export type Answer = { ok: unknown } | { error: { code?: string; message: string } };
"#;

#[wasm_bindgen]
extern "C" {
    /// The program the core lives in.
    #[wasm_bindgen(typescript_type = "Host")]
    #[derive(Clone)]
    pub type Host;

    #[wasm_bindgen(method, catch)]
    fn owner(this: &Host) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn liveness(this: &Host, host: &str, pid: u32, started: &str) -> Result<String, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn stamp(this: &Host, path: &str) -> Result<String, JsValue>;

    #[wasm_bindgen(method, catch, js_name = zoneOffset)]
    fn zone_offset(this: &Host, zone: &str, at: f64) -> Result<JsValue, JsValue>;
}

/// The ports of one job.
pub(super) struct JobPorts {
    pub(super) mailbox: Rc<Mailbox>,
    pub(super) host: Host,
}

impl JobPorts {
    /// Returns the borrowed form the engine takes.
    pub(super) fn ports(&self) -> Ports<'_> {
        Ports {
            clock: self,
            random: self,
            files: self,
            http: self,
            llm: self,
            ended: &self.mailbox.ended,
        }
    }

    fn call<'a, T: 'a>(
        &'a self,
        op: &'static str,
        fields: &[(&str, JsValue)],
        path: &'a str,
        read: fn(JsValue) -> Option<T>,
    ) -> Answer<'a, Result<T, FilesError>> {
        let asked = self.mailbox.ask(request(op, fields));
        Box::pin(async move {
            let answer = asked.await;
            let failed = field(&answer, "error");
            if failed.is_undefined() {
                return read(field(&answer, "ok")).ok_or_else(|| FilesError::Other {
                    path: path.to_owned(),
                    action: op.strip_prefix("files.").unwrap_or(op),
                    message: "the host answered with another shape".to_owned(),
                });
            }
            Err(files_error(&failed, path, op))
        })
    }
}

pub(super) fn field(object: &JsValue, name: &str) -> JsValue {
    Reflect::get(object, &name.into()).unwrap_or(JsValue::UNDEFINED)
}

fn files_error(failed: &JsValue, path: &str, op: &'static str) -> FilesError {
    let path = path.to_owned();
    // A person reads it: `cannot read`, not the request's name.
    let action = op.strip_prefix("files.").unwrap_or(op);
    match field(failed, "code").as_string().as_deref() {
        Some("ENOENT") => FilesError::NotFound { path },
        Some("ENOSPC" | "EDQUOT" | "EFBIG") => FilesError::NoSpace { path, action },
        Some("EACCES" | "EPERM" | "EROFS") => FilesError::NotPermitted { path, action },
        Some("ENOTDIR") => FilesError::Other {
            path,
            action,
            message: "something on this path is a file, not a folder".to_owned(),
        },
        code => FilesError::Other {
            path,
            action,
            // Only the message: debug text carries a stack with local paths.
            message: field(failed, "message")
                .as_string()
                .or(code.map(str::to_owned))
                .unwrap_or_default(),
        },
    }
}

fn bytes(value: &[u8]) -> JsValue {
    Uint8Array::from(value).into()
}

fn nothing(_: JsValue) -> Option<()> {
    Some(())
}

fn entries(value: JsValue) -> Option<Vec<FileEntry>> {
    let mut out: Vec<FileEntry> = Array::from(&value)
        .iter()
        .filter_map(|item| {
            Some(FileEntry {
                name: field(&item, "name").as_string()?,
                length_bytes: field(&item, "length").as_f64()? as u64,
                is_folder: field(&item, "folder").as_bool().unwrap_or(false),
            })
        })
        .collect();
    crate::text::order::sort(&mut out);
    Some(out)
}

impl Files for JobPorts {
    fn read<'a>(
        &'a self,
        path: &'a str,
        from_bytes: u64,
    ) -> Answer<'a, Result<Vec<u8>, FilesError>> {
        self.read_part(path, from_bytes, 1 << 53)
    }

    fn read_part<'a>(
        &'a self,
        path: &'a str,
        from_bytes: u64,
        length_bytes: u64,
    ) -> Answer<'a, Result<Vec<u8>, FilesError>> {
        let fields = [
            ("path", path.into()),
            ("from", (from_bytes as f64).into()),
            ("most", (length_bytes as f64).into()),
        ];
        self.call("files.read", &fields, path, |value| {
            value.dyn_into::<Uint8Array>().ok().map(|b| b.to_vec())
        })
    }

    fn list<'a>(&'a self, path: &'a str) -> Answer<'a, Result<Vec<FileEntry>, FilesError>> {
        self.call("files.list", &[("path", path.into())], path, entries)
    }

    fn append<'a>(
        &'a self,
        path: &'a str,
        content: &'a [u8],
    ) -> Answer<'a, Result<(), FilesError>> {
        let fields = [("path", path.into()), ("bytes", bytes(content))];
        self.call("files.append", &fields, path, nothing)
    }

    fn replace<'a>(
        &'a self,
        path: &'a str,
        content: &'a [u8],
    ) -> Answer<'a, Result<(), FilesError>> {
        let fields = [("path", path.into()), ("bytes", bytes(content))];
        self.call("files.replace", &fields, path, nothing)
    }

    fn replace_if<'a>(
        &'a self,
        path: &'a str,
        stamp: Option<&'a str>,
        pieces: &'a [Vec<u8>],
    ) -> Answer<'a, Result<Option<String>, FilesError>> {
        // A copy of a whole large file would hold the event loop.
        Box::pin(async move {
            let (last, before) = match pieces.split_last() {
                Some((last, before)) => (last.as_slice(), before),
                None => (&[][..], pieces),
            };
            let mut from = 0;
            let at = |from: usize, content: &[u8]| {
                let from = (from as f64).into();
                [
                    ("path", path.into()),
                    ("from", from),
                    ("bytes", bytes(content)),
                ]
            };
            for piece in before {
                self.call("files.stage", &at(from, piece), path, nothing)
                    .await?;
                from += piece.len();
            }
            let [path_of, from_of, bytes_of] = at(from, last);
            let stamp = stamp.map_or(JsValue::UNDEFINED, JsValue::from_str);
            let fields = [path_of, from_of, bytes_of, ("stamp", stamp)];
            self.call("files.replace-if", &fields, path, |value| {
                value
                    .as_string()
                    .map(|stamp| Some(stamp).filter(|stamp| !stamp.is_empty()))
            })
            .await
        })
    }

    fn copy<'a>(&'a self, from: &'a str, to: &'a str) -> Answer<'a, Result<(), FilesError>> {
        let fields = [("from", from.into()), ("to", to.into())];
        self.call("files.copy", &fields, from, nothing)
    }

    fn begins_with<'a>(
        &'a self,
        path: &'a str,
        beginning: &'a str,
    ) -> Answer<'a, Result<bool, FilesError>> {
        let fields = [("path", path.into()), ("beginning", beginning.into())];
        self.call("files.begins-with", &fields, path, |value| value.as_bool())
    }

    fn create<'a>(
        &'a self,
        path: &'a str,
        content: &'a [u8],
    ) -> Answer<'a, Result<bool, FilesError>> {
        let fields = [("path", path.into()), ("bytes", bytes(content))];
        self.call("files.create", &fields, path, |value| value.as_bool())
    }

    fn publish<'a>(
        &'a self,
        publication: Publication<'a>,
    ) -> Answer<'a, Result<Published, FilesError>> {
        let fields = [
            ("lock", publication.lock.into()),
            ("owner", publication.owner.into()),
            ("claim", bytes(publication.claim)),
            ("path", publication.path.into()),
            ("end", (publication.end_bytes as f64).into()),
            ("tail", bytes(publication.tail)),
            ("beside", publication.beside.into()),
            ("stamp", publication.stamp.into()),
            ("bytes", bytes(publication.bytes)),
            ("withinMs", publication.within_ms.into()),
        ];
        let answer = self.call("files.publish", &fields, publication.lock, Some);
        Box::pin(async move {
            let told = answer.await?;
            Ok(match told.as_string().as_deref() {
                Some("busy") => Published::Busy,
                Some("taken") => Published::Taken,
                Some("kept") => Published::Kept,
                Some("done") => Published::Done,
                _ => Published::Failed(files_error(&told, publication.path, "append")),
            })
        })
    }

    fn truncate<'a>(
        &'a self,
        path: &'a str,
        length_bytes: u64,
    ) -> Answer<'a, Result<(), FilesError>> {
        let fields = [
            ("path", path.into()),
            ("length", (length_bytes as f64).into()),
        ];
        self.call("files.truncate", &fields, path, nothing)
    }

    fn rename<'a>(&'a self, from: &'a str, to: &'a str) -> Answer<'a, Result<(), FilesError>> {
        self.call(
            "files.rename",
            &[("from", from.into()), ("to", to.into())],
            from,
            nothing,
        )
    }

    fn remove<'a>(&'a self, path: &'a str) -> Answer<'a, Result<(), FilesError>> {
        self.call("files.remove", &[("path", path.into())], path, nothing)
    }

    fn real_path<'a>(&'a self, path: &'a str) -> Answer<'a, Result<String, FilesError>> {
        self.call("files.real-path", &[("path", path.into())], path, |value| {
            value.as_string()
        })
    }

    fn stamp(&self, path: &str) -> String {
        self.host.stamp(path).unwrap_or_default()
    }

    fn owner(&self) -> Owner {
        let told = self.host.owner().unwrap_or(JsValue::UNDEFINED);
        Owner {
            host: field(&told, "host").as_string().unwrap_or_default(),
            pid: field(&told, "pid").as_f64().unwrap_or(0.0) as u32,
            started: field(&told, "started").as_string().unwrap_or_default(),
        }
    }

    fn liveness(&self, owner: &Owner) -> Liveness {
        match self
            .host
            .liveness(&owner.host, owner.pid, &owner.started)
            .as_deref()
        {
            Ok("alive") => Liveness::Alive,
            Ok("dead") => Liveness::Dead,
            _ => Liveness::Unknown,
        }
    }
}

impl Clock for JobPorts {
    fn now(&self) -> Millis {
        now()
    }

    fn offset_minutes(&self, at: Millis) -> i32 {
        offset_minutes(at)
    }

    fn offset_in_zone(&self, zone: &str, at: Millis) -> i32 {
        let told = self.host.zone_offset(zone, at.0 as f64);
        let minutes = told.ok().and_then(|value| value.as_f64());
        minutes.map_or_else(|| offset_minutes(at), |minutes| minutes as i32)
    }

    fn sleep(&self, ms: u32) -> Answer<'_, ()> {
        let asked = self
            .mailbox
            .ask(request("clock.sleep", &[("ms", ms.into())]));
        Box::pin(async move {
            asked.await;
        })
    }
}

/// Returns the present.
pub(super) fn now() -> Millis {
    Millis(Date::now() as i64)
}

/// Returns minutes to add to UTC for the machine's local time at `at`.
pub(super) fn offset_minutes(at: Millis) -> i32 {
    -(Date::new(&JsValue::from_f64(at.0 as f64)).get_timezone_offset() as i32)
}

impl Random for JobPorts {
    fn fill(&self, bytes: &mut [u8]) {
        // Without randomness a token is only as unique as the time it was made at; the lock's owner still tells two apart.
        if getrandom::fill(bytes).is_err() {
            let mut seed = Date::now().to_bits();
            for byte in bytes {
                seed = seed
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                *byte = (seed >> 33) as u8;
            }
        }
    }
}
