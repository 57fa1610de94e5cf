//! The memory as a library, to JavaScript: one class, one verb a call, errors as values with a name and a status.

use super::host::{Host, JobPorts};
use super::job::{Job, Mailbox};
use super::{CLOSE_DEADLINE_MS, from_js, to_js};
use crate::decide::Error;
use crate::decide::settings::Settings;
use crate::engine::Library;
use serde_json::{Value, json};
use std::future::Future;
use std::rc::Rc;
use wasm_bindgen::prelude::*;

/// A memory used as a library. Values of its jobs: `{ ok }` or `{ error: { name, code, status, message } }`.
#[wasm_bindgen]
pub struct LibraryCore {
    library: Result<Rc<Library>, Error>,
    host: Host,
}

#[wasm_bindgen]
impl LibraryCore {
    /// Makes a library of flat settings; nothing is read until `open`, which also says what is wrong with them.
    #[wasm_bindgen(constructor)]
    pub fn new(settings: JsValue, host: Host) -> Self {
        let given: Value = from_js(settings).unwrap_or(Value::Null);
        Self {
            library: Settings::read(&given).map(|settings| Rc::new(Library::new(settings))),
            host,
        }
    }

    /// Reads the folder. Value: problems a person should know about.
    pub fn open(&self) -> Job {
        self.job(0, |library, ports| async move {
            library.open(ports.ports()).await?;
            Ok(library.health())
        })
    }

    /// Does what `verb` says with `args`, JSON as UTF-8.
    pub fn call(&self, verb: &str, args: &[u8]) -> Job {
        let verb = verb.to_owned();
        let args: Value = serde_json::from_slice(args).unwrap_or(Value::Null);
        self.job(0, move |library, ports| async move {
            library.call(ports.ports(), &verb, &args).await
        })
    }

    /// Writes what waits and a checkpoint.
    pub fn close(&self) -> Job {
        self.job(CLOSE_DEADLINE_MS, |library, ports| async move {
            library.close(ports.ports()).await;
            Ok(Value::Null)
        })
    }
}

impl LibraryCore {
    fn job<F, W>(&self, deadline_ms: u32, work: F) -> Job
    where
        F: FnOnce(Rc<Library>, Rc<JobPorts>) -> W + 'static,
        W: Future<Output = Result<Value, Error>> + 'static,
    {
        let mailbox = Rc::new(Mailbox::default());
        let ports = Rc::new(JobPorts {
            mailbox: mailbox.clone(),
            host: self.host.clone(),
        });
        let library = self.library.clone();
        let answered = async move {
            let answer = match library {
                Ok(library) => work(library, ports).await,
                Err(error) => Err(error),
            };
            to_js(&match answer {
                Ok(value) => json!({ "ok": value }),
                Err(error) => {
                    let (name, code, status) = error.row();
                    json!({ "error": { "name": name, "code": code, "status": status, "message": error.message } })
                }
            })
        };
        Job::new(mailbox, answered, deadline_ms)
    }
}
