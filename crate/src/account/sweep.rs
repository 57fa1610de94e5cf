//! What is stored and would not be today: every text of the folder against the present vetoes.

use crate::extract::Candidate;
use crate::memory::{Author, Memory, MemoryId, Type};
use crate::screen::{Screened, screen};
use crate::store::entry::{Body, Fact, Observation, Row};
use crate::store::tables::Tables;
use crate::text::secret;
use crate::text::sorted::{Map, Set};

/// Texts without a record that are kept while reading.
const WORDS_MAX: usize = 2_000;

/// What was found.
#[derive(Debug, Default)]
pub struct Found {
    /// Records, with the code of what they would be refused for.
    pub records: Map<MemoryId, &'static str>,
    /// Texts with a secret in rows of the ledger that no record has, and how many rows each stands in.
    pub words: Map<String, u32>,
    /// Rows that hold such a text, by kind.
    pub rows: Map<&'static str, u32>,
    /// Texts looked at.
    pub n_texts: u64,
    /// Texts that were looked at.
    seen: Set<String>,
}

impl Found {
    /// Looks at a record as it is now.
    pub fn record(&mut self, memory: &Memory) {
        self.n_texts += 1;
        let reason = if holds_secret(memory) {
            Some("veto:secret")
        } else if memory.is_statement()
            && Type::ALL.contains(&memory.memory_type)
            && !memory.source.quote.is_empty()
            && matches!(memory.by, Author::Human | Author::Import)
        {
            match screen(&Candidate::within(
                &memory.source.quote,
                &memory.source.quote,
            )) {
                Screened::Vetoed { reason, .. } => Some(reason),
                Screened::Kept(_) => None,
            }
        } else {
            None
        };
        if let Some(reason) = reason {
            self.records.insert(memory.id.clone(), reason);
            // They go with the record, wherever they stand.
            for word in memory.words() {
                self.seen.insert(word);
            }
        }
    }

    /// Looks at the texts of a row.
    pub fn row(&mut self, row: &Row) {
        match &row.body {
            Body::Fact(Fact::Write { memory }) => self.past("write", memory),
            Body::Fact(Fact::Edit { memory, .. }) => self.past("edit", memory),
            Body::Fact(Fact::Checkpoint { state }) => self.tables(state),
            Body::Fact(Fact::Import { row }) => self.row(row),
            Body::Fact(Fact::Merge { merged }) => self.tables(&merged.put),
            Body::Fact(Fact::Canonical { text, .. }) => self.text("canonical", text),
            Body::Fact(Fact::Failure { signature, .. }) => self.text("failure", signature),
            Body::Fact(Fact::ConflictAsk { shared, .. }) => {
                for word in shared {
                    self.text("conflict-ask", word);
                }
            }
            Body::Observation(Observation::Skip {
                quote: Some(quote), ..
            }) => self.text("skip", quote),
            Body::Observation(Observation::Remember { quote, .. }) => self.text("remember", quote),
            Body::Observation(Observation::Normalize { from, to, .. }) => {
                self.text("normalize", from);
                self.text("normalize", to);
            }
            Body::Observation(Observation::Degraded { detail, .. }) => {
                self.text("degraded", detail)
            }
            Body::Observation(Observation::Health { detail, .. }) => self.text("health", detail),
            _ => {}
        }
    }

    fn tables(&mut self, tables: &Tables) {
        for memory in &tables.memories {
            self.past("checkpoint", memory);
        }
        for failure in &tables.failures {
            self.text("checkpoint", &failure.signature);
        }
    }

    fn past(&mut self, kind: &'static str, memory: &Memory) {
        // A record that goes takes all its words along.
        if self.records.contains_key(&memory.id) {
            return;
        }
        for word in memory.words() {
            self.text(kind, &word);
        }
    }

    fn text(&mut self, kind: &'static str, text: &str) {
        if text.is_empty() {
            return;
        }
        if let Some(n) = self.words.get_mut(text) {
            *n += 1;
            *self.rows.or_default(kind) += 1;
            return;
        }
        // The same words stand in several rows: looked at once.
        if self.seen.contains(text) {
            return;
        }
        self.n_texts += 1;
        if secret::contains(text) {
            if self.words.len() < WORDS_MAX {
                self.words.insert(text.to_owned(), 1);
            }
            *self.rows.or_default(kind) += 1;
        } else if self.seen.len() < WORDS_MAX {
            self.seen.insert(text.to_owned());
        }
    }
}

/// Whether any text of a record holds a secret.
fn holds_secret(memory: &Memory) -> bool {
    memory.words().any(|word| secret::contains(&word))
        || memory.source.tool.as_deref().is_some_and(secret::contains)
        || memory.signals.iter().any(|signal| secret::contains(signal))
}
