//! Writing the body of a row, field by field.

use crate::memory::MemoryId;
use crate::memory::record::id_texts;
use crate::store::codec;
use crate::store::entry::{Chosen, Fact, Observation};
use crate::text::json::Writer;

impl Chosen {
    fn write(&self, out: &mut Vec<u8>) {
        let mut writer = Writer::object(out);
        writer
            .text("id", self.id.as_str())
            .number("score", self.score)
            .number("relevance", self.relevance)
            .number("importance", self.importance)
            .number("age", self.age);
        writer.end();
    }
}

fn strings(texts: &[String]) -> impl ExactSizeIterator<Item = &str> {
    texts.iter().map(String::as_str)
}

/// Writes the fields of a fact into a row that stands open.
pub(in crate::store) fn write_fact(fact: &Fact, w: &mut Writer<'_>) {
    match fact {
        Fact::Write { memory } => memory.write(w.name("memory")),
        Fact::Edit { memory, changed } => {
            memory.write(w.name("memory"));
            w.texts_if("changed", strings(changed));
        }
        Fact::Import { row } => {
            let out = w.name("row");
            if codec::encode(row, out).is_ok() {
                out.pop();
            }
        }
        Fact::Merge { merged } => merged.write(w),
        Fact::Status {
            id,
            status,
            revision,
            reason,
        } => {
            w.text("id", id.as_str())
                .text("status", status.as_str())
                .whole("revision", revision.0.into())
                .text("reason", reason);
        }
        Fact::Supersede { old, new } => {
            w.text("old", old.as_str()).text("new", new.as_str());
        }
        Fact::Canonical { id, text } => {
            w.text("id", id.as_str()).text("text", text);
        }
        Fact::Failure {
            scope,
            key,
            tool,
            signature,
            count,
            more,
            position,
        } => {
            w.text("scope", scope.as_str())
                .text("key", key)
                .text("tool", tool)
                .text("signature", signature)
                .whole("count", (*count).into())
                .whole_if("more", (*more > 0).then(|| u64::from(*more)));
            position.write(w.name("position"));
        }
        Fact::FailureDropped { scope, keys } => {
            w.text("scope", scope.as_str()).texts("keys", strings(keys));
        }
        Fact::Turn {
            session_id,
            turn,
            read_to,
            scope,
        } => {
            w.text("sessionId", session_id.as_str())
                .whole("turn", (*turn).into())
                .whole("readTo", read_to.0)
                .text("scope", scope.as_str());
        }
        Fact::ConflictAsk {
            id,
            against,
            attempt,
            detector,
            shared,
            question,
            asker,
            instead,
        } => {
            w.text("id", id.as_str())
                .texts("against", id_texts(against))
                .whole("attempt", (*attempt).into())
                .text("detector", detector)
                .texts("shared", strings(shared));
            let more = [
                ("question", question),
                ("asker", asker),
                ("instead", instead),
            ];
            for (name, text) in more {
                if let Some(text) = text {
                    w.text(name, text);
                }
            }
        }
        Fact::ConflictResolved {
            id,
            against,
            choice,
        } => {
            w.text("id", id.as_str())
                .texts("against", id_texts(against))
                .text("choice", choice);
        }
        Fact::Forget {
            id,
            scope,
            positions,
            by,
            asked,
        } => {
            w.text("id", id.as_str())
                .text("scope", scope.as_str())
                .list("positions", positions, |out, x| x.write(out))
                .text("by", by);
            if let Some(asked) = asked {
                asked.write(w.name("asked"));
            }
        }
        Fact::Scope { from, to } => {
            w.text("from", from.as_str()).text("to", to.as_str());
        }
        Fact::Plan { plan } => plan.write(w.name("plan")),
        Fact::RequestExpired { requests } => {
            w.texts("requests", strings(requests));
        }
        Fact::DigestPending { scope } => {
            w.text("scope", scope.as_str());
        }
        Fact::Digested {
            scope,
            asked,
            up_to,
        } => {
            w.text("scope", scope.as_str())
                .texts("asked", strings(asked))
                .whole_if("upTo", up_to.map(|seq| seq.0));
        }
        Fact::Checkpoint { state } => state.write(w.name("state")),
    }
}

/// Writes the fields of an observation into a row that stands open.
pub(in crate::store) fn write_observation(observation: &Observation, w: &mut Writer<'_>) {
    match observation {
        Observation::Start {
            version,
            tokeniser,
            judge,
            key,
            jev_ready,
            normalize,
            capture,
            inactive,
            host,
            summary,
        } => {
            w.text("version", version)
                .text("tokeniser", tokeniser)
                .text("judge", judge)
                .text("key", key)
                .flag("jevReady", *jev_ready)
                .text("normalize", normalize)
                .flag("capture", *capture)
                .texts_if("inactive", strings(inactive))
                .text("host", host)
                .text_if("summary", summary.as_deref());
        }
        Observation::Skip {
            reason,
            scope,
            id,
            quote,
            rule,
            count,
            position,
        } => {
            w.text("reason", reason)
                .text("scope", scope.as_str())
                .text_if("id", id.as_ref().map(MemoryId::as_str))
                .text_if("quote", quote.as_deref())
                .text_if("rule", rule.as_deref())
                .whole_if("count", count.map(u64::from));
            position.write(w.name("position"));
        }
        Observation::Remember {
            id,
            scope,
            score,
            memory_type,
            by,
            model,
            signals,
            threshold,
            admitted,
            quote,
            position,
        } => {
            w.text("id", id.as_str())
                .text("scope", scope.as_str())
                .number("score", *score)
                .text("type", memory_type.as_str())
                .text("by", by.as_str())
                .text_if("model", model.as_deref())
                .texts("signals", strings(signals))
                .number("threshold", *threshold)
                .flag("admitted", *admitted)
                .text("quote", quote);
            position.write(w.name("position"));
        }
        Observation::Judged {
            by,
            model,
            questions,
            asked,
            answered,
            requests,
            input_tokens,
            output_tokens,
            ms,
        } => {
            w.text("by", by.as_str())
                .text_if("model", model.as_deref())
                .text("questions", questions)
                .whole("asked", u64::from(*asked))
                .whole("answered", u64::from(*answered))
                .whole("requests", u64::from(*requests))
                .whole("inputTokens", *input_tokens)
                .whole("outputTokens", *output_tokens)
                .whole("ms", u64::from(*ms));
        }
        Observation::Recall {
            session_id,
            turn,
            scope,
            tokens,
            chosen,
        } => {
            w.text("sessionId", session_id.as_str())
                .whole("turn", (*turn).into())
                .text("scope", scope.as_str())
                .whole("tokens", (*tokens).into())
                .list("chosen", chosen, |out, x| x.write(out));
        }
        Observation::Normalize {
            id,
            accepted,
            share,
            from,
            to,
        } => {
            w.text("id", id.as_str())
                .flag("accepted", *accepted)
                .number("share", *share)
                .text("from", from)
                .text("to", to);
        }
        Observation::Degraded {
            cause,
            count,
            detail,
        } => {
            w.text("cause", cause)
                .whole_if("count", count.map(u64::from))
                .text("detail", detail);
        }
        Observation::ContextSuppressed { session_id } => {
            w.text("sessionId", session_id.as_str());
        }
        Observation::Health { code, detail } => {
            w.text("code", code).text("detail", detail);
        }
    }
}
