//! `vector`, `exportLog`, `importLog`: what several devices carry to each other.

use super::{Args, Library};
use crate::decide::Error;
use crate::engine::devices::{vector_json, vector_of};
use crate::port::Ports;
use serde_json::{Value, json};

impl Library {
    /// Returns how far the entries of each device are held.
    pub(super) async fn vector(&self, ports: Ports<'_>) -> Result<Value, Error> {
        let held = self.engine.held(ports, self.store()?).await?;
        Ok(vector_json(&held.vector()))
    }

    /// Returns everything after `since` as a log.
    ///
    /// # Errors
    /// `InputError` for what is no vector, or where older segments were removed that it asks for.
    pub(super) async fn export_log(&self, ports: Ports<'_>, args: &Value) -> Result<Value, Error> {
        let given = Args(args);
        given.only(&["since"])?;
        let since = match given.given("since") {
            None => Some(Vec::new()),
            Some(Value::String(text)) => vector_of(text),
            Some(list) => vector_of(&list.to_string()),
        };
        let since = since.ok_or_else(|| {
            Error::input(
                "`since` is a vector: what `vector()` gave on the other device, or its log",
            )
        })?;
        self.refresh(ports).await?;
        let made = self.engine.export_log(ports, self.store()?, &since).await?;
        match made {
            Ok((text, _, _)) => Ok(text.into()),
            Err(code) => Err(Error::input(format!(
                "older segments were removed, and with them entries that `since` asks for ({code})"
            ))),
        }
    }

    /// Takes a log in.
    ///
    /// # Errors
    /// `InputError` for what is no log, or none of this version; `StorageError`.
    pub(super) async fn import_log(&self, ports: Ports<'_>, args: &Value) -> Result<Value, Error> {
        let given = Args(args);
        given.only(&["log"])?;
        let log = given.text("log")?.unwrap_or("");
        let store = self.store()?;
        let came = self.engine.import_logs(ports, store, &[log], false).await?;
        let code = came.files.first().copied().unwrap_or("");
        if matches!(code, "not-a-log" | "newer-log" | "log-changed") {
            return Err(Error::input(format!(
                "`log` is no log that can be read ({code}); nothing of it was taken in"
            )));
        }
        let taken = &came.taken;
        let ids = |ids: &[crate::memory::MemoryId]| -> Value {
            ids.iter().map(|id| Value::from(id.as_str())).collect()
        };
        let origins = |all: &[crate::memory::Origin]| -> Value {
            all.iter().map(|one| Value::from(one.as_str())).collect()
        };
        let refused = came.refused.iter();
        let refused: Value = refused
            .map(|x| json!({ "origin": x.origin.as_str(), "seq": x.seq, "code": x.code }))
            .collect();
        Ok(json!({
            "complete": code == "whole",
            "stopped": if code == "whole" { Value::Null } else { code.into() },
            "added": taken.n_new,
            "known": taken.n_known,
            "changed": taken.n_changed,
            "forgotten": ids(&taken.forgotten),
            "held": ids(&taken.held),
            "gaps": origins(&taken.gaps),
            "forked": origins(&taken.forked),
            "refused": refused,
        }))
    }
}
